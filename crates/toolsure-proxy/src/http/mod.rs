//! The Streamable HTTP transport: POST a message, read JSON or an event stream.

mod caller;
mod challenge;
mod client;
mod connections;
mod endpoint;
mod fault;
pub(crate) mod header_mirroring;
mod health;
mod protected_resource;
mod relay;
mod requests;
mod resource_metadata;
mod response;
mod stream;
mod target;

use std::time::Duration;

use bytes::Bytes;
use reqwest::Method;
use reqwest::header::{HeaderName, HeaderValue};
use tokio::time::{Instant, timeout_at};
use toolsure_mcp::contract::ToolContract;
use toolsure_mcp::era::Era;
use toolsure_mcp::message::write;

pub use caller::Caller;
pub(crate) use caller::Standing;
pub(crate) use challenge::with_metadata_url;
pub use client::http_client;
pub(crate) use endpoint::{
    EVENT_STREAM, Endpoint, Events, body, content_length, counted_body, is_stream, is_unpacked,
    media_type,
};
pub(crate) use health::Watcher;
pub(crate) use protected_resource::{WELL_KNOWN, well_known};
pub(crate) use resource_metadata::NoMetadata;
pub(crate) use response::Response;
pub(crate) use stream::LAST_EVENT_ID;
pub use target::HttpTarget;

use crate::fault::{Fault, Phase};
use crate::limits::Limits;
use crate::message::{Answer, Incoming, Shape};
use crate::notes::Notes;
use fault::auth;

/// A client of one HTTP endpoint.
#[derive(Debug)]
pub(crate) struct Http {
    endpoint: Endpoint,
    /// The negotiated version, which every message carries.
    era: Option<Era>,
    session: Option<HeaderValue>,
    limits: Limits,
    notes: Notes,
}

/// The result of a request.
pub(crate) enum Outcome {
    /// A JSON-RPC answer, whatever its HTTP status.
    Answer(Answer),
    /// A status other than 200, without an answer in the body.
    Status(Fault),
    /// No answer before the deadline.
    Silence,
}

impl Http {
    pub(crate) fn new(target: HttpTarget, limits: Limits) -> Result<Self, Fault> {
        Ok(Self {
            endpoint: Endpoint::new(target)?,
            era: None,
            session: None,
            limits,
            notes: Notes::default(),
        })
    }

    pub(crate) fn notes(&self) -> &Notes {
        &self.notes
    }

    /// Sets the protocol version that every later message carries.
    pub(crate) fn settle(&mut self, era: Era) {
        self.era = Some(era);
    }

