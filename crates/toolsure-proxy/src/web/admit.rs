//! Admission: checks of the request's head, before its body is read.

use hyper::body::Incoming;
use hyper::header::{
    ACCEPT, AUTHORIZATION, CONTENT_TYPE, HOST, HeaderMap, HeaderName, HeaderValue, ORIGIN,
    TRANSFER_ENCODING,
};
use hyper::{Method, Request, StatusCode, Uri};

use crate::http::{LAST_EVENT_ID, METHOD, SESSION, VERSION, is_unpacked, media_type};

/// The rules for admitting requests.
#[derive(Debug)]
pub(crate) struct Admission {
    pub(crate) path: String,
    /// The paths of the metadata of the protected resource (RFC 9728), if there are any.
    pub(crate) metadata_paths: Vec<String>,
    /// Host names that requests may be for, in lower case, without port.
    pub(crate) hosts: Vec<String>,
    /// Allowed origins, besides those whose host is allowed.
    pub(crate) origins: Vec<String>,
    /// Maximum bytes of a request's head.
    pub(crate) head_bytes: usize,
}

/// What a request is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    Endpoint,
    /// The metadata of the protected resource.
    Metadata,
}

/// Why a request was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) status: StatusCode,
    /// A stable code.
    pub(crate) why: &'static str,
    /// One line for the client.
    pub(crate) text: &'static str,
}

impl Admission {
    /// Checks the head of a request.
    pub(crate) fn check(&self, request: &Request<Incoming>) -> Result<Wanted, Refusal> {
        self.check_head(request.method(), request.uri(), request.headers())
    }

