//! Handles answers of servers: passes them to the client, merges them, or asks the next server.

use std::time::Duration;

use toolsure_json::{Kind, Node as _, View};
use toolsure_mcp::message::{INTERNAL_ERROR, METHOD_NOT_FOUND, created_task, requested_task};

use super::Aggregator;
use super::fan_out::FanOutKind;
use super::known::Subject;
use super::merge::message_text;
use super::pending::{Role, Sent, TaskMade};
use super::route::Refused;
use crate::fault::Act;
use crate::message::Message;
use crate::renumber::{RequestOrigin, number_of};

impl Aggregator {
    /// An answer of a server: `Ok` is its result, `Err` its error.
    pub(super) fn server_answer(
        &mut self,
        route: usize,
        whole: &Message,
        message: View<'_>,
        answer: Result<View<'_>, View<'_>>,
        now: Duration,
    ) {
        let id = message.member("id");
        let sent = id.and_then(|id| self.out.sent.answered(id, |sent| sent.route == route));
        let Some(sent) = sent else {
            return self
                .out
                .note(route, "unasked", "an answer to no open request");
        };
        match (sent.role, answer) {
            (Role::Whole(client, made), answer) => {
                let task = |result| match made {
                    TaskMade::No => None,
                    TaskMade::Tagged => created_task(result),
                    TaskMade::Requested => requested_task(result),
                };
                if let Ok(result) = answer
                    && let Some(task) = task(result)
                    && let Err(other) = self.table.known.learn(Subject::Task, task, route)
                {
                    return self.two_of_one_task(route, other, &client);
                }
                self.out.pass_on(whole, message, &client);
            }
            (Role::Part(fan_out), Ok(result)) => {
                let part = message_text(whole, result);
                self.fan_out_answer(fan_out, route, Ok(part), now);
            }
            (Role::Part(fan_out), Err(error)) => {
                let (mut code, why) = code_and_text(error);
                let discovers = self.fan_outs.get(&fan_out);
                let discovers = discovers.is_some_and(|it| it.kind == FanOutKind::Discover);
                if discovers && is_legacy_status(error) {
                    code = METHOD_NOT_FOUND;
                }
                let refused = self.refused(route, error);
                if let Some(whole) = self.fan_outs.get_mut(&fan_out) {
                    whole.refused = whole.refused.take().or(refused);
                }
                self.fan_out_answer(fan_out, route, Err((code, why)), now);
            }
            (Role::Search(search), Ok(_)) => {
                if let Some(search) = self.owner_searches.found(search) {
                    // Remember the owner, so that no search is needed again. If two servers have it, the
                    // first one counts, as it did now.
                    let _known_of_another =
                        self.table.known.learn(search.subject, &search.name, route);
                    self.out.pass_on(whole, message, &search.client);
                }
            }
            (Role::Search(search), Err(_)) => {
                let own = message_text(whole, message);
                let answer = own.to_owned();
                self.owner_searches.not_owner(search, answer, &mut self.out);
            }
            (Role::Listen(listening), Err(error)) if is_of_lost_server(error) => {
                let out = &mut self.out;
                self.client_streams.stream_gone(listening, route, now, out);
            }
            (Role::Listen(listening), _) => {
                let (streams, out) = (&mut self.client_streams, &mut self.out);
                streams.listened(listening, route, whole, message, now, out);
            }
            (Role::Quiet, _) => {}
            (Role::Open, answer) => {
                if let Err(error) = answer {
                    self.refused(route, error);
                }
                let answer = answer.map_err(|error| code_and_text(error).1);
                let routes = &mut self.table.routes;
                self.session
                    .opened(route, answer, now, routes, &mut self.out);
            }
        }
    }

    /// Keeps the `data` of a server's error and its HTTP refusal, for the errors of requests that
    /// fail because of it.
    fn refused(&mut self, route: usize, error: View<'_>) -> Option<Refused> {
        let data = error.member("data").map(|data| data.raw().to_owned());
        let http = self.out.refusal.clone();
        let refused = (data.is_some() || http.is_some()).then_some(Refused { data, http });
        if let Some(route) = self.table.routes.get_mut(route) {
            route.refused.clone_from(&refused);
        }
        refused
    }

    /// Handles a request that its server will not answer. The request is already removed from `sent`.
    pub(super) fn failed(&mut self, sent: Sent, code: i64, why: &str, now: Duration) {
        match sent.role {
            Role::Whole(client, _) => {
                self.out
                    .send_to_client(Act::ServerGone.error(&client.id, code, why));
            }
            Role::Part(fan_out) => {
                self.fan_out_answer(fan_out, sent.route, Err((code, why.to_owned())), now);
            }
            Role::Search(search) => {
                let answer = Act::ServerGone.error("0", code, why);
                self.owner_searches.not_owner(search, answer, &mut self.out);
            }
            Role::Listen(listening) => {
                let out = &mut self.out;
                self.client_streams
                    .stream_gone(listening, sent.route, now, out);
            }
            Role::Open | Role::Quiet => {}
        }
    }

    /// Answers a request whose task has an id that another server's task already has. The client could
    /// not ask for that task.
    fn two_of_one_task(&mut self, route: usize, other: usize, client: &RequestOrigin) {
        let why = format!(
            "`{}` and `{}` have each given a task this id, so it is ambiguous",
            self.table.shown(route),
            self.table.shown(other)
        );
        self.out.note(route, "clash", &why);
        let act = Act::ServerReusedId;
        self.out
            .send_to_client(act.error(&client.id, INTERNAL_ERROR, &why));
    }
}

/// Whether a transport's error has a status with which servers of older versions refuse messages
/// outside a session (2026-07-28, transports/streamable-http, "Backward compatibility"). Other statuses
/// mean that there is no server (404, 5xx), or none for this client (401, 403).
fn is_legacy_status(error: View<'_>) -> bool {
    let status = error.member("data").and_then(|data| data.member("status"));
    let status = status.and_then(number_of);
    matches!(status, Some(400 | 405 | 406 | 409 | 415 | 422))
}

/// Whether an error stands for the answer of a server that was lost, and may come back.
fn is_of_lost_server(error: View<'_>) -> bool {
    let code = error.member("data").and_then(|data| data.member("code"));
    code.is_some_and(|code| code.kind() == Kind::String && code.string() == Act::ServerGone.code())
}

/// The code and the message of an error.
fn code_and_text(error: View<'_>) -> (i64, String) {
    let code = error.member("code").and_then(number_of);
    let message = error
        .member("message")
        .map_or("", |message| message.string());
    (code.unwrap_or(INTERNAL_ERROR), message.to_owned())
}
