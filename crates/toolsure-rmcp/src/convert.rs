//! Conversions between our types and rmcp's.

use rmcp::ErrorData;
use rmcp::model::ErrorCode;
use toolsure_mcp::check::Refusal;

/// Converts a refusal to rmcp's JSON-RPC error.
pub(crate) fn error(refusal: &Refusal) -> ErrorData {
    let code = i32::try_from(refusal.fault.rpc_code()).map_or(ErrorCode::INVALID_PARAMS, ErrorCode);
    ErrorData::new(code, refusal.text().to_owned(), None)
}

/// Converts a refusal to an error for the calling program. Its `data` says what is wrong and
/// whether the call was sent.
#[cfg(feature = "client")]
pub(crate) fn client_error(refusal: &Refusal, sent: bool) -> ErrorData {
    let mut error = error(refusal);
    error.data = Some(serde_json::json!({
        "kind": refusal.fault.kind(),
        "code": refusal.fault.code(),
        "tool": refusal.tool,
        "sent": sent,
    }));
    error
}
