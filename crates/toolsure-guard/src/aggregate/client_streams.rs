//! Change subscriptions (2026-07-28, `subscriptions/listen`): one stream for the client, and one with
//! each server while that server is up.

use std::collections::HashMap;
use std::time::Duration;

use toolsure_json::{Node as _, View};
use toolsure_mcp::message::{Edits, Notification, Request};

use super::client_stream::{ClientStream, StreamState};
use super::known::{Known, Subject};
use super::merge::{message_text, spliced};
use super::outbox::{Outbox, reread};
use super::pending::{Role, Sending};
use super::routing_table::RoutingTable;
use crate::id::IdKey;
use crate::message::{Message, Renamed};
use crate::renumber::RequestOrigin;
use crate::subscription::{acknowledgement, list_changed};

/// The client's streams, by number.
#[derive(Debug)]
pub(super) struct ClientStreams {
    streams: HashMap<i64, ClientStream>,
    /// How long to wait for the servers before a stream is acknowledged.
    patience: Duration,
}

impl ClientStreams {
    pub(super) fn new(patience: Duration) -> Self {
        Self {
            streams: HashMap::new(),
            patience,
        }
    }

    /// When [`tick`](Self::tick) has something to do.
    pub(super) fn deadline(&self) -> Option<Duration> {
        let streams = self.streams.values();
        streams
            .flat_map(|stream| [stream.deadline(), stream.next_again()])
            .flatten()
            .min()
    }

    /// The request of a stream.
    pub(super) fn client(&self, number: i64) -> Option<&RequestOrigin> {
        self.streams.get(&number).map(|stream| &stream.client)
    }

    /// Forgets the streams that the client has cancelled.
    pub(super) fn cancel(&mut self, key: &IdKey) {
        self.streams.retain(|_, it| it.client.key != *key);
    }

    /// Opens a stream, with all servers that are up.
    pub(super) fn listen(
        &mut self,
        (whole, request): (&Message, &Request<'_>),
        now: Duration,
        table: &RoutingTable,
        out: &mut Outbox,
    ) {
        let number = out.number();
        let own = message_text(whole, request.view);
        let deadline = now.saturating_add(self.patience);
        let client = RequestOrigin::of(request).from(whole);
        let stream = ClientStream::new(client, own.to_owned(), table.routes.len(), deadline);
        self.streams.insert(number, stream);
        for route in 0..table.routes.len() {
            if table.absence(route, true).is_none() {
                self.listen_to((number, route), whole, request, &table.known, out);
            }
        }
        self.acknowledge_if_known(number, out);
    }

    fn listen_to(
        &mut self,
        (number, route): (i64, usize),
        whole: &Message,
        request: &Request<'_>,
        known: &Known,
        out: &mut Outbox,
    ) {
        let mut renamed = Renamed::default();
        let wanted = request
            .params
            .and_then(|params| params.member("notifications"));
        if let Some(uris) = wanted.and_then(|wanted| wanted.member("resourceSubscriptions")) {
            let foreign = |uri: &View<'_>| {
                let owner = known.owner(Subject::Uri, uri.string());
                owner.is_some_and(|owner| owner != route)
            };
            let own = uris.items().filter(|uri| !foreign(uri)).map(View::raw);
            let own: Vec<&str> = own.collect();
            if own.len() < uris.len() {
                renamed = Renamed::value(uris, format!("[{}]", own.join(",")));
            }
        }
        let sending = Sending {
            route,
            role: Role::Listen(number),
            renamed,
        };
        out.send(whole, request, sending);
        if let Some(stream) = self.streams.get_mut(&number) {
            stream.set(route, StreamState::Asked);
        }
    }

    /// Handles a notification of a stream of this server.
    pub(super) fn heard(
        &mut self,
        route: usize,
        whole: &Message,
        note: &Notification<'_>,
        subscription: View<'_>,
        now: Duration,
        out: &mut Outbox,
    ) {
        let sent = out.sent.about(subscription);
        let sent = sent.filter(|sent| sent.route == route);
        let Some(Role::Listen(number)) = sent.map(|sent| &sent.role) else {
            return;
        };
        let number = *number;
        if note.method == "notifications/subscriptions/acknowledged" {
            let granted = note
                .params
                .and_then(|params| params.member("notifications"));
            let stream = self.streams.get_mut(&number);
            let Some(stream) = stream.filter(|stream| stream.is_asked(route)) else {
                return;
            };
            let late = stream.is_acknowledged();
            if let Some(granted) = granted.filter(|_| !late) {
                stream.grant(granted);
            }
            stream.set(route, StreamState::Open { since: now });
            if late {
                // A server that arrives late has lists that the client does not know.
                return self.lists_changed(number, out);
            }
            return self.acknowledge_if_known(number, out);
        }
        self.acknowledge(number, out);
        if let Some(stream) = self.streams.get(&number) {
            let mut edits = Edits::new();
            edits.replace(subscription, stream.client.id.clone());
            out.send_to_client(spliced(&edits, whole, note.view));
        }
    }

