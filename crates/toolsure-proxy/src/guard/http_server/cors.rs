//! CORS: what pages of listed origins may do from a browser (Fetch, "CORS protocol").

use hyper::Response;
use hyper::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_HEADERS,
    HeaderMap, HeaderValue, ORIGIN, VARY,
};

use crate::guard::reply::respond;
use crate::web::ResponseBody;

/// The response to a preflight request. The origin was checked before.
pub(super) fn preflight(asked: &HeaderMap) -> Response<ResponseBody> {
    let mut headers = HeaderMap::new();
    let methods = HeaderValue::from_static("POST, GET, DELETE");
    headers.insert(ACCESS_CONTROL_ALLOW_METHODS, methods);
    // Tools choose the names of `Mcp-Param-…` headers, so no list could be complete.
    if let Some(wanted) = asked.get(ACCESS_CONTROL_REQUEST_HEADERS) {
        headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, wanted.clone());
    }
    headers.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("600"));
    respond(204, headers, ResponseBody::empty())
}

/// Lets a page of this origin read a response.
pub(super) fn allow(response: &mut Response<ResponseBody>, origin: HeaderValue) {
    let headers = response.headers_mut();
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    headers.insert(
        ACCESS_CONTROL_EXPOSE_HEADERS,
        HeaderValue::from_static(EXPOSED),
    );
    headers.append(VARY, HeaderValue::from(ORIGIN));
}

/// The response headers that clients act on.
const EXPOSED: &str = "Mcp-Session-Id, MCP-Protocol-Version, WWW-Authenticate, Retry-After";
