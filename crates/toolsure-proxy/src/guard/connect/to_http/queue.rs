//! The messages for the server that are not sent yet, in order, and how many bytes they have.

use std::collections::VecDeque;

use toolsure_guard::{IdKey, Message};

#[derive(Default)]
pub(super) struct Queue {
    messages: VecDeque<Message>,
    bytes: usize,
}

impl Queue {
    pub(super) fn push(&mut self, message: Message) {
        self.bytes = self.bytes.saturating_add(message.bytes().len());
        self.messages.push_back(message);
    }

    pub(super) fn first(&self) -> Option<&Message> {
        self.messages.front()
    }

    pub(super) fn take_first(&mut self) -> Option<Message> {
        self.take(|_| true)
    }

    /// Takes the first answer to a request of the server.
    pub(super) fn take_answer(&mut self) -> Option<Message> {
        self.take(|message| message.envelope().is_answer())
    }

    /// Takes the request with this id.
    pub(super) fn take_request(&mut self, id: &IdKey) -> Option<Message> {
        self.take(|message| {
            let envelope = message.envelope();
            envelope.is_request() && envelope.id.as_ref() == Some(id)
        })
    }

    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    pub(super) fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    fn take(&mut self, is_it: impl Fn(&Message) -> bool) -> Option<Message> {
        let at = self.messages.iter().position(is_it)?;
        let message = self.messages.remove(at)?;
        self.bytes = self.bytes.saturating_sub(message.bytes().len());
        Some(message)
    }
}
