//! A server of ours over Streamable HTTP: one endpoint, both eras, JSON answers.

mod sessions;

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::State;
use axum::http::header::{ALLOW, CONTENT_TYPE, HOST, ORIGIN};
use axum::http::{HeaderMap, Method, Request, Response, StatusCode};
use axum::routing::any;
use http_body::Frame;
use tokio::net::TcpListener;
use toolsure_json::Node;
use toolsure_mcp::era::Era;
use toolsure_mcp::message::{HEADER_MISMATCH, INVALID_REQUEST};

use super::envelope::{Answer, Envelope, Fault};
use super::server::{Dispatch, Reply, Server};
use crate::interrupt::interrupted;
use crate::term::Term;
use sessions::Sessions;

/// Serves until a stop signal, then finishes the requests in flight.
pub(super) async fn serve(
    server: Server,
    addr: SocketAddr,
    remote: bool,
    term: &Term,
) -> io::Result<()> {
    let listener = TcpListener::bind(addr).await?;
    term.note(&format!(
        "listening on http://{}/mcp",
        listener.local_addr()?
    ));
    let state = Arc::new(HttpState {
        server,
        sessions: Sessions::default(),
        remote,
    });
    let router = Router::new().route("/mcp", any(enter)).with_state(state);
    axum::serve(listener, router)
        .with_graceful_shutdown(interrupted())
        .await
}

struct HttpState {
    server: Server,
    sessions: Sessions,
    remote: bool,
}

async fn enter(State(state): State<Arc<HttpState>>, request: Request<Body>) -> Response<Body> {
    state.receive(request).await
}

impl HttpState {
    async fn receive(&self, request: Request<Body>) -> Response<Body> {
        let (head, body) = request.into_parts();
        if !(self.remote || is_ours(&head.headers)) {
            return plain(
                StatusCode::FORBIDDEN,
                "this server is for this machine only\n",
            );
        }
        match head.method {
            Method::POST => {}
            Method::DELETE => return self.delete(&head.headers),
            _ => {
                let mut response = plain(StatusCode::METHOD_NOT_ALLOWED, "");
                response
                    .headers_mut()
                    .insert(ALLOW, axum::http::HeaderValue::from_static("POST, DELETE"));
                return response;
            }
        }
        let media = header(&head.headers, CONTENT_TYPE.as_str()).unwrap_or_default();
        if !media
            .split(';')
            .next()
            .unwrap_or_default()
            .trim()
            .eq_ignore_ascii_case("application/json")
        {
            return plain(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "send `Content-Type: application/json`\n",
            );
        }
        let Ok(body) = to_bytes(body, BODY_BYTES).await else {
            let fault = Fault {
                status: 413,
                ..Fault::new(
                    INVALID_REQUEST,
                    format!("a message must have at most {BODY_BYTES} bytes"),
                )
            };
            return json(fault.answer("null"));
        };
        match Envelope::read(&body) {
            Ok(message) => self.answer(&message, &head.headers).await,
            Err(answer) => json(answer),
        }
    }

    async fn answer(&self, message: &Envelope, headers: &HeaderMap) -> Response<Body> {
        let id = message.request_id().unwrap_or("null");
        let modern = message.meta("protocolVersion").is_some()
            || header(headers, VERSION) == Some(Era::NEWEST.version());
        if modern {
            if let Err(fault) = headers_match(message, headers) {
                return json(fault.answer(id));
            }
            return self.reply(message, None, true).await;
        }
        let opened = match header(headers, SESSION) {
            None => None,
            Some(session) => match self.sessions.era(session) {
                Some(era) => Some(era),
                None => {
                    return json(
                        Fault {
                            status: 404,
                            ..Fault::new(INVALID_REQUEST, "the session is not known")
                        }
                        .answer(id),
                    );
                }
            },
        };
        self.reply(message, opened, false).await
    }

    async fn reply(&self, message: &Envelope, opened: Option<Era>, modern: bool) -> Response<Body> {
        match self.server.handle(message, opened, modern) {
            Reply::Silence => plain(StatusCode::ACCEPTED, ""),
            Reply::Answer(answer, dispatch) => match dispatch {
                Dispatch::AtOnce => json(answer),
                Dispatch::After(pause) => {
                    tokio::time::sleep(pause).await;
                    json(answer)
                }
                Dispatch::Never => std::future::pending().await,
                Dispatch::Cut => cut(answer),
            },
            Reply::Opened(era, answer) => {
                let Some(session) = self.sessions.open(era) else {
                    return plain(
                        StatusCode::SERVICE_UNAVAILABLE,
                        "no session can be opened\n",
                    );
                };
                let mut response = json(answer);
                response.headers_mut().insert(SESSION, session);
                response
            }
        }
    }

