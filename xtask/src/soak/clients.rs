//! HTTP clients. Each calls one guard, waits for the answer and calls again. From time to time it
//! opens a new connection, or ends its session and opens another.

use std::net::SocketAddr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::calls::{self, Era, Got, Kind};
use super::latency::Latency;
use crate::replicas::http::{Connection, Reply};

/// The counts of clients.
#[derive(Debug, Default)]
pub(super) struct Counts {
    pub(super) calls: u64,
    /// Errors instead of the tool's result while a server was being restarted.
    pub(super) excused: u64,
    /// Sessions that were opened.
    pub(super) sessions: u64,
    /// Requests that were sent again, because the guard had no room for them.
    pub(super) repeated: u64,
    /// Calls without an answer.
    pub(super) lost: u64,
    /// Answers after the first.
    pub(super) twice: u64,
    /// Wrong answers that nothing explains.
    pub(super) wrong: u64,
    pub(super) latency: Latency,
    /// The first few failures, as text.
    pub(super) words: Vec<String>,
}

impl Counts {
    pub(super) fn add(&mut self, other: Self) {
        self.calls += other.calls;
        self.excused += other.excused;
        self.sessions += other.sessions;
        self.repeated += other.repeated;
        self.lost += other.lost;
        self.twice += other.twice;
        self.wrong += other.wrong;
        self.latency.add(&other.latency);
        let left = WORDS.saturating_sub(self.words.len());
        self.words.extend(other.words.into_iter().take(left));
    }

    pub(super) fn say(&mut self, words: String) {
        if self.words.len() < WORDS {
            self.words.push(words);
        }
    }

    /// Counts the answer of a call.
    pub(super) fn got(&mut self, got: Got, excused: bool) {
        match got {
            Got::Right => {}
            Got::Away(_) if excused => self.excused += 1,
            Got::Away(what) | Got::Wrong(what) => {
                self.wrong += 1;
                self.say(format!("not the right answer: {what}"));
            }
        }
    }
}

/// When servers were taken down. An error meanwhile, or shortly after, is not the guard's fault.
#[derive(Debug)]
pub(super) struct Disturbances {
    begun: AtomicU64,
    /// When the last one ended; `None` while one is in progress.
    over: Mutex<Option<Instant>>,
    /// How long others may not notice that it ended.
    after: Duration,
}

impl Default for Disturbances {
    fn default() -> Self {
        Self::with(AFTER)
    }
}

impl Disturbances {
    /// None yet.
    pub(super) fn with(after: Duration) -> Self {
        Self {
            begun: AtomicU64::new(0),
            over: Mutex::new(None),
            after,
        }
    }

    pub(super) fn begin(&self) {
        self.begun.fetch_add(1, Ordering::SeqCst);
        self.set(None);
    }

    pub(super) fn end(&self) {
        self.set(Some(Instant::now()));
    }

    fn set(&self, over: Option<Instant>) {
        if let Ok(mut held) = self.over.lock() {
            *held = over;
        }
    }

    pub(super) fn count(&self) -> u64 {
        self.begun.load(Ordering::SeqCst)
    }

    /// Whether one began since the count `before`, or the last is not over for long enough.
    pub(super) fn explain(&self, before: u64) -> bool {
        let now = self.count();
        let over = self.over.lock().ok().and_then(|over| *over);
        now != before || (now > 0 && over.is_none_or(|over| over.elapsed() < self.after))
    }
}

/// The state that all clients of a phase share.
pub(super) struct Load<'a> {
    pub(super) aggregate: SocketAddr,
    pub(super) direct: SocketAddr,
    /// Whether the phase goes on.
    pub(super) goes_on: &'a (dyn Fn() -> bool + Sync),
    /// The kinds of clients, in turn: which era, and whether it uses the listing of three servers.
    pub(super) kinds: &'a [(Era, bool)],
    /// Whether a request that gets status 503 with `Retry-After` is sent again.
    pub(super) repeats: bool,
    pub(super) disturbances: &'a Disturbances,
    /// The source of ids, which are unique in each session.
    pub(super) ids: &'a AtomicU64,
}

impl Load<'_> {
    /// Calls with this many concurrent clients until the phase ends.
    pub(super) fn run(&self, clients: usize) -> Counts {
        std::thread::scope(|scope| {
            let clients: Vec<_> = (0..clients)
                .map(|number| scope.spawn(move || self.client(number)))
                .collect();
            let mut counts = Counts::default();
            for client in clients {
                match client.join() {
                    Ok(own) => counts.add(own),
                    Err(_) => {
                        counts.wrong += 1;
                        counts.say("a client panicked".to_owned());
                    }
                }
            }
            counts
        })
    }

    fn client(&self, number: usize) -> Counts {
        let mut counts = Counts::default();
        let kind = self.kinds.iter().cycle().nth(number);
        let (era, aggregated) = kind.copied().unwrap_or((Era::Modern, false));
        let mut client = Client {
            to: if aggregated {
                self.aggregate
            } else {
                self.direct
            },
            era,
            aggregated,
            repeats: self.repeats,
            repeated: 0,
            connection: None,
            session: None,
        };
        while (self.goes_on)() {
            client.turn(self, &mut counts);
        }
        client.close(&mut counts);
        counts.repeated = client.repeated;
        counts
    }
}

