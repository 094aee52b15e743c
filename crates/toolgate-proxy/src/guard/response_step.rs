//! What the work on one HTTP request leads to, step by step.

use std::collections::VecDeque;

use hyper::header::{CONTENT_TYPE, HeaderMap, HeaderValue};
use toolgate_guard::{INTERNAL_ERROR, IdKey, MessageKind, Purpose};

use super::reply::error_body;
use super::session_driver::OutgoingMessage;
use crate::sse::Event;

/// What a step of the work leads to.
pub(super) enum ResponseStep {
    /// The upstream begins a stream.
    Stream(HeaderMap),
    /// A piece of a stream, as bytes of events; the last one?
    Piece(Vec<u8>, bool),
    /// The answer, made here (with its error's code) or whole from upstream (with its head).
    Answer(Vec<u8>, Option<i64>, Option<(u16, HeaderMap)>),
    /// Another message for the client.
    Message(Vec<u8>),
    /// What the upstream answered that is not a message of the protocol.
    Status(u16, HeaderMap, Vec<u8>),
    /// There is nothing to answer with.
    Accepted,
    /// The stream is over.
    Over,
}

impl ResponseStep {
    /// What a message for the client leads to, in the answer to the request `own`; `event` is
    /// what it came in.
    pub(super) fn of(
        own: Option<&IdKey>,
        outgoing: OutgoingMessage,
        event: Option<&Event>,
    ) -> Self {
        let envelope = &outgoing.envelope;
        let last = own.is_some_and(|own| envelope.answers(own));
        // An error of the upstream has the status that the upstream gave it.
        let is_made_here = outgoing.purpose != Purpose::Forward;
        let code = envelope.error.filter(|_| is_made_here);
        let is_whole = matches!(envelope.kind, MessageKind::Answer | MessageKind::Batch);
        match event {
            Some(event) if outgoing.same => Self::Piece(event.unambiguous().into_owned(), last),
            Some(event) => Self::Piece(event.with_data(&outgoing.bytes), last),
            None if is_whole => {
                Self::Answer(outgoing.bytes, code, outgoing.refused.map(|head| *head))
            }
            None => Self::Message(outgoing.bytes),
        }
    }
}

/// ResponseSteps that are to be taken, in order.
pub(super) struct ResponseSteps {
    ready: VecDeque<ResponseStep>,
    held: Option<Held>,
    /// Bytes that may be held.
    most: usize,
}

/// The beginning of a stream that answers `initialize`: the name of the session stands in its
/// head, and holds the version that only the answer agrees on.
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

    /// Begins a stream, which is held until there is the answer, or too much before it.
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

    /// What was held is held no longer.
    pub(super) fn release(&mut self) {
        let held = self.held.take();
        self.ready
            .extend(held.into_iter().flat_map(|held| held.steps));
    }
}

/// The client's answer for a failure upstream, if the conversation has none.
pub(super) fn failure(id: Option<&IdKey>, why: &str) -> ResponseStep {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    ResponseStep::Status(502, headers, error_body(id, INTERNAL_ERROR, why))
}

/// ResponseSteps before the answer to `initialize`, which has no reason to let many pass.
const HELD: usize = 64;
