//! Events that no message brings: timeouts, a new policy, and the end of the server or of the guard itself.

use std::time::Duration;

use toolsure_mcp::era::Era;
use toolsure_mcp::message::write;

use super::Conversation;
use super::open::{Open, What};
use super::server_requests::ServerRequests;
use super::turn::Turn;
use crate::effect::{Effect, Effects};
use crate::fault::Act;
use crate::id::IdKey;
use crate::record::{Action, Filter};
use crate::side::Side;

impl Conversation {
    /// Answers requests that have timed out with an error, and gives up a list of tools that does not
    /// arrive.
    pub fn tick(&mut self, now: Duration) -> Effects {
        self.event(now, |conversation, turn| {
            while let Some((key, open)) = conversation.open.due(now) {
                conversation.cancel_at_server(turn, &key, &open, "no answer in time");
                conversation.stop_waiting(turn, &key, open.era);
                let waited = now.saturating_sub(open.since).as_secs();
                let text = format!("the server did not answer within {waited} s");
                conversation.give_up_on(turn, key, &open, Act::ServerSilent, &text);
            }
            let fetch = conversation.list_fetch.current();
            if let Some((id, era, deadline)) = fetch
                && deadline <= now
            {
                conversation.take_back(turn, &id, id.raw(), era, "no answer in time");
                conversation.stop_waiting(turn, &id, era);
                let why = "the server did not answer `tools/list` in time";
                conversation.list_fetch.fail(turn, why);
            }
        })
    }

    /// Handles the permanent loss of the server: its process ended, or its connection is lost. Every open
    /// request is answered with an error, and so is every later one.
    pub fn server_gone(&mut self, why: &str, now: Duration) -> Effects {
        self.event(now, |conversation, turn| {
            let why = toolsure_json::quote(why, WHY).to_string();
            conversation.list_fetch.clear();
            conversation.server_requests = ServerRequests::default();
            let text = format!("the server is gone: {why}");
            for (key, open) in conversation.open.drain() {
                conversation.give_up_on(turn, key, &open, Act::ServerGone, &text);
            }
            conversation.server_gone = Some(why);
        })
    }

    /// Handles a request that will get no answer because its HTTP exchange failed.
    pub fn request_failed(&mut self, id: &IdKey, why: &str, now: Duration) -> Effects {
        self.event(now, |conversation, turn| {
            let why = toolsure_json::quote(why, WHY).to_string();
            if conversation.list_fetch.is_own(id) {
                return conversation.list_fetch.fail(turn, &why);
            }
            if let Some(open) = conversation.open.remove_sent(id) {
                let text = format!("the request to the server failed: {why}");
                conversation.give_up_on(turn, id.clone(), &open, Act::ServerGone, &text);
            }
        })
    }

    /// Answers a request with an error. Nobody waits for the answer to a cancelled request, but over HTTP
    /// its exchange is still open.
    fn give_up_on(&self, turn: &mut Turn<'_>, key: IdKey, open: &Open, act: Act, text: &str) {
        if open.cancelled && self.negotiation.has_http_client() {
            turn.out.push(Effect::Abandon { id: key.clone() });
        }
        turn.fail(key, open, act, text);
    }

    /// Gives up one request because of what the transport has seen of the client: the request is cancelled
    /// at the server, if it was sent, and answered with an error.
    pub fn give_up(&mut self, id: &IdKey, act: Act, why: &str, now: Duration) -> Effects {
        self.event(now, |conversation, turn| {
            if let Some(open) = conversation.open.remove_sent(id) {
                conversation.cancel_at_server(turn, id, &open, why);
                turn.fail(id.clone(), &open, act, why);
            }
        })
    }

    /// Handles a new policy ([`Guard::replace`](crate::Guard::replace)). If it changes which tools are shown,
    /// or how, the client gets `notifications/tools/list_changed`: in its session if the server declared
    /// `tools.listChanged` (2025-11-25, server/tools, "Capabilities"), and for each subscription with
    /// `toolsListChanged` (2026-07-28).
    pub fn policy_replaced(&mut self, now: Duration) -> Effects {
        self.event(now, |conversation, turn| {
            let (guard, open) = (&conversation.guard, &conversation.open);
            conversation.list_changed.policy_replaced(guard, open, turn);
        })
    }

    /// Handles the close of a request's stream by the client, which cancels the request (2026-07-28, HTTP).
    pub fn client_left(&mut self, id: &IdKey, now: Duration) -> Effects {
        self.event(now, |conversation, turn| {
            if conversation.unpark(id) {
                return;
            }
            if let Some(open) = conversation.open.remove(id) {
                conversation.cancel_at_server(turn, id, &open, "the client closed the stream");
                let mut record = turn.fault(
                    Side::Client,
                    Filter::Tracking,
                    Action::Dropped,
                    Act::ClientLeft,
                );
                record.describe(id, &open, turn);
                turn.audit(record);
            }
        })
    }

    /// Starts the shutdown of the guard: open requests continue, new ones are refused.
    pub fn stop(&mut self) {
        self.stopping = true;
    }

    /// Ends the HTTP exchange of a request that has timed out, if no client's exchange ends it: a request
    /// that a message cancelled may never be answered (2025-11-25, basic/utilities/cancellation).
    fn stop_waiting(&self, turn: &mut Turn<'_>, key: &IdKey, era: Era) {
        let ours = !self.negotiation.has_http_client() && self.negotiation.has_http_server();
        if ours && !era.cancels_by_closing() {
            turn.out.push(Effect::Abandon { id: key.clone() });
        }
    }

    /// Cancels a request at the server.
    fn cancel_at_server(&self, turn: &mut Turn<'_>, key: &IdKey, open: &Open, why: &str) {
        // It is already cancelled, was never sent, or must not be cancelled.
        let silent = open.cancelled || matches!(open.what, What::Parked | What::Initialize);
        if !silent && self.server_gone.is_none() {
            self.take_back(turn, key, open.raw(key), open.era, why);
        }
    }

    /// Cancels a request at the server, where its id is `raw`: by the close of its stream, or with a message.
    fn take_back(&self, turn: &mut Turn<'_>, key: &IdKey, raw: String, era: Era, why: &str) {
        if era.cancels_by_closing() && self.negotiation.has_http_server() {
            return turn.out.push(Effect::Abandon { id: key.clone() });
        }
        let note = write::cancellation(&raw, Some(why));
        turn.notice(Side::Server, "notifications/cancelled", note);
    }
}

/// Maximum characters of a reason that an answer repeats.
const WHY: usize = 256;