    /// The request's `Origin`, if it is a listed one: its pages may read our responses.
    pub(crate) fn listed_origin<'a>(&self, headers: &'a HeaderMap) -> Option<&'a HeaderValue> {
        let origin = headers.get(ORIGIN)?;
        let mut origins = self.origins.iter();
        let listed = origins.any(|ours| ours.as_bytes() == origin.as_bytes());
        listed.then_some(origin)
    }

    fn check_head(
        &self,
        method: &Method,
        uri: &Uri,
        headers: &HeaderMap,
    ) -> Result<Wanted, Refusal> {
        let refuse = |status, why, text| Err(Refusal { status, why, text });
        if head_bytes(method, uri, headers) > self.head_bytes {
            let text = "the head of the request is larger than `limits.head`";
            return refuse(StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE, "head", text);
        }
        // If there are two, another reader could use the other one (RFC 9112 section 3.2).
        let is_twice = |name| headers.get_all(name).iter().nth(1).is_some();
        // Usually these two numbers show that no header is repeated.
        if headers.len() > headers.keys_len() && ONCE.iter().any(is_twice) {
            let text = "a header that may be given only once is given twice";
            return refuse(StatusCode::BAD_REQUEST, "twice", text);
        }
        // The body would be read as it was sent, and another reader would decode it (RFC 9112 section 6.1).
        let is_chunked = |coding: &HeaderValue| coding.as_bytes().eq_ignore_ascii_case(b"chunked");
        if !headers.get(TRANSFER_ENCODING).is_none_or(is_chunked) {
            let text = "the only `Transfer-Encoding` that this server decodes is `chunked`";
            return refuse(StatusCode::NOT_IMPLEMENTED, "coding", text);
        }
        if !headers.contains_key(HOST) {
            return refuse(StatusCode::BAD_REQUEST, "host", "send `Host`");
        }
        // An authority in the request target overrides `Host` (RFC 9112 section 3.2.2).
        let target = uri.authority().map(hyper::http::uri::Authority::as_str);
        if !target.is_none_or(|authority| self.is_ours(authority)) {
            return refuse(StatusCode::FORBIDDEN, "target", HOST_TEXT);
        }
        let path = uri.path();
        // After DNS rebinding, a browser sends the attacker's host name as `Host`; a page from
        // elsewhere sends its own origin.
        if !text(headers, HOST.as_str()).is_some_and(|host| self.is_ours(host)) {
            return refuse(StatusCode::FORBIDDEN, "host", HOST_TEXT);
        }
        if !self.origin_is_ours(headers) {
            return refuse(
                StatusCode::FORBIDDEN,
                "origin",
                "the `Origin` is not allowed; `listen.origins` lists those that are",
            );
        }
        let is_preflight = *method == Method::OPTIONS && self.listed_origin(headers).is_some();
        let mut metadata_paths = self.metadata_paths.iter();
        if (*method == Method::GET || is_preflight)
            && metadata_paths.any(|own| is_same_path(path, own))
        {
            return Ok(Wanted::Metadata);
        }
        if !is_same_path(path, &self.path) {
            return refuse(
                StatusCode::NOT_FOUND,
                "path",
                "there is nothing at this path",
            );
        }
        match *method {
            Method::GET if !accepts(headers, "text/event-stream") => {
                let text = "send `Accept: text/event-stream`";
                refuse(StatusCode::NOT_ACCEPTABLE, "accept", text)
            }
            Method::GET | Method::DELETE => Ok(Wanted::Endpoint),
            Method::OPTIONS if is_preflight => Ok(Wanted::Endpoint),
            Method::POST if media_type(headers) != "application/json" => {
                let text = "send `Content-Type: application/json`";
                refuse(StatusCode::UNSUPPORTED_MEDIA_TYPE, "content-type", text)
            }
            Method::POST if !is_plain_utf8(headers) => {
                let text = "send the body as UTF-8, without `Content-Encoding`";
                refuse(StatusCode::UNSUPPORTED_MEDIA_TYPE, "encoding", text)
            }
            Method::POST
                if !accepts(headers, "application/json")
                    && !accepts(headers, "text/event-stream") =>
            {
                let text = "send `Accept: application/json, text/event-stream`";
                refuse(StatusCode::NOT_ACCEPTABLE, "accept", text)
            }
            Method::POST => Ok(Wanted::Endpoint),
            _ => refuse(
                StatusCode::METHOD_NOT_ALLOWED,
                "method",
                "send POST, GET or DELETE",
            ),
        }
    }

    fn origin_is_ours(&self, headers: &HeaderMap) -> bool {
        let mut origins = headers.get_all(ORIGIN).iter();
        origins.all(|origin| {
            origin.to_str().is_ok_and(|origin| {
                self.origins.iter().any(|ours| ours == origin)
                    || origin
                        .split_once("://")
                        .is_some_and(|(_, authority)| self.is_ours(authority))
            })
        })
    }

    fn is_ours(&self, authority: &str) -> bool {
        let host = match authority.rsplit_once(':') {
            Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
            _ => authority,
        };
        self.hosts
            .iter()
            .any(|ours| host.eq_ignore_ascii_case(ours))
    }
}

/// Whether two paths differ at most by a `/` at the end.
fn is_same_path(one: &str, other: &str) -> bool {
    let plain = |path: &str| path.strip_suffix('/').unwrap_or(path).len();
    one.get(..plain(one)) == other.get(..plain(other))
}

/// Bytes of a head, written without optional spaces.
fn head_bytes(method: &Method, uri: &Uri, headers: &HeaderMap) -> usize {
    let target = [
        uri.scheme_str()
            .map_or(0, |scheme| scheme.len().saturating_add("://".len())),
        uri.authority()
            .map_or(0, |authority| authority.as_str().len()),
        uri.path_and_query().map_or(0, |path| path.as_str().len()),
    ];
    let line = [method.as_str().len(), 14];
    let fields = headers.iter().map(|(name, value)| {
        let both = name.as_str().len().saturating_add(value.len());
        both.saturating_add(4)
    });
    line.into_iter()
        .chain(target)
        .chain(fields)
        .fold(0, usize::saturating_add)
}

