//! A message with its text, as the translators take it.

use toolsure_json::{Reader, View};
use toolsure_mcp::message::Message;

use crate::incoming::IncomingMessage;
use crate::reading::generous;

/// A parsed message.
pub(super) struct ParsedMessage<'a> {
    /// The original text.
    pub(super) text: &'a str,
    /// The whole message.
    pub(super) view: View<'a>,
    pub(super) message: Message<'a>,
}

impl<'a> ParsedMessage<'a> {
    /// Reads one message.
    ///
    /// # Errors
    ///
    /// Why it is not a valid message, in one line.
    pub(super) fn of(incoming: &'a IncomingMessage<'_>) -> Result<Self, String> {
        let reading = incoming.reading().map_err(ToString::to_string)?;
        let view = reading.document.root();
        let message = Message::decode(view).map_err(|error| error.to_string())?;
        if let Some((_, why)) = reading.broken_envelope(incoming.bytes(), &message) {
            return Err(why);
        }
        Ok(Self {
            text: incoming.text(),
            view,
            message,
        })
    }

    /// The original text of a value in it.
    pub(super) fn raw(&self, view: View<'_>) -> &'a str {
        let span = view.span();
        self.text.get(span.start..span.end).unwrap_or_default()
    }
}

/// Parses a kept message again without limits: it was parsed within them when it arrived.
pub(super) fn kept(message: &[u8]) -> IncomingMessage<'_> {
    IncomingMessage::read(Reader::new(), message, &generous())
}
