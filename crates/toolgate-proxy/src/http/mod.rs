//! The Streamable HTTP transport: POST a message, read JSON or an event stream.

mod fault;
mod sse;
mod stream;
mod target;

use std::time::Duration;

use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, LOCATION};
use reqwest::redirect::Policy;
use reqwest::{Client, Method, Response, Url};
use tokio::time::{Instant, timeout_at};
use toolgate_json::quote;

pub use target::HttpTarget;

use crate::era::MODERN;
use crate::fault::{Fault, FaultKind, Party, Phase};
use crate::limits::Limits;
use crate::message::{Answer, Incoming, Shape, answer_to};
use crate::notes::Notes;
use fault::{auth, broken, cause, redirect, unreachable};

/// A client of one HTTP endpoint.
#[derive(Debug)]
pub(crate) struct Http {
    client: Client,
    url: Url,
    headers: HeaderMap,
    /// What every message of the settled era carries.
    version: Option<&'static str>,
    session: Option<HeaderValue>,
    limits: Limits,
    notes: Notes,
}

/// What came back for a request.
pub(crate) enum Outcome {
    /// An answer, with the status it came under.
    Answer(Answer),
    /// A status that is no success, and a body that is no answer.
    Status(Fault),
    /// Nothing until the deadline.
    Silence,
}

impl Http {
    pub(crate) fn new(target: HttpTarget, limits: Limits) -> Result<Self, Fault> {
        let (url, headers) = target.into_parts();
        // Set once per process; a second call only says that it is set.
        let _already_set = rustls::crypto::ring::default_provider().install_default();
        let client = Client::builder()
            .redirect(Policy::none())
            .http1_only()
            .user_agent(concat!("toolgate/", env!("CARGO_PKG_VERSION")))
            .build()
            .map_err(|error| {
                Fault::new(
                    Party::Operator,
                    FaultKind::Config,
                    Phase::Start,
                    format!("no HTTP client: {}", cause(&error)),
                )
            })?;
        Ok(Self {
            client,
            url,
            headers,
            version: None,
            session: None,
            limits,
            notes: Notes::default(),
        })
    }

    pub(crate) fn notes(&self) -> &Notes {
        &self.notes
    }

    /// From now on every message carries this version of the protocol.
    pub(crate) fn settle(&mut self, version: &'static str) {
        self.version = Some(version);
    }

    /// Sends the request `id` and waits for its answer; answers the server's own requests meanwhile.
    ///
    /// `version` is the value of `MCP-Protocol-Version` before the era is settled.
    pub(crate) async fn ask(
        &mut self,
        phase: Phase,
        call: Call<'_>,
        until: Instant,
    ) -> Result<Outcome, Fault> {
        let work = self.ask_unbounded(phase, call, until);
        match timeout_at(until, work).await {
            Ok(outcome) => outcome,
            Err(_) => Ok(Outcome::Silence),
        }
    }

    async fn ask_unbounded(
        &mut self,
        phase: Phase,
        call: Call<'_>,
        until: Instant,
    ) -> Result<Outcome, Fault> {
        let response = self.post(phase, &call).await?;
        let status = response.status().as_u16();
        if call.opens_session {
            self.session = response.headers().get(SESSION).cloned();
            if let Some(session) = &mut self.session {
                session.set_sensitive(true);
            }
        }
        if matches!(status, 401 | 403) {
            return Err(auth(phase, &self.url, &response));
        }
        if status == 200 && media_type(&response) == EVENT_STREAM {
            return self
                .read_stream(phase, response, call.id, until)
                .await
                .map(Outcome::Answer);
        }
        let body = self.body(phase, response).await?;
        let messages = Incoming::read(body.clone()).unwrap_or_default();
        for message in messages {
            if message.shape() == Shape::Answer
                && (message.answers(call.id) || message.is_anonymous_error())
            {
                return Ok(Outcome::Answer(message.into_answer()));
            }
            self.notes.stray(message.id().map_or("null", |id| id.raw()));
        }
        if status == 200 {
            let what = format!(
                "the answer to `{}` is no JSON-RPC answer to it",
                call.method
            );
            return Err(Fault::nonsense(phase, &what, &body));
        }
        Ok(Outcome::Status(fault::status(
            phase,
            call.method,
            status,
            &body,
        )))
    }

    /// Sends a notification.
    pub(crate) async fn notify(
        &mut self,
        phase: Phase,
        method: &str,
        text: String,
        until: Instant,
    ) -> Result<(), Fault> {
        let call = Call {
            id: 0,
            method,
            text,
            version: None,
            opens_session: false,
        };
        let posted = match timeout_at(until, self.post(phase, &call)).await {
            Ok(posted) => posted?,
            Err(_) => return Err(Fault::timeout(phase, method, Duration::ZERO, "")),
        };
        match posted.status().as_u16() {
            401 | 403 => Err(auth(phase, &self.url, &posted)),
            // Some servers answer a notification with 4xx and go on well; the next request tells.
            _ => Ok(()),
        }
    }

