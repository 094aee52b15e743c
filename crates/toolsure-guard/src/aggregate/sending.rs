//! Sends messages to the client and to servers, requests to servers under numbers of our own.

use std::sync::Arc;

use toolsure_json::{Node as _, View, quote};
use toolsure_mcp::message::{INTERNAL_ERROR, Message as Decoded, Request, ToolCall, write};

use super::Aggregator;
use super::fan_out::declares_version;
use super::pending::{Role, Sending, Sent, TaskMade};
use super::route::{Abilities, Refused};
use crate::connection::{Connection, ConnectionId};
use crate::effect::{Effect, Report};
use crate::envelope::method_name;
use crate::fault::Act;
use crate::id::IdKey;
use crate::message::{Message, Renamed, kept};
use crate::record::{Action, Filter, Peer, Record};
use crate::renumber::RequestOrigin;
use crate::side::Side;
use crate::subject::Subject;

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
        (act, code): (Act, i64),
        why: &str,
        refused: Option<Refused>,
    ) {
        let Refused { data, http } = refused.unwrap_or_default();
        let answer = match data {
            Some(data) => write::error(id, code, why, Some(&data)),
            None => act.error(id, code, why),
        };
        let mut message = Message::new(answer);
        message.refusal = http;
        self.out.send(Connection::Client, message);
    }

    /// Reads a kept request again, which `peer` had sent.
    pub(super) fn reread(
        &mut self,
        (text, peer): (&str, Option<Arc<Peer>>),
        with: impl FnOnce(&mut Self, &Message, &Request<'_>),
    ) {
        let mut message = kept(text.as_bytes());
        message.peer = peer;
        if let Ok(document) = message.document()
            && let Ok(Decoded::Request(request)) = Decoded::decode(document.root())
        {
            with(self, &message, &request);
        }
    }

    pub(super) fn tell_server(&mut self, route: usize, line: String) {
        self.out.server(ConnectionId::new(route), line);
    }

    pub(super) fn note(&mut self, member: usize, what: &'static str, detail: impl Into<String>) {
        self.out.push(Effect::Report(Report::Note {
            connection: Some(ConnectionId::new(member)),
            what,
            detail: detail.into(),
        }));
    }

    /// Sends an answer to the client under its own id.
    pub(super) fn pass_on(&mut self, whole: &Message, message: View<'_>, client: &RequestOrigin) {
        let answer = whole.answering(message, client);
        self.out.send(Connection::Client, answer);
    }

    /// Sends a request of the client to one server, with ids of our own.
    pub(super) fn forward(
        &mut self,
        route: usize,
        whole: &Message,
        request: &Request<'_>,
        renamed: Renamed,
    ) {
        let asks = request.params.and_then(|params| params.member("task"));
        let made = match request.method {
            "tools/call" if declares_version(request) => TaskMade::Tagged,
            "tools/call" if asks.is_some() => TaskMade::Requested,
            _ => TaskMade::No,
        };
        let role = Role::Whole(RequestOrigin::of(request), made);
        let sending = Sending {
            route,
            role,
            renamed,
        };
        self.send(whole, request, sending);
    }

    /// Sends a request to a server, under a number of ours.
    pub(super) fn send(&mut self, whole: &Message, request: &Request<'_>, sending: Sending) {
        let number = self.number();
        let Sending {
            route,
            role,
            renamed,
        } = sending;
        self.sent.begin(number, Sent { route, role });
        let message = whole.with_number(request, number, renamed);
        self.out.send(server(route), message);
    }

    /// Answers a request with an error, and records it.
    pub(super) fn refuse(&mut self, request: &Request<'_>, act: Act, why: &str) {
        self.send_to_client(act.error(request.id.raw(), act.rpc_code(), why));
        self.record(request, act, why);
    }

    /// Records a refused request. What it is about has the name that the client sent.
    fn record(&mut self, request: &Request<'_>, act: Act, why: &str) {
        let mut record = Record::new(self.now, Side::Client, Filter::Admission, Action::Refused);
        record.code = act.code();
        record.blame = Some(act.by());
        record.method = Some(method_name(request.method));
        record.id = Some(IdKey::of(request.id));
        record.about = Subject::recorded(request, None);
        if let Ok(call) = ToolCall::with_any_arguments(request.params)
            && request.method == "tools/call"
        {
            record.tool = Some(call.name.into());
        }
        let is_named = record.about.is_some() || record.tool.is_some();
        // The text repeats the name.
        record.detail = (!is_named).then(|| quote(why, DETAIL).to_string());
        record.peer.clone_from(&self.peer);
        self.out.audit(record);
    }

    /// Refuses a request because the server that should answer it cannot be asked.
    pub(super) fn refuse_absent(&mut self, request: &Request<'_>, route: usize, why: &str) {
        let refused = self.routes.get(route).and_then(|route| route.refused());
        let refused = refused.cloned();
        let act = Act::ServerGone;
        self.send_refusal(request.id.raw(), (act, INTERNAL_ERROR), why, refused);
        self.record(request, act, why);
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

/// The connection to a server.
fn server(route: usize) -> Connection {
    Connection::Server(ConnectionId::new(route))
}

/// Maximum characters of a record's detail.
const DETAIL: usize = 256;
