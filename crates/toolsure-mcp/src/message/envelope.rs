//! The JSON-RPC 2.0 envelope: the members that decide what kind of message it is.

use std::fmt;

use toolsure_analysis::tool::lookalike;
use toolsure_json::{Document, Kind, Node as _, View};

use super::code::INVALID_REQUEST;
use super::method::MethodFault;

/// The content of one line or one HTTP body.
///
/// ```
/// use toolsure_json::{OwnedDocument, ReadLimits};
/// use toolsure_mcp::message::Incoming;
///
/// let batch = OwnedDocument::read("[]", &ReadLimits::default())?;
/// assert!(matches!(Incoming::of(batch.document()), Incoming::Batch(_)));
/// # Ok::<(), toolsure_json::ReadError>(())
/// ```
#[derive(Debug, Clone)]
#[expect(
    clippy::exhaustive_enums,
    reason = "JSON-RPC 2.0 has single messages and batches, and is frozen"
)]
pub enum Incoming<'a> {
    /// One message.
    Single(View<'a>),
    /// A batch, which receivers must accept only in 2025-03-26.
    Batch(View<'a>),
}

impl<'a> Incoming<'a> {
    /// Distinguishes a batch from a single message.
    #[must_use]
    pub fn of(document: Document<'a>) -> Self {
        let root = document.root();
        if root.kind() == Kind::Array {
            Self::Batch(root)
        } else {
            Self::Single(root)
        }
    }
}

/// One JSON-RPC message.
///
/// ```
/// use toolsure_json::{OwnedDocument, ReadLimits};
/// use toolsure_mcp::message::Message;
///
/// let text = r#"{"jsonrpc": "2.0", "id": 7, "method": "tools/list"}"#;
/// let text = OwnedDocument::read(text, &ReadLimits::default())?;
/// let Ok(Message::Request(request)) = Message::decode(text.document().root()) else {
///     panic!("a request");
/// };
/// assert_eq!((request.method, request.id.raw()), ("tools/list", "7"));
/// # Ok::<(), toolsure_json::ReadError>(())
/// ```
#[derive(Debug, Clone, Copy)]
#[expect(
    clippy::exhaustive_enums,
    reason = "JSON-RPC 2.0 has these four kinds of message, and is frozen"
)]
pub enum Message<'a> {
    /// A method with an id: a response is expected.
    Request(Request<'a>),
    /// A method without an id.
    Notification(Notification<'a>),
    /// The successful response to a request.
    Result(Outcome<'a>),
    /// The error response to a request. Its id is absent if the other side could not read it.
    Error(Option<RequestId<'a>>, View<'a>),
}

/// A request.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Request<'a> {
    /// Its id.
    pub id: RequestId<'a>,
    /// The requested method.
    pub method: &'a str,
    /// `params`, of any type.
    pub params: Option<View<'a>>,
    /// The whole message.
    pub view: View<'a>,
}

/// A notification.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Notification<'a> {
    /// The method of the notification.
    pub method: &'a str,
    /// `params`, of any type.
    pub params: Option<View<'a>>,
    /// The whole message.
    pub view: View<'a>,
}

/// A successful response.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Outcome<'a> {
    /// The id of the request it answers.
    pub id: RequestId<'a>,
    /// `result`.
    pub result: View<'a>,
    /// The whole message.
    pub view: View<'a>,
}

/// The id of a request: a string or a number, kept as written.
///
/// ```
/// use toolsure_json::{OwnedDocument, ReadLimits};
/// use toolsure_mcp::message::Message;
///
/// let text = r#"{"jsonrpc": "2.0", "id": 1.0, "result": {}}"#;
/// let text = OwnedDocument::read(text, &ReadLimits::default())?;
/// let Ok(Message::Result(outcome)) = Message::decode(text.document().root()) else {
///     panic!("a result");
/// };
/// assert_eq!((outcome.id.raw(), outcome.id.key().as_str()), ("1.0", "n1"));
/// # Ok::<(), toolsure_json::ReadError>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct RequestId<'a>(View<'a>);

impl<'a> RequestId<'a> {
    /// The id as JSON text, for use in a response.
    #[must_use]
    pub fn raw(self) -> &'a str {
        self.0.raw()
    }

    /// Whether it is a number that a double cannot hold: most programs read infinity, so that no answer
    /// is matched.
    ///
    /// ```
    /// use toolsure_json::{OwnedDocument, ReadLimits};
    /// use toolsure_mcp::message::Message;
    ///
    /// let text = r#"{"jsonrpc": "2.0", "id": 1e400, "method": "ping"}"#;
    /// let document = OwnedDocument::read(text, &ReadLimits::default())?;
    /// let Ok(Message::Request(request)) = Message::decode(document.document().root()) else {
    ///     return Err("not a request".into());
    /// };
    /// assert!(request.id.is_beyond_double());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn is_beyond_double(self) -> bool {
        self.0.beyond_double().is_some()
    }

    /// A string that is the same for equal ids and differs for different ids, for tables of pending
    /// requests: `1` and `1.0` are the same number, `"1"` is another id.
    #[must_use]
    pub fn key(self) -> String {
        match self.0.kind() {
            Kind::String => format!("s{}", self.0.string()),
            _ => format!("n{}", self.0.number()),
        }
    }
}

