//! A server's HTTP service that reads each body before rmcp does.

use std::convert::Infallible;
use std::fmt::Display;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll, ready};

use bytes::{Buf as _, BufMut as _, Bytes};
use futures::future::{BoxFuture, FutureExt as _};
use http::{HeaderValue, Request, Response, StatusCode, header};
use http_body::{Body, Frame};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt as _, Full};
use rmcp::model::{ErrorData, RequestId, ServerJsonRpcMessage};
use tower_service::Service;

use super::text::{self, Read};

/// A `StreamableHttpService` that refuses malformed bodies with a JSON-RPC error.
///
/// rmcp takes the last of duplicate keys, reads `"arguments": null` as absent and other malformed
/// calls as an unknown method, and answers text that `serde_json` refuses without a JSON-RPC error.
/// This service answers such a body with status 400 and an error: -32700 if it is not JSON, -32602
/// if it is a malformed `tools/call`, -32600 if it is not a message. Any other body is passed on
/// byte for byte.
///
/// The body is read when the inner service asks for it, so the checks of that service (`Host`,
/// `Origin`, `Accept`) come first.
///
/// ```
/// use rmcp::ServerHandler;
/// use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
/// use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
/// use toolsure_rmcp::{ServerLayer, ServerHttp};
///
/// #[derive(Clone)]
/// struct Weather;
/// impl ServerHandler for Weather {}
///
/// let layer = ServerLayer::new();
/// let service = ServerHttp::new(StreamableHttpService::new(
///     move || Ok(layer.wrap(Weather)),
///     LocalSessionManager::default().into(),
///     StreamableHttpServerConfig::default(),
/// ));
/// let router: axum::Router = axum::Router::new().nest_service("/mcp", service);
/// # let _ = router;
/// ```
#[derive(Debug, Clone)]
pub struct ServerHttp<S> {
    service: S,
    body: usize,
}

impl<S> ServerHttp<S> {
    /// The default of [`max_body_bytes`](Self::max_body_bytes): 4 MiB, as in rmcp.
    pub const BODY: usize = 4 << 20;

    /// Wraps a service.
    ///
    /// ```
    /// use rmcp::ServerHandler;
    /// use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
    /// use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
    /// use toolsure_rmcp::{ServerHandlerExt as _, ServerHttp};
    ///
    /// #[derive(Clone)]
    /// struct Weather;
    /// impl ServerHandler for Weather {}
    ///
    /// let service = ServerHttp::new(StreamableHttpService::new(
    ///     || Ok(Weather.checked()),
    ///     LocalSessionManager::default().into(),
    ///     StreamableHttpServerConfig::default(),
    /// ));
    /// # let _ = service;
    /// ```
    pub fn new(service: S) -> Self {
        Self {
            service,
            body: Self::BODY,
        }
    }

    /// Sets how many bytes a body may have. A larger one is answered with status 413.
    /// `StreamableHttpServerConfig` has its own limit with the same default.
    ///
    /// ```
    /// use toolsure_rmcp::ServerHttp;
    ///
    /// /// For a service that has the same limit.
    /// fn small<S>(service: S) -> ServerHttp<S> {
    ///     ServerHttp::new(service).max_body_bytes(64 << 10)
    /// }
    /// ```
    #[must_use]
    pub fn max_body_bytes(mut self, bytes: usize) -> Self {
        self.body = bytes;
        self
    }
}

impl<S, B> Service<Request<B>> for ServerHttp<S>
where
    S: Service<Request<ReadBody<B>>, Response = Response<BoxBody<Bytes, Infallible>>>,
    S::Future: Send + 'static,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = BoxFuture<'static, Result<S::Response, S::Error>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.service.poll_ready(context)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let verdict = Verdict::default();
        let limit = self.body;
        let request = request.map(|body| ReadBody {
            body: Some(Box::pin(body)),
            text: Vec::new(),
            limit,
            verdict: Arc::clone(&verdict),
        });
        let answered = self.service.call(request);
        async move {
            let response = answered.await?;
            // The inner service knows only that the body failed.
            Ok(verdict.get().map_or(response, Refused::response))
        }
        .boxed()
    }
}

/// The answer to a refused body, shared between the body and the service.
type Verdict = Arc<OnceLock<Refused>>;

/// The answer to a refused body.
#[derive(Debug)]
struct Refused {
    status: StatusCode,
    message: ServerJsonRpcMessage,
}

impl Refused {
    fn response(&self) -> Response<BoxBody<Bytes, Infallible>> {
        // An id, a number and a text, whose serialisation cannot fail.
        let text = serde_json::to_vec(&self.message).unwrap_or_default();
        let mut response = Response::new(Full::new(Bytes::from(text)).boxed());
        *response.status_mut() = self.status;
        let json = HeaderValue::from_static("application/json");
        response.headers_mut().insert(header::CONTENT_TYPE, json);
        response
    }
}

/// The body of a request to [`ServerHttp`]: one frame with all its bytes, or an error if it is not
/// a message.
#[derive(Debug)]
pub struct ReadBody<B> {
    /// `None` once it has ended.
    body: Option<Pin<Box<B>>>,
    text: Vec<u8>,
    limit: usize,
    verdict: Verdict,
}

/// Why a body could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BodyError {
    /// The connection failed.
    #[error("{0}")]
    Broken(String),
    /// The body is not a message, or it is larger than the limit.
    #[error("the body is refused")]
    Refused,
}

impl<B: Body<Error: Display>> ReadBody<B> {
    /// All bytes, once they have arrived.
    fn poll_text(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Bytes, BodyError>>> {
        loop {
            let Some(body) = &mut self.body else {
                return Poll::Ready(None);
            };
            match ready!(body.as_mut().poll_frame(context)) {
                Some(Ok(frame)) => {
                    // A message has no trailers.
                    let Ok(data) = frame.into_data() else {
                        continue;
                    };
                    let room = self.limit.saturating_sub(self.text.len());
                    let over = data.remaining() > room;
                    self.text.put(data.take(room));
                    if over {
                        let why = format!("the body is over {} bytes", self.limit);
                        let read = text::unreadable(&self.text, &why);
                        return Poll::Ready(Some(self.end(StatusCode::PAYLOAD_TOO_LARGE, read)));
                    }
                }
                Some(Err(error)) => {
                    self.body = None;
                    return Poll::Ready(Some(Err(BodyError::Broken(error.to_string()))));
                }
                None => {
                    let read = text::read(&self.text);
                    return Poll::Ready(Some(self.end(StatusCode::BAD_REQUEST, read)));
                }
            }
        }
    }

    fn refuse(&self, status: StatusCode, id: Option<RequestId>, error: ErrorData) -> BodyError {
        let message = ServerJsonRpcMessage::error(error, id);
        // Set only once, because a body ends only once.
        let _set = self.verdict.set(Refused { status, message });
        BodyError::Refused
    }

    fn end(&mut self, status: StatusCode, read: Read) -> Result<Bytes, BodyError> {
        self.body = None;
        match read {
            Read::Message(_) => Ok(Bytes::from(std::mem::take(&mut self.text))),
            Read::Refused(id, error) => Err(self.refuse(status, id, error)),
            // Over HTTP every request has a response.
            Read::Unanswered(error) | Read::WithoutId(error) => {
                Err(self.refuse(status, None, error))
            }
        }
    }
}

impl<B: Body<Error: Display>> Body for ReadBody<B> {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        let text = ready!(self.get_mut().poll_text(context));
        Poll::Ready(text.map(|text| text.map(Frame::data)))
    }
}
