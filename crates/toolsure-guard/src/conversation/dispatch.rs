//! Takes messages and events to the code that handles them.

use std::sync::Arc;
use std::time::Duration;

use toolsure_json::{Kind, Node as _};

use super::Conversation;
use super::parked_calls::Retry;
use super::turn::Turn;
use crate::effect::Effects;
use crate::fault::Act;
use crate::message::{Message, kept};
use crate::side::Side;
use crate::unparsable::Recovered;

impl Conversation {
    /// Handles a message of one side.
    pub fn on_message(
        &mut self,
        from: Side,
        message: impl Into<Message>,
        now: Duration,
    ) -> Effects {
        let message = self.guard.read(message);
        if let Some(peer) = message.peer.as_ref().filter(|_| from == Side::Client) {
            self.peer = Some(Arc::clone(peer));
        }
        self.turn(&message, now, |it, turn| {
            it.take_at(turn, from);
            if from == Side::Client {
                it.sign(turn, 0);
            }
            turn.out.carry(message.refusal.as_ref(), 0);
        })
    }

    /// Handles an event that no message brings.
    pub(super) fn event(
        &mut self,
        now: Duration,
        handle: impl FnOnce(&mut Self, &mut Turn<'_>),
    ) -> Effects {
        self.turn(&Message::new([]), now, |it, turn| {
            handle(it, turn);
            it.retry_parked(turn);
            it.follow(turn, 0);
        })
    }

    fn turn(
        &mut self,
        message: &Message,
        now: Duration,
        handle: impl FnOnce(&mut Self, &mut Turn<'_>),
    ) -> Effects {
        let guard = self.guard.clone();
        let rules = guard.rules();
        let mut scratch = guard.take_scratch(&rules);
        let mut turn = Turn::new(&rules, now, &mut scratch.checker, message);
        handle(self, &mut turn);
        let out = turn.out;
        guard.return_scratch(scratch, message.bytes().len());
        out
    }

    fn take_at(&mut self, turn: &mut Turn<'_>, from: Side) {
        let start = turn.out.len();
        self.decide(turn, from);
        self.retry_parked(turn);
        self.follow(turn, start);
    }

    fn decide(&mut self, turn: &mut Turn<'_>, from: Side) {
        let message = turn.message;
        let document = match message.document() {
            Ok(document) => document,
            Err(error) => return self.unreadable(turn, from, error),
        };
        let root = document.root();
        if root.kind() == Kind::Array {
            return self.batch(turn, from);
        }
        match from {
            Side::Client => self.client_message(turn, root, None),
            Side::Server => self.server_message(turn, root),
        }
    }

    /// Traces what became of requests, from the effects from `start` on. Requests among them that go to
    /// the server are rewritten: a trace context is added to those that are traced.
    fn follow(&mut self, turn: &mut Turn<'_>, start: usize) {
        if let Some(traces) = &mut self.traces {
            traces.follow(turn, &self.open, start);
        }
    }

    /// Handles the remains of a message that is larger than
    /// [`Limits::message_bytes`](crate::policy::Limits::message_bytes) and was discarded as it arrived.
    pub fn oversize(&mut self, from: Side, found: &Recovered, now: Duration) -> Effects {
        self.event(now, |it, turn| {
            let allowed = turn.policy().limits.message_bytes;
            let text =
                format!("a message longer than the limit of {allowed} bytes (message_bytes)");
            let act = match from {
                Side::Client => Act::ClientSentTooMuch,
                Side::Server => Act::ServerAnsweredTooMuch,
            };
            it.lost(turn, from, found, act, &text);
        })
    }

    /// Handles each message of a batch (2025-03-26), and sends those that pass together.
    fn batch(&mut self, turn: &mut Turn<'_>, from: Side) {
        let Some((elements, merge)) = self.begin_batch(turn, from) else {
            return;
        };
        let start = turn.out.len();
        self.in_batch = true;
        for element in elements {
            if element.starts_with(b"[") {
                self.refuse_nested(turn, from, element);
                continue;
            }
            let element = self.guard.read_within(element, turn.limits());
            turn.with_element(&element, |turn| self.take_at(turn, from));
        }
        self.in_batch = false;
        let effects = turn.out.split_off(start);
        merge.effects(turn, from, effects);
    }

    /// Handles the parked calls again whose list has arrived, or will not come.
    fn retry_parked(&mut self, turn: &mut Turn<'_>) {
        while let Some((parked, unlisted)) = self.list_fetch.parked.next_released() {
            let waited = self.open.remove(&parked.id).and_then(|open| open.peer);
            let speaks = std::mem::replace(&mut self.peer, waited);
            let retry = Retry {
                unlisted,
                paid: parked.paid,
            };
            let start = turn.out.len();
            let message = kept(&parked.message);
            turn.with_made(&message, |turn| match message.document() {
                Ok(document) => self.client_message(turn, document.root(), Some(&retry)),
                Err(error) => self.unreadable(turn, Side::Client, error),
            });
            self.sign(turn, start);
            self.peer = speaks;
        }
    }
}
