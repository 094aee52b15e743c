//! The text of one message to a server, read before rmcp reads it: what rmcp
//! would drop, misread or take for another call is refused here.

use rmcp::model::{ClientJsonRpcMessage, ErrorCode, ErrorData, RequestId};
use toolgate_json::{OwnedDocument, ReadLimits};
use toolgate_mcp::message::{INVALID_PARAMS, INVALID_REQUEST, Message, PARSE_ERROR, ToolCall};

use crate::recover;

/// What becomes of a text.
pub(super) enum Read {
    /// It is a message.
    Message(Box<ClientJsonRpcMessage>),
    /// It is none, and the request of this id gets this error. Without an id
    /// it was no request, or is not readable enough.
    Refused(Option<RequestId>, ErrorData),
}

pub(super) fn read(text: &[u8]) -> Read {
    let document = match OwnedDocument::read(text, &ReadLimits::default()) {
        Ok(document) => document,
        Err(error) => return unreadable(text, &error.to_string()),
    };
    if let Ok(Message::Request(request)) = Message::decode(document.document().root())
        && request.method == "tools/call"
        && let Err(why) = ToolCall::decode(request.params)
        && let Ok(id) = serde_json::from_str(request.id.raw())
    {
        return Read::Refused(Some(id), error(INVALID_PARAMS, why.to_string()));
    }
    match serde_json::from_slice(text) {
        Ok(message) => Read::Message(Box::new(message)),
        // JSON to us and not to serde_json: too deep, or a number too large.
        Err(why) if why.is_syntax() || why.is_eof() => unreadable(text, &why.to_string()),
        Err(why) => {
            let id = recover::request(text);
            Read::Refused(id, error(INVALID_REQUEST, why.to_string()))
        }
    }
}

/// A text that cannot be read for this reason; of one that is too long, its
/// beginning.
pub(super) fn unreadable(text: &[u8], why: &str) -> Read {
    let id = recover::request(text);
    Read::Refused(id, error(PARSE_ERROR, why.to_owned()))
}

fn error(code: i64, text: String) -> ErrorData {
    let code = i32::try_from(code).map_or(ErrorCode::INVALID_REQUEST, ErrorCode);
    ErrorData::new(code, text, None)
}