    fn delete(&self, headers: &HeaderMap) -> Response<Body> {
        match header(headers, SESSION) {
            None => plain(StatusCode::BAD_REQUEST, "send `Mcp-Session-Id`\n"),
            Some(session) if self.sessions.close(session) => plain(StatusCode::NO_CONTENT, ""),
            Some(_) => plain(StatusCode::NOT_FOUND, ""),
        }
    }
}

/// Checks that the version, method and tool in a modern message's headers match the body.
fn headers_match(message: &Envelope, headers: &HeaderMap) -> Result<(), Fault> {
    let mismatch = |name: &str| {
        Fault::new(
            HEADER_MISMATCH,
            format!("the header `{name}` does not match the body"),
        )
    };
    let version = message.meta("protocolVersion").map(Node::string);
    // Without `_meta` there is nothing to compare; the server reports what is missing.
    if version.is_some() && header(headers, VERSION) != version {
        return Err(mismatch("MCP-Protocol-Version"));
    }
    if header(headers, "mcp-method") != Some(message.method()) {
        return Err(mismatch("Mcp-Method"));
    }
    let name = message.param("name").map(Node::string);
    if message.method() == "tools/call" && name.is_some() && header(headers, "mcp-name") != name {
        return Err(mismatch("Mcp-Name"));
    }
    Ok(())
}

/// Whether `Host` and `Origin` name this machine. With DNS rebinding, a browser sends another name
/// in `Host`; a page from elsewhere sends its own `Origin`.
fn is_ours(headers: &HeaderMap) -> bool {
    header(headers, HOST.as_str()).is_some_and(is_loopback) && origin_is_ours(headers)
}

fn origin_is_ours(headers: &HeaderMap) -> bool {
    match header(headers, ORIGIN.as_str()) {
        None => !headers.contains_key(ORIGIN),
        Some(origin) => origin
            .split_once("://")
            .is_some_and(|(_, authority)| is_loopback(authority)),
    }
}

fn is_loopback(authority: &str) -> bool {
    let host = match authority.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
        _ => authority,
    };
    matches!(host, "127.0.0.1" | "[::1]") || host.eq_ignore_ascii_case("localhost")
}

fn header<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

fn json(answer: Answer) -> Response<Body> {
    let mut response = Response::new(Body::from(answer.text));
    *response.status_mut() =
        StatusCode::from_u16(answer.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    response.headers_mut().insert(
        CONTENT_TYPE,
        axum::http::HeaderValue::from_static("application/json"),
    );
    response
}

/// An answer whose body ends with the connection, before it is complete.
fn cut(answer: Answer) -> Response<Body> {
    let half = answer.text.len() / 2;
    let half = answer.text.as_bytes().get(..half).unwrap_or_default();
    let half = Some(Bytes::copy_from_slice(half));
    let mut response = json(answer);
    *response.body_mut() = Body::new(Half(half));
    response
}

/// A part of a body, after which the connection fails.
struct Half(Option<Bytes>);

impl http_body::Body for Half {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        Poll::Ready(Some(match self.0.take() {
            Some(half) => Ok(Frame::data(half)),
            None => Err(io::Error::other("cut")),
        }))
    }
}

fn plain(status: StatusCode, text: &'static str) -> Response<Body> {
    let mut response = Response::new(Body::from(text));
    *response.status_mut() = status;
    response
}

const SESSION: &str = "mcp-session-id";
const VERSION: &str = "mcp-protocol-version";
const BODY_BYTES: usize = 4 << 20;

#[cfg(test)]
mod tests {
    use super::is_loopback;

    #[test]
    fn only_loopback_names_are_ours() {
        for ours in [
            "localhost",
            "LOCALHOST:1",
            "127.0.0.1:8931",
            "[::1]",
            "[::1]:80",
        ] {
            assert!(is_loopback(ours), "{ours}");
        }
        for others in [
            "",
            "evil.example",
            "localhost.evil.example",
            "127.0.0.1.evil.example:80",
            "127.0.0.1:80:evil",
            "::1",
        ] {
            assert!(!is_loopback(others), "{others}");
        }
    }
}
