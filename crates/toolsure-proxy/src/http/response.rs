//! A response of an HTTP server.

use bytes::Bytes;
use hyper::StatusCode;
use hyper::header::HeaderMap;
use hyper::http::response::Parts;

use super::connections::{BoxError, ConnectionBody};

/// The head of a response, and the source of its body.
#[derive(Debug)]
pub(crate) struct Response {
    status: StatusCode,
    headers: HeaderMap,
    body: ResponseSource,
}

#[derive(Debug)]
enum ResponseSource {
    Connection(Box<ConnectionBody>),
    /// From the client library: through a proxy, or over TLS.
    Library(Box<reqwest::Response>),
}

impl Response {
    pub(super) fn new(head: Parts, body: ConnectionBody) -> Self {
        Self {
            status: head.status,
            headers: head.headers,
            body: ResponseSource::Connection(Box::new(body)),
        }
    }

    pub(crate) fn status(&self) -> StatusCode {
        self.status
    }

    pub(crate) fn headers(&self) -> &HeaderMap {
        &self.headers
    }

    pub(crate) fn take_headers(&mut self) -> HeaderMap {
        std::mem::take(&mut self.headers)
    }

    /// The next chunk of the body; `None` at the end. Cancel safe.
    pub(super) async fn chunk(&mut self) -> Result<Option<Bytes>, BoxError> {
        match &mut self.body {
            ResponseSource::Connection(body) => Ok(body.chunk().await?),
            ResponseSource::Library(response) => Ok(response.chunk().await?),
        }
    }
}

impl From<reqwest::Response> for Response {
    fn from(mut response: reqwest::Response) -> Self {
        Self {
            status: response.status(),
            headers: std::mem::take(response.headers_mut()),
            body: ResponseSource::Library(Box::new(response)),
        }
    }
}
