//! Batches, which only 2025-03-26 has: each element is handled as a separate message, and the
//! messages that pass are sent together.

use toolsure_mcp::check::Checker;
use toolsure_mcp::message::Message;

use super::answer::fault;
use super::turn::Turn;
use super::{Carrier, Conversation};
use crate::effect::{Effect, Effects, Outgoing, Purpose};
use crate::envelope::Envelope;
use crate::fault::Act;
use crate::reading::read_message;
use crate::record::{Action, Filter};
use crate::recover::Recovery;
use crate::side::Side;

impl Conversation {
    pub(super) fn batch<'m>(
        &mut self,
        turn: &Turn<'_>,
        checker: &mut Checker,
        from: Side,
        message: &'m [u8],
        elements: &[&'m [u8]],
        out: &mut Effects<'m>,
    ) {
        if elements.is_empty() {
            // JSON-RPC 2.0, section 6: an empty array is an invalid request.
            if from == Side::Client {
                return Self::empty_batch(turn, out);
            }
            let act = Act::ServerAnsweredNoMessage;
            out.audit(fault(turn, from, Filter::Envelope, Action::Dropped, act));
            return;
        }
        let has_batches = self.settled().has_batches();
        let act = match from {
            Side::Client => Act::ClientSentBatch,
            Side::Server => Act::ServerSentBatch,
        };
        if !has_batches && from == Side::Client {
            let era = self.settled();
            for element in elements {
                let mut found = Recovery::of(element);
                if found.id.is_none() && !found.is_ambiguous {
                    // The id is longer than the scan of an unreadable message keeps.
                    found.id = read_message(element, |message, _| match message {
                        Message::Request(request) => Some(request.id.raw().to_owned()),
                        _ => None,
                    })
                    .flatten();
                }
                let text = format!("batches are not part of {era}");
                self.lost(turn, from, &found, act, &text, out);
            }
            return;
        }
        if !has_batches {
            out.audit(fault(turn, from, Filter::Envelope, Action::Altered, act));
        }
        let mut effects = Effects::new();
        self.in_batch = true;
        for element in elements {
            if element.starts_with(b"[") {
                // JSON-RPC 2.0, section 6: an element that is not an object is an invalid request.
                let text = "a batch must not contain batches";
                let found = Recovery::of(element);
                self.lost(turn, from, &found, invalid(from), text, &mut effects);
                continue;
            }
            let element = self.guard.read_within(element, turn.limits());
            self.take_at(turn, checker, from, &element, &mut effects);
            self.guard.done_with(element);
        }
        self.in_batch = false;
        // Over HTTP each answer goes to the exchange that asked for it.
        let to_client = has_batches && self.link.client != Carrier::Http;
        let (forwards, answers) = match from {
            Side::Client => (true, true),
            Side::Server => (to_client, has_batches),
        };
        let merge = Merge { forwards, answers };
        merge_effects(from, message, elements, effects, merge, out);
    }
}

/// The act for an element of a batch that is not a message.
fn invalid(from: Side) -> Act {
    match from {
        Side::Client => Act::ClientSentNoMessage,
        Side::Server => Act::ServerAnsweredNoMessage,
    }
}

/// Which messages are merged into a batch again.
struct Merge {
    /// Messages to the other side.
    forwards: bool,
    /// Answers to the sender.
    answers: bool,
}

/// Merges the messages that go to one side.
fn merge_effects<'m>(
    from: Side,
    message: &'m [u8],
    elements: &[&'m [u8]],
    effects: Effects<'m>,
    merge: Merge,
    out: &mut Effects<'m>,
) {
    let is_forward = |outgoing: &Outgoing<'_>| {
        outgoing.to == from.other() && outgoing.purpose == Purpose::Forward
    };
    let mut forwards: Vec<Outgoing<'m>> = Vec::new();
    let mut answers: Vec<Outgoing<'m>> = Vec::new();
    for effect in effects {
        match effect {
            Effect::Send(outgoing) if merge.forwards && is_forward(&outgoing) => {
                forwards.push(outgoing);
            }
            Effect::Send(outgoing)
                if merge.answers && outgoing.to == from && outgoing.purpose == Purpose::Answer =>
            {
                answers.push(outgoing);
            }
            other => out.push(other),
        }
    }
    let untouched = forwards.len() == elements.len()
        && forwards
            .iter()
            .zip(elements)
            .all(|(one, element)| one.bytes.as_ref() == *element);
    if let Some(mut all) = join(forwards) {
        if untouched {
            all.bytes = message.into();
        }
        out.send(all);
    }
    if let Some(all) = join(answers) {
        out.send(all);
    }
}

/// Joins several messages into one batch; a single message stays as it is.
fn join(messages: Vec<Outgoing<'_>>) -> Option<Outgoing<'_>> {
    let first = messages.first()?;
    let (to, purpose) = (first.to, first.purpose);
    if messages.len() == 1 {
        return messages.into_iter().next();
    }
    let mut bytes = vec![b'['];
    for message in messages {
        if bytes.len() > 1 {
            bytes.push(b',');
        }
        bytes.extend_from_slice(&message.bytes);
    }
    bytes.push(b']');
    Some(Outgoing::new(to, bytes, purpose, Envelope::batch()))
}
