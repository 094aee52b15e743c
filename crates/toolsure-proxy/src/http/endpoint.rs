//! One HTTP endpoint: sends requests, follows redirects on its origin, limits bodies.

use std::collections::VecDeque;
use std::sync::Arc;

use bytes::Bytes;
use reqwest::header::{
    AUTHORIZATION, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, HeaderValue, LOCATION,
};
use reqwest::{Client, Method, Url};
use toolsure_json::{quote, shown_url};

use super::caller::Caller;
use super::connections::{Connections, Failure};
use super::fault::{broken, redirect, unreachable};
use super::health::{Health, Watcher};
use super::resource_metadata::MetadataCache;
use super::response::Response;
use super::target::HttpTarget;
use crate::fault::{Fault, FaultKind, Party, Phase};
use crate::message_memory::{MessageMemory, ReadLimit, Reading};
use crate::sse::{BOM, Event, SseParser};

/// A client of one endpoint. Its connections are kept and shared.
pub(crate) struct Endpoint {
    client: Client,
    /// For a server without TLS or proxy; otherwise `client` is used.
    connections: Option<Arc<Connections>>,
    url: Url,
    /// The operator's own headers.
    headers: HeaderMap,
    caller: Caller,
    /// Whether the server gets the `Authorization` of callers.
    passes_authorization: bool,
    health: Health,
    watcher: Option<Arc<dyn Watcher>>,
    /// What the server says about its authorization.
    metadata: MetadataCache,
}

impl std::fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Endpoint")
            .field("url", &self.url.origin().ascii_serialization())
            .finish_non_exhaustive()
    }
}

impl Endpoint {
    pub(crate) fn new(target: HttpTarget) -> Result<Self, Fault> {
        let (client, connections) = target.clients()?;
        let metadata = target.metadata();
        let passes_authorization = target.passes_authorization();
        let (url, headers, caller, health) = target.into_parts();
        Ok(Self {
            client,
            connections,
            url,
            headers,
            caller,
            passes_authorization,
            health,
            watcher: None,
            metadata,
        })
    }

    /// The same endpoint; `watcher` is notified when it cannot be reached, and when it can again.
    pub(crate) fn watched(mut self, watcher: Arc<dyn Watcher>) -> Self {
        self.watcher = Some(watcher);
        self
    }

    pub(crate) fn url(&self) -> &Url {
        &self.url
    }

    pub(super) fn metadata(&self) -> &MetadataCache {
        &self.metadata
    }

    /// The caller that it is used for.
    pub(crate) fn caller(&self) -> &Caller {
        &self.caller
    }

    /// The caller's authorization and the operator's own headers.
    pub(crate) fn headers(&self) -> HeaderMap {
        let mut headers = self.headers.clone();
        if self.passes_authorization
            && !headers.contains_key(AUTHORIZATION)
            && let Some(authorization) = self.caller.value()
        {
            headers.insert(AUTHORIZATION, authorization);
        }
        headers
    }

    /// Sends a request. The operator's headers replace headers of the same name.
    ///
    /// Follows 307 and 308 on the same origin, for this request only. The next request starts at
    /// the configured URL again, so that an answer to one client cannot redirect others.
    pub(crate) async fn send(
        &self,
        phase: Phase,
        method: Method,
        headers: &HeaderMap,
        body: Bytes,
    ) -> Result<Response, Fault> {
        self.send_from(&self.url, phase, method, headers, body)
            .await
    }

    /// The same for another URL of the endpoint's origin.
    pub(super) async fn send_from(
        &self,
        start: &Url,
        phase: Phase,
        method: Method,
        headers: &HeaderMap,
        body: Bytes,
    ) -> Result<Response, Fault> {
        let mut url = start.clone();
        for _ in 0..=REDIRECTS {
            let watcher = self.watcher.as_ref();
            let sent = self.send_to(&url, method.clone(), self.with_own(headers), body.clone());
            let response = match sent.await {
                Ok(response) => response,
                Err(failure) => {
                    let fault = unreachable(phase, &url, &failure);
                    if failure.is_connect {
                        let health = (&self.client, &self.url);
                        self.health.lost(&fault, health, watcher);
                    }
                    return Err(fault);
                }
            };
            self.health.reached(watcher);
            if !is_unpacked(response.headers()) {
                let why =
                    "the upstream encoded its answer (`Content-Encoding`) without being asked to";
                return Err(Fault::new(Party::Server, FaultKind::Protocol, phase, why));
            }
            if !response.status().is_redirection() {
                return Ok(response);
            }
            url = redirected(phase, &url, &response)?;
        }
        let shown = shown(&self.url);
        let why = format!("`{shown}` redirects more than {REDIRECTS} times");
        Err(redirect(phase, why))
    }

