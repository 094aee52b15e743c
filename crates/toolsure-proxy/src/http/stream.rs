//! Reads an answer from an event stream, and resumes the stream if a legacy server closes it early.

use std::time::Duration;

use bytes::Bytes;
use reqwest::Method;
use reqwest::header::{ACCEPT, HeaderName, HeaderValue};
use tokio::time::{Instant, sleep};

use super::fault::broken;
use super::{EVENT_STREAM, Http, Response, is_stream};
use crate::fault::{Fault, FaultKind, Party, Phase};
use crate::message::{Answer, Incoming, Shape, Unreadable};
use crate::sse::SseParser;

impl Http {
    /// Reads events until one answers the request `id`.
    pub(super) async fn read_stream(
        &mut self,
        phase: Phase,
        mut response: Response,
        id: i64,
        until: Instant,
    ) -> Result<Answer, Fault> {
        let mut parser = SseParser::new(self.limits.message_bytes);
        let mut total = 0_usize;
        let mut resumed = 0_usize;
        let mut last_id = None;
        loop {
            let ended = loop {
                let chunk = match response.chunk().await {
                    Ok(Some(chunk)) => chunk,
                    Ok(None) => break None,
                    Err(error) => break Some(broken(phase, &*error)),
                };
                total = total.saturating_add(chunk.len());
                if total > self.limits.stream_bytes {
                    return Err(Fault::too_large(
                        phase,
                        "an event stream",
                        "stream bytes",
                        self.limits.stream_bytes,
                    ));
                }
                let mut events = Vec::new();
                let fed = parser.feed(&chunk, &mut events);
                for data in events.into_iter().filter_map(|event| event.data) {
                    if let Some(answer) = self.event(phase, data, id).await? {
                        return Ok(answer);
                    }
                }
                if fed.is_err() {
                    return Err(Fault::too_large(
                        phase,
                        "an event",
                        "message bytes",
                        self.limits.message_bytes,
                    ));
                }
            };
            // A server may close a stream before the answer and have the client poll (2025-11-25);
            // modern streams cannot be resumed.
            let resumable = self.session.is_some() && resumed < RESUMES && Instant::now() < until;
            last_id = parser.last_id().map(str::to_owned).or(last_id);
            let Some(last) = last_id.as_deref().filter(|_| resumable) else {
                return Err(ended.unwrap_or_else(|| cut_short(phase)));
            };
            resumed = resumed.saturating_add(1);
            sleep(parser.retry().unwrap_or(RETRY).min(LONGEST_RETRY)).await;
            response = self.resume(phase, last).await?;
            parser = SseParser::new(self.limits.message_bytes);
        }
    }

    async fn resume(&mut self, phase: Phase, last: &str) -> Result<Response, Fault> {
        let mut headers = self.common(None);
        headers.insert(ACCEPT, HeaderValue::from_static(EVENT_STREAM));
        let Ok(last) = HeaderValue::from_str(last) else {
            return Err(cut_short(phase));
        };
        headers.insert(LAST_EVENT_ID, last);
        let sent = self
            .endpoint
            .send(phase, Method::GET, &headers, Bytes::new());
        let response = sent.await?;
        if is_stream(&response) {
            Ok(response)
        } else {
            Err(cut_short(phase))
        }
    }

    async fn event(
        &mut self,
        phase: Phase,
        data: Vec<u8>,
        id: i64,
    ) -> Result<Option<Answer>, Fault> {
        // An event without data only carries an id to resume from.
        if data.trim_ascii().is_empty() {
            return Ok(None);
        }
        let head = data.get(..KEPT).unwrap_or(&data).to_vec();
        let messages = match Incoming::read(data) {
            Ok(messages) => messages,
            Err(Unreadable::Json(error)) => {
                return Err(Fault::nonsense(
                    phase,
                    &format!("an event that is not valid JSON ({error})"),
                    &head,
                ));
            }
            Err(Unreadable::NotRpc) => {
                return Err(Fault::nonsense(
                    phase,
                    "an event that is not a JSON-RPC message",
                    &head,
                ));
            }
        };
        for message in messages {
            match message.shape() {
                Shape::Notification => self.notes.notified(message.method()),
                Shape::Request => self.respond(phase, &message).await?,
                Shape::Answer if message.answers(id) || message.is_anonymous_error() => {
                    return Ok(Some(message.into_answer()));
                }
                Shape::Answer => self.notes.stray(message.raw_id()),
            }
        }
        Ok(None)
    }
}

fn cut_short(phase: Phase) -> Fault {
    Fault::new(
        Party::Server,
        FaultKind::Protocol,
        phase,
        "the event stream ended before the answer",
    )
}

pub(crate) const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");
const KEPT: usize = 512;
const RESUMES: usize = 20;
const RETRY: Duration = Duration::from_secs(1);
const LONGEST_RETRY: Duration = Duration::from_secs(5);
