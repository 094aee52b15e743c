//! The connections of a translator to its server: each is a guard without filters.

use std::sync::Arc;

use toolsure_guard::{Guard, Policy};

use crate::fault::{Fault, FaultKind, Party, Phase};
use crate::guard::event::Observer;
use crate::guard::in_process::Caller;
use crate::guard::messages::{
    Client, MessageReader, MessageReceiver, MessageSender, MessageWriter, message_channel,
};
use crate::guard::options::{GuardOptions, Upstream};
use crate::guard::running::Running;
use crate::guard::serve_messages;

/// Opens the translator's connections to the server.
pub(super) struct Connector {
    upstream_options: GuardOptions,
    pub(super) guard: Guard,
    pub(super) observer: Arc<dyn Observer>,
    /// The maximum bytes that may wait for a server that writes.
    most_unread: usize,
}

impl Connector {
    /// Connections for `caller`. `policy` is that of the guard in front, which filters.
    pub(super) fn new(
        upstream_options: &GuardOptions,
        caller: &Caller,
        policy: &Policy,
        observer: &Arc<dyn Observer>,
    ) -> Result<Self, Fault> {
        Ok(Self {
            upstream_options: on_behalf_of(upstream_options.clone(), caller),
            guard: Guard::new(policy.without_filters())
                .map_err(|error| cannot(error.to_string()))?,
            observer: Arc::clone(observer),
            most_unread: upstream_options.bounds.most_unread(&policy.limits),
        })
    }

    /// Whether a connection reads what it is sent: `false` if too much waits for too long.
    pub(super) async fn drains_to(&self, input: Option<Arc<MessageSender>>) -> bool {
        let Some(input) = input else { return true };
        input
            .drains_to(self.most_unread, self.upstream_options.times.notify)
            .await
    }

    /// Opens a connection.
    pub(super) fn connect(&self) -> Result<(MessageSender, MessageReceiver, Running), Fault> {
        let (to, input) = message_channel();
        let (output, from) = message_channel();
        let client = Client {
            from: MessageReader::Memory(input),
            to: MessageWriter::Memory(output),
        };
        // A guard of its own: connections must not share what they learn about the server.
        let guard = Guard::new(self.guard.policy());
        let guard = guard.map_err(|error| cannot(error.to_string()))?;
        let (upstream_options, observer) =
            (self.upstream_options.clone(), Arc::clone(&self.observer));
        let running = serve_messages(client, upstream_options, guard, observer)?;
        Ok((to, from, running))
    }
}

/// The options, for a connection that works for `caller`.
fn on_behalf_of(mut upstream_options: GuardOptions, caller: &Caller) -> GuardOptions {
    upstream_options.caller = caller.clone();
    if let Upstream::Http(target) = upstream_options.upstream {
        upstream_options.upstream = Upstream::Http(target.on_behalf_of(caller.clone()));
    }
    upstream_options
}

/// The fault of a translator that cannot be started.
pub(super) fn cannot(text: String) -> Fault {
    Fault::new(Party::Operator, FaultKind::Config, Phase::Start, text)
}
