//! A session with the server: its opening, its state, the calls that use it.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::time::Duration;

use toolgate_json::{Node as _, View};
use toolgate_mcp::era::Era;
use toolgate_mcp::message::Request;

use super::parked::{Ask, Repeated, Shown};
use super::{Declared, Found, ModernClients, Place};
use crate::connection::ConnectionId;
use crate::effect::{Effect, Effects};
use crate::id::IdKey;
use crate::renumber::{RequestOrigin, SUBSCRIPTION};
use crate::text;
use crate::translate::refusal::Refusal;
use crate::translate::words::{self, Abilities, Level, Lists, MODERN, SERVER_INFO};
use crate::translate::{Clients, splice};

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
    id: String,
    lists: Lists,
}

/// A request that the server has.
#[derive(Debug)]
pub(super) struct Call {
    /// The client's request.
    pub(super) caller: RequestOrigin,
    pub(super) may_ask: bool,
    /// Whether the answer says how long it may be cached.
    pub(super) is_kept: bool,
    pub(super) level: Option<Level>,
    /// The hash that a request must match to continue this one.
    pub(super) repeated: Repeated,
    /// Questions of the server that the client has not seen yet.
    pub(super) asks: VecDeque<Ask>,
    /// The question that the client has seen and not answered.
    pub(super) shown: Option<Shown>,
    /// The server's answer, if it arrived while the client was asked.
    pub(super) answer: Option<Vec<u8>>,
    /// How many questions the server asked.
    pub(super) questions: usize,
}

impl Call {
    pub(super) fn new(request: &Request<'_>, level: Option<Level>, repeated: Repeated) -> Self {
        let may_ask = words::may_ask(request.method);
        Self {
            caller: RequestOrigin::of(request),
            may_ask,
            is_kept: words::is_kept(request.method),
            level,
            repeated,
            asks: VecDeque::new(),
            shown: None,
            answer: None,
            questions: 0,
        }
    }
}

impl Session {
    pub(super) fn is_ready(&self) -> bool {
        matches!(self.stage, Stage::Ready(_))
    }

    fn served(&self) -> Option<&Served> {
        match &self.stage {
            Stage::Ready(served) => Some(served),
            Stage::Opening(..) => None,
        }
    }

    fn is_idle(&self) -> bool {
        self.is_ready() && self.calls.is_empty() && self.subscriptions.is_empty()
    }

    /// Whether nobody waits for an answer: each of its calls waits for its client.
    fn is_abandonable(&self) -> bool {
        self.is_ready()
            && self.subscriptions.is_empty()
            && !self.calls.is_empty()
            && self.calls.values().all(|call| call.shown.is_some())
    }

    /// Whether the server waits for a client's answer to its question.
    fn awaits_client(&self) -> bool {
        self.calls.values().any(|call| call.shown.is_some())
    }

    /// Whether a call is open during which the server may ask something.
    fn is_taken(&self) -> bool {
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
            text::push_string(&mut result, instructions);
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
        out: &mut Effects<'_>,
    ) {
        let offered = self.served().map(|served| served.lists).unwrap_or_default();
        let lists = filter.map(Lists::wanted).unwrap_or_default().both(offered);
        let filter = lists.filter();
        out.client(format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{{"_meta":{{"{SUBSCRIPTION}":{id}}},"notifications":{filter}}}}}"#
        ));
        let id = id.to_owned();
        self.subscriptions.insert(key, Subscription { id, lists });
    }

    /// Notifies the subscribers that a list changed.
    pub(super) fn changed(&self, method: &str, out: &mut Effects<'_>) {
        let subscribed = self
            .subscriptions
            .values()
            .filter(|one| one.lists.has(method));
        let mut ids: Vec<&str> = subscribed.map(|one| one.id.as_str()).collect();
        ids.sort_unstable();
        for id in ids {
            out.client(format!(
                r#"{{"jsonrpc":"2.0","method":"{method}","params":{{"_meta":{{"{SUBSCRIPTION}":{id}}}}}}}"#
            ));
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
        let level = level.name();
        Some(format!(
            r#"{{"jsonrpc":"2.0","id":{number},"method":"logging/setLevel","params":{{"level":"{level}"}}}}"#
        ))
    }

    /// Whether any call wants a log message of this level.
    pub(super) fn wants(&self, level: Option<Level>) -> bool {
        let mut wanted = self.calls.values().filter_map(|call| call.level);
        // A message of an unknown level goes to every call that asks for log messages.
        wanted.any(|wanted| level.is_none_or(|level| wanted <= level))
    }
}

