//! Takes messages and deadlines to the code that handles them.

use std::time::Duration;

use toolsure_json::{Node as _, View};
use toolsure_mcp::message::{Incoming, Message as Decoded};

use super::Aggregator;
use super::fan_out::FanOut;
use super::merge::message_text;
use crate::connection::Connection;
use crate::effect::Effects;
use crate::error_reply::ErrorReply;
use crate::message::{Message, kept};
use crate::reading::strict;

impl Aggregator {
    /// Handles a message of one side, or each message of a batch.
    pub fn on_message(
        &mut self,
        from: Connection,
        message: impl Into<Message>,
        now: Duration,
    ) -> Effects {
        let message = message.into().read_as_sent(&strict());
        self.out.begin(&message, now);
        self.decide(from, &message, now);
        let refusal = self.out.refusal.take();
        self.out.effects.carry(refusal.as_ref(), 0);
        self.out.take()
    }

    fn decide(&mut self, from: Connection, message: &Message, now: Duration) {
        let document = match message.document() {
            Ok(document) => document,
            Err(error) => {
                let why = error.map(ToString::to_string).unwrap_or_default();
                let reply = ErrorReply::of(from.side(), message.bytes(), false, &why);
                return self.send_error(from, reply, now);
            }
        };
        match Incoming::of(document) {
            Incoming::Single(view) => self.decide_one(from, message, view, now),
            Incoming::Batch(batch) => {
                for view in batch.items() {
                    self.decide_one(from, message, view, now);
                }
            }
        }
    }

    fn decide_one(&mut self, from: Connection, whole: &Message, view: View<'_>, now: Duration) {
        let own = message_text(whole, view);
        let message = match Decoded::decode(view) {
            Ok(message) => message,
            Err(error) => {
                let reply = ErrorReply::of(from.side(), own.as_bytes(), true, &error.to_string());
                return self.send_error(from, reply, now);
            }
        };
        if let Some((_, why)) = whole.broken_envelope(own.as_bytes(), &message) {
            let reply = ErrorReply::of(from.side(), own.as_bytes(), false, &why);
            return self.send_error(from, reply, now);
        }
        match from {
            Connection::Client => self.client_message(whole, &message, now),
            Connection::Server(at) => self.server_message(at.number(), whole, &message, now),
        }
    }

    /// Answers a message that cannot be read, or sends an error in its place.
    fn send_error(&mut self, from: Connection, reply: ErrorReply, now: Duration) {
        match reply {
            ErrorReply::ToSender(error) => self.out.effects.send(from, Message::new(error)),
            ErrorReply::InPlace(error) => {
                let error = kept(error.as_bytes());
                // Under an id that no request can have, it answers nothing.
                if error.is_clear() {
                    self.decide(from, &error, now);
                }
            }
            ErrorReply::NotNeeded => {}
        }
    }

    fn client_message(&mut self, whole: &Message, message: &Decoded<'_>, now: Duration) {
        match message {
            Decoded::Request(request) => self.client_request(whole, request, now),
            Decoded::Notification(note) => self.client_notification(whole, note),
            Decoded::Result(outcome) => {
                self.client_answer(whole, outcome.view);
            }
            Decoded::Error(Some(_), error) => {
                if let Some(view) = error.parent() {
                    self.client_answer(whole, view);
                }
            }
            // It names no request.
            Decoded::Error(None, _) => {}
        }
    }

    fn server_message(
        &mut self,
        member: usize,
        whole: &Message,
        message: &Decoded<'_>,
        now: Duration,
    ) {
        if let Some(route) = self.table.routes.get_mut(member) {
            route.silent = false;
        }
        match message {
            Decoded::Request(request) => self.server_request(member, whole, request),
            Decoded::Notification(note) => self.server_notification(member, whole, note, now),
            Decoded::Result(outcome) => {
                let result = Ok(outcome.result);
                self.server_answer(member, whole, outcome.view, result, now);
            }
            Decoded::Error(Some(_), error) => {
                if let Some(view) = error.parent() {
                    self.server_answer(member, whole, view, Err(*error), now);
                }
            }
            Decoded::Error(None, _) => self.out.note(member, "unasked", "an error without an id"),
        }
    }

    /// Handles everything whose deadline has passed.
    pub fn tick(&mut self, now: Duration) -> Effects {
        let due =
            |(number, fan_out): (&i64, &FanOut)| (fan_out.deadline() <= now).then_some(*number);
        let late: Vec<i64> = self.fan_outs.iter().filter_map(due).collect();
        for number in late {
            self.give_up(number);
        }
        let out = &mut self.out;
        self.client_streams.tick(now, &self.table, out);
        self.session.open_again(now, &mut self.table.routes, out);
        self.out.take()
    }
}
