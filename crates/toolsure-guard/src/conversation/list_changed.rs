//! What a conversation knows to send `notifications/tools/list_changed` after a reload.

use toolsure_json::{Kind, Node as _, View};

use super::Conversation;
use crate::id::IdKey;
use crate::subscription::subscription;

impl Conversation {
    /// Marks the session as one that began in another process, or in this one before it was forgotten.
    /// A result may then answer a request that was not seen here. Its contract is unknown, so the client
    /// gets an error instead.
    #[must_use]
    pub fn adopted(mut self) -> Self {
        self.adopted = true;
        self.assume_declared();
        self
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
    fn assume_declared(&mut self) {
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
