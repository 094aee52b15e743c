//! One run: the session, its budget, and its calls.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep_until};
use toolsure_json::{Kind, Node as _, OwnedDocument, ReadLimits, quote};
use toolsure_mcp::contract::{SchemaStore, ToolContract};
use toolsure_mcp::era::Era;
use toolsure_mcp::testing::{Code, Judge, Links, Outcome, Pinned};
use toolsure_proxy::{Answer, Deadlines, Fault, FaultKind, Listing, Notes, Options, Session};

use super::found::{Found, Report};
use crate::listing::{Peer, ServerFacts};
use crate::recording::{CallEnd, Exchange, Recording};
use crate::term::Term;

/// What the flags say.
#[derive(Debug)]
pub(super) struct Settings {
    pub(super) tools: Vec<String>,
    pub(super) allow_writes: bool,
    pub(super) calls: usize,
    pub(super) duration: Duration,
    /// Between the starts of two calls.
    pub(super) pause: Duration,
    pub(super) call_timeout: Duration,
    pub(super) open_timeout: Duration,
    pub(super) seed: u64,
    /// For all tools, or for one.
    pub(super) values: Vec<(Option<String>, Pinned)>,
    /// The only calls to make.
    pub(super) only: Vec<(String, String)>,
    pub(super) against: Option<Recording>,
    /// Whether the answers are kept for a recording.
    pub(super) is_recorded: bool,
}

impl Settings {
    /// How long a session may last.
    pub(super) fn session_time(&self) -> Duration {
        self.duration.saturating_add(self.open_timeout)
    }
}

/// The test of one server.
pub(super) struct Run<'s> {
    pub(super) settings: &'s Settings,
    pub(super) term: Term,
    peer: Peer,
    options: Options,
    pub(super) session: Option<Session>,
    /// How often a session was opened.
    opened: usize,
    /// When the run is over.
    end: Instant,
    /// When the next call may start.
    next: Instant,
    pub(super) calls: usize,
    /// Whether a part of the budget is left for later.
    pub(super) is_reserving: bool,
    pub(super) store: SchemaStore,
    pub(super) judge: Judge,
    pub(super) links: Links,
    pub(super) report: Report,
}

/// Why no call is made any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Spent;

impl<'s> Run<'s> {
    pub(super) fn new(
        target: String,
        peer: Peer,
        options: Options,
        settings: &'s Settings,
        term: Term,
    ) -> Self {
        let deadlines = Deadlines {
            request: settings.call_timeout,
            overall: settings.session_time(),
            ..options.deadlines
        };
        Self {
            settings,
            term,
            peer,
            options: Options {
                deadlines,
                ..options
            },
            session: None,
            opened: 0,
            end: Instant::now() + settings.session_time(),
            next: Instant::now(),
            calls: 0,
            is_reserving: false,
            store: SchemaStore::new(),
            judge: Judge::new(Era::NEWEST_WITH_SESSIONS),
            links: Links::default(),
            report: Report {
                target,
                seed: settings.seed,
                ..Report::default()
            },
        }
    }

    /// Tests the server.
    pub(super) async fn all(mut self) -> Report {
        self.term
            .progress(&format!("waiting for {} …", self.report.target));
        match self.open().await {
            Err(fault) => self.report.fault = Some(fault),
            Ok(listing) => {
                self.end = Instant::now() + self.settings.duration;
                if let Some(session) = &mut self.session {
                    session.set_time_left(self.settings.duration);
                }
                self.test(listing).await;
                self.close().await;
            }
        }
        self.report.calls = self.calls;
        self.report
    }

    /// Opens the first session, and lists the tools.
    async fn open(&mut self) -> Result<Option<Listing>, Fault> {
        self.reopen().await?;
        let Some(session) = &mut self.session else {
            return Ok(None);
        };
        let server = ServerFacts::from(session.server());
        self.judge = Judge::new(session.server().era);
        self.report.recording.server(&server);
        self.report.server = Some(server);
        let listing = session.list_tools().await;
        match listing {
            Ok(listing) => Ok(Some(listing)),
            // The tools cannot be called without it.
            Err(fault)
                if matches!(
                    fault.kind(),
                    FaultKind::Protocol | FaultKind::RepeatedCursor
                ) =>
            {
                let code = list_fault(&fault).unwrap_or(Code::ResultShape);
                let found = Found::of_server(code, fault.to_string());
                self.report.server_findings.push(found);
                Ok(None)
            }
            Err(fault) => Err(fault),
        }
    }

