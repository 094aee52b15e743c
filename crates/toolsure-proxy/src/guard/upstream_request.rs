//! One request to an HTTP upstream, from its first byte to the last message of the response.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use hyper::header::{ACCEPT, HeaderMap, HeaderValue};
use reqwest::Method;

use crate::fault::{Fault, Phase};
use crate::http::{
    EVENT_STREAM, Endpoint, Events, LAST_EVENT_ID, Response, SESSION, content_length, counted_body,
    is_stream,
};
use crate::message_memory::{ReadLimit, Reading};
use crate::sse::Event;

/// An event of a request to an upstream.
#[derive(Debug)]
pub(super) enum UpstreamEvent {
    /// The head of the response, before everything else. The body of an event stream follows as
    /// events, any other body as one `Whole`.
    Head {
        status: u16,
        headers: HeaderMap,
        stream: bool,
    },
    Whole(Vec<u8>),
    Event(Event),
    /// The end of the response.
    End,
    /// The request failed, for this reason.
    Broken(Fault),
}

/// The head or a message of a response.
#[derive(Debug)]
pub(super) enum ResponsePart {
    Head(u16, HeaderMap),
    /// The body, or the data of an event, which is not empty.
    Message {
        bytes: Vec<u8>,
        is_whole: bool,
    },
}

/// A request in flight. Dropping it closes its connection, which cancels the request at a modern
/// server.
pub(super) struct UpstreamRequest {
    endpoint: Arc<Endpoint>,
    headers: Arc<HeaderMap>,
    limit: ReadLimit,
    stage: Stage,
    /// How many times a legacy stream may still be resumed where it broke off.
    resumes: usize,
    last_id: Option<String>,
    retry: Option<Duration>,
    /// Counts the body that was read.
    body: Option<Reading>,
}

type Waiting<T> = Pin<Box<dyn Future<Output = Result<T, Fault>> + Send>>;

enum Stage {
    Asking(Waiting<Response>),
    Body(Waiting<(Vec<u8>, Reading)>),
    Events(Box<Events>),
    Over,
}

impl UpstreamRequest {
    /// Sends one message. A `resumable` stream belongs to a legacy session.
    pub(super) fn post(
        endpoint: &Arc<Endpoint>,
        headers: impl Into<Arc<HeaderMap>>,
        message: Bytes,
        limit: ReadLimit,
        resumable: bool,
    ) -> Self {
        let headers = headers.into();
        Self::begin(endpoint, Method::POST, headers, message, limit, resumable)
    }

    /// Opens the stream of a legacy session for the server's own messages.
    pub(super) fn listen(
        endpoint: &Arc<Endpoint>,
        headers: impl Into<Arc<HeaderMap>>,
        limit: ReadLimit,
    ) -> Self {
        Self::begin(
            endpoint,
            Method::GET,
            headers.into(),
            Bytes::new(),
            limit,
            false,
        )
    }

    fn begin(
        endpoint: &Arc<Endpoint>,
        method: Method,
        headers: Arc<HeaderMap>,
        message: Bytes,
        limit: ReadLimit,
        resumable: bool,
    ) -> Self {
        let to = Arc::clone(endpoint);
        let with = Arc::clone(&headers);
        let asking = async move { to.send(Phase::Request, method, &with, message).await };
        Self {
            endpoint: Arc::clone(endpoint),
            headers,
            limit,
            stage: Stage::Asking(Box::pin(asking)),
            resumes: if resumable { RESUMES } else { 0 },
            last_id: None,
            retry: None,
            body: None,
        }
    }

    /// Counts the body that was read; it is counted for the client from some time on.
    pub(super) fn into_reading(self) -> Option<Reading> {
        self.body
    }

    /// The id of the last event, and the pause before reconnecting that the server asks for.
    pub(super) fn place(&self) -> (Option<String>, Option<Duration>) {
        match &self.stage {
            Stage::Events(events) => {
                let parser = events.parser();
                let id = parser.last_id().map(str::to_owned);
                (id.or_else(|| self.last_id.clone()), parser.retry())
            }
            _ => (self.last_id.clone(), self.retry),
        }
    }