/// Headers that may be given only once: if there are two, readers differ about which one counts.
/// `chunked` must not be applied twice either (RFC 9112 section 6.1).
const ONCE: [HeaderName; 9] = [
    HOST,
    ORIGIN,
    CONTENT_TYPE,
    AUTHORIZATION,
    SESSION,
    VERSION,
    METHOD,
    LAST_EVENT_ID,
    TRANSFER_ENCODING,
];
const HOST_TEXT: &str = "this server does not accept the `Host` of the request; the operator \
                         lists the names that it accepts in `listen.hosts`";

/// Whether `Accept` allows a media type; without the header, all are allowed.
pub(crate) fn accepts(headers: &HeaderMap, media: &str) -> bool {
    let mut given = headers.get_all(ACCEPT).iter().peekable();
    if given.peek().is_none() {
        return true;
    }
    let family = media.split('/').next().unwrap_or_default();
    given
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .any(|range| {
            let mut parts = range.split(';').map(str::trim);
            let name = parts.next().unwrap_or_default();
            let refused = parts.any(|part| matches!(part, "q=0" | "q=0.0" | "q=0.00" | "q=0.000"));
            let of_family = name.strip_suffix("/*");
            let all = name == "*/*"
                || name.eq_ignore_ascii_case(media)
                || of_family.is_some_and(|named| named.eq_ignore_ascii_case(family));
            all && !refused
        })
}