    /// Ends a legacy session; whether the server likes it is its own affair.
    pub(crate) async fn close(mut self, grace: Duration) {
        if self.session.is_none() {
            return;
        }
        let request = self
            .client
            .request(Method::DELETE, self.url.clone())
            .headers(self.common(None));
        let _unheard = timeout_at(Instant::now() + grace, request.send()).await;
        self.session = None;
    }

    /// Answers a request of the server that came on a stream.
    async fn respond(&mut self, phase: Phase, request: &Incoming) -> Result<(), Fault> {
        if request.method() != "ping" {
            self.notes.declined(request.method());
        }
        let call = Call {
            id: 0,
            method: "",
            text: answer_to(request),
            version: None,
            opens_session: false,
        };
        self.post(phase, &call).await.map(drop)
    }

    /// POSTs, and follows redirects that keep the method and stay on the origin.
    async fn post(&mut self, phase: Phase, call: &Call<'_>) -> Result<Response, Fault> {
        for _ in 0..=REDIRECTS {
            let mut headers = self.common(call.version);
            headers.insert(
                ACCEPT,
                HeaderValue::from_static("application/json, text/event-stream"),
            );
            headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
            if call.names_method(self.version)
                && let Ok(value) = HeaderValue::from_str(call.method)
            {
                headers.insert(METHOD, value);
            }
            let request = self
                .client
                .post(self.url.clone())
                .headers(headers)
                .body(call.text.clone());
            let response = request
                .send()
                .await
                .map_err(|error| unreachable(phase, &self.url, &error))?;
            if !response.status().is_redirection() {
                return Ok(response);
            }
            self.url = self.redirected(phase, &response)?;
        }
        Err(redirect(phase, format!("more than {REDIRECTS} redirects")))
    }

    fn redirected(&self, phase: Phase, response: &Response) -> Result<Url, Fault> {
        let status = response.status().as_u16();
        let location = response
            .headers()
            .get(LOCATION)
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default();
        let next = self.url.join(location).map_err(|_| {
            redirect(
                phase,
                format!(
                    "HTTP status {status} with a `Location` that is no URL: `{}`",
                    quote(location, 100)
                ),
            )
        })?;
        let shown = quote(next.as_str(), 200).to_string();
        if next.origin() != self.url.origin() {
            return Err(redirect(
                phase,
                format!("the server redirects to another origin, `{shown}`"),
            )
            .with_help(
                "redirects are followed on the same origin only; if you trust it, give that URL",
            ));
        }
        if location.is_empty() || next == self.url {
            return Err(redirect(
                phase,
                format!("HTTP status {status} that leads back to `{shown}`"),
            ));
        }
        Ok(next)
    }

    /// The headers of every request.
    fn common(&self, version: Option<&'static str>) -> HeaderMap {
        let mut headers = self.headers.clone();
        if let Some(version) = self.version.or(version) {
            headers.insert(VERSION, HeaderValue::from_static(version));
        }
        if let Some(session) = &self.session {
            headers.insert(SESSION, session.clone());
        }
        headers
    }

    async fn body(&self, phase: Phase, mut response: Response) -> Result<Vec<u8>, Fault> {
        let mut body = Vec::new();
        while let Some(chunk) = response
            .chunk()
            .await
            .map_err(|error| broken(phase, &error))?
        {
            if body.len().saturating_add(chunk.len()) > self.limits.message_bytes {
                return Err(Fault::too_large(
                    phase,
                    "the body of an answer",
                    "message bytes",
                    self.limits.message_bytes,
                ));
            }
            body.extend_from_slice(&chunk);
        }
        Ok(body)
    }
}

/// One message to POST.
pub(crate) struct Call<'a> {
    pub(crate) id: i64,
    pub(crate) method: &'a str,
    pub(crate) text: String,
    /// `MCP-Protocol-Version` while the era is not settled.
    pub(crate) version: Option<&'static str>,
    /// Whether the answer may name a session (`initialize`).
    pub(crate) opens_session: bool,
}

impl Call<'_> {
    /// Modern messages repeat their method in a header.
    fn names_method(&self, settled: Option<&str>) -> bool {
        !self.method.is_empty() && settled.or(self.version) == Some(MODERN)
    }
}

fn media_type(response: &Response) -> String {
    let value = response
        .headers()
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

const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
const METHOD: HeaderName = HeaderName::from_static("mcp-method");
const EVENT_STREAM: &str = "text/event-stream";
const REDIRECTS: usize = 3;
