//! The requests of a client of one HTTP endpoint, and their headers.

use bytes::Bytes;
use reqwest::Method;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderValue};
use toolsure_guard::Message;
use toolsure_mcp::era::Era;

use super::header_mirroring::{mirrored_headers, write};
use super::{Call, Http, Response, SESSION, VERSION};
use crate::fault::{Fault, Phase};
use crate::message::{Incoming, answer_to};

impl Http {
    /// Answers a request that the server sent on a stream.
    pub(super) async fn respond(&mut self, phase: Phase, request: &Incoming) -> Result<(), Fault> {
        if request.method() != "ping" {
            self.notes.declined(request.method());
        }
        let call = Call {
            id: 0,
            method: "",
            text: answer_to(request),
            era: None,
            opens_session: false,
            contract: None,
        };
        self.post(phase, &call).await.map(drop)
    }

    pub(super) async fn post(&self, phase: Phase, call: &Call<'_>) -> Result<Response, Fault> {
        let mut headers = self.common(call.era);
        headers.insert(
            ACCEPT,
            HeaderValue::from_static("application/json, text/event-stream"),
        );
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if call.names_method(self.era) {
            let message = Message::from(call.text.clone().into_bytes());
            write(&mirrored_headers(&message, call.contract), &mut headers);
        }
        let body = Bytes::copy_from_slice(call.text.as_bytes());
        self.endpoint
            .send(phase, Method::POST, &headers, body)
            .await
    }

    /// The headers of every request.
    pub(super) fn common(&self, era: Option<Era>) -> HeaderMap {
        let mut headers = self.endpoint.headers();
        if let Some(era) = self.era.or(era) {
            headers.insert(VERSION, HeaderValue::from_static(era.version()));
        }
        if let Some(session) = &self.session {
            headers.insert(SESSION, session.clone());
        }
        headers
    }
}
