//! Takes messages and events to the code that handles them, and each element of a batch as a message.

use std::sync::Arc;
use std::time::Duration;

use toolsure_json::{Kind, Node as _};
use toolsure_mcp::message::Message as Decoded;

use super::Conversation;
use super::batch::Merge;
use super::parked_calls::Retry;
use super::turn::Turn;
use crate::effect::Effects;
use crate::fault::Act;
use crate::message::{Message, kept};
use crate::reading::read_message;
use crate::record::{Action, Filter};
use crate::side::Side;
use crate::unparsable::{Recovered, Recovery};

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

    /// The elements of a batch, and which of the messages that they lead to are sent together; `None` if the
    /// batch is refused.
    fn begin_batch<'t>(
        &mut self,
        turn: &mut Turn<'t>,
        from: Side,
    ) -> Option<(Vec<&'t [u8]>, Merge)> {
        let elements = turn.message.elements().unwrap_or_default();
        if elements.is_empty() {
            // JSON-RPC 2.0, section 6: an empty array is an invalid request.
            if from == Side::Client {
                turn.refuse_text(
                    None,
                    None,
                    Act::ClientSentNoMessage,
                    "a batch must not be empty",
                );
                return None;
            }
            let act = Act::ServerAnsweredNoMessage;
            let record = turn.fault(from, Filter::Envelope, Action::Dropped, act);
            turn.audit(record);
            return None;
        }
        let has_batches = self.negotiation.settled().has_batches();
        if !has_batches && from == Side::Client {
            self.refuse_batch(turn, &elements);
            return None;
        }
        if !has_batches {
            let act = Act::ServerSentBatch;
            let record = turn.fault(from, Filter::Envelope, Action::Altered, act);
            turn.audit(record);
        }
        // Over HTTP each answer goes to the exchange that asked for it.
        let to_client = has_batches && !self.negotiation.has_http_client();
        let (forwards, answers) = match from {
            Side::Client => (true, true),
            Side::Server => (to_client, has_batches),
        };
        Some((elements, Merge { forwards, answers }))
    }

    /// Refuses a batch of a client whose version has none.
    fn refuse_batch(&mut self, turn: &mut Turn<'_>, elements: &[&[u8]]) {
        let era = self.negotiation.settled();
        for element in elements {
            let mut found = Recovery::of(element);
            if found.id.is_none() && !found.is_ambiguous {
                // The id is longer than the scan of an unreadable message keeps.
                found.id = read_message(element, |message, _| match message {
                    Decoded::Request(request) => Some(request.id.raw().to_owned()),
                    _ => None,
                })
                .flatten();
            }
            let text = format!("batches are not part of {era}");
            self.lost(turn, Side::Client, &found, Act::ClientSentBatch, &text);
        }
    }

    /// Refuses an element that is a batch itself: it is not an object, and so an invalid request (JSON-RPC
    /// 2.0, section 6).
    fn refuse_nested(&mut self, turn: &mut Turn<'_>, from: Side, element: &[u8]) {
        let act = match from {
            Side::Client => Act::ClientSentNoMessage,
            Side::Server => Act::ServerAnsweredNoMessage,
        };
        let found = Recovery::of(element);
        self.lost(turn, from, &found, act, "a batch must not contain batches");
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
