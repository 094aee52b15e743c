//! The steps of an HTTP response.

use std::collections::VecDeque;

use hyper::header::{CONTENT_TYPE, HeaderMap, HeaderValue};
use toolsure_guard::{IdKey, Message, MessageKind, Purpose};
use toolsure_mcp::message::INTERNAL_ERROR;

use super::mailbox::UpstreamHead;
use super::reply::{SERVER_GONE, error_body};
use crate::sse::Event;

/// One step of an HTTP response.
pub(super) enum ResponseStep {
    /// The head of a stream from the upstream.
    Stream(HeaderMap),
    /// Bytes of events for a stream, and whether they are the last.
    Piece(Vec<u8>, bool),
    /// The answer, made here (with the code of its error) or whole from the upstream (with its
    /// head).
    Answer(Vec<u8>, Option<i64>, Option<(u16, HeaderMap)>),
    /// Another message for the client.
    Message(Vec<u8>),
    /// A response that is not an answer: status, headers and body.
    Status(u16, HeaderMap, Vec<u8>),
    /// No answer is needed.
    Accepted,
    /// The stream is over.
    Over,
}

impl ResponseStep {
    /// The step for a message to the client, in the response to the request `own`; `event` is the
    /// event that it came in.
    pub(super) fn of(
        own: Option<&IdKey>,
        message: Message,
        event: Option<&Event>,
        head: Option<UpstreamHead>,
    ) -> Self {
        let envelope = message.envelope();
        let last = own.is_some_and(|own| envelope.answers(own));
        // An error of the upstream keeps the upstream's status.
        let is_made_here = message.purpose != Purpose::Forward;
        let code = envelope.error.filter(|_| is_made_here);
        let is_whole = matches!(envelope.kind, MessageKind::Answer | MessageKind::Batch);
        match event {
            Some(event) if message.is_unchanged => {
                Self::Piece(event.unambiguous().into_owned(), last)
            }
            Some(event) => Self::Piece(event.with_data(message.bytes()), last),
            None if is_whole => Self::Answer(message.into_bytes(), code, head.map(|head| *head)),
            None => Self::Message(message.into_bytes()),
        }
    }
}

/// The steps that are ready, in order, and those that are held back.
pub(super) struct ResponseSteps {
    ready: VecDeque<ResponseStep>,
    held: Option<Held>,
    /// The maximum bytes to hold back.
    most: usize,
}

/// The beginning of a stream that answers `initialize`. Its head contains the session id, which
/// contains the version that the answer agrees on.
struct Held {
    steps: Vec<ResponseStep>,
    bytes: usize,
}

impl ResponseSteps {
    pub(super) fn new(most: usize) -> Self {
        Self {
            ready: VecDeque::new(),
            held: None,
            most,
        }
    }

    pub(super) fn pop(&mut self) -> Option<ResponseStep> {
        self.ready.pop_front()
    }

    pub(super) fn len(&self) -> usize {
        self.ready.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.ready.is_empty()
    }

    /// Begins a stream, which is held back until the answer comes, or too much before it.
    pub(super) fn hold(&mut self, head: HeaderMap) {
        self.held = Some(Held {
            steps: vec![ResponseStep::Stream(head)],
            bytes: 0,
        });
    }

    pub(super) fn push(&mut self, step: ResponseStep) {
        let Some(held) = &mut self.held else {
            return self.ready.push_back(step);
        };
        let (bytes, last) = match &step {
            ResponseStep::Piece(bytes, last) => (bytes.len(), *last),
            ResponseStep::Message(bytes) => (bytes.len(), false),
            _ => (0, true),
        };
        held.bytes = held.bytes.saturating_add(bytes);
        held.steps.push(step);
        if last || held.steps.len() > HELD || held.bytes > self.most {
            self.release();
        }
    }

    /// Releases the steps that were held back.
    pub(super) fn release(&mut self) {
        let held = self.held.take();
        self.ready
            .extend(held.into_iter().flat_map(|held| held.steps));
    }
}

/// The response to a failure of the upstream that the conversation does not answer.
pub(super) fn failure(id: Option<&IdKey>, why: &str) -> ResponseStep {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    ResponseStep::Status(
        502,
        headers,
        error_body(id, (SERVER_GONE, INTERNAL_ERROR), why),
    )
}

/// Maximum steps before the answer to `initialize`. Servers have no reason to send many.
const HELD: usize = 64;
