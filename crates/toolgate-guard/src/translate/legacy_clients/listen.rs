//! The subscription through which the server reports changes of its lists.

use std::time::Duration;

use toolgate_json::{Node as _, View};

use super::{LegacyClients, Own, Stage};
use crate::effect::{Effect, Effects, ToolsEvent};
use crate::fault::METHOD_NOT_FOUND;
use crate::translate::splice;

/// The state of the subscription.
#[derive(Debug, Default)]
pub(super) struct Listening {
    /// Whether the subscription is in use, because the client is ready for it.
    wanted: bool,
    /// When to ask again.
    again: Option<Duration>,
    /// How many times in a row it ended before it was acknowledged.
    failures: u32,
    /// Whether something may have been missed since the last time.
    missed: bool,
}

impl LegacyClients {
    /// Starts the subscription, because the client is ready for notifications.
    pub(super) fn listen(&mut self, now: Duration, out: &mut Effects<'_>) {
        if self.listening.wanted || self.session.stage != Stage::Open {
            return;
        }
        if !self.session.lists.is_empty() {
            self.listening.wanted = true;
            self.listening.again = Some(now);
            self.tick(now, out);
        }
    }

    /// Handles the server's acknowledgement of the subscription.
    pub(super) fn heard(&mut self, out: &mut Effects<'_>) {
        self.listening.failures = 0;
        if std::mem::take(&mut self.listening.missed) {
            for method in self.session.lists.notifications() {
                out.client(format!(r#"{{"jsonrpc":"2.0","method":"{method}"}}"#));
            }
        }
    }

    /// Handles the end of the subscription. Changes before the next one are not reported.
    pub(super) fn deaf(&mut self, now: Duration, out: &mut Effects<'_>) {
        out.push(Effect::Tools(ToolsEvent::Changed));
        let failures = self.listening.failures;
        self.listening.failures = failures.saturating_add(1);
        self.listening.missed = true;
        let pause = FIRST_PAUSE.saturating_mul(1 << failures.min(10));
        self.listening.again = Some(now.saturating_add(pause.min(LONGEST_PAUSE)));
    }

    /// Handles the server's refusal of the subscription.
    pub(super) fn unheard(&mut self, error: View<'_>, now: Duration, out: &mut Effects<'_>) {
        let code = error.member("code").map_or("", View::raw);
        if code == METHOD_NOT_FOUND.to_string() {
            out.note("no-subscriptions", splice::complaint(error));
        } else {
            self.deaf(now, out);
        }
    }

    pub(in crate::translate) fn next_deadline(&self) -> Option<Duration> {
        self.listening.again
    }

    pub(in crate::translate) fn tick(&mut self, now: Duration, out: &mut Effects<'_>) {
        if self.listening.again.is_some_and(|again| again <= now) {
            self.listening.again = None;
            let meta = self.declaration().join(",");
            let filter = self.session.lists.filter();
            let params = format!(r#"{{"notifications":{filter},"_meta":{{{meta}}}}}"#);
            self.ask("subscriptions/listen", &params, Own::Listen, out);
        }
    }
}

const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(60);
