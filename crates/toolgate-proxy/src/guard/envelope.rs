//! The envelope of a message: what a transport must know to route it.

use toolgate_guard::{IdKey, read_message};
use toolgate_json::{Kind, Node as _, View};
use toolgate_mcp::message::Message;

/// What HTTP headers repeat of a message, and what routes it.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Envelope {
    /// It is a request or a notification.
    pub(super) method: Option<String>,
    /// Its own id, or that of the request it answers.
    pub(super) id: Option<IdKey>,
    /// `_meta` → `io.modelcontextprotocol/protocolVersion`, which only modern messages have.
    pub(super) version: Option<String>,
    /// What a tool call, a prompt or a resource is called.
    pub(super) name: Option<String>,
}

impl Envelope {
    /// Empty if it is not a JSON-RPC message.
    pub(super) fn read(message: &[u8]) -> Self {
        read(message, Self::of).unwrap_or_default()
    }

    /// A request: an answer is owed.
    pub(super) fn is_request(&self) -> bool {
        self.method.is_some() && self.id.is_some()
    }

    fn of(message: Message<'_>) -> Self {
        let (id, method, params) = match message {
            Message::Request(request) => (Some(request.id), request.method, request.params),
            Message::Notification(note) => (None, note.method, note.params),
            Message::Result(outcome) => return Self::answer(Some(IdKey::of(outcome.id))),
            Message::Error(id, _) => return Self::answer(id.map(IdKey::of)),
        };
        let text = |name: &str| params.and_then(|params| string(params, name));
        let meta = params.and_then(|params| params.member("_meta"));
        Self {
            id: id.map(IdKey::of),
            version: meta.and_then(|meta| string(meta, META_VERSION)),
            name: match method {
                "tools/call" | "prompts/get" => text("name"),
                "resources/read" => text("uri"),
                _ => None,
            },
            method: Some(method.to_owned()),
        }
    }

    fn answer(id: Option<IdKey>) -> Self {
        Self {
            id,
            ..Self::default()
        }
    }
}

/// The envelope of an answer: a result or an error.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Answer {
    /// The id of the request that it answers; `None` if its sender could not tell.
    pub(super) id: Option<IdKey>,
    /// `error.code`.
    pub(super) error_code: Option<i64>,
    /// `result.protocolVersion`, in the answer to `initialize`.
    pub(super) version: Option<String>,
}

impl Answer {
    /// `None` if the message is not an answer.
    pub(super) fn read(message: &[u8]) -> Option<Self> {
        read(message, |message| match message {
            Message::Result(outcome) => Some(Self {
                id: Some(IdKey::of(outcome.id)),
                error_code: None,
                version: string(outcome.result, "protocolVersion"),
            }),
            Message::Error(id, error) => Some(Self {
                id: id.map(IdKey::of),
                error_code: error.member("code").and_then(|code| code.number().as_i64()),
                version: None,
            }),
            Message::Request(_) | Message::Notification(_) => None,
        })?
    }

    /// Whether it answers the request `id`.
    pub(super) fn answers(&self, id: &IdKey) -> bool {
        self.id.as_ref() == Some(id)
    }
}

/// Parses a message and passes it to `of`; `None` if it is not a message.
pub(super) fn read<T>(message: &[u8], of: impl FnOnce(Message<'_>) -> T) -> Option<T> {
    read_message(message, |message, _| of(message))
}

fn string(view: View<'_>, name: &str) -> Option<String> {
    let member = view.member(name)?;
    (member.kind() == Kind::String).then(|| member.string().to_owned())
}

const META_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
