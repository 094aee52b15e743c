//! Translates messages of the server for older clients.

use toolsure_json::{Node as _, View, push_json_string};
use toolsure_mcp::message::{Message, Notification, RequestId, write};

use super::{CallStage, LegacyClients, Own, Stage, object_text};
use crate::connection::Connection;
use crate::id::IdKey;
use crate::implementation::UNNAMED;
use crate::reading::time_to_live;
use crate::subscription::subscription;
use crate::translate::parsed_message::ParsedMessage;
use crate::translate::refusal::Refusal;
use crate::translate::rewrite;
use crate::translate::turn::Turn;
use crate::translate::words::{self, Lists, MODERN, SERVER_INFO};

impl LegacyClients {
    pub(in crate::translate) fn server(&mut self, parsed: &ParsedMessage<'_>, turn: &mut Turn) {
        match parsed.message {
            Message::Result(outcome) => self.result(parsed, outcome.id, turn),
            Message::Error(Some(id), error) => self.error(parsed, id, error, turn),
            Message::Error(None, _) => turn.pass(Connection::Client, parsed),
            Message::Notification(notification) => {
                self.forward_notification(parsed, &notification, turn);
            }
            Message::Request(request) => {
                let why = "servers of 2026-07-28 ask within their answers";
                let refusal = Refusal::method(request.method, why);
                self.send(refusal.to(request.id.raw()), turn);
            }
        }
    }

    fn result(&mut self, parsed: &ParsedMessage<'_>, id: RequestId<'_>, turn: &mut Turn) {
        let key = IdKey::of(id);
        let Some(result) = rewrite::outcome(parsed) else {
            return;
        };
        let key = match self.own.remove(&key) {
            Some(Own::Discover(id)) => return self.opened(&id, result, turn),
            Some(Own::Listen) => return self.deaf(turn),
            Some(Own::Repeat(call)) => call,
            None => key,
        };
        let Some(call) = self.calls.get(&key) else {
            // The client speaks the server's era itself, or has cancelled the request.
            return turn.pass(Connection::Client, parsed);
        };
        let tag = result.member("resultType");
        let refusal = match tag.map_or("complete", |tag| tag.string()) {
            "complete" => {
                let kept = words::is_kept(&call.method);
                let id = matches!(call.stage, CallStage::Pending(Some(_))).then_some(&*call.id);
                let gone = |name: &str| match name {
                    "resultType" => true,
                    "ttlMs" | "cacheScope" => kept,
                    _ => false,
                };
                let answer = rewrite::answer(parsed, id, Some(result), gone, &[]);
                let ttl = kept.then(|| time_to_live(result));
                self.forget(&key, turn);
                return turn.out.client_for(answer, ttl);
            }
            "input_required" if words::may_ask(&call.method) => {
                match self.question(&key, result, turn) {
                    Ok(()) => return,
                    Err(refusal) => refusal,
                }
            }
            "task" => {
                let text = format!("the server made a task of the request; {}", words::NO_TASKS);
                Refusal::answer(text)
            }
            other => {
                let tag = toolsure_json::quote(other, SHOWN);
                Refusal::answer(format!("the server answered with the result type `{tag}`"))
            }
        };
        self.refuse(&key, &refusal, turn);
    }

    fn error(
        &mut self,
        parsed: &ParsedMessage<'_>,
        id: RequestId<'_>,
        error: View<'_>,
        turn: &mut Turn,
    ) {
        let key = IdKey::of(id);
        match self.own.remove(&key) {
            Some(Own::Discover(id)) => {
                self.session.stage = Stage::Closed;
                let text = format!(
                    "the server does not speak {MODERN}: {}",
                    rewrite::complaint(error)
                );
                turn.out
                    .client(Refusal::other_era("server-not-modern", text).to(&id));
            }
            Some(Own::Listen) => self.unheard(error, turn),
            Some(Own::Repeat(call)) => {
                if let Some(call) = self.forget(&call, turn) {
                    turn.out.client(rewrite::answer(
                        parsed,
                        Some(&call.id),
                        None,
                        |_| false,
                        &[],
                    ));
                }
            }
            None => {
                self.forget(&key, turn);
                turn.pass(Connection::Client, parsed);
            }
        }
    }

    /// Handles the server's description of itself.
    fn opened(&mut self, id: &str, result: View<'_>, turn: &mut Turn) {
        let versions = result.member("supportedVersions");
        let modern = versions.is_some_and(|all| all.items().any(|one| one.string() == MODERN));
        let capabilities = result
            .member("capabilities")
            .filter(|is| words::is_object(*is));
        let (true, Some(capabilities)) = (modern, capabilities) else {
            self.session.stage = Stage::Closed;
            let text = format!("`server/discover` does not name {MODERN} or has no capabilities");
            return turn
                .out
                .client(Refusal::other_era("server-not-modern", text).to(id));
        };
        self.session.stage = Stage::Open;
        self.session.logs = capabilities.member("logging").is_some();
        self.session.lists = Lists::offered(capabilities);
        let info = result
            .member("_meta")
            .and_then(|meta| object_text(meta, SERVER_INFO));
        let mut members = format!(
            r#""protocolVersion":"{}","capabilities":{},"serverInfo":{}"#,
            self.session.era,
            rewrite::server_capabilities(capabilities),
            info.as_deref().unwrap_or(UNNAMED),
        );
        if let Some(instructions) = result.member("instructions") {
            members.push_str(",\"instructions\":");
            push_json_string(&mut members, instructions.string());
        }
        turn.out
            .client(write::result(id, &format!("{{{members}}}")));
    }

    fn forward_notification(
        &mut self,
        parsed: &ParsedMessage<'_>,
        notification: &Notification<'_>,
        turn: &mut Turn,
    ) {
        let params = notification.params;
        let key = |view: Option<View<'_>>| IdKey::read(view?.raw());
        let subscription = key(subscription(params));
        let cancelled = key(params.and_then(|params| params.member("requestId")));
        let is_ours = |key: Option<IdKey>| {
            key.is_some_and(|key| matches!(self.own.get(&key), Some(Own::Listen)))
        };
        match notification.method {
            "notifications/cancelled" if is_ours(cancelled) => {
                self.own.retain(|_, own| !matches!(own, Own::Listen));
                self.deaf(turn);
            }
            "notifications/subscriptions/acknowledged" if is_ours(subscription.clone()) => {
                self.heard(turn);
            }
            _ if is_ours(subscription) => turn.out.client(rewrite::unsubscribed(parsed, params)),
            _ => turn.pass(Connection::Client, parsed),
        }
    }
}

/// Maximum characters of a name that a text repeats.
const SHOWN: usize = 64;
