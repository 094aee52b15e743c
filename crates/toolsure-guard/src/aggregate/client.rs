//! Handles messages of the client and chooses the servers that they go to.

use std::time::Duration;

use toolsure_json::{Kind, Node as _, View, json_string, quote};
use toolsure_mcp::message::{Edits, Notification, Request, write};

use super::Aggregator;
use super::fan_out::{FanOutKind, ListOf, declares_version};
use super::known::Subject;
use super::merge::{message_text, spliced};
use super::owner_search::OwnerSearch;
use super::pending::Role;
use crate::fault::Act;
use crate::id::IdKey;
use crate::message::{Message, Renamed};
use crate::renumber::RequestOrigin;

impl Aggregator {
    fn initialize(&mut self, whole: &Message, request: &Request<'_>, now: Duration) {
        let text = message_text(whole, request.view).to_owned();
        self.session.begin(text, &mut self.table.routes);
        self.fan_out(FanOutKind::Initialize, whole, request, now);
    }

    pub(super) fn client_request(&mut self, whole: &Message, request: &Request<'_>, now: Duration) {
        if self.out.sent.len() >= self.bounds.pending {
            let allowed = self.bounds.pending;
            let why = format!("more open requests than the limit of {allowed} (pending)");
            return self.out.refuse(request, Act::ClientAskedTooMuch, &why);
        }
        let modern = declares_version(request);
        let list = |of| FanOutKind::List(of);
        match request.method {
            "ping" => self.out.send_to_client(empty(request.id.raw(), false)),
            "initialize" => self.initialize(whole, request, now),
            "server/discover" => self.fan_out(FanOutKind::Discover, whole, request, now),
            "tools/list" => self.fan_out(list(ListOf::Tools), whole, request, now),
            "prompts/list" => self.fan_out(list(ListOf::Prompts), whole, request, now),
            "resources/list" => self.fan_out(list(ListOf::Resources), whole, request, now),
            "resources/templates/list" => {
                self.fan_out(list(ListOf::Templates), whole, request, now)
            }
            "tasks/list" => self.fan_out(list(ListOf::Tasks), whole, request, now),
            "logging/setLevel" => self.set_level(whole, request, now),
            "subscriptions/listen" => {
                let (table, out) = (&self.table, &mut self.out);
                self.client_streams
                    .listen((whole, request), now, table, out);
            }
            "tools/call" | "prompts/get" => {
                let name = request.params.and_then(|params| params.member("name"));
                self.by_name(whole, request, name);
            }
            "completion/complete" => self.complete(whole, request, modern),
            "resources/read" | "resources/subscribe" | "resources/unsubscribe" => {
                let uri = request.params.and_then(|params| params.member("uri"));
                self.route_by_owner(whole, request, uri, Subject::Uri, modern);
            }
            "tasks/get" | "tasks/result" | "tasks/cancel" | "tasks/update" => {
                let task = request.params.and_then(|params| params.member("taskId"));
                self.route_by_owner(whole, request, task, Subject::Task, modern);
            }
            method => {
                let method = quote(method, SHOWN);
                let why = format!("it is unknown which of several servers `{method}` is for");
                self.out.refuse(request, Act::UnknownMethod, &why);
            }
        }
    }

    fn set_level(&mut self, whole: &Message, request: &Request<'_>, now: Duration) {
        let text = message_text(whole, request.view).to_owned();
        self.session.set_level(text);
        self.fan_out(FanOutKind::Level, whole, request, now);
    }

    /// Routes a request for a tool or a prompt: the prefix names its server, and is removed.
    fn by_name(&mut self, message: &Message, request: &Request<'_>, name: Option<View<'_>>) {
        let Some(name) = name.filter(|name| name.kind() == Kind::String) else {
            return self
                .out
                .refuse(request, Act::ClientSentBadParams, "`name` must be a string");
        };
        let whole = name.string();
        let Some((route, rest)) = self.table.by_prefix(whole) else {
            let routes = self.table.routes.iter();
            let prefixes: Vec<&str> = routes.map(|route| &*route.prefix).collect();
            let (what, act) = match request.method {
                "tools/call" => ("tool", Act::UnknownTool),
                _ => ("prompt", Act::UnknownPrompt),
            };
            let why = format!(
                "unknown {what}: {} (names begin with one of {})",
                quote(whole, SHOWN),
                prefixes.join(", ")
            );
            return self.out.refuse(request, act, &why);
        };
        let renamed = match request.method {
            // It names the prompt elsewhere.
            "completion/complete" => Renamed::value(name, json_string(&rest)),
            _ => Renamed::name(name, &rest),
        };
        self.out
            .forward(&self.table, route, message, request, renamed);
    }

