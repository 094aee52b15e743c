//! A session with one server: opens it in the protocol era that the server speaks, sends requests,
//! closes.

mod listing;
mod negotiate;
mod options;
mod server_info;
mod wire;

use tokio::time::Instant;

pub use listing::Listing;
pub use options::Options;
pub use server_info::ServerInfo;

use crate::fault::{Fault, Phase};
use crate::http::{Http, HttpTarget};
use crate::message::Answer;
use crate::notes::Notes;
use crate::stdio::{Launch, Stdio};
use options::with_meta;
use wire::Wire;

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
}

impl Session {
    /// Starts a child process and opens a session on its pipes.
    ///
    /// The child is probed with `server/discover`. A child that ends then is started once more and
    /// opened with `initialize`, because some servers treat an unknown first request as fatal.
    ///
    /// # Errors
    ///
    /// A [`Fault`]; the child has been reaped by then.
    pub async fn stdio(launch: Launch, options: Options) -> Result<Self, Fault> {
        let end = Instant::now() + options.deadlines.overall;
        let stdio = Stdio::start(&launch, options.limits)?;
        let (wire, opened) = negotiate::stdio(stdio, &options, end).await;
        match opened {
            Ok(negotiate::Opened::Session(server)) => Ok(Self::open(wire, server, options, end)),
            Ok(negotiate::Opened::DiedAtProbe) => {
                wire.close(options.deadlines.grace).await;
                let mut stdio = Stdio::start(&launch, options.limits)?;
                stdio.notes_mut().restarted = true;
                let (wire, opened) = negotiate::stdio_legacy(stdio, &options, end).await;
                Self::opened(wire, opened, options, end).await
            }
            Err(fault) => Self::opened(wire, Err(fault), options, end).await,
        }
    }

    /// Opens a session with a Streamable HTTP endpoint.
    ///
    /// # Errors
    ///
    /// A [`Fault`].
    pub async fn http(target: HttpTarget, options: Options) -> Result<Self, Fault> {
        let end = Instant::now() + options.deadlines.overall;
        let http = Http::new(target, options.limits)?;
        let (wire, opened) = negotiate::http(http, &options, end).await;
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
        }
    }

    async fn ask(&mut self, phase: Phase, method: &str, params: &str) -> Result<Answer, Fault> {
        let id = self.next_id;
        self.next_id = id.saturating_add(1);
        let params = match self.server.era.declares_version() {
            true => with_meta(params, &self.options),
            false => params.to_owned(),
        };
        let deadlines = self.options.deadlines;
        let own = Instant::now() + deadlines.request;
        // The limit that ends the wait is named, whatever was left of it when the request was sent.
        let (until, limit) = match own < self.end {
            true => (own, deadlines.request),
            false => (self.end, deadlines.overall),
        };
        let answer = self.wire.ask(phase, id, method, &params, until).await;
        match answer {
            Ok(Some(answer)) => Ok(answer),
            Ok(None) => {
                let fault = Fault::timeout(phase, method, limit, &self.wire.notes().why_silent());
                Err(self.wire.with_last_words(fault))
            }
            Err(fault) => Err(self.wire.with_last_words(fault)),
        }
    }
}

/// The probe has id 1, `initialize` has id 2.
const FIRST_FREE_ID: i64 = 3;
/// A session that failed to open has nothing to clean up that is worth a longer wait.
const FAILED_GRACE: std::time::Duration = std::time::Duration::from_millis(500);
