//! Hubs with a server behind them that answers every request.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use toolsure_guard::translate::{Clients, Translate, Translator};
use toolsure_guard::{
    Aggregator, AggregatorLimits, Begin, ConnectionId, Context, Conversation, Guard, Hub,
    HubEffect, HubEffects, Link, Member, Message, NodeId, Policy, ScopeKey,
};

/// What stands between the client and the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The filters.
    Filters,
    /// The filters, and a translation of clients of 2025-11-25 for a server of 2026-07-28.
    LegacyClients,
    /// The filters, and a translation of clients of 2026-07-28 for a server of 2025-11-25.
    ModernClients,
    /// An aggregation of three servers, each with filters of its own.
    Aggregate,
}

pub(crate) const KINDS: [Kind; 4] = [
    Kind::Filters,
    Kind::LegacyClients,
    Kind::ModernClients,
    Kind::Aggregate,
];

impl Kind {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Filters => "filters",
            Self::LegacyClients => "legacy-clients",
            Self::ModernClients => "modern-clients",
            Self::Aggregate => "aggregate",
        }
    }

    /// The guard whose limits and schemas the hub has.
    pub(crate) fn guard(self) -> Guard {
        let mut policy = Policy::new();
        policy.translated_from_modern = self == Self::LegacyClients;
        policy.record_passes = false;
        Guard::new(policy).unwrap()
    }

    /// The hub, and the servers that it has from the beginning.
    pub(crate) fn hub(self, guard: &Guard, session: u64) -> (Hub, Vec<NodeId>) {
        let filters = |upstream: &'static str| -> Begin {
            let guard = guard.clone();
            Arc::new(move || {
                let scope = guard.scope(&ScopeKey {
                    upstream: upstream.into(),
                    context: Context::Session(session),
                });
                Conversation::new(&guard, scope, Link::default())
            })
        };
        let nothing: Begin = {
            let policy = guard.policy().without_filters();
            Arc::new(move || {
                let guard = Guard::new(policy.clone()).unwrap();
                let scope = guard.scope(&ScopeKey {
                    upstream: "one".into(),
                    context: Context::Session(session),
                });
                Conversation::new(&guard, scope, Link::default())
            })
        };
        let mut hub = Hub::new(usize::MAX);
        let translate = match self {
            Self::Filters => None,
            Self::LegacyClients => Some(Translate::LegacyClients),
            Self::ModernClients => Some(Translate::ModernClients),
            Self::Aggregate => {
                let members = ["a", "b", "c"].map(|name| Member {
                    name: name.to_owned(),
                    prefix: format!("{name}__"),
                });
                let bounds = AggregatorLimits::default();
                let aggregator = Aggregator::new(members.to_vec(), bounds).unwrap();
                let aggregator = hub.add_aggregator(None, 0, aggregator);
                let servers = ["a", "b", "c"].into_iter().enumerate().map(|(at, name)| {
                    let at = (aggregator, ConnectionId::new(at));
                    hub.add_conversation(Some(at), 1, filters(name))
                });
                let servers = servers.collect();
                return (hub, servers);
            }
        };
        let first = hub.add_conversation(None, 0, filters("one"));
        if let Some(translate) = translate {
            let translator = Translator::new(translate, Clients::One, [7; 32], &guard.policy());
            hub.add_translator(Some((first, ConnectionId::ONLY)), 1, translator, nothing);
            return (hub, Vec::new());
        }
        (hub, vec![first])
    }

    fn is_modern_client(self) -> bool {
        self == Self::ModernClients
    }

    fn is_modern_server(self) -> bool {
        self == Self::LegacyClients
    }

    /// What a client says before it calls.
    pub(crate) fn opening(self) -> Vec<String> {
        if self.is_modern_client() {
            return vec![request(1, "tools/list", &json!({"_meta": meta()}))];
        }
        let opening = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "c", "version": "1"},
        });
        vec![
            request(1, "initialize", &opening),
            r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#.to_owned(),
            request(2, "tools/list", &json!({})),
        ]
    }

    /// A call of the tool.
    pub(crate) fn call(self, id: u64) -> String {
        let name = match self {
            Self::Aggregate => "b__forecast",
            _ => "forecast",
        };
        let arguments = json!({"city": "Bremen", "days": 3, "units": ["metric", "imperial"]});
        let mut params = json!({"name": name, "arguments": arguments});
        if self.is_modern_client() {
            params["_meta"] = meta();
        }
        request(id, "tools/call", &params)
    }

    /// The server's answer to a message, if it is a request. `None` too if it cannot be read.
    pub(crate) fn answer(self, message: &[u8]) -> Option<String> {
        let message: Value = serde_json::from_slice(message).ok()?;
        let (id, method) = (message.get("id")?, message.get("method")?.as_str()?);
        let mut result = match method {
            "initialize" => json!({
                "protocolVersion": "2025-11-25",
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "s", "version": "1"},
            }),
            "server/discover" => json!({
                "supportedVersions": ["2026-07-28"],
                "capabilities": {"tools": {}},
                "ttlMs": 3_600_000, "cacheScope": "private",
            }),
            "tools/list" => json!({"tools": [tool()]}),
            "tools/call" => json!({
                "content": [{"type": "text", "text": "{\"sky\":\"grey\",\"degrees\":[8,9,7.5]}"}],
                "structuredContent": {"sky": "grey", "degrees": [8, 9, 7.5]},
            }),
            _ => json!({}),
        };
        if self.is_modern_server() {
            result["resultType"] = json!("complete");
            if method == "tools/list" {
                result["ttlMs"] = json!(3_600_000);
                result["cacheScope"] = json!("private");
            }
        }
        Some(json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string())
    }
}

