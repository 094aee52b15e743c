//! A session with one server: opens it in the protocol era that the server speaks, sends requests,
//! closes.

mod listing;
mod negotiate;
mod options;
mod server_info;
mod wire;

use std::time::Duration;

use tokio::time::Instant;
use toolsure_json::json_string;
use toolsure_mcp::contract::ToolContract;

pub use listing::Listing;
pub use options::Options;
pub use server_info::ServerInfo;

use crate::fault::{Fault, FaultKind, Phase};
use crate::http::HttpTarget;
use crate::message::Answer;
use crate::notes::Notes;
use crate::probe::Probe;
use crate::stdio::{Launch, Stdio};
use options::with_meta;
use wire::{Request, Wire};

/// An open session; see the crate's documentation for an example.
///
/// Dropping it without [`Session::close`] kills a child and its group at once.
#[derive(Debug)]
pub struct Session {
    wire: Wire,
    server: ServerInfo,
    options: Options,
    next_id: i64,
    end: Instant,
    /// For a child: how to start it again, and the probe that it got.
    child: Option<(Launch, Probe<i64>)>,
}

impl Session {
    /// Starts a child process and opens a session on its pipes.
    ///
    /// The child is probed with `server/discover`. If it ends or hangs while that is unanswered, it
    /// is started once more and opened with `initialize` alone, because some servers do not survive
    /// a request that they do not know.
    ///
    /// # Errors
    ///
    /// A [`Fault`]; the child has been reaped by then.
    pub async fn stdio(launch: Launch, options: Options) -> Result<Self, Fault> {
        let end = Instant::now() + options.deadlines.overall;
        let mut stdio = Stdio::start(&launch, options.limits)?;
        let mut probe = Probe::default();
        let opened = if options.probe {
            negotiate::stdio(&mut stdio, &mut probe, &options, end).await
        } else {
            negotiate::stdio_legacy(&mut stdio, &options, end).await
        };
        let opened = match opened {
            Err(fault) if may_be_due_to_probe(&fault) && probe.is_unanswered() => {
                let mut other = start_again(&launch, &options)?;
                // A server that is only slow to start may still answer.
                let both = (&mut stdio, &mut other);
                let (is_other, result) = match fault.kind() {
                    FaultKind::Timeout => negotiate::either(both, &mut probe, &options, end).await,
                    _ => (true, negotiate::stdio_legacy(both.1, &options, end).await),
                };
                if is_other {
                    std::mem::swap(&mut stdio, &mut other);
                    probe.ended_process();
                }
                other.close(options.deadlines.grace.min(FAILED_GRACE)).await;
                result.map_err(|second| negotiate::telling(fault, second))
            }
            opened => opened,
        };
        let wire = Wire::Stdio(Box::new(stdio));
        let mut session = Self::opened(wire, opened, options, end).await?;
        session.child = Some((launch, probe));
        Ok(session)
    }

    /// Opens a session with a Streamable HTTP endpoint.
    ///
    /// # Errors
    ///
    /// A [`Fault`].
    pub async fn http(target: HttpTarget, options: Options) -> Result<Self, Fault> {
        let end = Instant::now() + options.deadlines.overall;
        let (wire, opened) = negotiate::http(target, &options, end).await?;
        Self::opened(wire, opened, options, end).await
    }

    /// What the server says about itself.
    pub fn server(&self) -> &ServerInfo {
        &self.server
    }

    /// Harmless irregularities of the server.
    pub fn notes(&self) -> &Notes {
        self.wire.notes()
    }

    /// Sends one request and waits for its answer. `params` is the JSON text of an object; in a
    /// modern session the required `_meta` is added in front of its members.
    ///
    /// # Errors
    ///
    /// A [`Fault`] if there is no answer. A JSON-RPC error is an answer.
    pub async fn request(&mut self, method: &str, params: &str) -> Result<Answer, Fault> {
        self.ask(Phase::Request, method, params).await
    }

    /// Sets how long the session may last from now on, whatever is left of
    /// [`Deadlines::overall`](crate::Deadlines::overall).
    pub fn set_time_left(&mut self, time: Duration) {
        self.end = Instant::now() + time;
    }

    /// Calls a tool with these arguments, the JSON text of an object. Over HTTP, headers repeat what the tool's contract says
    /// (2026-07-28, basic/transports/streamable-http).
    ///
    /// # Errors
    ///
    /// A [`Fault`] if there is no answer. A JSON-RPC error is an answer.
    pub async fn call(&mut self, tool: &ToolContract, arguments: &str) -> Result<Answer, Fault> {
        let request = self.call_request(tool, arguments);
        let (until, limit) = self.limit();
        let answer = self.wire.ask(Phase::Request, &request, until).await;
        self.heard((Phase::Request, &request), limit, answer)
    }

    /// Calls tools twice: the second call is sent before the first has an answer. `None` for a call without an answer in time.
    ///
    /// # Errors
    ///
    /// A [`Fault`] if the connection fails.
    pub async fn call_both(
        &mut self,
        calls: [(&ToolContract, &str); 2],
    ) -> Result<[Option<Answer>; 2], Fault> {
        let [one, other] = calls.map(|(tool, arguments)| self.call_request(tool, arguments));
        let (until, _) = self.limit();
        let answers = self
            .wire
            .ask_both(Phase::Request, [&one, &other], until)
            .await;
        answers.map_err(|fault| self.wire.with_last_words(fault))
    }

