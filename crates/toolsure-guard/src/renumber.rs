//! Sends requests under numbers of our own, and maps answers back to their senders' ids.
//!
//! Senders that share one connection number their requests independently. So each request is sent on
//! under a number that replaces its id and its progress token, and in the messages that come back the
//! sender's own id or token replaces the number.

use toolsure_json::{Kind, Node as _, View};
use toolsure_mcp::message::{Edits, Request};

use crate::id::IdKey;

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
}

impl RequestOrigin {
    /// The origin of a request.
    #[must_use]
    pub fn of(request: &Request<'_>) -> Self {
        Self {
            key: IdKey::of(request.id),
            id: request.id.raw().to_owned(),
            token: token(request.params).map(|token| token.raw().to_owned()),
        }
    }
}

/// Replaces the id and the progress token of a request by a number.
pub fn renumber(request: &Request<'_>, number: i64, edits: &mut Edits) {
    if let Some(id) = request.view.member("id") {
        edits.replace(id, number.to_string());
    }
    if let Some(token) = token(request.params) {
        edits.replace(token, number.to_string());
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

fn token<'a>(params: Option<View<'a>>) -> Option<View<'a>> {
    params?.member("_meta")?.member("progressToken")
}

#[cfg(test)]
mod tests {
    use toolsure_mcp::message::Message;

    use super::*;
    use crate::reading::read_message;

    #[test]
    fn a_request_keeps_its_terms_and_goes_on_under_a_number() {
        let text = r#"{"jsonrpc":"2.0","id":"a","method":"m","params":{"_meta":{"progressToken":1.0,"b":1}}}"#;
        let (origin, sent) = read_message(text.as_bytes(), |message, text| {
            let Message::Request(request) = message else {
                panic!("{text}");
            };
            let mut edits = Edits::new();
            renumber(&request, 7, &mut edits);
            (RequestOrigin::of(&request), edits.apply(text))
        })
        .unwrap();
        assert_eq!(origin.id, r#""a""#);
        assert_eq!(origin.token.as_deref(), Some("1.0"));
        assert_eq!(
            sent,
            r#"{"jsonrpc":"2.0","id":7,"method":"m","params":{"_meta":{"progressToken":7,"b":1}}}"#
        );
    }

    #[test]
    fn a_number_may_come_back_as_a_string() {
        let text = r#"{"jsonrpc":"2.0","id":1,"result":[4,"4","x",4.5,null]}"#;
        let numbers = read_message(text.as_bytes(), |message, _| match message {
            Message::Result(outcome) => outcome.result.items().map(number_of).collect::<Vec<_>>(),
            _ => panic!("{text}"),
        });
        assert_eq!(numbers, Some(vec![Some(4), Some(4), None, None, None]));
    }
}
