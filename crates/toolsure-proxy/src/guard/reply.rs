//! HTTP responses outside of a conversation: forwarded headers, statuses, errors.

use std::sync::Arc;

use hyper::header::{CONNECTION, CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use hyper::{Response, StatusCode};
use memchr::memmem;
use toolsure_guard::IdKey;
use toolsure_json::{Node as _, OwnedDocument, ReadLimits};
use toolsure_mcp::message::{
    HEADER_MISMATCH, INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, MISSING_CAPABILITY,
    PARSE_ERROR, UNSUPPORTED_VERSION, write,
};

use crate::web::ResponseBody;

/// The headers that are forwarded to the other side. CORS headers are not: the guard decides which
/// pages may read a response.
pub(super) fn passed_on(mut headers: HeaderMap) -> HeaderMap {
    let is_left_out =
        |name: &&HeaderName| is_of_one_hop(name) || name.as_str().starts_with("access-control-");
    let left_out: Vec<HeaderName> = headers.keys().filter(is_left_out).cloned().collect();
    for name in left_out {
        headers.remove(name);
    }
    headers
}

/// The headers of a client's request that are forwarded to an upstream. The session id is not: the
/// upstream has another one.
pub(super) fn onward(headers: &HeaderMap) -> Arc<HeaderMap> {
    let mut passed = passed_on(headers.clone());
    passed.remove(crate::http::SESSION);
    if passed.contains_key(CONTENT_TYPE) {
        // Without parameters, so that the server reads the same message as the guard.
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
        // No body is decompressed here, so none may be compressed.
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

/// The HTTP status for an answer of the guard; `code` is the code of its error.
pub(super) fn status_of(code: Option<i64>, is_request: bool, modern: bool) -> u16 {
    match code {
        Some(PARSE_ERROR | INVALID_REQUEST) if !is_request => 400,
        Some(
            PARSE_ERROR | INVALID_REQUEST | INVALID_PARAMS | HEADER_MISMATCH | MISSING_CAPABILITY
            | UNSUPPORTED_VERSION,
        ) if modern => 400,
        Some(METHOD_NOT_FOUND) if modern => 404,
        _ => 200,
    }
}

/// The code of the error in an answer, if it is an error.
pub(super) fn code_of(answer: &[u8]) -> Option<i64> {
    memmem::find(answer, b"\"error\"")?;
    let answer = OwnedDocument::read(answer, &ReadLimits::default()).ok()?;
    let error = answer.document().root().member("error")?;
    error.member("code")?.raw().parse().ok()
}

/// An error response that is not an answer of the conversation. `why` is a stable code, which its data has.
pub(super) fn error(
    status: u16,
    id: Option<&IdKey>,
    (why, code): (&str, i64),
    text: &str,
) -> Response<ResponseBody> {
    let body = error_body(id, (why, code), text);
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    respond(status, headers, ResponseBody::Whole(body.into()))
}

/// Makes the connection close after a response.
pub(super) fn closing(mut response: Response<ResponseBody>) -> Response<ResponseBody> {
    let close = HeaderValue::from_static("close");
    response.headers_mut().insert(CONNECTION, close);
    response
}

/// The JSON-RPC message of an error. `why` is a stable code, which its data has.
pub(super) fn error_body(id: Option<&IdKey>, codes: (&str, i64), text: &str) -> Vec<u8> {
    error_of(id, codes, text).into_bytes()
}

/// The same for nobody's request.
pub(super) fn error_text(codes: (&str, i64), text: &str) -> String {
    error_of(None, codes, text)
}

fn error_of(id: Option<&IdKey>, (why, code): (&str, i64), text: &str) -> String {
    let id = id.map_or_else(|| "null".to_owned(), IdKey::raw);
    let data = format!(r#"{{"code":"{why}"}}"#);
    write::error(&id, code, text, Some(&data))
}

/// The stable code of an error because a server cannot be reached, or has ended.
pub(super) const SERVER_GONE: &str = "server-gone";
