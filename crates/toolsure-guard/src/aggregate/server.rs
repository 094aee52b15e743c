//! What servers send on their own: requests to the client, notifications, and their end.

use std::time::Duration;

use toolsure_json::{Node as _, View};
use toolsure_mcp::message::{Edits, INTERNAL_ERROR, Notification, Request, write};

use super::Aggregator;
use super::client::empty;
use super::merge::spliced;
use super::pending::{Role, ServerRequest};
use super::route::{Member, Route, Session};
use crate::connection::Connection;
use crate::effect::Effects;
use crate::fault::Act;
use crate::id::IdKey;
use crate::message::Message;
use crate::renumber::RequestOrigin;
use crate::subscription::subscription;

impl Aggregator {
    pub(super) fn server_request(&mut self, route: usize, whole: &Message, request: &Request<'_>) {
        let id = request.id.raw();
        if request.method == "ping" {
            return self.out.tell_server(route, empty(id, false));
        }
        if self.server_requests.len() >= self.bounds.pending {
            let allowed = self.bounds.pending;
            let why = format!("more open requests than the limit of {allowed} (pending)");
            let answer = Act::ServerAskedTooMuch.error(id, INTERNAL_ERROR, &why);
            return self.out.tell_server(route, answer);
        }
        let number = self.out.number();
        let origin = RequestOrigin::of(request);
        self.server_requests
            .begin(number, ServerRequest { route, origin });
        let message = whole.numbered(request, number);
        self.out.effects.send(Connection::Client, message);
    }

    pub(super) fn server_notification(
        &mut self,
        route: usize,
        whole: &Message,
        note: &Notification<'_>,
        now: Duration,
    ) {
        let member = |name: &str| note.params.and_then(|params| params.member(name));
        let mut edits = Edits::new();
        if note.method == "notifications/cancelled"
            && let Some(id) = member("requestId")
            && let Some(key) = IdKey::read(id.raw())
        {
            let is_of = |asked: &ServerRequest| asked.route == route && asked.origin.key == key;
            let Some((number, _)) = self.server_requests.end_first(is_of) else {
                // It cancels a subscription, whose end the client learns from its answer or not at all.
                return;
            };
            edits.replace(id, number.to_string());
        }
        if note.method == "notifications/progress" {
            let Some(token) = member("progressToken") else {
                return;
            };
            let Some(own) = self.token_of(route, token) else {
                return;
            };
            edits.replace(token, own);
        }
        if let Some(subscription) = subscription(note.params) {
            let out = &mut self.out;
            let streams = &mut self.client_streams;
            return streams.heard(route, whole, note, subscription, now, out);
        }
        self.out.send_to_client(spliced(&edits, whole, note.view));
    }

    /// The client's own token for a request that a server is working on.
    fn token_of(&self, route: usize, token: View<'_>) -> Option<String> {
        let sent = self.out.sent.about(token)?;
        match &sent.role {
            _ if sent.route != route => None,
            Role::Whole(client, _) => client.token.clone(),
            Role::Search(number) => self.owner_searches.client(*number)?.token.clone(),
            // If several servers work on one request, the progress of one is not that of the whole.
            Role::Part(_) | Role::Listen(_) | Role::Open | Role::Quiet => None,
        }
    }

    /// Handles the loss of a server: its unanswered requests get an error, and the client is notified
    /// that its lists have changed.
    pub fn server_gone(&mut self, member: usize, why: &str, now: Duration) -> Effects {
        let Some(route) = self.table.routes.get_mut(member) else {
            return Effects::new();
        };
        let had = route.abilities();
        route.gone = Some(why.to_owned());
        route.session = Session::Closed;
        let text = route.absence(true).unwrap_or_default();
        self.out.note(member, "server-gone", &text);
        for (_, sent) in self.out.sent.end_all(|sent| sent.route == member) {
            self.failed(sent, INTERNAL_ERROR, &text, now);
        }
        let of_member = |asked: &ServerRequest| asked.route == member;
        for (number, _) in self.server_requests.end_all(of_member) {
            let id = number.to_string();
            self.out
                .send_to_client(write::cancellation(&id, Some("the server is gone")));
        }
        self.table.known.forget(member);
        self.session.changed(had.unwrap_or_default(), &mut self.out);
        self.out.take()
    }

    /// Adds a server that was started, after the others. The caller has checked all prefixes with
    /// [`new`](Self::new).
    pub fn add(&mut self, member: Member) -> Effects {
        self.table.routes.push(Route::new(member));
        self.client_streams.add_server(&mut self.out);
        self.server_here(self.table.routes.len() - 1)
    }

    /// Handles the return of a newly started server: its session is opened as the client had opened it.
    pub fn server_here(&mut self, member: usize) -> Effects {
        if let Some(route) = self.table.routes.get_mut(member) {
            route.gone = None;
            route.session = Session::Closed;
            let out = &mut self.out;
            if self.session.is_begun() {
                self.session.open(member, &mut self.table.routes, out);
            }
            let known = &self.table.known;
            self.client_streams.listen_again(member, known, out);
        }
        self.out.take()
    }
}