struct Client {
    to: SocketAddr,
    era: Era,
    aggregated: bool,
    repeats: bool,
    repeated: u64,
    connection: Option<Connection>,
    /// The session id, and the number of disturbances when the session was opened.
    session: Option<(String, u64)>,
}

impl Client {
    /// Makes one call, and first opens what it needs.
    fn turn(&mut self, load: &Load<'_>, counts: &mut Counts) {
        let id = load.ids.fetch_add(1, Ordering::Relaxed);
        let before = load.disturbances.count();
        if id.is_multiple_of(CALLS_ON_A_CONNECTION) {
            self.connection = None;
        }
        if self.era == Era::Legacy {
            if id.is_multiple_of(CALLS_IN_A_SESSION) {
                self.close(counts);
            }
            if self.session.is_none() {
                match self.open(before) {
                    Ok(()) => counts.sessions += 1,
                    Err(what) => {
                        counts.calls += 1;
                        let excused = load.disturbances.explain(before);
                        counts.got(Got::Away(format!("no session: {what}")), excused);
                        std::thread::sleep(PAUSE);
                        return;
                    }
                }
            }
        }
        let kind = Kind::of(id);
        let tool = match self.aggregated {
            true => TOOLS.get(usize::try_from(id / 16 % 3).unwrap_or(0)),
            false => None,
        };
        let tool = tool.copied().unwrap_or("get-weather");
        let body = calls::text(self.era, kind, id, tool);
        let opened = self.session.as_ref().map_or(before, |(_, opened)| *opened);
        let begun = Instant::now();
        counts.calls += 1;
        match self.send("POST", tool, &body) {
            Ok(reply) => {
                counts.latency.record(begun.elapsed());
                let reply = self.resumed(reply, tool);
                let lost_session = reply.status == 404 && self.session.is_some();
                let since = if lost_session { opened } else { before };
                if lost_session {
                    self.session = None;
                }
                let (got, more) = judged(&reply, kind, id);
                counts.twice += more;
                let Some(got) = got else {
                    counts.lost += 1;
                    let shown: String = reply.body.chars().take(300).collect();
                    counts.say(format!("call {id}: no answer in {} {shown}", reply.status));
                    return;
                };
                counts.got(got, load.disturbances.explain(since));
            }
            Err(error) => {
                self.connection = None;
                counts.lost += 1;
                counts.say(format!("call {id} {kind:?}: {error}"));
            }
        }
    }

    /// Fetches the rest of an answer that broke off after an event with an id: the guard leaves
    /// resuming the stream to a session's client. If that fails, the reply is unchanged.
    fn resumed(&mut self, reply: Reply, tool: &str) -> Reply {
        let mut ids = reply
            .body
            .lines()
            .filter_map(|line| line.strip_prefix("id:"));
        let (Some(last), Some((session, _))) = (ids.next_back(), &self.session) else {
            return reply;
        };
        if reply.status != 200 || reply.events().next().is_some() {
            return reply;
        }
        let mut headers = calls::headers(self.era, tool, Some(session));
        headers.push(("Last-Event-ID", last.trim()));
        self.connection = None;
        let again = Connection::patient(self.to, PATIENCE)
            .and_then(|mut connection| connection.request("GET", "/mcp", &headers, b""));
        again.unwrap_or(reply)
    }

    fn open(&mut self, disturbances: u64) -> Result<(), String> {
        let body = calls::initialize().to_string();
        let reply = self.send("POST", "", body.as_bytes())?;
        let id = reply.header("mcp-session-id").map(str::to_owned);
        let id = id.ok_or_else(|| format!("{} {}", reply.status, reply.body))?;
        self.session = Some((id, disturbances));
        let body = calls::initialized().to_string();
        match self.send("POST", "", body.as_bytes())?.status {
            202 => Ok(()),
            status => {
                self.session = None;
                Err(format!("status {status}"))
            }
        }
    }

    /// Ends the session, if there is one.
    fn close(&mut self, counts: &mut Counts) {
        if self.session.is_some() {
            if let Err(error) = self.send("DELETE", "", b"") {
                self.connection = None;
                counts.lost += 1;
                counts.say(format!("a session is not ended: {error}"));
            }
            self.session = None;
        }
    }