    /// Calls a tool and cancels the call (`notifications/cancelled`; over HTTP by closing the stream, too). An answer is
    /// ignored.
    ///
    /// # Errors
    ///
    /// A [`Fault`] if the connection fails.
    pub async fn call_and_cancel(
        &mut self,
        tool: &ToolContract,
        arguments: &str,
    ) -> Result<(), Fault> {
        let request = self.call_request(tool, arguments);
        let limit = self.limit();
        let sent = self
            .wire
            .ask_and_cancel(Phase::Request, &request, limit)
            .await;
        sent.map_err(|fault| self.wire.with_last_words(fault))
    }

    fn call_request<'a>(&mut self, tool: &'a ToolContract, arguments: &str) -> Request<'a> {
        let name = json_string(tool.name());
        let params = format!(r#"{{"name":{name},"arguments":{arguments}}}"#);
        self.new_request(CALL, &params, Some(tool))
    }

    /// Ends the session: sends DELETE on legacy HTTP; closes the input of a child, waits, sends
    /// SIGTERM, waits, and sends SIGKILL to its group. Takes at most about twice
    /// [`Deadlines::grace`](crate::Deadlines::grace).
    pub async fn close(self) {
        self.wire.close(self.options.deadlines.grace).await;
    }

    async fn opened(
        wire: Wire,
        opened: Result<ServerInfo, Fault>,
        options: Options,
        end: Instant,
    ) -> Result<Self, Fault> {
        match opened {
            Ok(server) => Ok(Self::open(wire, server, options, end)),
            Err(fault) => {
                let fault = wire.with_last_words(fault);
                wire.close(options.deadlines.grace.min(FAILED_GRACE)).await;
                Err(fault)
            }
        }
    }

    fn open(wire: Wire, server: ServerInfo, options: Options, end: Instant) -> Self {
        Self {
            wire,
            server,
            options,
            next_id: FIRST_FREE_ID,
            end,
            child: None,
        }
    }

    async fn ask(&mut self, phase: Phase, method: &str, params: &str) -> Result<Answer, Fault> {
        let is_first = self.next_id == FIRST_FREE_ID;
        let answer = self.ask_once(phase, method, params).await;
        match answer {
            // Only what is safe to repeat, and only before anything else was asked.
            Err(fault) if is_first && phase == Phase::List && may_be_due_to_probe(&fault) => {
                match self.open_again().await? {
                    true => self.ask_once(phase, method, params).await,
                    false => Err(fault),
                }
            }
            answer => answer,
        }
    }

    /// Starts a child again that ended at its probe, and opens it with `initialize` alone. `false`
    /// if the probe was answered.
    async fn open_again(&mut self) -> Result<bool, Fault> {
        let Some((launch, probe)) = &mut self.child else {
            return Ok(false);
        };
        if probe.ended_process().is_none() {
            return Ok(false);
        }
        let mut stdio = start_again(launch, &self.options)?;
        let opened = negotiate::stdio_legacy(&mut stdio, &self.options, self.end).await;
        let old = std::mem::replace(&mut self.wire, Wire::Stdio(Box::new(stdio)));
        old.close(self.options.deadlines.grace.min(FAILED_GRACE))
            .await;
        self.server = opened.map_err(|fault| self.wire.with_last_words(fault))?;
        Ok(true)
    }

    async fn ask_once(
        &mut self,
        phase: Phase,
        method: &str,
        params: &str,
    ) -> Result<Answer, Fault> {
        let request = self.new_request(method, params, None);
        let (until, limit) = self.limit();
        let answer = self.wire.ask(phase, &request, until).await;
        self.heard((phase, &request), limit, answer)
    }

    fn new_request<'a>(
        &mut self,
        method: &'a str,
        params: &str,
        contract: Option<&'a ToolContract>,
    ) -> Request<'a> {
        let id = self.next_id;
        self.next_id = id.saturating_add(1);
        let params = match self.server.era.declares_version() {
            true => with_meta(params, &self.options),
            false => params.to_owned(),
        };
        Request {
            id,
            method,
            params,
            contract,
        }
    }

    /// When the wait for an answer ends, and which limit ends it, whatever is left of it now.
    fn limit(&self) -> (Instant, Duration) {
        let deadlines = self.options.deadlines;
        let own = Instant::now() + deadlines.request;
        match own < self.end {
            true => (own, deadlines.request),
            false => (self.end, deadlines.overall),
        }
    }

    fn heard(
        &self,
        (phase, request): (Phase, &Request<'_>),
        limit: Duration,
        answer: Result<Option<Answer>, Fault>,
    ) -> Result<Answer, Fault> {
        match answer {
            Ok(Some(answer)) => Ok(answer),
            Ok(None) => {
                let why = self.wire.notes().why_silent();
                let fault = Fault::timeout(phase, request.method, limit, &why);
                Err(self.wire.with_last_words(fault))
            }
            Err(fault) => Err(self.wire.with_last_words(fault)),
        }
    }
}

/// Whether a server fails in this way if it does not survive a method that it does not know.
fn may_be_due_to_probe(fault: &Fault) -> bool {
    matches!(
        fault.kind(),
        FaultKind::Exited | FaultKind::Timeout | FaultKind::Protocol
    )
}

/// Starts another child in place of one that did not survive its probe.
fn start_again(launch: &Launch, options: &Options) -> Result<Stdio, Fault> {
    let mut stdio = Stdio::start(launch, options.limits)?;
    stdio.notes_mut().restarted = true;
    Ok(stdio)
}

/// The method that calls a tool.
const CALL: &str = "tools/call";
/// The probe has id 1, `initialize` has id 2.
const FIRST_FREE_ID: i64 = 3;
/// A session that failed to open has nothing to clean up that is worth a longer wait.
const FAILED_GRACE: Duration = Duration::from_millis(500);