impl<'a> Message<'a> {
    /// Reads the envelope of one message.
    ///
    /// # Errors
    ///
    /// It is not a JSON-RPC 2.0 message, its method does not fit ([`MethodFault`]), or a member's
    /// name differs from one of the envelope's only in case, so that some readers would treat it as
    /// that one. The error keeps the id, if there is one, so that the request can be answered.
    pub fn decode(view: View<'a>) -> Result<Self, MalformedMessage<'a>> {
        let mut tags = Tags::default();
        let mut alike = None;
        for (key, value) in view.members() {
            match toolsure_json::Key::text(key) {
                "jsonrpc" => tags.version = Some(value),
                "id" => tags.id = Some(value),
                "method" => tags.method = Some(value),
                "params" => tags.params = Some(value),
                "result" => tags.result = Some(value),
                "error" => tags.error = Some(value),
                other => alike = alike.or_else(|| lookalike(other, ENVELOPE)),
            }
        }
        let id = tags.id.filter(|id| is_id(*id)).map(RequestId);
        let method = tags.method.filter(|method| method.kind() == Kind::String);
        let method = method.map(View::string);
        let fault = |why| Err(MalformedMessage { id, method, why });
        let malformed = |why| fault(Why::Envelope(why));
        if view.kind() != Kind::Object {
            return malformed("a message must be an object");
        }
        if tags.version.is_none_or(|version| version.string() != "2.0") {
            return malformed("`jsonrpc` must be \"2.0\"");
        }
        if let Some(member) = alike {
            return fault(Why::Lookalike(member));
        }
        let null_id = tags.id.is_some_and(|id| id.kind() == Kind::Null);
        if tags.id.is_some() && id.is_none() && !(null_id && tags.error.is_some()) {
            return malformed("`id` must be a string or a number");
        }
        match (tags.method, tags.result, tags.error) {
            (Some(_), None, None) => {
                let Some(method) = method else {
                    return malformed("`method` must be a string");
                };
                if let Some(unfit) = MethodFault::find(method, id.is_some()) {
                    return fault(Why::Method(unfit));
                }
                let params = tags.params;
                Ok(match id {
                    Some(id) => Self::Request(Request {
                        id,
                        method,
                        params,
                        view,
                    }),
                    None => Self::Notification(Notification {
                        method,
                        params,
                        view,
                    }),
                })
            }
            (None, Some(result), None) => match id {
                Some(id) => Ok(Self::Result(Outcome { id, result, view })),
                None => malformed("a result must have an `id`"),
            },
            (None, None, Some(error)) => Ok(Self::Error(id, error)),
            (None, None, None) => malformed("one of `method`, `result` and `error` must be there"),
            _ => malformed("only one of `method`, `result` and `error` may be present"),
        }
    }
}

/// Why a JSON value is not a JSON-RPC 2.0 message.
///
/// ```
/// use toolsure_json::{OwnedDocument, ReadLimits};
/// use toolsure_mcp::message::{Message, MethodFault};
///
/// let text = r#"{"jsonrpc": "2.0", "id": 7, "method": "Tools/List"}"#;
/// let text = OwnedDocument::read(text, &ReadLimits::default())?;
/// let fault = Message::decode(text.document().root()).unwrap_err();
/// assert_eq!((fault.code(), fault.method()), (-32600, Some("Tools/List")));
/// assert_eq!(fault.id().map(|id| id.raw()), Some("7"));
/// assert_eq!(fault.method_fault(), Some(MethodFault::Lookalike("tools/list")));
/// # Ok::<(), toolsure_json::ReadError>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct MalformedMessage<'a> {
    id: Option<RequestId<'a>>,
    method: Option<&'a str>,
    why: Why,
}

#[derive(Debug, Clone, Copy)]
enum Why {
    Envelope(&'static str),
    Method(MethodFault),
    /// A member's name differs from this one of the envelope only in case.
    Lookalike(&'static str),
}

impl<'a> MalformedMessage<'a> {
    /// The id for the error response, if it could be read.
    #[must_use]
    pub fn id(&self) -> Option<RequestId<'a>> {
        self.id
    }

    /// Its `method`, if it is a string.
    #[must_use]
    pub fn method(&self) -> Option<&'a str> {
        self.method
    }