/// Whether a body is plain UTF-8. In another charset or with a content coding, the server could
/// read another message (RFC 8259 section 8.1; RFC 9110 section 8.4).
fn is_plain_utf8(headers: &HeaderMap) -> bool {
    let mut given = headers.get_all(CONTENT_TYPE).iter();
    let named = given.all(|value| {
        let parameters = value.to_str().unwrap_or("charset=?").split(';').skip(1);
        let mut charsets = parameters.filter_map(|parameter| {
            let (name, charset) = parameter.split_once('=')?;
            let is_charset = name.trim().eq_ignore_ascii_case("charset");
            is_charset.then(|| charset.trim().trim_matches('"'))
        });
        charsets.all(|charset| charset.eq_ignore_ascii_case("utf-8"))
    });
    named && is_unpacked(headers)
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(method: &str, path: &str, given: &[(&str, &str)]) -> u16 {
        let admission = Admission {
            path: "/mcp".to_owned(),
            metadata_paths: vec!["/.well-known/oauth-protected-resource".to_owned()],
            hosts: vec![
                "127.0.0.1".to_owned(),
                "localhost".to_owned(),
                "[::1]".to_owned(),
            ],
            origins: vec!["https://app.example".to_owned()],
            head_bytes: 400,
        };
        let mut headers = HeaderMap::new();
        for (name, value) in given {
            headers.append(
                HeaderName::from_bytes(name.as_bytes()).unwrap(),
                HeaderValue::from_str(value).unwrap(),
            );
        }
        let method = Method::from_bytes(method.as_bytes()).unwrap();
        admission
            .check_head(&method, &path.parse().unwrap(), &headers)
            .map_or_else(|refusal| refusal.status.as_u16(), |_| 200)
    }

    #[test]
    fn only_our_names_and_origins_come_in() {
        for (host, origin, expected) in [
            ("localhost", None, 200),
            ("LOCALHOST:1", None, 200),
            ("[::1]:80", None, 200),
            ("evil.example", None, 403),
            ("localhost.evil.example", None, 403),
            ("127.0.0.1:80:evil", None, 403),
            ("", None, 403),
            ("localhost", Some("http://localhost:5173"), 200),
            ("localhost", Some("https://app.example"), 200),
            ("localhost", Some("https://app.example:1"), 403),
            ("localhost", Some("https://evil.example"), 403),
            ("localhost", Some("null"), 403),
        ] {
            let mut given = vec![("host", host), ("content-type", "application/json")];
            given.extend(origin.map(|origin| ("origin", origin)));
            assert_eq!(status("POST", "/mcp", &given), expected, "{given:?}");
        }
        assert_eq!(
            status("POST", "/mcp", &[("content-type", "application/json")]),
            400
        );
    }

    #[test]
    fn what_two_readers_could_read_differently_is_refused() {
        let json = ("content-type", "application/json");
        let host = ("host", "localhost");
        for (path, given, expected) in [
            ("/mcp", vec![host, host, json], 400),
            ("/mcp", vec![host, ("host", "evil.example"), json], 400),
            ("/mcp", vec![host, json, json], 400),
            (
                "/mcp",
                vec![host, json, ("mcp-session-id", "a"), ("mcp-session-id", "b")],
                400,
            ),
            (
                "/mcp",
                vec![host, json, ("transfer-encoding", "chunked")],
                200,
            ),
            (
                "/mcp",
                vec![
                    host,
                    json,
                    ("transfer-encoding", "chunked"),
                    ("transfer-encoding", "chunked"),
                ],
                400,
            ),
            (
                "/mcp",
                vec![host, json, ("transfer-encoding", "gzip, chunked")],
                501,
            ),
            ("/mcp/", vec![host, json], 200),
            ("/mcp//", vec![host, json], 404),
            ("/mcp/x", vec![host, json], 404),
            ("http://evil.example/mcp", vec![host, json], 403),
            ("http://localhost:80/mcp", vec![host, json], 200),
        ] {
            assert_eq!(status("POST", path, &given), expected, "{path} {given:?}");
        }
    }

    #[test]
    fn a_head_has_its_bound() {
        // The request line and the end of the head are 3 + 4 + 14 bytes, and a field has 4 more.
        let rest = 21 + ("host".len() + "localhost".len() + 4) + ("accept".len() + 3 + 4);
        for (over, expected) in [(0, 200), (1, 431)] {
            let long = "x".repeat(400 - rest - "a".len() - 4 + over);
            let given = [("host", "localhost"), ("accept", "*/*"), ("a", &long)];
            assert_eq!(status("GET", "/mcp", &given), expected, "{over}");
        }
    }

    #[test]
    fn a_listed_origin_may_ask_before_it_sends() {
        for (origin, expected) in [
            ("https://app.example", 200),
            ("http://localhost:1", 405),
            ("https://evil.example", 403),
        ] {
            let given = [("host", "localhost"), ("origin", origin)];
            assert_eq!(status("OPTIONS", "/mcp", &given), expected, "{origin}");
        }
    }

    #[test]
    fn what_is_asked_for_must_be_what_is_here() {
        let json = ("content-type", "application/json; charset=utf-8");
        for (method, path, headers, expected) in [
            ("POST", "/mcp", vec![json], 200),
            ("POST", "/", vec![json], 404),
            ("POST", "/mcp", vec![], 415),
            (
                "POST",
                "/mcp",
                vec![("content-type", "application/json; charset=\"UTF-8\"")],
                200,
            ),
            (
                "POST",
                "/mcp",
                vec![("content-type", "application/json; Charset=utf-7")],
                415,
            ),
            (
                "POST",
                "/mcp",
                vec![json, ("content-encoding", "identity")],
                200,
            ),
            (
                "POST",
                "/mcp",
                vec![json, ("content-encoding", "gzip")],
                415,
            ),
            ("POST", "/mcp", vec![("content-type", "text/plain")], 415),
            ("POST", "/mcp", vec![json, ("accept", "text/html")], 406),
            (
                "POST",
                "/mcp",
                vec![json, ("accept", "application/json;q=0")],
                406,
            ),
            (
                "POST",
                "/mcp",
                vec![json, ("accept", "text/html, */*;q=0.1")],
                200,
            ),
            ("POST", "/mcp", vec![json, ("accept", "Text/*")], 200),
            ("GET", "/mcp", vec![("accept", "application/json")], 406),
            ("GET", "/mcp", vec![("accept", "text/event-stream")], 200),
            ("DELETE", "/mcp", vec![], 200),
            ("PUT", "/mcp", vec![json], 405),
        ] {
            let mut given = vec![("host", "localhost")];
            given.extend(headers);
            assert_eq!(status(method, path, &given), expected, "{method} {given:?}");
        }
    }
}
