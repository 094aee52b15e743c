//! JSON-RPC messages of a peer: read once, kept raw, classified by their members.

use toolsure_guard::OwnedReading;
use toolsure_json::{Kind, Node, ReadError, View};
use toolsure_mcp::message::{METHOD_NOT_FOUND, write};

/// A successful answer; the text is kept as the server wrote it.
#[derive(Clone, Debug)]
pub struct Reply(Incoming);

impl Reply {
    /// The `result` member.
    pub fn result(&self) -> View<'_> {
        let root = self.0.root();
        root.member("result").unwrap_or(root)
    }

    /// The text of a value in this reply, as the server wrote it. [`View::raw`] has U+FFFD in place
    /// of half a surrogate pair.
    pub fn raw(&self, view: View<'_>) -> &str {
        self.0.0.raw(view)
    }
}

/// A JSON-RPC error object. Only this crate creates it, from the answer of a server.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RpcError {
    /// The `code` member; 0 if it is missing or not a 64-bit integer.
    pub code: i64,
    /// The `message` member as the server wrote it: untrusted text, not escaped.
    pub message: String,
    /// The raw JSON text of the `data` member.
    pub data: Option<String>,
}

/// The two answers that a request can get.
#[derive(Clone, Debug)]
#[expect(
    clippy::exhaustive_enums,
    reason = "a JSON-RPC answer has a result or an error"
)]
pub enum Answer {
    /// The request succeeded.
    Result(Reply),
    /// The request failed.
    Error(RpcError),
}

/// One message from the other side.
#[derive(Clone, Debug)]
pub(crate) struct Incoming(OwnedReading);

/// What kind of message it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Answer,
    Request,
    Notification,
}

/// Why bytes are not a message.
#[derive(Debug)]
pub(crate) enum Unreadable {
    /// Not JSON, or over a limit of the reader.
    Json(ReadError),
    /// JSON, but not JSON-RPC 2.0.
    NotRpc,
}

impl Incoming {
    /// Reads one message, or all messages of a batch (legal in 2025-03-26).
    pub(crate) fn read(bytes: Vec<u8>) -> Result<Vec<Self>, Unreadable> {
        let reading = OwnedReading::read(bytes).map_err(Unreadable::Json)?;
        if reading.root().kind() != Kind::Array {
            return Self::from_reading(reading).map(|one| vec![one]);
        }
        let messages = reading.root().items().map(|item| {
            OwnedReading::read(reading.raw(item))
                .map_err(Unreadable::Json)
                .and_then(Self::from_reading)
        });
        let messages = messages.collect::<Result<Vec<_>, _>>()?;
        if messages.is_empty() {
            Err(Unreadable::NotRpc)
        } else {
            Ok(messages)
        }
    }

    fn from_reading(reading: OwnedReading) -> Result<Self, Unreadable> {
        let root = reading.root();
        let marked = root
            .member("jsonrpc")
            .is_some_and(|v| v.kind() == Kind::String);
        let has_content = ["method", "result", "error"]
            .iter()
            .any(|name| root.member(name).is_some());
        if marked && has_content {
            Ok(Self(reading))
        } else {
            Err(Unreadable::NotRpc)
        }
    }

    pub(crate) fn root(&self) -> View<'_> {
        self.0.root()
    }

    pub(crate) fn shape(&self) -> Shape {
        match (self.root().member("method").is_some(), self.id().is_some()) {
            (true, true) => Shape::Request,
            (true, false) => Shape::Notification,
            (false, _) => Shape::Answer,
        }
    }

    /// The `id` member, unless it is missing or `null`.
    pub(crate) fn id(&self) -> Option<View<'_>> {
        self.root()
            .member("id")
            .filter(|id| id.kind() != Kind::Null)
    }

    /// The text of the `id` as it was written; `null` without one.
    pub(crate) fn raw_id(&self) -> &str {
        self.id().map_or("null", |id| self.0.raw(id))
    }

    /// Whether this answers our request `id`.
    pub(crate) fn answers(&self, id: i64) -> bool {
        self.id()
            .is_some_and(|v| v.kind() == Kind::Number && v.number().as_i64() == Some(id))
    }

    /// Whether this is an error without an id: its sender could not tell which request it is about.
    pub(crate) fn is_anonymous_error(&self) -> bool {
        self.id().is_none() && self.root().member("error").is_some()
    }

    pub(crate) fn method(&self) -> &str {
        self.root().member("method").map_or("", Node::string)
    }

    pub(crate) fn into_answer(self) -> Answer {
        let Some(error) = self.root().member("error") else {
            return Answer::Result(Reply(self));
        };
        Answer::Error(RpcError {
            code: error
                .member("code")
                .and_then(|v| v.number().as_i64())
                .unwrap_or(0),
            message: error.member("message").map_or("", Node::string).to_owned(),
            data: error.member("data").map(|v| self.0.raw(v).to_owned()),
        })
    }
}

/// The text of our answer to a server's request: `ping` is answered, everything else declined.
pub(crate) fn answer_to(request: &Incoming) -> String {
    let id = request.raw_id();
    if request.method() == "ping" {
        write::result(id, "{}")
    } else {
        write::error(id, METHOD_NOT_FOUND, "method not found", None)
    }
}