    /// Handles a server's answer, which ends its stream. The last server's answer ends the client's stream.
    pub(super) fn listened(
        &mut self,
        number: i64,
        route: usize,
        whole: &Message,
        message: View<'_>,
        now: Duration,
        out: &mut Outbox,
    ) {
        let Some(stream) = self.streams.get_mut(&number) else {
            return;
        };
        stream.end(route, StreamState::Ended, now);
        if !stream.is_ended() {
            return self.acknowledge_if_known(number, out);
        }
        if let Some(stream) = self.streams.remove(&number) {
            out.pass_on(whole, message, &stream.client);
        }
    }

    /// Handles the loss of a server or of its stream.
    pub(super) fn stream_gone(
        &mut self,
        number: i64,
        route: usize,
        now: Duration,
        out: &mut Outbox,
    ) {
        let Some(stream) = self.streams.get_mut(&number) else {
            return;
        };
        let was_open = stream.end(route, StreamState::Waiting, now);
        if stream.is_acknowledged() {
            // A stream that does not open again brings no news.
            if !was_open {
                return;
            }
            self.lists_changed(number, out);
        } else {
            self.acknowledge_if_known(number, out);
        }
    }

    /// Opens the streams again with a server that came back.
    pub(super) fn listen_again(&mut self, route: usize, known: &Known, out: &mut Outbox) {
        let waiting = self.streams.iter();
        let waiting = waiting.filter(|(_, stream)| stream.awaits(route));
        let mut waiting: Vec<i64> = waiting.map(|(number, _)| *number).collect();
        waiting.sort_unstable();
        for number in waiting {
            self.ask_again(number, route, known, out);
        }
    }

    fn ask_again(&mut self, number: i64, route: usize, known: &Known, out: &mut Outbox) {
        let Some(stream) = self.streams.get(&number) else {
            return;
        };
        let (text, peer) = (stream.text().to_owned(), stream.client.peer.clone());
        reread((&text, peer), |whole, request| {
            self.listen_to((number, route), whole, request, known, out);
        });
    }

    /// Adds a new server to the client's streams, and notifies those that are acknowledged: the server may
    /// not support streams.
    pub(super) fn add_server(&mut self, out: &mut Outbox) {
        let mut known = Vec::new();
        for (number, stream) in &mut self.streams {
            stream.add_server();
            if stream.is_acknowledged() {
                known.push(*number);
            }
        }
        known.sort_unstable();
        for number in known {
            self.lists_changed(number, out);
        }
    }

    /// Acknowledges the streams that have waited long enough for their servers, and asks servers again whose streams
    /// have ended.
    pub(super) fn tick(&mut self, now: Duration, table: &RoutingTable, out: &mut Outbox) {
        let mut numbers: Vec<i64> = self.streams.keys().copied().collect();
        numbers.sort_unstable();
        for number in numbers {
            let Some(stream) = self.streams.get_mut(&number) else {
                continue;
            };
            let is_late = stream.deadline().is_some_and(|deadline| deadline <= now);
            // A server that is gone is asked when it comes back.
            let mut due = stream.due(now);
            due.retain(|route| {
                stream.set(*route, StreamState::Waiting);
                table.absence(*route, true).is_none()
            });
            for route in due {
                self.ask_again(number, route, &table.known, out);
            }
            if is_late {
                self.acknowledge(number, out);
            }
        }
    }

    fn acknowledge_if_known(&mut self, number: i64, out: &mut Outbox) {
        let stream = self.streams.get(&number);
        if stream.is_some_and(ClientStream::is_answered) {
            self.acknowledge(number, out);
        }
    }

    /// Sends the first message of the client's stream, which says what is granted.
    fn acknowledge(&mut self, number: i64, out: &mut Outbox) {
        let stream = self.streams.get_mut(&number);
        if let Some(stream) = stream
            && stream.acknowledge()
        {
            let message = acknowledgement(&stream.client.id, &stream.granted());
            out.send_to_client(message);
        }
    }

    /// Notifies one stream that its lists have changed.
    fn lists_changed(&self, number: i64, out: &mut Outbox) {
        let Some(stream) = self.streams.get(&number) else {
            return;
        };
        let id = stream.client.id.clone();
        for (_, kind) in stream.wanted_lists() {
            let method = format!("notifications/{kind}/list_changed");
            out.send_to_client(list_changed(&id, &method));
        }
    }
}
