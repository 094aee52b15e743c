//! The subscription through which the server reports changes of its lists.

use std::time::Duration;

use toolsure_json::View;
use toolsure_mcp::message::{METHOD_NOT_FOUND, write};

use super::{LegacyClients, Own, Stage};
use crate::effect::{Effect, Effects, ToolsEvent};
use crate::envelope::error_code;
use crate::translate::splice;

impl LegacyClients {
    /// Starts the subscription, because the client is ready for notifications.
    pub(super) fn listen(&mut self, now: Duration, out: &mut Effects<'_>) {
        if self.session.stage == Stage::Open
            && !self.session.lists.is_empty()
            && self.subscription.begin(now)
        {
            self.tick(now, out);
        }
    }

    /// Handles the server's acknowledgement of the subscription.
    pub(super) fn heard(&mut self, out: &mut Effects<'_>) {
        if self.subscription.acknowledged() {
            for method in self.session.lists.notifications() {
                out.client(write::notification(method, None));
            }
        }
    }

    /// Handles the end of the subscription. Changes before the next one are not reported.
    pub(super) fn deaf(&mut self, now: Duration, out: &mut Effects<'_>) {
        out.push(Effect::Tools(ToolsEvent::Changed));
        self.subscription.ended(now);
    }

    /// Handles the server's refusal of the subscription.
    pub(super) fn unheard(&mut self, error: View<'_>, now: Duration, out: &mut Effects<'_>) {
        if error_code(error) == Some(METHOD_NOT_FOUND) {
            out.note("no-subscriptions", splice::complaint(error));
        } else {
            self.deaf(now, out);
        }
    }

    pub(in crate::translate) fn next_deadline(&self) -> Option<Duration> {
        self.subscription.deadline()
    }

    pub(in crate::translate) fn tick(&mut self, now: Duration, out: &mut Effects<'_>) {
        if self.subscription.is_due(now) {
            let meta = self.declaration().join(",");
            let filter = self.session.lists.filter();
            let params = format!(r#"{{"notifications":{filter},"_meta":{{{meta}}}}}"#);
            self.ask("subscriptions/listen", &params, Own::Listen, out);
        }
    }
}
