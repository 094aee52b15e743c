//! The subscription through which the server reports changes of its lists.

use std::time::Duration;

use toolsure_json::View;
use toolsure_mcp::message::{METHOD_NOT_FOUND, write};

use super::{LegacyClients, Own, Stage};
use crate::effect::{Effect, ToolsEvent};
use crate::envelope::error_code;
use crate::translate::rewrite;
use crate::translate::turn::Turn;

impl LegacyClients {
    /// Starts the subscription, because the client is ready for notifications.
    pub(super) fn listen(&mut self, turn: &mut Turn) {
        if self.session.stage == Stage::Open
            && !self.session.lists.is_empty()
            && self.subscription.begin(turn.now)
        {
            self.tick(turn);
        }
    }

    /// Handles the server's acknowledgement of the subscription.
    pub(super) fn heard(&mut self, turn: &mut Turn) {
        if self.subscription.acknowledged() {
            for method in self.session.lists.notifications() {
                turn.out.client(write::notification(method, None));
            }
        }
    }

    /// Handles the end of the subscription. Changes before the next one are not reported.
    pub(super) fn deaf(&mut self, turn: &mut Turn) {
        turn.out.push(Effect::Tools(ToolsEvent::Changed));
        self.subscription.ended(turn.now);
    }

    /// Handles the server's refusal of the subscription.
    pub(super) fn unheard(&mut self, error: View<'_>, turn: &mut Turn) {
        if error_code(error) == Some(METHOD_NOT_FOUND) {
            turn.out.note("no-subscriptions", rewrite::complaint(error));
        } else {
            self.deaf(turn);
        }
    }

    pub(in crate::translate) fn next_deadline(&self) -> Option<Duration> {
        self.subscription.deadline()
    }

    pub(in crate::translate) fn tick(&mut self, turn: &mut Turn) {
        if self.subscription.is_due(turn.now) {
            let meta = self.declaration().join(",");
            let filter = self.session.lists.filter();
            let params = format!(r#"{{"notifications":{filter},"_meta":{{{meta}}}}}"#);
            self.ask("subscriptions/listen", &params, Own::Listen, turn);
        }
    }
}
