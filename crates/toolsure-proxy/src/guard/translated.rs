//! A translator between a guard and its server.

use std::sync::Arc;

use toolsure_guard::Guard;
use toolsure_guard::translate::{Clients, Translate};

use super::bounds::Restart;
use super::event::{Event, Observer, UpstreamState};
use super::options::{GuardOptions, Listener};
use super::upstream::{Translated, Upstream};

impl GuardOptions {
    /// Puts a translator between this guard and a server of the other era. `guard` is the one that
    /// filters: its limits and timeouts apply to the translation too. `observer` gets what the
    /// server writes to its standard error, and notes about its behaviour. For legacy clients, the
    /// policy of `guard` must set `translated_from_modern`. Servers that become one are translated
    /// one by one.
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
        let mut server = self.upstream;
        if let (Translate::ModernClients, Upstream::Child { restart, .. }) =
            (translate, &mut server)
        {
            // A session that ends with its server is opened again by the next request.
            *restart = Restart::NEVER;
        }
        self.upstream = Upstream::Translated(Arc::new(Translated {
            translate,
            clients,
            guard: guard.clone(),
            observer: Arc::new(UpstreamEventsOnly(observer)),
            name: self.name.clone(),
            server,
            bounds: self.bounds,
            times: self.times,
            clock: self.clock,
            message_memory: self.message_memory.clone(),
        }));
        self
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
