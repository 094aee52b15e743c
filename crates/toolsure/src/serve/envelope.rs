//! Parses JSON-RPC messages to a server of ours strictly, and writes the answers.

use toolsure_json::{Kind, Node, OwnedDocument, ReadLimits, View, quote};
use toolsure_mcp::message::{
    INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, PARSE_ERROR, write,
};

/// A valid JSON-RPC 2.0 message.
#[derive(Debug)]
pub(super) struct Envelope(OwnedDocument);

/// An answer: the message and, for HTTP, its status.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) text: String,
}

/// A JSON-RPC error that the server returns.
#[derive(Debug)]
pub(crate) struct Fault {
    pub(super) code: i64,
    pub(super) message: String,
    /// JSON text.
    pub(crate) data: Option<String>,
    pub(super) status: u16,
}

impl Envelope {
    /// Parses one message; the error is the answer to a malformed one.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, Answer> {
        let refuse = |fault: Fault, id: &str| Err(fault.answer(id));
        let document = match OwnedDocument::read(bytes, &ReadLimits::default()) {
            Ok(document) => document,
            Err(error) => {
                return refuse(
                    Fault::new(PARSE_ERROR, format!("cannot read the message: {error}")),
                    "null",
                );
            }
        };
        let root = document.document().root();
        let id = root.member("id");
        if id.is_some_and(|id| !matches!(id.kind(), Kind::String | Kind::Number)) {
            return refuse(
                Fault::new(INVALID_REQUEST, "`id` must be a string or a number"),
                "null",
            );
        }
        let shown = id.map_or("null", |id| id.raw()).to_owned();
        if root.kind() != Kind::Object {
            return refuse(
                Fault::new(INVALID_REQUEST, "a message must be one object"),
                &shown,
            );
        }
        if root.member("jsonrpc").map(Node::string) != Some("2.0") {
            return refuse(
                Fault::new(INVALID_REQUEST, "`jsonrpc` must be \"2.0\""),
                &shown,
            );
        }
        let answers = root.member("result").is_some() || root.member("error").is_some();
        match root.member("method").map(Node::kind) {
            Some(Kind::String) => {}
            None if answers => {}
            _ => {
                return refuse(
                    Fault::new(INVALID_REQUEST, "`method` must be a string"),
                    &shown,
                );
            }
        }
        if root
            .member("params")
            .is_some_and(|params| params.kind() != Kind::Object)
        {
            return refuse(
                Fault::new(INVALID_PARAMS, "`params` must be an object"),
                &shown,
            );
        }
        Ok(Self(document))
    }

    /// The raw id of a request; `None` for a notification or an answer.
    pub(super) fn request_id(&self) -> Option<&str> {
        self.root().member("method")?;
        self.root().member("id").map(|id| id.raw())
    }

    pub(super) fn method(&self) -> &str {
        self.root().member("method").map_or("", Node::string)
    }

    pub(super) fn param(&self, name: &str) -> Option<View<'_>> {
        self.root().member("params")?.member(name)
    }

    /// A member of `_meta`, by its name after `io.modelcontextprotocol/`.
    pub(super) fn meta(&self, name: &str) -> Option<View<'_>> {
        self.param("_meta")?
            .member(&format!("io.modelcontextprotocol/{name}"))
    }

    fn root(&self) -> View<'_> {
        self.0.document().root()
    }
}

impl Fault {
    pub(super) fn new(code: i64, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            data: None,
            status: 400,
        }
    }

    /// An error with the HTTP status 200.
    pub(crate) fn plain(code: i64, message: impl Into<String>) -> Self {
        Self {
            status: 200,
            ..Self::new(code, message)
        }
    }

    pub(super) fn unknown_method(method: &str) -> Self {
        Self {
            status: 404,
            ..Self::new(
                METHOD_NOT_FOUND,
                format!("no method `{}`", quote(method, 60)),
            )
        }
    }

    pub(super) fn answer(&self, id: &str) -> Answer {
        Answer {
            status: self.status,
            text: write::error(id, self.code, &self.message, self.data.as_deref()),
        }
    }
}

/// An answer with a result, which is JSON text.
pub(super) fn success(id: &str, result: &str) -> Answer {
    Answer {
        status: 200,
        text: write::result(id, result),
    }
}
