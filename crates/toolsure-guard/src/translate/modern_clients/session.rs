//! A session with the server: its state, and the calls that use it.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::Duration;

use toolsure_json::{Node as _, View, push_json_string};
use toolsure_mcp::era::Era;
use toolsure_mcp::message::write;

use super::call::Call;
use super::declared::Declared;
use crate::connection::ConnectionId;
use crate::id::IdKey;
use crate::implementation::UNNAMED;
use crate::subscription::{acknowledgement, list_changed};
use crate::translate::rewrite;
use crate::translate::turn::Turn;
use crate::translate::words::{self, Abilities, Level, Lists, MODERN, SERVER_INFO};

/// One session.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) capabilities: String,
    pub(super) abilities: Abilities,
    pub(super) stage: Stage,
    /// The calls that the server has, by our numbers; the newest is last.
    pub(super) calls: BTreeMap<i64, Call>,
    /// Our own requests whose answers are ignored.
    pub(super) own_requests: HashSet<i64>,
    pub(super) subscriptions: HashMap<IdKey, Subscription>,
    level: Option<Level>,
    /// The number of the last request in this session.
    pub(super) used: i64,
}

#[derive(Debug)]
pub(super) enum Stage {
    /// `initialize` was sent under this number, and has this deadline.
    Opening(i64, Duration),
    Ready(Served),
}

/// The server's description of itself.
#[derive(Debug)]
pub(super) struct Served {
    /// As JSON text, in the form of the modern era.
    capabilities: String,
    info: String,
    instructions: Option<String>,
    logs: bool,
    lists: Lists,
}

#[derive(Debug)]
pub(super) struct Subscription {
    /// The id as the client wrote it.
    pub(super) id: String,
    lists: Lists,
}

impl Session {
    /// A session whose `initialize` is sent under this number.
    pub(super) fn opening(declared: &Declared<'_>, number: i64, until: Duration) -> Self {
        Self {
            capabilities: declared.capabilities.clone(),
            abilities: declared.abilities,
            stage: Stage::Opening(number, until),
            calls: BTreeMap::new(),
            own_requests: HashSet::new(),
            subscriptions: HashMap::new(),
            level: None,
            used: number,
        }
    }

    pub(super) fn is_ready(&self) -> bool {
        matches!(self.stage, Stage::Ready(_))
    }

    fn served(&self) -> Option<&Served> {
        match &self.stage {
            Stage::Ready(served) => Some(served),
            Stage::Opening(..) => None,
        }
    }

    pub(super) fn is_idle(&self) -> bool {
        self.is_ready() && self.calls.is_empty() && self.subscriptions.is_empty()
    }

    /// Whether nobody waits for an answer: each of its calls waits for its client.
    pub(super) fn is_abandonable(&self) -> bool {
        self.is_ready()
            && self.subscriptions.is_empty()
            && !self.calls.is_empty()
            && self.calls.values().all(|call| call.shown.is_some())
    }

    /// Whether the server waits for a client's answer to its question.
    pub(super) fn awaits_client(&self) -> bool {
        self.calls.values().any(|call| call.shown.is_some())
    }

    /// Whether a call is open during which the server may ask something.
    pub(super) fn is_taken(&self) -> bool {
        self.calls.values().any(|call| call.may_ask)
    }

    /// The result of `server/discover`.
    pub(super) fn discovered(&self) -> String {
        let Some(served) = self.served() else {
            return "{}".to_owned();
        };
        let mut result = format!(
            r#"{{"resultType":"complete","supportedVersions":["{MODERN}"],"capabilities":{}"#,
            served.capabilities
        );
        if let Some(instructions) = &served.instructions {
            result.push_str(",\"instructions\":");
            push_json_string(&mut result, instructions);
        }
        result.push_str(r#","ttlMs":0,"cacheScope":"private","_meta":{"#);
        result.push_str(&format!(r#""{SERVER_INFO}":{}}}}}"#, served.info));
        result
    }

    /// Starts to send a client notifications of changes.
    pub(super) fn subscribe(
        &mut self,
        key: IdKey,
        id: &str,
        filter: Option<View<'_>>,
        turn: &mut Turn,
    ) {
        let offered = self.served().map(|served| served.lists).unwrap_or_default();
        let lists = filter.map(Lists::wanted).unwrap_or_default().both(offered);
        let filter = lists.filter();
        turn.out.client(acknowledgement(id, &filter));
        let id = id.to_owned();
        self.subscriptions.insert(key, Subscription { id, lists });
    }

    /// Notifies the subscribers that a list changed.
    pub(super) fn changed(&self, method: &str, turn: &mut Turn) {
        let subscribed = self
            .subscriptions
            .values()
            .filter(|one| one.lists.has(method));
        let mut ids: Vec<&str> = subscribed.map(|one| one.id.as_str()).collect();
        ids.sort_unstable();
        for id in ids {
            turn.out.client(list_changed(id, method));
        }
    }

    /// The request that makes the server send log messages down to a level. The level is never raised
    /// again; messages below a client's level are dropped here.
    pub(super) fn heed(&mut self, level: Option<Level>, number: i64) -> Option<String> {
        let level = level?;
        let logs = self.served().is_some_and(|served| served.logs);
        if !logs || self.level.is_some_and(|least| least <= level) {
            return None;
        }
        self.level = Some(level);
        self.own_requests.insert(number);
        let params = format!(r#"{{"level":"{}"}}"#, level.name());
        Some(write::request(
            &number.to_string(),
            "logging/setLevel",
            Some(&params),
        ))
    }

    /// Whether any call wants a log message of this level.
    pub(super) fn wants(&self, level: Option<Level>) -> bool {
        let mut wanted = self.calls.values().filter_map(|call| call.level);
        // A message of an unknown level goes to every call that asks for log messages.
        wanted.any(|wanted| level.is_none_or(|level| wanted <= level))
    }

    /// The call that carries a question: the newest one that the client waits for, or else the newest one
    /// that the client has to continue.
    pub(super) fn carrier(&mut self) -> Option<(i64, &mut Call)> {
        let can =
            |(number, call): (&i64, &Call)| call.may_ask.then_some((call.shown.is_none(), *number));
        let (_, number) = self.calls.iter().filter_map(can).max()?;
        Some((number, self.calls.get_mut(&number)?))
    }
}

impl Served {
    pub(super) fn read(result: View<'_>) -> Result<Self, String> {
        let version = result
            .member("protocolVersion")
            .map_or("", |version| version.string());
        if Era::from_version(version).is_none_or(Era::declares_version) {
            let version = toolsure_json::quote(version, SHOWN);
            return Err(format!("it speaks the version `{version}`"));
        }
        let capabilities = result
            .member("capabilities")
            .filter(|is| words::is_object(*is));
        let capabilities = capabilities.ok_or("it names no capabilities")?;
        let info = result
            .member("serverInfo")
            .filter(|is| words::is_object(*is));
        let instructions = result.member("instructions");
        Ok(Self {
            capabilities: rewrite::server_capabilities(capabilities),
            info: info.map_or(UNNAMED, View::raw).to_owned(),
            instructions: instructions.map(|text| text.string().to_owned()),
            logs: capabilities.member("logging").is_some(),
            lists: Lists::offered(capabilities),
        })
    }
}

/// The result of the search for a session.
pub(super) enum Found {
    Ready(ConnectionId),
    Opening(ConnectionId),
    /// All sessions are busy; one must finish first.
    Busy,
}

/// Maximum characters of a version that a text repeats.
const SHOWN: usize = 64;
