//! A response of an HTTP server.

use bytes::Bytes;
use http_body_util::BodyExt as _;
use hyper::StatusCode;
use hyper::body::Incoming;
use hyper::header::HeaderMap;

use super::client::BoxError;

/// The head of a response, and the source of its body.
#[derive(Debug)]
pub(crate) struct Response {
    status: StatusCode,
    headers: HeaderMap,
    body: ResponseSource,
}

#[derive(Debug)]
enum ResponseSource {
    Plain(Incoming),
    /// Through a proxy, or over TLS.
    Full(Box<reqwest::Response>),
}

impl Response {
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
        let body = match &mut self.body {
            ResponseSource::Plain(body) => body,
            ResponseSource::Full(response) => return Ok(response.chunk().await?),
        };
        while let Some(frame) = body.frame().await {
            // Trailers are not passed on.
            if let Ok(data) = frame?.into_data() {
                return Ok(Some(data));
            }
        }
        Ok(None)
    }
}

impl From<hyper::Response<Incoming>> for Response {
    fn from(response: hyper::Response<Incoming>) -> Self {
        let (head, body) = response.into_parts();
        Self {
            status: head.status,
            headers: head.headers,
            body: ResponseSource::Plain(body),
        }
    }
}

impl From<reqwest::Response> for Response {
    fn from(mut response: reqwest::Response) -> Self {
        Self {
            status: response.status(),
            headers: std::mem::take(response.headers_mut()),
            body: ResponseSource::Full(Box::new(response)),
        }
    }
}