impl ModernClients {
    /// Finds a session for a request: one that is open, or one that is being opened.
    pub(super) fn session_for(
        &mut self,
        request: &Request<'_>,
        declared: &Declared<'_>,
        now: Duration,
        out: &mut Effects<'_>,
    ) -> Result<Found, Refusal> {
        let alone = self.clients == Clients::Many
            && declared.abilities.any()
            && words::may_ask(request.method);
        let theirs = self
            .sessions
            .iter()
            .filter(|(_, session)| session.capabilities == declared.capabilities);
        let mut opening = None;
        let mut waiting = None;
        for (connection, session) in theirs {
            match session.stage {
                Stage::Opening(..) => opening = opening.or(Some(*connection)),
                Stage::Ready(_) if alone && session.is_taken() => {}
                // Its server may do nothing else before it gets the answer.
                Stage::Ready(_) if self.clients == Clients::Many && session.awaits_client() => {
                    waiting = waiting.or(Some(*connection));
                }
                Stage::Ready(_) => return Ok(Found::Ready(*connection)),
            }
        }
        if let Some(connection) = opening {
            return Ok(Found::Opening(connection));
        }
        // The last session is for requests during which the server cannot ask.
        let busy = self.sessions.values().filter(|session| !session.is_idle());
        let has_room = if alone && busy.count() >= SESSIONS - 1 {
            self.make_room(Session::is_abandonable, out)
        } else {
            let is_unused = |session: &Session| session.is_idle() || session.is_abandonable();
            self.sessions.len() < SESSIONS || self.make_room(is_unused, out)
        };
        if has_room {
            return Ok(Found::Opening(self.open(declared, now, out)));
        }
        Ok(match waiting {
            Some(connection) => Found::Ready(connection),
            None => Found::Busy,
        })
    }

    /// Ends the unused session that has been idle longest. If none is idle, ends the one that was used least
    /// recently of those whose calls all wait for their clients: a client may never come back.
    fn make_room(&mut self, is_unused: impl Fn(&Session) -> bool, out: &mut Effects<'_>) -> bool {
        let unused = self.sessions.iter().filter(|(_, one)| is_unused(one));
        let longest = unused.min_by_key(|(_, session)| (!session.is_idle(), session.used));
        let Some(connection) = longest.map(|(connection, _)| *connection) else {
            return false;
        };
        if let Some(session) = self.sessions.remove(&connection) {
            session.calls.values().for_each(|call| self.release(call));
        }
        Self::session_ended(out);
        out.push(Effect::Close(connection));
        true
    }

    fn open(
        &mut self,
        declared: &Declared<'_>,
        now: Duration,
        out: &mut Effects<'_>,
    ) -> ConnectionId {
        let connection = self.new_leg();
        let number = self.next_number();
        let until = now.saturating_add(self.bounds.patience);
        let session = Session {
            capabilities: declared.capabilities.clone(),
            abilities: declared.abilities,
            stage: Stage::Opening(number, until),
            calls: BTreeMap::new(),
            own_requests: HashSet::new(),
            subscriptions: HashMap::new(),
            level: None,
            used: number,
        };
        self.sessions.insert(connection, session);
        out.push(Effect::Open(connection));
        let ours = concat!(
            r#"{"name":"toolgate","version":""#,
            env!("CARGO_PKG_VERSION"),
            r#""}"#
        );
        let (version, info) = (Era::V2025_11_25, declared.info.unwrap_or(ours));
        let capabilities = &declared.capabilities;
        out.server(
            connection,
            format!(
                r#"{{"jsonrpc":"2.0","id":{number},"method":"initialize","params":{{"protocolVersion":"{version}","capabilities":{capabilities},"clientInfo":{info}}}}}"#
            ),
        );
        connection
    }

    /// Handles the server's answer to `initialize`.
    pub(super) fn opened(
        &mut self,
        connection: ConnectionId,
        answer: Result<View<'_>, String>,
        now: Duration,
        out: &mut Effects<'_>,
    ) {
        let served = answer.and_then(|result| Served::read(result));
        match (served, self.sessions.get_mut(&connection)) {
            (Ok(served), Some(session)) => {
                session.stage = Stage::Ready(served);
                let opened = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
                out.server(connection, opened);
                self.admit(now, out);
            }
            (Err(why), _) => {
                let text = format!("the server opens no session: {why}");
                self.close(
                    connection,
                    &Refusal::other_era("server-not-legacy", text),
                    now,
                    out,
                );
            }
            (Ok(_), None) => {}
        }
    }

