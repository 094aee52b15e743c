//! Requests about tools that rmcp could not read.

use rmcp::ErrorData;
use rmcp::model::CustomRequest;
use toolsure_json::{OwnedDocument, ReadLimits};
use toolsure_mcp::message::ToolCall;

/// The answer to a request about tools with malformed parameters: -32602, where
/// rmcp would report an unknown method.
pub(super) fn of_tools(request: &CustomRequest) -> Option<ErrorData> {
    let why = match request.method.as_str() {
        "tools/call" => reason(request),
        "tools/list" => "`params` of `tools/list` are malformed".to_owned(),
        _ => return None,
    };
    Some(ErrorData::invalid_params(why, None))
}

fn reason(request: &CustomRequest) -> String {
    let text = request.params.as_ref().map(ToString::to_string);
    let document = text.map(|text| OwnedDocument::read(text, &ReadLimits::default()));
    let decoded = match &document {
        Some(Ok(document)) => ToolCall::decode(Some(document.document().root())),
        Some(Err(error)) => return error.to_string(),
        None => ToolCall::decode(None),
    };
    match decoded {
        Err(why) => why.to_string(),
        // The name and the arguments are well-formed, so another member is malformed.
        Ok(_) => "`params` of a tool call are malformed".to_owned(),
    }
}
