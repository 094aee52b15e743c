//! What the work on one HTTP request leads to, step by step.

use hyper::header::HeaderMap;

/// What a step of the work leads to.
pub(super) enum Step {
    /// The upstream begins a stream.
    Stream(HeaderMap),
    /// A piece of a stream, as bytes of events; the last one?
    Piece(Vec<u8>, bool),
    /// The answer, made here (with its error's code) or whole from upstream (with its head).
    Answer(Vec<u8>, Option<i64>, Option<(u16, HeaderMap)>),
    /// Another message for the client.
    Message(Vec<u8>),
    /// What the upstream answered that is no message of the protocol.
    Status(u16, HeaderMap, Vec<u8>),
    /// There is nothing to answer with.
    Accepted,
    /// The stream is over.
    Over,
}

/// The beginning of a stream that answers `initialize`: the name of the session stands in its
/// head, and holds the version that only the answer agrees on.
pub(super) struct Held {
    head: HeaderMap,
    steps: Vec<Step>,
    bytes: usize,
}

impl Held {
    pub(super) fn new(head: HeaderMap) -> Self {
        Self {
            head,
            steps: Vec::new(),
            bytes: 0,
        }
    }

    /// Adds a step; whether it may be held no longer. `most` is how many bytes may be.
    pub(super) fn add(&mut self, step: Step, most: usize) -> bool {
        let (bytes, last) = match &step {
            Step::Piece(bytes, last) => (bytes.len(), *last),
            Step::Message(bytes) => (bytes.len(), false),
            _ => (0, true),
        };
        self.bytes = self.bytes.saturating_add(bytes);
        self.steps.push(step);
        last || self.steps.len() >= STEPS || self.bytes > most
    }

    /// All of it, from the head on.
    pub(super) fn steps(self) -> impl Iterator<Item = Step> {
        std::iter::once(Step::Stream(self.head)).chain(self.steps)
    }
}

/// Steps before the answer to `initialize`, which has no reason to let many pass.
const STEPS: usize = 64;