    async fn reopen(&mut self) -> Result<(), Fault> {
        self.opened = self.opened.saturating_add(1);
        let mut options = self.options.clone();
        options.deadlines.overall = self.settings.open_timeout;
        let mut session = match self.peer.clone() {
            Peer::Child(launch) => Session::stdio(launch, options).await?,
            Peer::Http(target) => Session::http(target, options).await?,
        };
        session.set_time_left(self.left());
        self.session = Some(session);
        Ok(())
    }

    /// A second session with the same server, opened with `initialize` alone.
    pub(super) async fn open_older(&self) -> Result<Session, Fault> {
        let mut options = self.options.clone();
        options.probe = false;
        options.deadlines.overall = OLDER.min(self.left().saturating_add(OLDER / 2));
        match self.peer.clone() {
            Peer::Child(launch) => Session::stdio(launch, options).await,
            Peer::Http(target) => Session::http(target, options).await,
        }
    }

    /// The open session; opens another one if the last has ended.
    pub(super) async fn session(&mut self) -> Result<&mut Session, Spent> {
        if self.session.is_none() {
            if self.opened > MOST_SESSIONS {
                return Err(Spent);
            }
            if let Err(fault) = self.reopen().await {
                let note = format!("the server cannot be started again: {fault}");
                self.report.notes.push(note);
                self.opened = usize::MAX;
                return Err(Spent);
            }
        }
        self.session.as_mut().ok_or(Spent)
    }

    /// Whether the session that was opened first is still open.
    pub(super) fn is_first_session(&self) -> bool {
        self.session.is_some() && self.opened == 1
    }

    pub(super) async fn close(&mut self) {
        if let Some(session) = self.session.take() {
            self.report.note_noise(session.notes());
            session.close().await;
        }
    }

    pub(super) fn left(&self) -> Duration {
        self.end.saturating_duration_since(Instant::now())
    }

    /// The time that is left for later.
    pub(super) fn reserved(&self) -> Duration {
        match self.is_reserving {
            true => self.settings.duration / RESERVED_TIME,
            false => Duration::ZERO,
        }
    }

    /// Waits until a call may be made. While tools are tested, a part of the budget is reserved.
    pub(super) async fn admit(&mut self) -> Result<(), Spent> {
        if self.left().is_zero() {
            return Err(Spent);
        }
        let mut most = self.settings.calls;
        if self.is_reserving {
            most = most.saturating_sub(RESERVED_CALLS.min(most / 4));
        }
        if self.calls >= most || self.left() < self.reserved() {
            return Err(Spent);
        }
        sleep_until(self.next.min(self.end)).await;
        self.next = Instant::now() + self.settings.pause;
        self.calls = self.calls.saturating_add(1);
        Ok(())
    }

    /// Calls a tool, and records the answer.
    pub(super) async fn call(
        &mut self,
        tool: &Arc<ToolContract>,
        arguments: &str,
    ) -> Result<CallEnd, Spent> {
        self.admit().await?;
        let call_timeout = self.settings.call_timeout;
        let left = self.left().saturating_sub(self.reserved());
        let session = self.session().await?;
        session.set_time_left(left);
        let begun = Instant::now();
        let answer = session.call(tool, arguments).await;
        let kept = self.kept(answer).await;
        if matches!(kept, CallEnd::Silence) && begun.elapsed() < call_timeout {
            // The end of the run cut it off.
            return Err(Spent);
        }
        if !self.settings.is_recorded {
            return Ok(kept);
        }
        let exchange = Exchange {
            tool: tool.name().to_owned(),
            arguments: arguments.to_owned(),
            ended: kept.clone(),
        };
        self.report.recording.add(exchange);
        Ok(kept)
    }

