//! Which clients get `notifications/tools/list_changed` after a reload of the policy.

use std::sync::Arc;

use toolsure_json::{Kind, Node as _, View};
use toolsure_mcp::message::write;

use super::open::OpenTable;
use super::turn::Turn;
use crate::guard::Guard;
use crate::id::IdKey;
use crate::policy::Rules;
use crate::side::Side;
use crate::subscription::{list_changed, subscription};

/// Whether the client gets `notifications/tools/list_changed`, and the rules that it was last sent for.
#[derive(Debug, Default)]
pub(super) struct ListChanged {
    /// Whether the client's session gets it.
    session: bool,
    /// The rules by which the client's tools are shown. `None` if it gets no notification.
    rules: Option<Arc<Rules>>,
}

impl ListChanged {
    /// Reads what the server declares in its answer to `initialize`.
    pub(super) fn declare(&mut self, guard: &Guard, result: View<'_>) {
        let tools = result
            .member("capabilities")
            .and_then(|it| it.member("tools"));
        self.set_session(
            guard,
            tools.is_some_and(|tools| is_true(tools, "listChanged")),
        );
    }

    /// Sets whether the client's session gets it. Of a session that began elsewhere it is not known what the
    /// server declared, and a client that does not expect the notification ignores it.
    pub(super) fn set_session(&mut self, guard: &Guard, session: bool) {
        self.session = session;
        if session {
            self.keep_rules(guard);
        }
    }

    /// Reads the server's acknowledgement of a subscription (2026-07-28).
    pub(super) fn acknowledge(
        &mut self,
        guard: &Guard,
        open: &mut OpenTable,
        params: Option<View<'_>>,
    ) {
        let granted = params.and_then(|params| params.member("notifications"));
        let id = subscription(params).and_then(|id| IdKey::read(id.raw()));
        if let (Some(granted), Some(id)) = (granted, id)
            && is_true(granted, "toolsListChanged")
            && open.subscribe_to_tools(&id)
        {
            self.keep_rules(guard);
        }
    }

    fn keep_rules(&mut self, guard: &Guard) {
        self.rules.get_or_insert_with(|| guard.rules());
    }

    /// Whether the client gets the notification.
    pub(super) fn is_wanted(&self) -> bool {
        self.rules.is_some()
    }

    /// Whether the policy was replaced since the client was last sent the notification.
    pub(super) fn is_outdated(&self, guard: &Guard) -> bool {
        let rules = self.rules.as_ref();
        rules.is_some_and(|rules| rules.generation != guard.rules().generation)
    }

    /// Sends the notification, if the new policy changes which tools are shown, or how.
    pub(super) fn policy_replaced(&mut self, guard: &Guard, open: &OpenTable, turn: &mut Turn<'_>) {
        let new = guard.rules();
        let Some(rules) = &mut self.rules else {
            return;
        };
        let old = std::mem::replace(rules, Arc::clone(&new));
        if old.policy.shows_as(&new.policy) {
            return;
        }
        if self.session {
            let note = write::notification(TOOLS_CHANGED, None);
            turn.notice(Side::Client, TOOLS_CHANGED, note);
        }
        for id in open.subscribed_to_tools() {
            let note = list_changed(&id, TOOLS_CHANGED);
            turn.notice(Side::Client, TOOLS_CHANGED, note);
        }
    }
}

fn is_true(object: View<'_>, name: &str) -> bool {
    let member = object.member(name);
    member.is_some_and(|member| member.kind() == Kind::Boolean && member.boolean())
}

/// The notification, which is the same in all versions.
const TOOLS_CHANGED: &str = "notifications/tools/list_changed";
