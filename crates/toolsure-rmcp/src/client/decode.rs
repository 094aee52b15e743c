//! Reads a server's text as rmcp's message. An answer is read as the result of its request, not
//! guessed from its members, and an unreadable answer becomes an error.

use rmcp::model::{
    CallToolResult, CreateTaskResult, ErrorData, InputRequiredResult, JsonRpcMessage, RequestId,
    ServerJsonRpcMessage, ServerResult,
};
use serde_json::Value;
use toolsure_json::{OwnedDocument, ReadLimits};
use toolsure_mcp::era::Era;
use toolsure_mcp::message::{Message, ResultKind};

use super::list;
#[cfg(feature = "http-client")]
use super::list::Page;
use crate::recover;

/// The requests whose answers rmcp may misread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asked {
    /// `tools/list`
    List,
    /// `tools/call`, sent in this era.
    Call(Era),
}

/// Corrects a message that rmcp has misread: a list with a tool that its types cannot
/// hold.
#[cfg(feature = "http-client")]
pub(super) fn mended(message: ServerJsonRpcMessage) -> ServerJsonRpcMessage {
    let JsonRpcMessage::Response(response) = message else {
        return message;
    };
    let result = match response.result {
        ServerResult::CustomResult(custom) => {
            let read = page(custom.0.to_string());
            read.unwrap_or(ServerResult::CustomResult(custom))
        }
        other => other,
    };
    JsonRpcMessage::response(result, response.id)
}

/// Reads one message. `None` for a line that is not a message and needs no answer, such as a log
/// line on standard output. The tools of a list are not read here: the list keeps its text, which
/// the transport above reads.
pub(super) fn message(
    text: Vec<u8>,
    asked: impl Fn(&RequestId) -> Option<Asked>,
) -> Option<ServerJsonRpcMessage> {
    if let Some(id) = recover::result(&text)
        && asked(&id) == Some(Asked::List)
    {
        return match String::from_utf8(text) {
            Ok(text) => {
                let page = ServerResult::ListToolsResult(list::of_text(text));
                Some(JsonRpcMessage::response(page, id))
            }
            Err(error) => lost(error.as_bytes(), "it is not UTF-8"),
        };
    }
    call(&text, asked)
}

/// Reads one message. The tools of a list are read as rmcp's types.
#[cfg(feature = "http-client")]
pub(super) fn with_tools(
    text: &str,
    asked: impl Fn(&RequestId) -> Option<Asked>,
) -> Option<ServerJsonRpcMessage> {
    if let Some(id) = recover::result(text.as_bytes())
        && asked(&id) == Some(Asked::List)
        && let Some(result) = page(text.to_owned())
    {
        return Some(JsonRpcMessage::response(result, id));
    }
    call(text.as_bytes(), asked)
}

fn call(text: &[u8], asked: impl Fn(&RequestId) -> Option<Asked>) -> Option<ServerJsonRpcMessage> {
    let document = match OwnedDocument::read(text, &ReadLimits::default()) {
        Ok(document) => document,
        Err(error) => return lost(text, &error.to_string()),
    };
    if let Ok(Message::Result(outcome)) = Message::decode(document.document().root())
        && let Ok(id) = serde_json::from_str::<RequestId>(outcome.id.raw())
        && let Some(Asked::Call(era)) = asked(&id)
        && let Some(result) = called(outcome.result.raw(), outcome.result, era)
    {
        return Some(JsonRpcMessage::response(result, id));
    }
    match serde_json::from_slice(text) {
        Ok(message) => Some(message),
        Err(error) => lost(text, &error.to_string()),
    }
}

/// A page of tools together with its text, even if some tools are malformed. The transport above
/// makes contracts from the text, and emits events for what is left out.
#[cfg(feature = "http-client")]
fn page(text: String) -> Option<ServerResult> {
    let mut result = Page::read(text.clone()).ok()?.typed(|_| {});
    list::attach(&mut result, text);
    Some(ServerResult::ListToolsResult(result))
}

fn called(text: &str, result: toolsure_json::View<'_>, era: Era) -> Option<ServerResult> {
    let kind = era.read_result(result).ok()?.kind;
    match kind {
        ResultKind::Complete => serde_json::from_str(text)
            .and_then(|value| final_result(value, era))
            .ok()
            .map(ServerResult::CallToolResult),
        ResultKind::InputRequired => serde_json::from_str::<InputRequiredResult>(text)
            .ok()
            .map(ServerResult::InputRequiredResult),
        ResultKind::Task => serde_json::from_str::<CreateTaskResult>(text)
            .ok()
            .map(ServerResult::CreateTaskResult),
        _ => None,
    }
}

/// Reads a final result in rmcp's type, which refuses results with a `resultType` other than
/// `complete`. Where the era has no such member, it is unknown and left out.
pub(super) fn final_result(mut value: Value, era: Era) -> serde_json::Result<CallToolResult> {
    if !era.has_result_types()
        && let Some(result) = value.as_object_mut()
    {
        result.remove("resultType");
    }
    serde_json::from_value(value)
}

/// The error that replaces an unreadable answer.
pub(super) fn lost(text: &[u8], reason: &str) -> Option<ServerJsonRpcMessage> {
    let Some(id) = recover::answer(text) else {
        tracing::warn!("skipped a line that is not a message: {reason}");
        return None;
    };
    let text = format!("the server's answer cannot be read: {reason}");
    let error = ErrorData::internal_error(text, None);
    Some(JsonRpcMessage::error(error, Some(id)))
}