    /// Keeps an answer. After a lost connection, and after silence, the next call gets a new session.
    pub(super) async fn kept(&mut self, answer: Result<Answer, Fault>) -> CallEnd {
        let fault = match answer {
            Ok(Answer::Result(reply)) => {
                return CallEnd::Result(reply.raw(reply.result()).to_owned());
            }
            Ok(Answer::Error(error)) => {
                return CallEnd::Error(error.code, error.message, error.data);
            }
            Err(fault) => fault,
        };
        self.close().await;
        match fault.kind() {
            FaultKind::Timeout => CallEnd::Silence,
            FaultKind::Protocol => CallEnd::Unreadable(fault.to_string()),
            FaultKind::Status(status) => CallEnd::Error(i64::from(status), fault.to_string(), None),
            FaultKind::TooLarge => {
                // That is our limit, and no fault.
                self.report
                    .notes
                    .push(format!("an answer was not judged: {fault}"));
                CallEnd::TooLarge(fault.to_string())
            }
            _ => {
                let last = fault.stderr().last();
                let last = last.map_or(String::new(), |line| format!("; stderr: {line}"));
                CallEnd::Lost(format!("{fault}{last}"))
            }
        }
    }
}

impl Report {
    /// Notes what was on standard output beside messages, and answers to nothing.
    fn note_noise(&mut self, notes: &Notes) {
        let mut add = |message: String| {
            let is_known = self
                .server_findings
                .iter()
                .any(|found| found.finding.code == Code::BadOutput);
            if !is_known {
                let found = Found::of_server(Code::BadOutput, message);
                self.server_findings.push(found);
            }
        };
        if let Some(first) = &notes.first_noise {
            add(format!(
                "a line on standard output is no JSON-RPC message: `{first}`"
            ));
        }
        if let Some(first) = &notes.first_stray {
            add(format!(
                "an answer belongs to no request; its id is `{first}`"
            ));
        }
    }
}

impl CallEnd {
    /// Calls `use_it` with the outcome.
    pub(super) fn with<T>(&self, use_it: impl FnOnce(&Outcome<'_>) -> T) -> T {
        match self {
            Self::Result(text) => {
                let document = OwnedDocument::read(text.as_bytes(), &ReadLimits::default());
                match &document {
                    Ok(document) => use_it(&Outcome::Result(document.document().root())),
                    Err(error) => use_it(&Outcome::Unreadable(&error.to_string())),
                }
            }
            Self::Error(code, message, _) => use_it(&Outcome::Error(*code, message)),
            Self::Unreadable(why) => use_it(&Outcome::Unreadable(why)),
            Self::TooLarge(_) => use_it(&Outcome::TooLarge),
            Self::Silence => use_it(&Outcome::Silence),
            Self::Lost(how) => use_it(&Outcome::Ended(how)),
        }
    }

    /// Whether no answer came that can be read.
    pub(super) fn is_lost(&self) -> bool {
        matches!(
            self,
            Self::Unreadable(_) | Self::TooLarge(_) | Self::Lost(_)
        )
    }

    /// Whether it is an error result or a JSON-RPC error.
    pub(super) fn is_error(&self) -> bool {
        match self {
            Self::Error(..) => true,
            Self::Result(_) => self.with(|outcome| match outcome {
                Outcome::Result(result) => result
                    .member("isError")
                    .is_some_and(|flag| flag.kind() == Kind::Boolean && flag.boolean()),
                _ => false,
            }),
            _ => false,
        }
    }
}

/// What a fault of a list means; `None` for our own limit, which is no fault of the server.
pub(super) fn list_fault(fault: &Fault) -> Option<Code> {
    Some(match fault.kind() {
        FaultKind::Timeout => Code::Hang,
        FaultKind::Refused(_) => Code::StaleList,
        FaultKind::RepeatedCursor => Code::Pagination,
        FaultKind::Protocol => Code::ResultShape,
        FaultKind::TooLarge => return None,
        _ => Code::Crash,
    })
}

/// A name for a message.
pub(super) fn shown(name: &str) -> String {
    quote(name, 60).to_string()
}

/// Calls, and the part of the time, that are left for the checks of the server as a whole.
const RESERVED_CALLS: usize = 24;
const RESERVED_TIME: u32 = 8;
/// Sessions that are opened in one run.
const MOST_SESSIONS: usize = 40;
/// How long a session with an older version may take.
const OLDER: Duration = Duration::from_secs(10);