    /// Why its method does not fit, if that is its only error.
    #[must_use]
    pub fn method_fault(&self) -> Option<MethodFault> {
        match self.why {
            Why::Method(fault) => Some(fault),
            Why::Envelope(_) | Why::Lookalike(_) => None,
        }
    }

    /// The JSON-RPC code of the error response.
    #[must_use]
    pub fn code(&self) -> i64 {
        INVALID_REQUEST
    }
}

impl fmt::Display for MalformedMessage<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.why {
            Why::Envelope(why) => f.write_str(why),
            Why::Method(fault) => fault.fmt(f),
            Why::Lookalike(member) => {
                write!(
                    f,
                    "the name of a member differs from `{member}` only in upper and lower case"
                )
            }
        }
    }
}

impl std::error::Error for MalformedMessage<'_> {}

#[derive(Default)]
struct Tags<'a> {
    version: Option<View<'a>>,
    id: Option<View<'a>>,
    method: Option<View<'a>>,
    params: Option<View<'a>>,
    result: Option<View<'a>>,
    error: Option<View<'a>>,
}

/// The members that decide the kind of a message.
const ENVELOPE: &[&str] = &["jsonrpc", "id", "method", "params", "result", "error"];

fn is_id(view: View<'_>) -> bool {
    matches!(view.kind(), Kind::String | Kind::Number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolsure_json::{OwnedDocument, ReadLimits};

    fn kind(text: &str) -> String {
        let document = OwnedDocument::read(text, &ReadLimits::default()).unwrap();
        match Message::decode(document.document().root()) {
            Ok(Message::Request(request)) => format!("request {}", request.id.raw()),
            Ok(Message::Notification(note)) => format!("notification {}", note.method),
            Ok(Message::Result(outcome)) => format!("result {}", outcome.result.raw()),
            Ok(Message::Error(id, _)) => format!("error {:?}", id.map(|id| id.raw().to_owned())),
            Err(error) => format!("{} {:?}", error, error.id().map(|id| id.raw().to_owned())),
        }
    }

    #[test]
    fn messages_are_told_by_their_tags() {
        for (text, expected) in [
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"m","vendor":1}"#,
                "request 1",
            ),
            (
                r#"{"method":"m","id":"a","jsonrpc":"2.0"}"#,
                r#"request "a""#,
            ),
            (r#"{"jsonrpc":"2.0","method":"m"}"#, "notification m"),
            (r#"{"result":null,"id":1,"jsonrpc":"2.0"}"#, "result null"),
            (r#"{"jsonrpc":"2.0","id":null,"error":{}}"#, "error None"),
            (r#"{"jsonrpc":"2.0","error":{}}"#, "error None"),
            ("[]", "a message must be an object None"),
            (
                r#"{"id":1,"method":"m"}"#,
                "`jsonrpc` must be \"2.0\" Some(\"1\")",
            ),
            (
                r#"{"jsonrpc":"2.0","id":null,"method":"m"}"#,
                "`id` must be a string or a number None",
            ),
            (
                r#"{"jsonrpc":"2.0","id":7,"method":5}"#,
                "`method` must be a string Some(\"7\")",
            ),
            (
                r#"{"jsonrpc":"2.0","id":7,"method":"m","result":1}"#,
                "only one of `method`, `result` and `error` may be present Some(\"7\")",
            ),
            (
                r#"{"jsonrpc":"2.0","id":7}"#,
                "one of `method`, `result` and `error` must be there Some(\"7\")",
            ),
            (
                r#"{"jsonrpc":"2.0","result":1}"#,
                "a result must have an `id` None",
            ),
            (
                r#"{"jsonrpc":"2.0","method":"tools/call"}"#,
                "`tools/call` is a request and must have an `id` None",
            ),
            (
                r#"{"jsonrpc":"2.0","id":7,"method":"notifications/cancelled"}"#,
                "a notification must not have an `id` Some(\"7\")",
            ),
            (
                r#"{"jsonrpc":"2.0","id":7,"method":"Tools/Call"}"#,
                "`method` is not spelled like the method `tools/call` Some(\"7\")",
            ),
            (
                r#"{"jsonrpc":"2.0","id":7,"method":"ping","Method":"tools/call"}"#,
                "the name of a member differs from `method` only in upper and lower case Some(\"7\")",
            ),
        ] {
            assert_eq!(kind(text), expected, "{text}");
        }
    }

    #[test]
    fn equal_ids_have_equal_keys() {
        let document =
            OwnedDocument::read(r#"[1, 1.0, "1", 1e0]"#, &ReadLimits::default()).unwrap();
        let keys: Vec<_> = document
            .document()
            .root()
            .items()
            .map(|id| RequestId(id).key())
            .collect();
        assert_eq!(keys[0], keys[1]);
        assert_eq!(keys[0], keys[3]);
        assert_ne!(keys[0], keys[2]);
    }
}
