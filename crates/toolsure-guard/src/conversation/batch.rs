//! Batches, which only 2025-03-26 has: the messages that pass are sent together.

use super::turn::Turn;
use crate::effect::{Effect, Effects};
use crate::envelope::Envelope;
use crate::message::{Message, Purpose};
use crate::side::Side;

/// Which messages are merged into a batch again.
pub(super) struct Merge {
    /// Messages to the other side.
    pub(super) forwards: bool,
    /// Answers to the sender.
    pub(super) answers: bool,
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
