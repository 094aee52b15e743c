//! A replaced policy: sends `notifications/tools/list_changed` to the clients whose tools it changes.

use std::sync::Arc;
use std::time::Duration;

use toolsure_mcp::message::write;

use super::Conversation;
use crate::effect::Effects;
use crate::side::Side;
use crate::subscription::list_changed;

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
}

/// The notification, which is the same in all versions.
const TOOLS_CHANGED: &str = "notifications/tools/list_changed";