    /// Headers in which the operator's own replace those of the same name.
    fn with_own(&self, headers: &HeaderMap) -> HeaderMap {
        let mut headers = headers.clone();
        if !self.passes_authorization {
            headers.remove(AUTHORIZATION);
        }
        for name in self.headers.keys() {
            headers.remove(name);
        }
        for (name, value) in &self.headers {
            headers.append(name.clone(), value.clone());
        }
        headers
    }

    /// Sends a request to a URL of the endpoint's origin.
    async fn send_to(
        &self,
        url: &Url,
        method: Method,
        headers: HeaderMap,
        body: Bytes,
    ) -> Result<Response, Failure> {
        if let Some(connections) = &self.connections {
            let sent = connections.send(method, url, headers, body).await;
            return sent.map(|(head, body)| Response::new(head, body));
        }
        let is_post = method == Method::POST;
        let request = self.client.request(method, url.clone()).headers(headers);
        let request = if is_post { request.body(body) } else { request };
        let response = request.send().await.map_err(|error| Failure {
            is_connect: error.is_connect(),
            error: error.into(),
        })?;
        Ok(response.into())
    }
}

/// The target of a redirect.
///
/// # Errors
///
/// A fault that names the upstream and the `Location`, unless the redirect keeps the method and
/// the body (307, 308) and stays on the origin.
fn redirected(phase: Phase, url: &Url, response: &Response) -> Result<Url, Fault> {
    let status = response.status().as_u16();
    let location = response.headers().get(LOCATION).map(HeaderValue::as_bytes);
    let from = shown(url);
    let Some(location) = location else {
        let why = format!("`{from}` answers HTTP status {status} without a `Location`");
        return Err(redirect(phase, why));
    };
    let location = String::from_utf8_lossy(location);
    let refused = |why: &str| {
        // A server may repeat our query in it.
        let to = shown_url(&location);
        let why = format!("`{from}` redirects to `{to}` (HTTP status {status}), {why}");
        redirect(phase, why)
    };
    if !matches!(status, 307 | 308) {
        return Err(refused("and only 307 and 308 are followed"));
    }
    let Ok(mut next) = url.join(&location) else {
        return Err(refused("which is not a URL"));
    };
    // The fragment is not sent, so it does not make a different URL.
    next.set_fragment(None);
    if next.origin() != url.origin() {
        return Err(refused("which is another origin").with_help(
            "redirects are followed on the same origin only; if you trust it, give that URL",
        ));
    }
    if !next.username().is_empty() || next.password().is_some() {
        return Err(refused("with a user or a password in it"));
    }
    if next == *url {
        return Err(refused("which leads back to itself"));
    }
    Ok(next)
}

/// The URL's origin, which is safe to show: paths and queries may contain secrets.
fn shown(url: &Url) -> String {
    quote(&url.origin().ascii_serialization(), 100).to_string()
}

/// Reads a whole body of at most `limit` bytes.
pub(crate) async fn body(phase: Phase, response: Response, limit: usize) -> Result<Vec<u8>, Fault> {
    let uncounted = MessageMemory::default().of_nobody();
    let limit = ReadLimit {
        bytes: limit,
        holder: uncounted,
    };
    let announced = content_length(response.headers());
    let (body, _) = counted_body(phase, response, announced, &limit).await?;
    Ok(body)
}

