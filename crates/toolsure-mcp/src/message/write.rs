//! Writes JSON-RPC messages.
//!
//! Ids, parameters, results and the data of errors are JSON text, which is written as it is. Methods
//! and messages are plain text, which is escaped.

use toolsure_json::{Kind, push_json_string};

/// An error response.
///
/// ```
/// use toolsure_mcp::message::{INVALID_PARAMS, write};
///
/// assert_eq!(
///     write::error("7", INVALID_PARAMS, "no \"x\"", Some(r#"{"tool":"a"}"#)),
///     r#"{"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"no \"x\"","data":{"tool":"a"}}}"#
/// );
/// ```
#[must_use]
pub fn error(id: &str, code: i64, message: &str, data: Option<&str>) -> String {
    let mut out = format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":"#);
    push_json_string(&mut out, message);
    if let Some(data) = data {
        out.push_str(",\"data\":");
        out.push_str(data);
    }
    out.push_str("}}");
    out
}

/// A result response.
///
/// ```
/// let response = toolsure_mcp::message::write::result(r#""a""#, "{}");
/// assert_eq!(response, r#"{"jsonrpc":"2.0","id":"a","result":{}}"#);
/// ```
#[must_use]
pub fn result(id: &str, result: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#)
}

/// A request.
///
/// ```
/// use toolsure_mcp::message::write;
///
/// assert_eq!(write::request("7", "ping", None), r#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#);
/// assert_eq!(
///     write::request("7", "tools/list", Some("{}")),
///     r#"{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{}}"#
/// );
/// ```
#[must_use]
pub fn request(id: &str, method: &str, params: Option<&str>) -> String {
    let mut out = format!(r#"{{"jsonrpc":"2.0","id":{id},"#);
    push_call(&mut out, method, params);
    out
}

/// A notification.
///
/// ```
/// use toolsure_mcp::message::write;
///
/// let notification = write::notification("notifications/initialized", None);
/// assert_eq!(notification, r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
/// ```
#[must_use]
pub fn notification(method: &str, params: Option<&str>) -> String {
    let mut out = r#"{"jsonrpc":"2.0","#.to_owned();
    push_call(&mut out, method, params);
    out
}

/// The notification that cancels the request `id`.
///
/// ```
/// use toolsure_mcp::message::write;
///
/// assert_eq!(
///     write::cancellation("7", Some("too late")),
///     r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7,"reason":"too late"}}"#
/// );
/// ```
#[must_use]
pub fn cancellation(id: &str, reason: Option<&str>) -> String {
    let mut params = format!(r#"{{"requestId":{id}"#);
    if let Some(reason) = reason {
        params.push_str(",\"reason\":");
        push_json_string(&mut params, reason);
    }
    params.push('}');
    notification("notifications/cancelled", Some(&params))
}

/// Appends the members of a request or notification that say what it asks for, and its end.
fn push_call(out: &mut String, method: &str, params: Option<&str>) {
    out.push_str("\"method\":");
    push_json_string(out, method);
    if let Some(params) = params {
        out.push_str(",\"params\":");
        out.push_str(params);
    }
    out.push('}');
}

/// Valid JSON text without the whitespace between its tokens.
///
/// ```
/// let text = toolsure_mcp::message::write::compact("{ \"a b\": [1,\n 2] }");
/// assert_eq!(text, r#"{"a b":[1,2]}"#);
/// ```
#[must_use]
pub fn compact(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    let mut in_string = false;
    let mut escaped = false;
    for character in json.chars() {
        if in_string {
            in_string = escaped || character != '"';
            escaped = !escaped && character == '\\';
        } else if character.is_ascii_whitespace() {
            continue;
        } else {
            in_string = character == '"';
        }
        out.push(character);
    }
    out
}

/// The name of a JSON type, with its article if it has one.
pub(crate) fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Null => "null",
        Kind::Boolean => "a boolean",
        Kind::Number => "a number",
        Kind::String => "a string",
        Kind::Array => "an array",
        Kind::Object => "an object",
    }
}

/// The maximum number of characters of a tool's name in a message.
pub(crate) const NAME: usize = 128;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compact_keeps_strings() {
        assert_eq!(
            compact(" { \"a b\" : [ 1 , \"\\\" x \\\\\" , 1.50 ] }\n"),
            "{\"a b\":[1,\"\\\" x \\\\\",1.50]}"
        );
    }
}
