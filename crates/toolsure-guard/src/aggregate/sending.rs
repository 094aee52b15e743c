//! Sends messages to the client and to servers, requests to servers under numbers of our own.

use toolsure_json::{Node as _, View};
use toolsure_mcp::message::{Edits, INTERNAL_ERROR, Message as Decoded, Request, write};

use super::client::declares_version;
use super::pending::{Role, Sent, TaskMade};
use super::route::{Abilities, Refused};
use super::{Aggregator, spliced};
use crate::connection::{Connection, ConnectionId};
use crate::effect::Effect;
use crate::message::Message;
use crate::reading::OwnedReading;
use crate::renumber::{RequestOrigin, renumber};

impl Aggregator {
    pub(super) fn number(&mut self) -> i64 {
        self.last = self.last.saturating_add(1);
        self.last
    }

    pub(super) fn send_to_client(&mut self, line: String) {
        self.out.client(line);
    }

    /// Answers a request with an error whose cause is the refusal of another request.
    pub(super) fn send_refusal(
        &mut self,
        id: &str,
        code: i64,
        why: &str,
        refused: Option<Refused>,
    ) {
        let Refused { data, http } = refused.unwrap_or_default();
        let answer = write::error(id, code, why, data.as_deref());
        let mut message = Message::new(answer);
        message.refusal = http;
        self.out.send(Connection::Client, message);
    }

    /// Parses a kept request again.
    pub(super) fn reread(&mut self, text: &str, with: impl FnOnce(&mut Self, &Request<'_>)) {
        let Ok(kept) = OwnedReading::read(text) else {
            return;
        };
        if let Ok(Decoded::Request(request)) = Decoded::decode(kept.root()) {
            with(self, &request);
        }
    }

    pub(super) fn tell_server(&mut self, route: usize, line: String) {
        self.out.server(ConnectionId::new(route), line);
    }

    pub(super) fn note(&mut self, member: usize, what: &'static str, detail: impl Into<String>) {
        self.out.push(Effect::Note {
            connection: Some(ConnectionId::new(member)),
            what,
            detail: detail.into(),
        });
    }

    /// Sends an answer to the client under its own id.
    pub(super) fn pass_on(
        &mut self,
        text: &str,
        message: View<'_>,
        client: &RequestOrigin,
        subscription: Option<View<'_>>,
    ) {
        let mut edits = Edits::new();
        if let Some(id) = message.member("id") {
            edits.replace(id, client.id.clone());
        }
        if let Some(subscription) = subscription {
            edits.replace(subscription, client.id.clone());
        }
        self.send_to_client(spliced(&edits, text, message));
    }

    /// Sends a request of the client to one server, with ids of our own.
    pub(super) fn forward(
        &mut self,
        route: usize,
        text: &str,
        request: &Request<'_>,
        edits: Edits,
    ) {
        let asks = request.params.and_then(|params| params.member("task"));
        let made = match request.method {
            "tools/call" if declares_version(request) => TaskMade::Tagged,
            "tools/call" if asks.is_some() => TaskMade::Requested,
            _ => TaskMade::No,
        };
        let role = Role::Whole(RequestOrigin::of(request), made);
        self.send(route, text, request, edits, role);
    }

    /// Sends a request to a server, and returns its number.
    pub(super) fn send(
        &mut self,
        route: usize,
        text: &str,
        request: &Request<'_>,
        mut edits: Edits,
        role: Role,
    ) -> i64 {
        let number = self.number();
        renumber(request, number, &mut edits);
        self.sent.insert(number, Sent { route, role });
        self.tell_server(route, spliced(&edits, text, request.view));
        number
    }

    /// Answers a request with an error.
    pub(super) fn refuse(&mut self, request: &Request<'_>, code: i64, why: &str) {
        self.send_to_client(write::error(request.id.raw(), code, why, None));
    }

    /// Refuses a request because the server that should answer it cannot be asked.
    pub(super) fn refuse_absent(&mut self, request: &Request<'_>, route: usize, why: &str) {
        let refused = self.routes.get(route).and_then(|route| route.refused());
        let refused = refused.cloned();
        self.send_refusal(request.id.raw(), INTERNAL_ERROR, why, refused);
    }

    pub(super) fn absence(&self, route: usize, modern: bool) -> Option<String> {
        self.routes.get(route)?.absence(modern)
    }

    /// Sends a notification to every server that is up.
    pub(super) fn tell_open(&mut self, text: &str) {
        for route in 0..self.routes.len() {
            if self.absence(route, false).is_none() {
                self.tell_server(route, text.to_owned());
            }
        }
    }

    /// Notifies the client that lists with a part of the server have changed.
    pub(super) fn changed(&mut self, abilities: Abilities) {
        let kinds = [
            (abilities.tools, "tools"),
            (abilities.prompts, "prompts"),
            (abilities.resources, "resources"),
        ];
        if self.initialized {
            for (_, kind) in kinds.into_iter().filter(|(has, _)| *has) {
                let method = format!("notifications/{kind}/list_changed");
                self.send_to_client(write::notification(&method, None));
            }
        }
    }
}
