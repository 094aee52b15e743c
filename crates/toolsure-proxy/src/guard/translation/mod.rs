//! An upstream of the other era: a translator in this process, with the server behind it.
//!
//! ```text
//!   session with filters ── messages ── translator ── messages ── connection ── server
//!                                            └─────── messages ── connection ── server
//! ```
//!
//! Each connection that the translator opens is served like a client on standard input and output
//! (`stdio_to_child`, `stdio_to_http`), by a conversation without filters. The conversation tracks
//! the open requests, answers them if the connection fails, and has the contracts for the HTTP
//! headers.

mod connector;
mod driver;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinHandle;
use toolsure_guard::Guard;
use toolsure_guard::translate::{Clients, Translate, Translator};

use super::event::{Event, Observer, UpstreamState};
use super::in_process::{Caller, InProcessPeer, InProcessUpstream};
use super::messages::message_channel;
use super::options::{GuardOptions, Listener, Restart, Upstream};
use crate::fault::Fault;
use crate::http::HttpTarget;
use connector::{Connector, cannot};
use driver::TranslationDriver;

impl GuardOptions {
    /// Puts a translator between this guard and a server of the other era. `guard` is the one that
    /// filters: its limits and timeouts apply to the translation too. `observer` gets what the
    /// server writes to its standard error, and notes about its behaviour. For legacy clients, the
    /// policy of `guard` must set `translated_from_modern`.
    #[must_use]
    pub fn translated(
        mut self,
        translate: Translate,
        guard: &Guard,
        observer: Arc<dyn Observer>,
    ) -> Self {
        let clients = match self.listener {
            Listener::Stdio => Clients::One,
            Listener::Http(_) => Clients::Many,
        };
        let mut upstream_options = self.clone();
        upstream_options.listener = Listener::Stdio;
        upstream_options.in_front = Some(guard.clone());
        // The guard in front has answered all waiting requests.
        upstream_options.times.drain = Duration::ZERO;
        if let (Translate::ModernClients, Upstream::Child { restart, .. }) =
            (translate, &mut upstream_options.upstream)
        {
            // A session that ends with its server is opened again by the next request.
            *restart = Restart::NEVER;
        }
        self.upstream = Upstream::InProcess(Arc::new(TranslatedUpstream {
            translate,
            clients,
            upstream_options,
            guard: guard.clone(),
            observer: Arc::new(UpstreamEventsOnly(observer)),
        }));
        self
    }
}

/// A server of the other era, behind a translator.
struct TranslatedUpstream {
    translate: Translate,
    clients: Clients,
    /// The options for each connection.
    upstream_options: GuardOptions,
    guard: Guard,
    observer: Arc<dyn Observer>,
}

impl fmt::Debug for TranslatedUpstream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TranslatedUpstream")
            .field("translate", &self.translate)
            .field("upstream_options", &self.upstream_options)
            .finish_non_exhaustive()
    }
}

impl InProcessUpstream for TranslatedUpstream {
    fn moves(&self) -> bool {
        self.upstream_options.upstream.moves()
    }

    fn protected_resource(&self) -> Option<HttpTarget> {
        self.upstream_options.upstream.protected_resource()
    }

    fn open(&self, caller: &Caller) -> Result<InProcessPeer, Fault> {
        let mut seed = [0; 32];
        getrandom::fill(&mut seed)
            .map_err(|error| cannot(format!("no random numbers are available: {error}")))?;
        let policy = self.guard.policy();
        let connector = Connector::new(&self.upstream_options, caller, &policy, &self.observer)?;
        let translator = Translator::new(self.translate, self.clients, seed, &policy);
        let (to, input) = message_channel();
        let (output, from) = message_channel();
        let task = Task(tokio::spawn(TranslationDriver::run(
            translator, connector, input, output,
        )));
        Ok(InProcessPeer {
            name: self.upstream_options.name.clone(),
            from,
            to,
            ended: Box::pin(task.ended()),
        })
    }
}

/// A running translator. Dropping this aborts it.
struct Task(JoinHandle<String>);

impl Task {
    async fn ended(mut self) -> String {
        let ended = (&mut self.0).await;
        ended.unwrap_or_else(|_| "has failed".to_owned())
    }
}

impl Drop for Task {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Passes on the events that the guard in front cannot see itself.
struct UpstreamEventsOnly(Arc<dyn Observer>);

impl Observer for UpstreamEventsOnly {
    fn observe(&self, event: &Event<'_>) {
        match event {
            Event::Upstream(UpstreamState::Failed(_) | UpstreamState::Here)
            | Event::Stderr(_)
            | Event::Note { .. } => self.0.observe(event),
            _ => {}
        }
    }
}
