//! The envelope of a message: the parts that route it, and the parts that HTTP headers repeat.

use std::borrow::Cow;
use std::sync::Arc;

use toolsure_json::{Kind, Node as _, View};
use toolsure_mcp::era::Era;
use toolsure_mcp::message::Message;

use crate::id::IdKey;

/// The parts of a message that transports must know. It is made once from the parsed message, and is
/// passed on with the bytes. A batch of one message that is passed on unchanged has the envelope of
/// that message.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Envelope {
    /// The kind of message.
    pub kind: MessageKind,
    /// The id of a request, or of the request that an answer or a progress notification is for. An answer
    /// has none if its sender could not tell which request it answers.
    pub id: Option<IdKey>,
    /// The method of a request or a notification.
    pub method: Option<Cow<'static, str>>,
    /// The protocol version that a request or a notification declares in `_meta`, which only
    /// messages of 2026-07-28 and later do.
    pub version: Option<Cow<'static, str>>,
    /// The protocol version that an answer to `initialize` agrees on.
    pub agreed: Option<Cow<'static, str>>,
    /// The tool, prompt or resource that a request names.
    pub name: Option<Arc<str>>,
    /// `error.code` of an answer.
    pub error: Option<i64>,
}

/// The kind of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[expect(
    clippy::exhaustive_enums,
    reason = "JSON-RPC 2.0 has these kinds of message, and is frozen"
)]
pub enum MessageKind {
    /// Not a JSON-RPC message.
    #[default]
    Unknown,
    /// A request: it must be answered.
    Request,
    /// A notification.
    Notification,
    /// A result or an error.
    Answer,
    /// Several messages (2025-03-26).
    Batch,
}

impl Envelope {
    /// The envelope of a parsed message.
    #[must_use]
    pub fn of(message: &Message<'_>) -> Self {
        match message {
            Message::Request(request) => Self {
                name: named(request.method, request.params).map(Arc::from),
                version: declared(request.params),
                ..Self::request(IdKey::of(request.id), method_name(request.method))
            },
            Message::Notification(note) => Self {
                version: declared(note.params),
                ..Self::notification(method_name(note.method))
            },
            Message::Result(outcome) => Self {
                agreed: agreed(outcome.result),
                ..Self::answer(Some(IdKey::of(outcome.id)), None)
            },
            Message::Error(id, error) => Self::answer(id.map(IdKey::of), error_code(*error)),
        }
    }

    /// The envelope of a request that names nothing and declares no version.
    #[must_use]
    pub fn request(id: IdKey, method: impl Into<Cow<'static, str>>) -> Self {
        Self {
            kind: MessageKind::Request,
            id: Some(id),
            method: Some(method.into()),
            ..Self::default()
        }
    }

    /// The envelope of a notification that declares no version.
    #[must_use]
    pub fn notification(method: impl Into<Cow<'static, str>>) -> Self {
        Self {
            kind: MessageKind::Notification,
            method: Some(method.into()),
            ..Self::default()
        }
    }

    /// The envelope of an answer; `error` is its code, if it is an error.
    #[must_use]
    pub fn answer(id: Option<IdKey>, error: Option<i64>) -> Self {
        Self {
            kind: MessageKind::Answer,
            id,
            error,
            ..Self::default()
        }
    }

    /// The envelope of a batch.
    #[must_use]
    pub fn batch() -> Self {
        Self {
            kind: MessageKind::Batch,
            ..Self::default()
        }
    }

    /// Whether it is a request, which must be answered.
    #[must_use]
    pub fn is_request(&self) -> bool {
        self.kind == MessageKind::Request
    }

    /// Whether it is a result or an error.
    #[must_use]
    pub fn is_answer(&self) -> bool {
        self.kind == MessageKind::Answer
    }

    /// Whether it answers the request `id`.
    #[must_use]
    pub fn answers(&self, id: &IdKey) -> bool {
        self.is_answer() && self.id.as_ref() == Some(id)
    }

    /// Whether it is a request or a notification of this method.
    #[must_use]
    pub fn has_method(&self, method: &str) -> bool {
        self.method.as_deref() == Some(method)
    }
}

/// The tool, prompt or resource that a request names.
pub(crate) fn named<'a>(method: &str, params: Option<View<'a>>) -> Option<&'a str> {
    match method {
        "tools/call" | "prompts/get" => string(params?, "name"),
        "resources/read" => string(params?, "uri"),
        _ => None,
    }
}

/// `code` of an error.
pub(crate) fn error_code(error: View<'_>) -> Option<i64> {
    let code = error.member("code")?;
    (code.kind() == Kind::Number)
        .then(|| code.number().as_i64())
        .flatten()
}

/// The version that the result of `initialize` agrees on.
pub(crate) fn agreed(result: View<'_>) -> Option<Cow<'static, str>> {
    string(result, "protocolVersion").map(version_name)
}

/// The version that `_meta` declares. Versions with sessions have no such declaration, so one of them means
/// nothing there.
fn declared(params: Option<View<'_>>) -> Option<Cow<'static, str>> {
    let version = string(params?.member("_meta")?, META_VERSION)?;
    let has_sessions = Era::from_version(version).is_some_and(Era::has_sessions);
    (!has_sessions).then(|| version_name(version))
}

fn string<'a>(view: View<'a>, name: &str) -> Option<&'a str> {
    let member = view.member(name)?;
    (member.kind() == Kind::String).then(|| member.string())
}

/// The version as a static string, if it is a version of the protocol.
fn version_name(version: &str) -> Cow<'static, str> {
    match Era::from_version(version) {
        Some(era) => Cow::Borrowed(era.version()),
        None => Cow::Owned(version.to_owned()),
    }
}

/// The method's name as a static string, if it is a common one.
pub(crate) fn method_name(method: &str) -> Cow<'static, str> {
    let known = COMMON.into_iter().find(|known| *known == method);
    known.map_or_else(|| Cow::Owned(method.to_owned()), Cow::Borrowed)
}

const COMMON: [&str; 16] = [
    "tools/call",
    "tools/list",
    "notifications/progress",
    "notifications/message",
    "notifications/cancelled",
    "notifications/initialized",
    "notifications/tools/list_changed",
    "initialize",
    "ping",
    "server/discover",
    "subscriptions/listen",
    "tasks/get",
    "tasks/result",
    "sampling/createMessage",
    "elicitation/create",
    "roots/list",
];

const META_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
