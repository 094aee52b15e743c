//! The client's own id of a request that has another one here.

use toolsure_guard::{IdKey, Message, end_of_subscription};
use toolsure_json::Node as _;
use toolsure_mcp::message::{Edits, Message as Decoded};

/// A request or an answer with another id, given as JSON text.
pub(super) fn with_id(message: &Message, id: &str) -> Option<String> {
    message.decode(|message, text| {
        let view = match message {
            Decoded::Request(request) => request.view,
            Decoded::Result(outcome) => outcome.view,
            Decoded::Error(Some(_), error) => error.parent()?,
            Decoded::Notification(_) | Decoded::Error(None, _) => return None,
        };
        let mut edits = Edits::new();
        edits.replace(view.member("id")?, id.to_owned());
        Some(edits.apply(text))
    })?
}

/// The result that ends a subscription with this id here, and at the client if it has another one there (2026-07-28,
/// basic/patterns/subscriptions).
pub(super) fn end_of(here: &IdKey, clients: Option<&str>) -> String {
    clients.map_or_else(|| end_of_subscription(&here.raw()), end_of_subscription)
}
