//! JSON-RPC envelopes and the MCP messages that concern tools, as views of their bytes.
//!
//! A message is decoded by its tags (`method`, `result`, `error`, and the era's own), never by
//! trying alternatives. Nothing is copied: members that a reader does not understand stay in place,
//! and [`Edits`] changes a message by replacing bytes, so that everything else stays as written.
//! [`write`](mod@write) makes new messages. The constants are the error codes of JSON-RPC and MCP.

mod call;
mod code;
mod content;
mod edit;
mod elicitation;
mod envelope;
mod list;
mod malformed_result;
mod method;
mod result;
mod task;
pub mod write;

pub use call::{MalformedCall, ToolCall};
pub use code::{
    HEADER_MISMATCH, INTERNAL_ERROR, INVALID_PARAMS, INVALID_REQUEST, INVALID_RESULT,
    METHOD_NOT_FOUND, MISSING_CAPABILITY, PARSE_ERROR, RESOURCE_NOT_FOUND, UNSUPPORTED_VERSION,
    URL_ELICITATION_REQUIRED,
};
pub use content::text_block;
pub use edit::Edits;
pub use elicitation::bad_form;
pub use envelope::{
    Incoming, MalformedMessage, Message, Notification, Outcome, Request, RequestId,
};
pub use list::{MalformedList, ToolList};
pub use malformed_result::MalformedResult;
pub use method::{METHODS, Method, MethodFault, MethodKind, Sender};
pub use result::{ResultKind, ToolResult};
pub(crate) use task::{ID_BYTES, may_have_result};
pub use task::{TaskAnswer, created_task, requested_task};
