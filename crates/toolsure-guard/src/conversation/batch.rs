//! Batches, which only 2025-03-26 has: each element is handled as a separate message, and the
//! messages that pass are sent together.

use toolsure_mcp::message::Message as Decoded;

use super::Conversation;
use super::turn::Turn;
use crate::effect::{Effect, Effects};
use crate::envelope::Envelope;
use crate::fault::Act;
use crate::message::{Message, Purpose};
use crate::reading::read_message;
use crate::record::{Action, Filter};
use crate::side::Side;
use crate::unparsable::Recovery;

impl Conversation {
    /// The elements of a batch, and which of the messages that they lead to are sent together; `None` if the
    /// batch is refused.
    pub(super) fn begin_batch<'t>(
        &mut self,
        turn: &mut Turn<'t>,
        from: Side,
    ) -> Option<(Vec<&'t [u8]>, Merge)> {
        let elements = turn.message.elements().unwrap_or_default();
        if elements.is_empty() {
            // JSON-RPC 2.0, section 6: an empty array is an invalid request.
            if from == Side::Client {
                Self::empty_batch(turn);
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
    pub(super) fn refuse_nested(&mut self, turn: &mut Turn<'_>, from: Side, element: &[u8]) {
        let act = match from {
            Side::Client => Act::ClientSentNoMessage,
            Side::Server => Act::ServerAnsweredNoMessage,
        };
        let found = Recovery::of(element);
        self.lost(turn, from, &found, act, "a batch must not contain batches");
    }
}

/// Which messages are merged into a batch again.
pub(super) struct Merge {
    /// Messages to the other side.
    forwards: bool,
    /// Answers to the sender.
    answers: bool,
}

impl Merge {
    /// Merges the messages among the effects of a batch that go to one side.
    pub(super) fn effects(&self, turn: &mut Turn<'_>, from: Side, effects: Effects) {
        let mut forwards: Vec<Message> = Vec::new();
        let mut answers: Vec<Message> = Vec::new();
        for effect in effects {
            match effect {
                Effect::Send { to, message }
                    if self.forwards
                        && to == from.other()
                        && message.purpose == Purpose::Forward =>
                {
                    forwards.push(message);
                }
                Effect::Send { to, message }
                    if self.answers && to == from && message.purpose == Purpose::Answer =>
                {
                    answers.push(message);
                }
                other => turn.out.push(other),
            }
        }
        let elements = turn.message.elements().unwrap_or_default();
        let untouched = forwards.len() == elements.len()
            && forwards
                .iter()
                .zip(elements)
                .all(|(one, element)| one.bytes() == element);
        if let Some(all) = join(forwards) {
            let all = if untouched {
                let mut whole = turn.unchanged(all.envelope().clone());
                whole.call = all.call;
                whole.headers_unknown = all.headers_unknown;
                whole.trace = all.trace;
                whole
            } else {
                all
            };
            turn.out.send(from.other(), all);
        }
        if let Some(all) = join(answers) {
            turn.out.send(from, all);
        }
    }
}

/// Joins several messages into one batch; a single message stays as it is.
fn join(messages: Vec<Message>) -> Option<Message> {
    let purpose = messages.first()?.purpose;
    if messages.len() == 1 {
        return messages.into_iter().next();
    }
    let mut text = String::from("[");
    for message in messages {
        if text.len() > 1 {
            text.push(',');
        }
        text.push_str(&String::from_utf8_lossy(message.bytes()));
    }
    text.push(']');
    Some(Message::made(text, purpose, Envelope::batch()))
}
