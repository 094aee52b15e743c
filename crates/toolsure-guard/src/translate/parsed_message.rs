//! A message with its text, as the translators take it.

use toolsure_json::View;
use toolsure_mcp::message::Message as Decoded;

use crate::message::Message;

/// A parsed message.
pub(super) struct ParsedMessage<'a> {
    pub(super) whole: &'a Message,
    /// The original text.
    pub(super) text: &'a str,
    /// The whole message.
    pub(super) view: View<'a>,
    pub(super) message: Decoded<'a>,
}

impl<'a> ParsedMessage<'a> {
    /// Reads one message.
    ///
    /// # Errors
    ///
    /// Why it is not a valid message, in one line.
    pub(super) fn of(whole: &'a Message) -> Result<Self, String> {
        let document = whole.document();
        let document =
            document.map_err(|error| error.map(ToString::to_string).unwrap_or_default())?;
        let view = document.root();
        let message = Decoded::decode(view).map_err(|error| error.to_string())?;
        if let Some((_, why)) = whole.broken_envelope(whole.bytes(), &message) {
            return Err(why);
        }
        Ok(Self {
            whole,
            text: whole.text(),
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