    fn complete(&mut self, whole: &Message, request: &Request<'_>, modern: bool) {
        let subject = request.params.and_then(|params| params.member("ref"));
        let kind = subject.and_then(|subject| subject.member("type"));
        match kind.map(View::string) {
            Some("ref/prompt") => {
                let name = subject.and_then(|subject| subject.member("name"));
                self.by_name(whole, request, name);
            }
            Some("ref/resource") => {
                let uri = subject.and_then(|subject| subject.member("uri"));
                self.route_by_owner(whole, request, uri, Subject::Uri, modern);
            }
            _ => self.out.refuse(
                request,
                Act::ClientSentBadParams,
                "`ref` must be a prompt or a resource",
            ),
        }
    }

    /// Sends a request to the server that owns the URI or task.
    fn route_by_owner(
        &mut self,
        whole: &Message,
        request: &Request<'_>,
        name: Option<View<'_>>,
        subject: Subject,
        modern: bool,
    ) {
        let Some(name) = name.filter(|name| name.kind() == Kind::String) else {
            let why = "the `uri` or `taskId` must be a string";
            return self.out.refuse(request, Act::ClientSentBadParams, why);
        };
        let name = name.string();
        if let Some(route) = self.table.known.owner(subject, name) {
            let (table, renamed) = (&self.table, Renamed::default());
            return self.out.forward(table, route, whole, request, renamed);
        }
        let own = message_text(whole, request.view);
        if let Err(why) = self.owner_searches.may_keep(own.len()) {
            return self.out.refuse(request, Act::GuardOverloaded, &why);
        }
        let client = RequestOrigin::of(request).from(whole);
        let rest = self.table.may_own(subject, name, modern);
        let search = OwnerSearch::new(client, subject, name.to_owned(), own.to_owned(), rest);
        self.owner_searches.begin(search, &mut self.out);
    }

    pub(super) fn client_notification(&mut self, whole: &Message, note: &Notification<'_>) {
        let own = message_text(whole, note.view);
        match note.method {
            "notifications/initialized" => {
                self.session.ready();
                self.out.tell_open(&self.table, own);
            }
            "notifications/cancelled" => {
                let id = note.params.and_then(|params| params.member("requestId"));
                let key = id.and_then(|id| IdKey::read(id.raw()));
                if let (Some(id), Some(key)) = (id, key) {
                    self.cancel(whole, note.view, id, &key);
                }
            }
            "notifications/progress" => {
                let token = note
                    .params
                    .and_then(|params| params.member("progressToken"));
                let Some(token) = token else { return };
                if let Some(asked) = self.server_requests.about(token)
                    && let Some(own) = asked.origin.token.clone()
                {
                    let route = asked.route;
                    let mut edits = Edits::new();
                    edits.replace(token, own);
                    self.out
                        .tell_server(route, spliced(&edits, whole, note.view));
                }
            }
            _ => self.out.tell_open(&self.table, own),
        }
    }

    /// Cancels a request at every server that works on it.
    fn cancel(&mut self, whole: &Message, message: View<'_>, id: View<'_>, key: &IdKey) {
        let is_of = |role: &Role| match role {
            Role::Whole(client, _) => client.key == *key,
            Role::Part(number) => {
                let fan_out = self.fan_outs.get(number);
                fan_out.is_some_and(|fan_out| fan_out.client.key == *key)
            }
            Role::Search(number) => {
                let client = self.owner_searches.client(*number);
                client.is_some_and(|client| client.key == *key)
            }
            Role::Listen(number) => {
                let client = self.client_streams.client(*number);
                client.is_some_and(|client| client.key == *key)
            }
            Role::Open | Role::Quiet => false,
        };
        for (number, sent) in self.out.sent.end_all(|sent| is_of(&sent.role)) {
            let mut edits = Edits::new();
            edits.replace(id, number.to_string());
            self.out
                .tell_server(sent.route, spliced(&edits, whole, message));
        }
        self.fan_outs.retain(|_, it| it.client.key != *key);
        self.owner_searches.cancel(key);
        self.client_streams.cancel(key);
    }

    /// Handles the client's answer to a request of a server.
    pub(super) fn client_answer(&mut self, whole: &Message, message: View<'_>) {
        let Some(id) = message.member("id") else {
            return;
        };
        let Some(asked) = self.server_requests.answered(id, |_| true) else {
            return;
        };
        let mut edits = Edits::new();
        edits.replace(id, asked.origin.id);
        self.out
            .tell_server(asked.route, spliced(&edits, whole, message));
    }
}

/// An empty result.
pub(super) fn empty(id: &str, modern: bool) -> String {
    let result = if modern {
        r#"{"resultType":"complete"}"#
    } else {
        "{}"
    };
    write::result(id, result)
}

const SHOWN: usize = 128;
