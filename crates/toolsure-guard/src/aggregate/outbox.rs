//! Sends messages to the client and to servers, requests to servers under numbers of our own.

use std::sync::Arc;
use std::time::Duration;

use toolsure_json::{Node as _, View, quote};
use toolsure_mcp::message::{INTERNAL_ERROR, Message as Decoded, Request, ToolCall, write};

use super::fan_out::declares_version;
use super::pending::{Role, Sending, Sent, TaskMade};
use super::route::Refused;
use super::routing_table::RoutingTable;
use crate::connection::{Connection, ConnectionId};
use crate::effect::{Effect, Effects, Report};
use crate::envelope::method_name;
use crate::exchanges::Exchanges;
use crate::fault::Act;
use crate::id::IdKey;
use crate::message::{HttpRefusal, Message, Renamed, kept};
use crate::record::{Action, Filter, Peer, Record};
use crate::renumber::RequestOrigin;
use crate::side::Side;
use crate::subject::Subject;

/// What goes to the client and to servers, and the requests to servers that have no answer yet.
#[derive(Debug)]
pub(super) struct Outbox {
    /// The last number given. Requests, fan-outs, searches and streams share the sequence.
    last: i64,
    /// Requests that servers have not answered yet.
    pub(super) sent: Exchanges<Sent>,
    /// How the server refused the current message over HTTP.
    pub(super) refusal: Option<Arc<HttpRefusal>>,
    /// Who sent the current message, for records.
    peer: Option<Arc<Peer>>,
    /// The time of the current message or event, for records.
    now: Duration,
    pub(super) effects: Effects,
}

impl Outbox {
    pub(super) fn new() -> Self {
        Self {
            last: 0,
            sent: Exchanges::new(),
            refusal: None,
            peer: None,
            now: Duration::ZERO,
            effects: Effects::new(),
        }
    }

    /// Notes which message is handled now.
    pub(super) fn begin(&mut self, message: &Message, now: Duration) {
        self.refusal.clone_from(&message.refusal);
        self.peer.clone_from(&message.peer);
        self.now = now;
    }

    /// Takes the effects so far.
    pub(super) fn take(&mut self) -> Effects {
        std::mem::take(&mut self.effects)
    }

    pub(super) fn number(&mut self) -> i64 {
        self.last = self.last.saturating_add(1);
        self.last
    }

    pub(super) fn send_to_client(&mut self, line: String) {
        self.effects.client(line);
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
        self.effects.send(Connection::Client, message);
    }

    pub(super) fn tell_server(&mut self, route: usize, line: String) {
        self.effects.server(ConnectionId::new(route), line);
    }

    pub(super) fn note(&mut self, member: usize, what: &'static str, detail: impl Into<String>) {
        self.effects.push(Effect::Report(Report::Note {
            connection: Some(ConnectionId::new(member)),
            what,
            detail: detail.into(),
        }));
    }

    /// Sends an answer to the client under its own id.
    pub(super) fn pass_on(&mut self, whole: &Message, message: View<'_>, client: &RequestOrigin) {
        let answer = whole.answering(message, client);
        self.effects.send(Connection::Client, answer);
    }

    /// Sends a request of the client to one server, with ids of our own, or refuses it because the server cannot
    /// be asked.
    pub(super) fn forward(
        &mut self,
        table: &RoutingTable,
        route: usize,
        whole: &Message,
        request: &Request<'_>,
        renamed: Renamed,
    ) {
        let modern = declares_version(request);
        if let Some(why) = table.absence(route, modern) {
            let act = Act::ServerGone;
            let refused = table.refused(route);
            self.send_refusal(request.id.raw(), (act, INTERNAL_ERROR), &why, refused);
            return self.record(request, act, &why);
        }
        let asks = request.params.and_then(|params| params.member("task"));
        let made = match request.method {
            "tools/call" if modern => TaskMade::Tagged,
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
        self.effects.send(server(route), message);
    }

    /// Sends a notification to every server that is up.
    pub(super) fn tell_open(&mut self, table: &RoutingTable, text: &str) {
        for route in 0..table.routes.len() {
            if table.absence(route, false).is_none() {
                self.tell_server(route, text.to_owned());
            }
        }
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
        self.effects.audit(record);
    }
}

/// Reads a kept request again, which `peer` had sent.
pub(super) fn reread(
    (text, peer): (&str, Option<Arc<Peer>>),
    with: impl FnOnce(&Message, &Request<'_>),
) {
    let mut message = kept(text.as_bytes());
    message.peer = peer;
    if let Ok(document) = message.document()
        && let Ok(Decoded::Request(request)) = Decoded::decode(document.root())
    {
        with(&message, &request);
    }
}

/// The connection to a server.
fn server(route: usize) -> Connection {
    Connection::Server(ConnectionId::new(route))
}

/// Maximum characters of a record's detail.
const DETAIL: usize = 256;