    /// Ends a session from this side.
    pub(super) fn close(
        &mut self,
        connection: ConnectionId,
        refusal: &Refusal,
        now: Duration,
        out: &mut Effects<'_>,
    ) {
        out.push(Effect::Close(connection));
        self.lost(connection, refusal, now, out);
    }

    pub(in crate::translate) fn server_gone(
        &mut self,
        connection: ConnectionId,
        why: &str,
        now: Duration,
        out: &mut Effects<'_>,
    ) {
        if self.through == Some(connection) {
            self.through = None;
            return out.push(Effect::Finish);
        }
        self.lost(connection, &Refusal::gone(why), now, out);
    }

    /// Answers the requests of a session that has ended.
    fn lost(
        &mut self,
        connection: ConnectionId,
        refusal: &Refusal,
        now: Duration,
        out: &mut Effects<'_>,
    ) {
        let Some(session) = self.sessions.remove(&connection) else {
            return;
        };
        if session.is_ready() {
            // A call may already be on its way to the session that takes its place.
            Self::session_ended(out);
        }
        for (key, subscription) in session.subscriptions {
            self.places.remove(&key);
            let id = &subscription.id;
            let meta = format!(r#"{{"resultType":"complete","_meta":{{"{SUBSCRIPTION}":{id}}}}}"#);
            out.client(splice::result(id, &meta));
        }
        for (_, call) in session.calls {
            self.release(&call);
            // The id of a call that waits for its client is free, and may belong to another request.
            if call.shown.is_none() && self.places.remove(&call.caller.key).is_some() {
                out.client(refusal.to(&call.caller.id));
            }
        }
        // A request that waited for this session also fails, instead of waiting for another failure.
        let waiting = std::mem::take(&mut self.waiting);
        for one in waiting {
            if one.opening == Some(connection) {
                self.places.remove(&one.key);
                self.held -= one.text.len();
                out.client(refusal.to(&one.id));
            } else {
                self.waiting.push_back(one);
            }
        }
        self.admit(now, out);
    }

    pub(in crate::translate) fn next_deadline(&self) -> Option<Duration> {
        let of_session = |session: &Session| match session.stage {
            Stage::Opening(_, until) => Some(until),
            Stage::Ready(_) if !self.is_parking() => None,
            Stage::Ready(_) => {
                let shown = session
                    .calls
                    .values()
                    .filter_map(|call| call.shown.as_ref());
                shown.map(|shown| shown.until).min()
            }
        };
        self.sessions.values().filter_map(of_session).min()
    }

    pub(in crate::translate) fn tick(&mut self, now: Duration, out: &mut Effects<'_>) {
        let late =
            |session: &Session| matches!(session.stage, Stage::Opening(_, until) if until <= now);
        let sessions = self.sessions.iter();
        let late: Vec<ConnectionId> = sessions
            .filter(|(_, one)| late(one))
            .map(|(connection, _)| *connection)
            .collect();
        for connection in late {
            let text = "the server did not open a session in time";
            self.close(
                connection,
                &Refusal::other_era("server-not-legacy", text),
                now,
                out,
            );
        }
        let mut expired = Vec::new();
        for (connection, session) in &self.sessions {
            for (number, call) in &session.calls {
                if call.shown.as_ref().is_some_and(|shown| shown.until <= now) {
                    expired.push((*connection, *number));
                }
            }
        }
        for (connection, number) in expired {
            self.drop_call(
                connection,
                number,
                "the client did not come back in time",
                out,
            );
        }
        self.admit(now, out);
    }

    /// Forgets that a request is anywhere.
    pub(super) fn left(&mut self, key: &IdKey) -> Option<Place> {
        self.places.remove(key)
    }
}

impl Served {
    fn read(result: View<'_>) -> Result<Self, String> {
        let version = result
            .member("protocolVersion")
            .map_or("", |version| version.string());
        if Era::from_version(version).is_none_or(Era::declares_version) {
            let version = toolgate_json::quote(version, SHOWN);
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
            capabilities: splice::server_capabilities(capabilities),
            info: info.map_or(UNNAMED, View::raw).to_owned(),
            instructions: instructions.map(|text| text.string().to_owned()),
            logs: capabilities.member("logging").is_some(),
            lists: Lists::offered(capabilities),
        })
    }
}

/// Maximum number of sessions. Each capability set in use takes one; with several clients, so does each
/// call that allows questions.
const SESSIONS: usize = 8;
/// For a server that does not send its name.
const UNNAMED: &str = r#"{"name":"unnamed","version":"unknown"}"#;
/// Maximum characters of a version that a text repeats.
const SHOWN: usize = 64;