/// The same, counted while it is read, and until the second value is dropped; `announced` is the
/// length in its head.
pub(crate) async fn counted_body(
    phase: Phase,
    mut response: Response,
    announced: Option<usize>,
    limit: &ReadLimit,
) -> Result<(Vec<u8>, Reading), Fault> {
    let mut body = Vec::new();
    let mut reading = limit.reading();
    let limit = limit.bytes;
    let announced = announced.filter(|length| *length <= limit);
    while let Some(chunk) = response
        .chunk()
        .await
        .map_err(|error| broken(phase, &*error))?
    {
        if body.len().saturating_add(chunk.len()) > limit {
            return Err(Fault::too_large(
                phase,
                "the body of an answer",
                "message bytes",
                limit,
            ));
        }
        let bytes = body.len().saturating_add(chunk.len());
        reading.may_go_on(bytes, announced).await;
        // The memory that is reserved, at once and no more.
        let reserved = reading.reserved();
        if reserved > body.capacity() {
            body.reserve_exact(reserved.saturating_sub(body.len()));
        }
        body.extend_from_slice(&chunk);
    }
    // Clients' readers drop it too (RFC 8259 §8.1).
    if body.starts_with(BOM) {
        body.drain(..BOM.len());
    }
    Ok((body, reading))
}

/// The length of a body, if its head has it.
pub(crate) fn content_length(headers: &HeaderMap) -> Option<usize> {
    headers.get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

/// Whether a response is an event stream.
pub(crate) fn is_stream(response: &Response) -> bool {
    response.status().as_u16() == 200 && media_type(response.headers()) == EVENT_STREAM
}

/// Whether a body has no content coding such as `gzip` (RFC 9110 section 8.4).
pub(crate) fn is_unpacked(headers: &HeaderMap) -> bool {
    let mut codings = headers.get_all(CONTENT_ENCODING).iter();
    codings.all(|coding| {
        coding
            .as_bytes()
            .trim_ascii()
            .eq_ignore_ascii_case(b"identity")
    })
}

/// The media type of a body, in lower case and without parameters; empty if there is none.
pub(crate) fn media_type(headers: &HeaderMap) -> String {
    let value = headers
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    value
        .split(';')
        .next()
        .unwrap_or_default()
        .trim()
        .to_ascii_lowercase()
}

/// Reads the events of a response.
#[derive(Debug)]
pub(crate) struct Events {
    response: Response,
    parser: SseParser,
    ready: Vec<Event>,
    waiting: VecDeque<Event>,
    limit: usize,
    too_long: bool,
    /// Counts the event that is being read.
    reading: Reading,
    /// Whether events were read since, which `reading` counts.
    passed_on: bool,
}

impl Events {
    pub(crate) fn new(response: Response, limit: usize, reading: Reading) -> Self {
        Self {
            response,
            parser: SseParser::new(limit),
            ready: Vec::new(),
            waiting: VecDeque::new(),
            limit,
            too_long: false,
            reading,
            passed_on: false,
        }
    }

    /// The parser, which knows what is needed to resume the stream.
    pub(crate) fn parser(&self) -> &SseParser {
        &self.parser
    }

    /// The next event; `None` at the end. Cancel safe.
    pub(crate) async fn next(&mut self, phase: Phase) -> Result<Option<Event>, Fault> {
        loop {
            if let Some(event) = self.waiting.pop_front() {
                return Ok(Some(event));
            }
            // Whoever asks for the next one has passed on those before, which are counted there.
            if std::mem::take(&mut self.passed_on) {
                self.reading.done();
            }
            if self.too_long {
                return Err(Fault::too_large(
                    phase,
                    "an event",
                    "message bytes",
                    self.limit,
                ));
            }
            self.reading.may_go_on(self.parser.incomplete(), None).await;
            let chunk = self.response.chunk().await;
            let Some(chunk) = chunk.map_err(|error| broken(phase, &*error))? else {
                return Ok(None);
            };
            self.too_long = self.parser.feed(&chunk, &mut self.ready).is_err();
            self.passed_on = !self.ready.is_empty();
            self.waiting.extend(self.ready.drain(..));
        }
    }
}

pub(crate) const EVENT_STREAM: &str = "text/event-stream";
const REDIRECTS: usize = 3;