    /// Sends the request `id` and waits for its answer; meanwhile answers the server's own
    /// requests.
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
        self.outcome(phase, &call, response, until).await
    }

    /// Sends two requests at once, and waits for their answers.
    pub(crate) async fn ask_both(
        &mut self,
        phase: Phase,
        calls: [Call<'_>; 2],
        until: Instant,
    ) -> Result<[Option<Answer>; 2], Fault> {
        let [one, other] = &calls;
        let work = async {
            let (first, second) = tokio::try_join!(self.post(phase, one), self.post(phase, other))?;
            let mut answers = [None, None];
            for (at, (call, response)) in [(one, first), (other, second)].into_iter().enumerate() {
                let outcome = self.outcome(phase, call, response, until).await?;
                let answer = match outcome {
                    Outcome::Answer(answer) => Some(answer),
                    Outcome::Status(fault) => return Err(fault),
                    Outcome::Silence => None,
                };
                if let Some(place) = answers.get_mut(at) {
                    *place = answer;
                }
            }
            Ok(answers)
        };
        timeout_at(until, work).await.unwrap_or(Ok([None, None]))
    }

    /// Sends a request and gives it up at once: closes its stream, and says so where there are sessions.
    pub(crate) async fn ask_and_cancel(
        &mut self,
        phase: Phase,
        call: Call<'_>,
        (until, limit): (Instant, Duration),
    ) -> Result<(), Fault> {
        let id = call.id;
        let given_up = Instant::now() + CANCELLED_AFTER;
        let sent = timeout_at(given_up.min(until), self.post(phase, &call)).await;
        if self.session.is_some() {
            let params = format!(r#"{{"requestId":{id},"reason":"no longer needed"}}"#);
            let text = write::notification(CANCELLED, Some(&params));
            self.notify(phase, CANCELLED, text, (until, limit)).await?;
        }
        drop(sent);
        Ok(())
    }

    /// What a response to a request says.
    async fn outcome(
        &mut self,
        phase: Phase,
        call: &Call<'_>,
        response: Response,
        until: Instant,
    ) -> Result<Outcome, Fault> {
        let status = response.status().as_u16();
        if call.opens_session {
            self.session = response.headers().get(SESSION).cloned();
            if let Some(session) = &mut self.session {
                session.set_sensitive(true);
            }
        }
        if matches!(status, 401 | 403) {
            return Err(auth(phase, self.endpoint.url(), &response));
        }
        if is_stream(&response) {
            return self
                .read_stream(phase, response, call.id, until)
                .await
                .map(Outcome::Answer);
        }
        let body = body(phase, response, self.limits.message_bytes).await?;
        let messages = Incoming::read(body.clone()).unwrap_or_default();
        for message in messages {
            if message.shape() == Shape::Answer
                && (message.answers(call.id) || message.is_anonymous_error())
            {
                return Ok(Outcome::Answer(message.into_answer()));
            }
            // An error response is about our request, whatever id it has: some servers use one of
            // their own (`"server-error"`).
            if status < 400 {
                self.notes.stray(message.raw_id());
            }
        }
        if status == 200 {
            let what = format!(
                "the answer to `{}` is not a JSON-RPC answer to it",
                call.method
            );
            return Err(Fault::nonsense(phase, &what, &fault::words(&body)));
        }
        Ok(Outcome::Status(fault::status(
            phase,
            call.method,
            status,
            &body,
        )))
    }

    /// Sends a notification, until an instant at which a limit ends.
    pub(crate) async fn notify(
        &mut self,
        phase: Phase,
        method: &str,
        text: String,
        (until, limit): (Instant, Duration),
    ) -> Result<(), Fault> {
        let call = Call {
            id: 0,
            method,
            text,
            era: None,
            opens_session: false,
            contract: None,
        };
        let posted = match timeout_at(until, self.post(phase, &call)).await {
            Ok(posted) => posted?,
            Err(_) => return Err(Fault::timeout(phase, method, limit, "")),
        };
        match posted.status().as_u16() {
            401 | 403 => Err(auth(phase, self.endpoint.url(), &posted)),
            // Some servers answer a notification with 4xx and still work; the next request will
            // tell.
            _ => Ok(()),
        }
    }

    /// Ends a legacy session. Errors are ignored.
    pub(crate) async fn close(mut self, grace: Duration) {
        if self.session.is_none() {
            return;
        }
        let headers = self.common(None);
        let request = self
            .endpoint
            .send(Phase::Request, Method::DELETE, &headers, Bytes::new());
        let _unheard = timeout_at(Instant::now() + grace, request).await;
        self.session = None;
    }
}

/// One message to POST.
pub(crate) struct Call<'a> {
    pub(crate) id: i64,
    pub(crate) method: &'a str,
    pub(crate) text: String,
    /// The version in `MCP-Protocol-Version` while none is negotiated.
    pub(crate) era: Option<Era>,
    /// Whether the answer may name a session (`initialize`).
    pub(crate) opens_session: bool,
    /// For a call: the contract of its tool, which says what headers repeat.
    pub(crate) contract: Option<&'a ToolContract>,
}

impl Call<'_> {
    /// Whether the message repeats its method in a header, as modern messages do.
    fn names_method(&self, agreed: Option<Era>) -> bool {
        !self.method.is_empty() && agreed.or(self.era).is_some_and(Era::declares_version)
    }
}

pub(crate) const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
pub(crate) const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
pub(crate) const CANCELLED: &str = "notifications/cancelled";
/// How long a request runs before it is given up.
pub(crate) const CANCELLED_AFTER: Duration = Duration::from_millis(50);
pub(crate) const METHOD: HeaderName = HeaderName::from_static("mcp-method");
