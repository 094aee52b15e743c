//! HTTP responses outside of a conversation: forwarded headers, statuses, errors.

use std::sync::Arc;

use hyper::header::{CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use hyper::{Response, StatusCode};
use toolgate_guard::IdKey;

use crate::web::ResponseBody;

/// The headers of an answer that go on to the other side. Which pages may read it is said by the
/// guard, whatever its upstream allows.
pub(super) fn passed_on(mut headers: HeaderMap) -> HeaderMap {
    let is_left_out =
        |name: &&HeaderName| is_of_one_hop(name) || name.as_str().starts_with("access-control-");
    let left_out: Vec<HeaderName> = headers.keys().filter(is_left_out).cloned().collect();
    for name in left_out {
        headers.remove(name);
    }
    headers
}

/// The headers of a client's request that go on to an upstream. The client's name for its session
/// is not among them: the upstream has another.
pub(super) fn onward(headers: &HeaderMap) -> Arc<HeaderMap> {
    let mut passed = passed_on(headers.clone());
    passed.remove(crate::http::SESSION);
    if passed.contains_key(CONTENT_TYPE) {
        // Without parameters: the server reads what was read here.
        passed.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    }
    Arc::new(passed)
}

/// Headers that concern one connection only (RFC 9110 section 7.6.1), or that we set ourselves.
fn is_of_one_hop(name: &HeaderName) -> bool {
    const HOP: [&str; 13] = [
        "connection",
        "keep-alive",
        "proxy-connection",
        "proxy-authenticate",
        "proxy-authorization",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
        "expect",
        "host",
        // No body is unpacked here, so none may come packed.
        "accept-encoding",
        "content-encoding",
    ];
    HOP.contains(&name.as_str()) || *name == CONTENT_LENGTH
}

pub(super) fn respond(
    status: u16,
    headers: HeaderMap,
    body: ResponseBody,
) -> Response<ResponseBody> {
    let mut response = Response::new(body);
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_GATEWAY);
    *response.headers_mut() = headers;
    response
}

/// The status that goes with an answer made here; `code` is that of its error.
pub(super) fn status_of(code: Option<i64>, is_request: bool, modern: bool) -> u16 {
    match code {
        Some(-32700 | -32600) if !is_request => 400,
        Some(-32700 | -32600 | -32602 | -32020 | -32021 | -32022) if modern => 400,
        Some(-32601) if modern => 404,
        _ => 200,
    }
}

/// An error that is not an answer of the conversation.
pub(super) fn error(
    status: u16,
    id: Option<&IdKey>,
    code: i64,
    text: &str,
) -> Response<ResponseBody> {
    let body = error_body(id, code, text);
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    respond(status, headers, ResponseBody::Whole(body.into()))
}

/// The JSON-RPC error of one.
pub(super) fn error_body(id: Option<&IdKey>, code: i64, text: &str) -> Vec<u8> {
    let id = id.map_or_else(|| "null".to_owned(), IdKey::raw);
    let text = crate::message::string(text);
    let body =
        format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":{text}}}}}"#);
    body.into_bytes()
}
