//! Reads the text of a message to a server before rmcp does, and refuses messages that
//! rmcp would drop or misread.

use rmcp::model::{ClientJsonRpcMessage, ErrorCode, ErrorData, RequestId};
use toolsure_json::{OwnedDocument, ReadLimits};
use toolsure_mcp::message::{
    INVALID_PARAMS, INVALID_REQUEST, Message, MethodFault, PARSE_ERROR, ToolCall,
};

use crate::recover::{Envelope, Id};

/// The outcome of reading a text.
pub(super) enum Read {
    /// It is a message.
    Message(Box<ClientJsonRpcMessage>),
    /// It is not a message, and is answered with this error. The id is `None` if the request has no
    /// usable one, or if it cannot be found.
    Refused(Option<RequestId>, ErrorData),
    /// It is not a message, and JSON-RPC does not answer it: a notification, a response, or text
    /// that does not look like a message.
    Unanswered(ErrorData),
    /// Its method is a request's, but it has no id: nobody waits for an answer, and no handler may get it.
    WithoutId(ErrorData),
}

pub(super) fn read(text: &[u8]) -> Read {
    let document = match OwnedDocument::read(text, &ReadLimits::default()) {
        Ok(document) => document,
        Err(error) => return unreadable(text, &error.to_string()),
    };
    match Message::decode(document.document().root()) {
        Ok(Message::Request(request)) if request.method == "tools/call" => {
            if let Err(why) = ToolCall::decode(request.params)
                && let Ok(id) = serde_json::from_str(request.id.raw())
            {
                return Read::Refused(Some(id), error(INVALID_PARAMS, why.to_string()));
            }
        }
        Err(why) if matches!(why.method_fault(), Some(MethodFault::WithoutId(_))) => {
            return Read::WithoutId(error(INVALID_REQUEST, why.to_string()));
        }
        _ => {}
    }
    match serde_json::from_slice(text) {
        Ok(message) => Read::Message(Box::new(message)),
        // Our reader accepts the text but serde_json does not: too deep, or a number too large.
        Err(why) if why.is_syntax() || why.is_eof() => unreadable(text, &why.to_string()),
        Err(why) => refused(text, INVALID_REQUEST, why.to_string()),
    }
}

/// The fault of a message without an id, if its method is a request's.
pub(super) fn without_id(method: &str) -> Option<MethodFault> {
    let fault = MethodFault::find(method, false);
    fault.filter(|fault| matches!(fault, MethodFault::WithoutId(_)))
}

/// Refuses a text that cannot be read. `text` may be only the beginning, if it is too long.
pub(super) fn unreadable(text: &[u8], why: &str) -> Read {
    refused(text, PARSE_ERROR, why.to_owned())
}

fn refused(text: &[u8], code: i64, why: String) -> Read {
    let envelope = Envelope::of(text);
    let error = error(code, why);
    let is_answer = !envelope.has_method && (envelope.has_result || envelope.has_error);
    let is_message = matches!(text.trim_ascii_start().first(), Some(b'{' | b'['));
    match envelope.id {
        _ if is_answer || !is_message => Read::Unanswered(error),
        Id::Usable(id) => Read::Refused(Some(id), error),
        // It is complete and has no id: a notification.
        Id::Absent if envelope.has_method && envelope.is_complete => Read::Unanswered(error),
        Id::Absent | Id::Unusable => Read::Refused(None, error),
    }
}

fn error(code: i64, text: String) -> ErrorData {
    let code = i32::try_from(code).map_or(ErrorCode::INVALID_REQUEST, ErrorCode);
    ErrorData::new(code, text, None)
}
