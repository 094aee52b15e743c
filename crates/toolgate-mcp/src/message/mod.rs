//! JSON-RPC envelopes and the MCP messages that concern tools, as views of their bytes.
//!
//! A message is decoded by its tags (`method`, `result`, `error`, and the era's own), never by
//! trying alternatives. Nothing is copied: members that a reader does not understand stay in place,
//! and [`Edits`] changes a message by replacing bytes, so that everything else stays as written.

mod call;
mod content;
mod edit;
mod envelope;
mod list;
mod malformed_result;
mod method;
mod result;
mod task;
pub(crate) mod write;

pub use call::{MalformedCall, ToolCall};
pub use content::text_block;
pub use edit::Edits;
pub use envelope::{
    Incoming, MalformedMessage, Message, Notification, Outcome, Request, RequestId,
};
pub use list::{MalformedList, ToolList};
pub use malformed_result::MalformedResult;
pub use method::{METHODS, Method, MethodFault, MethodKind, Sender};
pub use result::{ResultKind, ToolResult};
pub(crate) use task::{ID_BYTES, may_have_result};
pub use task::{TaskAnswer, created_task, requested_task};

/// JSON-RPC's code for invalid parameters: unknown tool, malformed call.
pub const INVALID_PARAMS: i64 = -32602;
/// JSON-RPC's code for a message that is not a request.
pub const INVALID_REQUEST: i64 = -32600;
/// The code of a tool result that breaks the tool's contract. It is outside the range that JSON-RPC
/// and MCP reserve, since neither has a code for it.
pub const INVALID_RESULT: i64 = -31_602;
/// JSON-RPC's code for text that is not JSON.
pub const PARSE_ERROR: i64 = -32700;