    fn send(&mut self, method: &str, tool: &str, body: &[u8]) -> Result<Reply, String> {
        loop {
            let connection = match &mut self.connection {
                Some(connection) => connection,
                none => none.insert(Connection::patient(self.to, PATIENCE)?),
            };
            let session = self.session.as_ref().map(|(id, _)| id.as_str());
            let headers = calls::headers(self.era, tool, session);
            let reply = connection.request(method, "/mcp", &headers, body)?;
            let ends = reply.header("connection");
            if ends.is_some_and(|ends| ends.eq_ignore_ascii_case("close")) {
                self.connection = None;
            }
            let after = reply.header("retry-after").and_then(|s| s.parse().ok());
            match after {
                Some(seconds) if self.repeats && reply.status == 503 => {
                    self.repeated += 1;
                    std::thread::sleep(Duration::from_secs(seconds));
                }
                _ => return Ok(reply),
            }
        }
    }
}

/// The verdict on a reply, `None` if it has no answer; and the number of answers after the first.
fn judged(reply: &Reply, kind: Kind, id: u64) -> (Option<Got>, u64) {
    let texts: Vec<&str> = reply.events().collect();
    let texts = if texts.is_empty() {
        vec![reply.body.as_str()]
    } else {
        texts
    };
    let messages = texts.iter().map(|text| serde_json::from_str(text));
    let messages: Vec<Value> = messages.map_while(Result::ok).collect();
    let is_answer = |message: &&Value| {
        let own = message.get("id").and_then(Value::as_u64) == Some(id);
        let nobodys =
            message.get("id").is_none_or(Value::is_null) && message.get("error").is_some();
        own || nobodys || matches!(kind, Kind::Broken(_))
    };
    let answers: Vec<&Value> = messages.iter().filter(is_answer).collect();
    let more = u64::try_from(answers.len().saturating_sub(1)).unwrap_or(0);
    let got = match answers.first() {
        Some(answer) if reply.status == 200 => Some(calls::judge(kind, answer)),
        // The status says that there is no result, whatever the body contains.
        _ if (400..600).contains(&reply.status) => Some(match kind {
            Kind::Valid => Got::Away(format!("{} {}", reply.status, reply.body)),
            _ => Got::Right,
        }),
        _ => None,
    };
    (got, more)
}

/// The clients of the phases. Of eight, four use 2026-07-28. Of the legacy clients, one uses the
/// listing of three servers, where each session has its own process.
pub(super) const MIXED: [(Era, bool); 8] = [
    (Era::Modern, true),
    (Era::Legacy, false),
    (Era::Modern, false),
    (Era::Legacy, true),
    (Era::Modern, true),
    (Era::Legacy, false),
    (Era::Modern, false),
    (Era::Legacy, false),
];
/// The tools in the listing of three servers.
pub(super) const TOOLS: [&str; 3] = ["a_get-weather", "b_get-weather", "c_get-weather"];
const CALLS_ON_A_CONNECTION: u64 = 37;
const CALLS_IN_A_SESSION: u64 = 211;
/// A call without an answer for so long is lost. Late answers show in the table of times: with 256
/// clients, and other work on the machine, calls of 200 kB took longer than 30 s.
const PATIENCE: Duration = Duration::from_secs(300);
/// The pause after a session could not be opened.
const PAUSE: Duration = Duration::from_millis(50);
/// How long others may not notice that a server is back.
const AFTER: Duration = Duration::from_secs(5);
/// The maximum number of failures that are kept as text.
const WORDS: usize = 20;

#[cfg(test)]
mod tests {
    use super::*;

    fn reply(status: u16, body: &str) -> Reply {
        let mut reply = Reply::default();
        reply.status = status;
        body.clone_into(&mut reply.body);
        reply
    }

    #[test]
    fn an_answer_is_counted_once_and_a_second_one_too() {
        let result = r#"{"jsonrpc":"2.0","id":7,"result":{"structuredContent":{"celsius":21}}}"#;
        let judge = |status, body: &str| judged(&reply(status, body), Kind::Valid, 7);
        assert_eq!(judge(200, result), (Some(Got::Right), 0));
        let twice = format!("data: {result}\n\ndata: {result}\n\n");
        assert_eq!(judge(200, &twice), (Some(Got::Right), 1));
        let others = result.replace(":7,", ":8,");
        assert_eq!(judge(200, &others), (None, 0));
        assert_eq!(judge(200, "data: \nid: 0/1\n\n"), (None, 0));
        assert!(matches!(judge(503, ""), (Some(Got::Away(_)), 0)));
    }

    #[test]
    fn an_error_is_explained_while_a_server_is_away() {
        let disturbances = Disturbances::default();
        assert!(!disturbances.explain(0));
        disturbances.begin();
        assert!(disturbances.explain(0) && disturbances.explain(1));
        disturbances.end();
        assert!(disturbances.explain(1));
        disturbances.set(Instant::now().checked_sub(2 * AFTER));
        assert!(disturbances.explain(0) && !disturbances.explain(1));
    }
}
