//! A policy that is replaced: clients that hear of changes of their tools are told to list them again.

use std::sync::Arc;
use std::time::Duration;

use toolsure_json::{Kind, Node as _, View};
use toolsure_mcp::message::write;

use super::Conversation;
use crate::effect::{Effects, Outgoing, Purpose};
use crate::envelope::Envelope;
use crate::id::IdKey;
use crate::side::Side;
use crate::subscription::{list_changed, subscription};

impl Conversation {
    /// Whether the client hears of changes of its tools, so that
    /// [`policy_replaced`](Self::policy_replaced) may have something to say.
    #[must_use]
    pub fn hears_of_tools(&self) -> bool {
        self.hearing.shown_by.is_some()
    }

    /// Whether the policy was replaced since the client was last told.
    #[must_use]
    pub fn is_behind(&self) -> bool {
        let shown_by = self.hearing.shown_by.as_ref();
        shown_by.is_some_and(|rules| rules.generation != self.guard.rules().generation)
    }

    /// Handles a new policy ([`Guard::replace`](crate::Guard::replace)): if tools are shown otherwise than
    /// by the policy before, the client is told as by the server: in its session if the server declared
    /// `tools.listChanged`, and under each subscription with `toolsListChanged`.
    pub fn policy_replaced(&mut self, now: Duration) -> Effects<'static> {
        self.event(now, |it, _, out| {
            let rules = it.guard.rules();
            let Some(shown_by) = &mut it.hearing.shown_by else {
                return;
            };
            let before = std::mem::replace(shown_by, Arc::clone(&rules));
            if before.policy.shows_as(&rules.policy) {
                return;
            }
            let mut tell = |note: String| {
                let (to, envelope) = (Side::Client, Envelope::notification(TOOLS_CHANGED));
                out.send(Outgoing::new(
                    to,
                    note.into_bytes(),
                    Purpose::Notice,
                    envelope,
                ));
            };
            if it.hearing.session {
                tell(write::notification(TOOLS_CHANGED, None));
            }
            for id in it.open.hearing_of_tools() {
                tell(list_changed(&id, TOOLS_CHANGED));
            }
        })
    }

    /// Reads the server's answer to `initialize`.
    pub(super) fn session_hears(&mut self, result: View<'_>) {
        let tools = result
            .member("capabilities")
            .and_then(|it| it.member("tools"));
        self.hearing.session = tools.is_some_and(|tools| is_true(tools, "listChanged"));
        if self.hearing.session {
            self.hear();
        }
    }

    /// Hears for a session that began elsewhere: what the server declared is not known, and a client that
    /// does not expect the notification ignores it.
    pub(super) fn adopted_hears(&mut self) {
        self.hearing.session = self.era.is_some();
        if self.hearing.session {
            self.hear();
        }
    }

    /// Reads the server's acknowledgement of a subscription (2026-07-28).
    pub(super) fn subscription_hears(&mut self, params: Option<View<'_>>) {
        let granted = params.and_then(|params| params.member("notifications"));
        let id = subscription(params).and_then(|id| IdKey::read(id.raw()));
        if let (Some(granted), Some(id)) = (granted, id)
            && is_true(granted, "toolsListChanged")
            && self.open.hear_of_tools(&id)
        {
            self.hear();
        }
    }

    fn hear(&mut self) {
        let rules = || self.guard.rules();
        self.hearing.shown_by.get_or_insert_with(rules);
    }
}

fn is_true(object: View<'_>, name: &str) -> bool {
    let member = object.member(name);
    member.is_some_and(|member| member.kind() == Kind::Boolean && member.boolean())
}

/// The notification, which is the same in all versions.
const TOOLS_CHANGED: &str = "notifications/tools/list_changed";