/// A hub at work.
pub(crate) struct Session {
    pub(crate) kind: Kind,
    pub(crate) guard: Guard,
    pub(crate) hub: Hub,
    /// The servers, in the order in which they were opened.
    pub(crate) servers: Vec<NodeId>,
    pub(crate) now: Duration,
}

/// A message that leaves a hub.
pub(crate) struct Sent {
    /// A server; `None` is the client.
    pub(crate) to: Option<NodeId>,
    pub(crate) bytes: Vec<u8>,
}

impl Session {
    pub(crate) fn new(kind: Kind, guard: &Guard, number: u64) -> Self {
        let (hub, servers) = kind.hub(guard, number);
        Self {
            kind,
            guard: guard.clone(),
            hub,
            servers,
            now: Duration::ZERO,
        }
    }

    /// Lets the client or a server say something.
    pub(crate) fn say(&mut self, from: Option<NodeId>, message: &[u8]) -> HubEffects {
        let (message, now) = (self.guard.read(Message::new(message)), self.now);
        let effects = match from {
            None => self.hub.on_client(message, now),
            Some(server) => self.hub.on_server(server, message, now),
        };
        self.note_opened(&effects);
        effects
    }

    /// A server has ended.
    pub(crate) fn gone(&mut self, server: NodeId) -> HubEffects {
        let effects = self.hub.gone(server, "it ended", self.now);
        self.note_opened(&effects);
        effects
    }

    pub(crate) fn note_opened(&mut self, effects: &HubEffects) {
        for effect in effects {
            if let HubEffect::Open(server, _) = effect {
                self.servers.push(*server);
            }
        }
    }
}

/// The messages that leave a hub.
pub(crate) fn sent(effects: HubEffects) -> Vec<Sent> {
    let sends = effects.into_iter().filter_map(|effect| {
        let (to, message) = match effect {
            HubEffect::ToClient(message) => (None, message),
            HubEffect::ToServer(server, message) => (Some(server), message),
            _ => return None,
        };
        let bytes = message.into_bytes();
        Some(Sent { to, bytes })
    });
    sends.collect()
}

fn request(id: u64, method: &str, params: &Value) -> String {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string()
}

fn meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "c", "version": "1"},
    })
}

fn tool() -> Value {
    json!({
        "name": "forecast",
        "description": "The weather of the next days.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "city": {"type": "string", "minLength": 1},
                "days": {"type": "integer", "minimum": 1, "maximum": 14},
                "units": {"type": "array", "items": {"enum": ["metric", "imperial"]}},
            },
            "required": ["city"],
        },
        "outputSchema": {
            "type": "object",
            "properties": {
                "sky": {"type": "string"},
                "degrees": {"type": "array", "items": {"type": "number"}},
            },
            "required": ["sky"],
        },
    })
}
