//! Sends requests under numbers of our own, and maps answers back to their senders' ids.
//!
//! Senders that share one connection number their requests independently. So each request is sent on
//! under a number that replaces its id and its progress token, and in the messages that come back the
//! sender's own id or token replaces the number.

use std::sync::Arc;

use toolsure_json::{Kind, Node as _, View};
use toolsure_mcp::message::Request;

use crate::id::IdKey;
use crate::message::{Message, Renamed, token};
use crate::record::Peer;
use crate::subscription::subscription;

/// A request as its sender wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RequestOrigin {
    /// Its id as a key.
    pub key: IdKey,
    /// Its id as JSON text.
    pub id: String,
    /// Its progress token as JSON text.
    pub token: Option<String>,
    /// Its sender, if that is known.
    pub peer: Option<Arc<Peer>>,
}

impl RequestOrigin {
    /// The origin of a request.
    #[must_use]
    pub fn of(request: &Request<'_>) -> Self {
        Self {
            key: IdKey::of(request.id),
            id: request.id.raw().to_owned(),
            token: token(request.params).map(|token| token.raw().to_owned()),
            peer: None,
        }
    }

    /// The same, with the sender of the message.
    pub(crate) fn from(mut self, message: &Message) -> Self {
        self.peer.clone_from(&message.peer);
        self
    }
}

impl Message {
    /// This request under a number of ours, which replaces its id and its progress token.
    #[must_use]
    pub fn numbered(&self, request: &Request<'_>, number: i64) -> Self {
        self.with_number(request, number, Renamed::default())
    }

    /// The same, with other changes.
    pub(crate) fn with_number(
        &self,
        request: &Request<'_>,
        number: i64,
        mut renamed: Renamed,
    ) -> Self {
        renamed.number(request, number);
        self.renamed(renamed, request.view)
    }

    /// This answer, or this message of a batch of answers, under the id of the request as its sender wrote
    /// it; `view` is the answer. The subscription that it ends has the id of its request.
    #[must_use]
    pub fn answering(&self, view: View<'_>, origin: &RequestOrigin) -> Self {
        let mut renamed = Renamed::default();
        if let Some(id) = view.member("id") {
            renamed.answer(id, origin.key.clone(), &origin.id);
        }
        if let Some(subscription) = subscription(view.member("result")) {
            renamed.repeated(subscription, &origin.id);
        }
        self.renamed(renamed, view)
    }
}

/// The number in an id or a token of ours. Some servers return it as a string.
#[must_use]
pub fn number_of(view: View<'_>) -> Option<i64> {
    match view.kind() {
        Kind::Number => view.number().as_i64(),
        Kind::String => view.string().parse().ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use toolsure_mcp::message::Message as Decoded;

    use super::*;
    use crate::message::kept;
    use crate::reading::read_message;

    #[test]
    fn a_request_keeps_its_terms_and_goes_on_under_a_number() {
        let text = r#"{"jsonrpc":"2.0","id":"a","method":"m","params":{"_meta":{"progressToken":1.0,"b":1}}}"#;
        let message = kept(text.as_bytes());
        let document = message.document().unwrap();
        let Ok(Decoded::Request(request)) = Decoded::decode(document.root()) else {
            panic!("{text}");
        };
        let (origin, sent) = (RequestOrigin::of(&request), message.numbered(&request, 7));
        assert_eq!(sent.envelope().id, Some(IdKey::Number(7)));
        assert_eq!(origin.id, r#""a""#);
        assert_eq!(origin.token.as_deref(), Some("1.0"));
        assert_eq!(
            sent.into_bytes(),
            br#"{"jsonrpc":"2.0","id":7,"method":"m","params":{"_meta":{"progressToken":7,"b":1}}}"#
        );
    }

    #[test]
    fn a_number_may_come_back_as_a_string() {
        let text = r#"{"jsonrpc":"2.0","id":1,"result":[4,"4","x",4.5,null]}"#;
        let numbers = read_message(text.as_bytes(), |message, _| match message {
            Decoded::Result(outcome) => outcome.result.items().map(number_of).collect::<Vec<_>>(),
            _ => panic!("{text}"),
        });
        assert_eq!(numbers, Some(vec![Some(4), Some(4), None, None, None]));
    }
}
