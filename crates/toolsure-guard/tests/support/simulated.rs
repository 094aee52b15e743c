//! Pipelines with a server behind them that answers every request.

use std::time::Duration;

#[path = "pipeline.rs"]
mod pipeline;

use pipeline::Pipeline;
use serde_json::{Value, json};
use toolsure_guard::translate::{Clients, Translate, Translator};
use toolsure_guard::{
    Aggregator, AggregatorLimits, Connection, ConnectionId, Context, Conversation, Effect, Guard,
    Link, Member, Message, Policy, ScopeKey,
};

/// What stands between the client and the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Nothing at all.
    Nothing,
    /// The filters.
    Filters,
    /// The filters, and a translation of clients of 2025-11-25 for a server of 2026-07-28.
    LegacyClients,
    /// The filters, and a translation of clients of 2026-07-28 for a server of 2025-11-25.
    ModernClients,
    /// An aggregation of three servers, each with filters of its own.
    Aggregate,
}

pub(crate) const KINDS: [Kind; 5] = [
    Kind::Nothing,
    Kind::Filters,
    Kind::LegacyClients,
    Kind::ModernClients,
    Kind::Aggregate,
];

impl Kind {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::Filters => "filters",
            Self::LegacyClients => "legacy-clients",
            Self::ModernClients => "modern-clients",
            Self::Aggregate => "aggregate",
        }
    }

    /// The guard whose limits and schemas the pipeline has.
    pub(crate) fn guard(self) -> Guard {
        let mut policy = Policy::new();
        policy.translated_from_modern = self == Self::LegacyClients;
        policy.record_passes = false;
        Guard::new(policy).unwrap()
    }

    pub(crate) fn pipeline(self, guard: &Guard, session: u64) -> Pipeline {
        let filters = |upstream: &str| {
            let scope = guard.scope(&ScopeKey {
                upstream: upstream.into(),
                context: Context::Session(session),
            });
            Conversation::new(guard, scope, Link::default())
        };
        let translator =
            |translate| Translator::new(translate, Clients::One, [7; 32], &guard.policy());
        let empty = Pipeline::new(guard);
        match self {
            Self::Nothing => empty,
            Self::Filters => empty.stage(filters("one")),
            Self::LegacyClients => empty
                .stage(filters("one"))
                .stage(translator(Translate::LegacyClients)),
            Self::ModernClients => empty
                .stage(filters("one"))
                .stage(translator(Translate::ModernClients)),
            Self::Aggregate => {
                let members = ["a", "b", "c"].map(|name| Member {
                    name: name.to_owned(),
                    prefix: format!("{name}__"),
                });
                let bounds = AggregatorLimits::default();
                let aggregator = Aggregator::new(members.to_vec(), bounds).unwrap();
                let branch = |pipeline: Pipeline, at: usize, name| {
                    pipeline.branch(ConnectionId::new(at), filters(name))
                };
                let pipeline = branch(empty.stage(aggregator), 0, "a");
                branch(branch(pipeline, 1, "b"), 2, "c")
            }
        }
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

/// A pipeline at work.
pub(crate) struct Session {
    pub(crate) kind: Kind,
    pub(crate) guard: Guard,
    pub(crate) pipeline: Pipeline,
    pub(crate) now: Duration,
}

/// A message that leaves a pipeline.
pub(crate) struct Sent {
    pub(crate) to: Connection,
    pub(crate) bytes: Vec<u8>,
}

impl Session {
    pub(crate) fn new(kind: Kind, guard: &Guard, number: u64) -> Self {
        Self {
            kind,
            guard: guard.clone(),
            pipeline: kind.pipeline(guard, number),
            now: Duration::ZERO,
        }
    }

    /// Lets one side say something; what leaves the pipeline.
    pub(crate) fn say(&mut self, from: Connection, message: &[u8]) -> Vec<Sent> {
        let message = Message::new(message);
        sent(self.pipeline.on_message(from, message, self.now))
    }

    /// A connection has ended.
    pub(crate) fn closed(&mut self, connection: Connection) -> Vec<Sent> {
        sent(self.pipeline.on_closed(connection, "it ended", self.now))
    }
}

fn sent(effects: Vec<Effect>) -> Vec<Sent> {
    let sends = effects.into_iter().filter_map(|effect| match effect {
        Effect::Send { to, message } => Some(Sent {
            to,
            bytes: message.into_bytes(),
        }),
        _ => None,
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
