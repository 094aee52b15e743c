//! A replaced policy: sends `notifications/tools/list_changed` to the clients whose tools it changes.

use std::sync::Arc;
use std::time::Duration;

use toolsure_json::{Kind, Node as _, View};
use toolsure_mcp::message::write;

use super::Conversation;
use crate::effect::Effects;
use crate::id::IdKey;
use crate::side::Side;
use crate::subscription::{list_changed, subscription};

impl Conversation {
    /// Whether the client gets `notifications/tools/list_changed`, so that
    /// [`policy_replaced`](Self::policy_replaced) may send one.
    #[must_use]
    pub fn gets_list_changed(&self) -> bool {
        self.list_changed.rules.is_some()
    }

    /// Whether the policy was replaced and [`policy_replaced`](Self::policy_replaced) was not called since.
    #[must_use]
    pub fn is_outdated(&self) -> bool {
        let rules = self.list_changed.rules.as_ref();
        rules.is_some_and(|rules| rules.generation != self.guard.rules().generation)
    }

    /// Handles a new policy ([`Guard::replace`](crate::Guard::replace)). If it changes which tools are shown,
    /// or how, the client gets `notifications/tools/list_changed`: in its session if the server declared
    /// `tools.listChanged` (2025-11-25, server/tools, "Capabilities"), and for each subscription with
    /// `toolsListChanged` (2026-07-28).
    pub fn policy_replaced(&mut self, now: Duration) -> Effects {
        self.event(now, |it, turn| {
            let new = it.guard.rules();
            let Some(rules) = &mut it.list_changed.rules else {
                return;
            };
            let old = std::mem::replace(rules, Arc::clone(&new));
            if old.policy.shows_as(&new.policy) {
                return;
            }
            if it.list_changed.session {
                let note = write::notification(TOOLS_CHANGED, None);
                turn.notice(Side::Client, TOOLS_CHANGED, note);
            }
            for id in it.open.subscribed_to_tools() {
                let note = list_changed(&id, TOOLS_CHANGED);
                turn.notice(Side::Client, TOOLS_CHANGED, note);
            }
        })
    }

    /// Reads what the server declares in its answer to `initialize`.
    pub(super) fn read_declared(&mut self, result: View<'_>) {
        let tools = result
            .member("capabilities")
            .and_then(|it| it.member("tools"));
        self.list_changed.session = tools.is_some_and(|tools| is_true(tools, "listChanged"));
        if self.list_changed.session {
            self.keep_rules();
        }
    }

    /// For a session that began elsewhere: what the server declared is not known, and a client that does not
    /// expect the notification ignores it.
    pub(super) fn assume_declared(&mut self) {
        self.list_changed.session = self.era.is_some();
        if self.list_changed.session {
            self.keep_rules();
        }
    }

    /// Reads the server's acknowledgement of a subscription (2026-07-28).
    pub(super) fn read_acknowledgement(&mut self, params: Option<View<'_>>) {
        let granted = params.and_then(|params| params.member("notifications"));
        let id = subscription(params).and_then(|id| IdKey::read(id.raw()));
        if let (Some(granted), Some(id)) = (granted, id)
            && is_true(granted, "toolsListChanged")
            && self.open.subscribe_to_tools(&id)
        {
            self.keep_rules();
        }
    }

    fn keep_rules(&mut self) {
        let rules = || self.guard.rules();
        self.list_changed.rules.get_or_insert_with(rules);
    }
}

fn is_true(object: View<'_>, name: &str) -> bool {
    let member = object.member(name);
    member.is_some_and(|member| member.kind() == Kind::Boolean && member.boolean())
}

/// The notification, which is the same in all versions.
const TOOLS_CHANGED: &str = "notifications/tools/list_changed";