    /// The next event. Cancel safe; after `Whole`, `End` or `Broken`, always `End`.
    pub(super) async fn next(&mut self) -> UpstreamEvent {
        match &mut self.stage {
            Stage::Asking(asking) => match asking.await {
                Err(fault) => self.over(UpstreamEvent::Broken(fault)),
                Ok(response) => self.answered(response),
            },
            Stage::Body(waiting) => match waiting.await {
                Ok((body, reading)) => {
                    self.body = Some(reading);
                    self.over(UpstreamEvent::Whole(body))
                }
                Err(fault) => self.over(UpstreamEvent::Broken(fault)),
            },
            Stage::Events(events) => match events.next(Phase::Request).await {
                Ok(Some(event)) => UpstreamEvent::Event(event),
                Ok(None) => self.over(UpstreamEvent::End),
                Err(fault) => self.over(UpstreamEvent::Broken(fault)),
            },
            Stage::Over => UpstreamEvent::End,
        }
    }

    /// The head, then each message of the response; `None` at its end. A legacy stream is resumed where it
    /// ends or breaks.
    ///
    /// # Errors
    ///
    /// Why the request failed.
    pub(super) async fn receive(&mut self) -> Result<Option<ResponsePart>, String> {
        loop {
            let (bytes, is_whole) = match self.next().await {
                UpstreamEvent::Head {
                    status, headers, ..
                } => return Ok(Some(ResponsePart::Head(status, headers))),
                UpstreamEvent::Whole(body) => (body, true),
                UpstreamEvent::Event(event) => match event.data {
                    Some(data) if !data.trim_ascii().is_empty() => (data, false),
                    // The event only keeps the connection alive, or has an id to resume from.
                    _ => continue,
                },
                UpstreamEvent::End | UpstreamEvent::Broken(_) if self.resume().await => continue,
                UpstreamEvent::End => return Ok(None),
                UpstreamEvent::Broken(fault) => return Err(fault.to_string()),
            };
            return Ok(Some(ResponsePart::Message { bytes, is_whole }));
        }
    }

    /// The same, if its end is a failure, because the answer has not come.
    pub(super) async fn receive_answer(&mut self) -> Result<ResponsePart, String> {
        let received = self.receive().await?;
        received.ok_or_else(|| ENDED.to_owned())
    }

    /// Resumes a legacy stream that ended before its answer, after the pause that the server asked
    /// for. `false` if it cannot be resumed.
    async fn resume(&mut self) -> bool {
        if self.resumes == 0 || self.last_id.is_none() {
            return false;
        }
        tokio::time::sleep(self.retry.unwrap_or(RETRY).min(LONGEST_RETRY)).await;
        self.resumes = self.resumes.saturating_sub(1);
        let Some(last) = self.last_id.clone() else {
            return false;
        };
        let Ok(last) = HeaderValue::from_str(&last) else {
            return false;
        };
        let mut headers = self.headers.as_ref().clone();
        headers.insert(LAST_EVENT_ID, last);
        headers.insert(ACCEPT, HeaderValue::from_static(EVENT_STREAM));
        let none = Bytes::new();
        let sent = self
            .endpoint
            .send(Phase::Request, Method::GET, &headers, none);
        match sent.await {
            Ok(response) if is_stream(&response) => {
                self.stage = Stage::Events(Box::new(Events::new(
                    response,
                    self.limit.bytes,
                    self.limit.reading(),
                )));
                true
            }
            _ => false,
        }
    }

    fn answered(&mut self, mut response: Response) -> UpstreamEvent {
        // The answer to `initialize` names the session in which its stream can be resumed.
        if let Some(session) = response.headers().get(SESSION).filter(|_| self.resumes > 0) {
            Arc::make_mut(&mut self.headers).insert(SESSION, session.clone());
        }
        let stream = is_stream(&response);
        let announced = content_length(response.headers());
        let head = UpstreamEvent::Head {
            status: response.status().as_u16(),
            headers: response.take_headers(),
            stream,
        };
        self.stage = if stream {
            Stage::Events(Box::new(Events::new(
                response,
                self.limit.bytes,
                self.limit.reading(),
            )))
        } else {
            let limit = self.limit.clone();
            Stage::Body(Box::pin(async move {
                counted_body(Phase::Request, response, announced, &limit).await
            }))
        };
        head
    }

    fn over(&mut self, last: UpstreamEvent) -> UpstreamEvent {
        (self.last_id, self.retry) = self.place();
        self.stage = Stage::Over;
        last
    }
}

/// Why a request failed whose response ended.
pub(super) const ENDED: &str = "the answer ended before it was complete";
const RESUMES: usize = 20;
const RETRY: Duration = Duration::from_secs(1);
const LONGEST_RETRY: Duration = Duration::from_secs(5);
