//! Which clients lose their connections, so that the messages of others fit.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::time::Duration;

use tokio::time::Instant;

use super::bytes::Bytes;
use super::reader::{Reader, WINDOW, slowest_allowed};

/// The bytes that messages wait for.
#[derive(Clone, Copy, Default)]
pub(super) struct Need {
    pub(super) all: usize,
    /// Those of messages that have waited for long enough.
    pub(super) overdue: usize,
    pub(super) longest: Duration,
}

impl Need {
    pub(super) fn add(&mut self, bytes: usize, waited: Duration) {
        self.all = self.all.saturating_add(bytes);
        if waited >= WINDOW {
            self.overdue = self.overdue.saturating_add(bytes);
        }
        self.longest = self.longest.max(waited);
    }
}

/// Clients that may be closed, the slowest first.
pub(super) struct Slow(Vec<(usize, Reverse<usize>, u64)>);

impl Slow {
    pub(super) fn of(readers: &HashMap<u64, Reader>, now: Instant) -> Self {
        // To close one that has little to read would free nothing.
        let large = readers.iter().filter(|(_, it)| it.bytes > SMALL);
        let slow = large.filter_map(|(id, it)| Some((it.speed(now)?, Reverse(it.bytes), *id)));
        let mut slow: Vec<_> = slow.collect();
        slow.sort_unstable();
        Self(slow)
    }

    /// Closes those that `may_close`, until `need` fits under the limit.
    pub(super) fn close(
        &self,
        readers: &mut HashMap<u64, Reader>,
        need: Need,
        (used, limit): (Bytes, usize),
        may_close: impl Fn(&Reader) -> bool,
    ) {
        let closing = readers.values().filter(|it| it.is_closing && may_close(it));
        let closing = closing.fold(0_usize, |sum, it| sum.saturating_add(it.bytes));
        let mut left = used.sum().saturating_sub(closing);
        let allowed = slowest_allowed(need.longest);
        for (taken, _, id) in &self.0 {
            let fits = left.saturating_add(need.overdue) <= limit;
            if fits || need.overdue == 0 || *taken >= allowed {
                return;
            }
            if let Some(reader) = readers.get_mut(id)
                && !reader.is_closing
                && may_close(reader)
            {
                reader.close();
                left = left.saturating_sub(reader.bytes);
            }
        }
    }
}

/// Messages up to this size are never waited for, and nothing is reserved for them.
pub(crate) const SMALL: usize = 16 << 10;
