//! The context in which a translator handles one message or event.

use std::time::Duration;

use super::parsed_message::ParsedMessage;
use crate::connection::Connection;
use crate::effect::Effects;
use crate::envelope::Envelope;

/// The context in which one message or event is handled.
pub(super) struct Turn {
    pub(super) now: Duration,
    /// The effects so far.
    pub(super) out: Effects,
}

impl Turn {
    pub(super) fn new(now: Duration) -> Self {
        let out = Effects::new();
        Self { now, out }
    }

    /// Passes a message on unchanged.
    pub(super) fn pass(&mut self, to: Connection, parsed: &ParsedMessage<'_>) {
        let envelope = Envelope::of(&parsed.message);
        self.out.send(to, parsed.whole.passed_on(envelope, true));
    }
}
