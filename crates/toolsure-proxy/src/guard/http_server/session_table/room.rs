//! Who gets a place for a session and a child, and whose session ends for it.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use super::SessionTable;
use super::reservations::Reservation;
use crate::guard::child::PATIENCE;
use crate::guard::http_server::child_permits::ChildPermit;
use crate::guard::http_server::limit::Limit;
use crate::guard::http_server::process_pool::{NoChild, ProcessPool, UpstreamPool};
use crate::guard::request_permit::RequestPermit;
use crate::guard::shared_child::SharedChild;

impl SessionTable {
    /// Room for one more session of a caller; ends an idle one if necessary, of the same caller, or of another
    /// that has more.
    pub(in crate::guard::http_server) fn room(
        &self,
        counted: &Arc<str>,
    ) -> Result<Reservation, Limit> {
        let bounds = &self.ctx.bounds;
        let mut reached = Limit::Sessions;
        for _ in 0..ROUNDS {
            {
                let sessions = self.sessions();
                let of_own = sessions.values().filter(|it| it.counted == *counted);
                let (all, own) = (sessions.len(), of_own.count());
                // Those that are being opened count too.
                let (opening, own_opening) = self.reservations.count(counted);
                reached = match (all.saturating_add(opening), own.saturating_add(own_opening)) {
                    // A caller at its own bound takes nothing from others, also when all sessions are used.
                    (_, own) if own >= bounds.sessions_of_one() => Limit::CallerSessions,
                    (all, _) if all >= bounds.sessions => Limit::Sessions,
                    _ => return Ok(self.reservations.take(counted)),
                };
            }
            let made_room = match reached {
                Limit::CallerSessions => self.evict(counted),
                _ => self.make_room(counted),
            };
            if !made_room {
                break;
            }
        }
        Err(reached)
    }

    /// A permit for the child of one more session of a caller; ends an idle session if necessary, first of the
    /// same caller.
    pub(super) async fn permit(
        &self,
        pool: &ProcessPool,
        counted: &Arc<str>,
    ) -> Result<ChildPermit, Limit> {
        let mut own = None;
        if let Some(permits) = pool.permits().of_caller(counted) {
            let permit = self.permit_of(permits, || self.evict(counted));
            own = Some(permit.await.ok_or(Limit::CallerChildren)?);
        }
        let all = pool.permits().all();
        let of_all = self.permit_of(all, || self.make_room(counted)).await;
        Ok(ChildPermit::new(of_all.ok_or(Limit::Children)?, own))
    }

    /// One of these permits; if there is none, that of the child that `make_room` ends.
    async fn permit_of(
        &self,
        permits: Arc<Semaphore>,
        make_room: impl FnOnce() -> bool,
    ) -> Option<OwnedSemaphorePermit> {
        if let Ok(permit) = Arc::clone(&permits).try_acquire_owned() {
            return Some(permit);
        }
        if !make_room() {
            return None;
        }
        let patience = self.ctx.times.grace.saturating_mul(PATIENCE);
        let freed = timeout(patience, permits.acquire_owned());
        freed.await.ok()?.ok()
    }

    /// Ends an idle session, first of this caller, then of the one with most sessions, which has more than this
    /// caller; `false` if none may be ended.
    fn make_room(&self, counted: &Arc<str>) -> bool {
        if self.evict(counted) {
            return true;
        }
        let callers = {
            let sessions = self.sessions();
            let mut held: HashMap<Arc<str>, usize> = HashMap::new();
            for session in sessions.values() {
                let count = held.entry(Arc::clone(&session.counted)).or_default();
                *count = count.saturating_add(1);
            }
            let own = held.get(counted).copied().unwrap_or(0);
            let others = held.into_iter().filter(|(_, count)| *count > own);
            let mut others: Vec<(Arc<str>, usize)> = others.collect();
            others.sort_unstable_by_key(|(_, count)| std::cmp::Reverse(*count));
            others
        };
        let mut left = callers.as_slice();
        // Of callers with equally many, the session that has been idle longest.
        while let Some((_, most)) = left.first() {
            let (alike, fewer) = left.split_at(left.partition_point(|(_, count)| count == most));
            let alike: HashSet<&Arc<str>> = alike.iter().map(|(name, _)| name).collect();
            if self.evict_of(|it| alike.contains(it)) {
                return true;
            }
            left = fewer;
        }
        false
    }

    /// Ends the session of one caller that has been idle longest; `false` if none may be ended.
    fn evict(&self, counted: &Arc<str>) -> bool {
        self.evict_of(|it| it == counted)
    }

    /// Ends the session that has been idle longest, of some callers; `false` if none may be ended.
    fn evict_of(&self, is_of: impl Fn(&Arc<str>) -> bool) -> bool {
        // A session with a child has state, so it is spared while it may only pause. One with an
        // HTTP upstream is adopted again when its client comes back.
        let spared = match self.upstream_pool {
            UpstreamPool::Children(_) => SPARED,
            UpstreamPool::Endpoint(_) => Duration::ZERO,
        };
        loop {
            let longest = {
                let sessions = self.sessions();
                let fitting = sessions.iter();
                let fitting = fitting.filter(|(_, it)| is_of(&it.counted));
                let idle = fitting.filter_map(|(name, session)| {
                    let since = session.router.idle_since()?;
                    (since.elapsed() >= spared).then(|| (since, name.clone()))
                });
                idle.min()
            };
            match longest {
                None => return false,
                Some((_, name)) if self.end_session(&name) => return true,
                // Another request has ended it, and has its room.
                Some(_) => {}
            }
        }
    }

    /// The child of a modern request.
    pub(in crate::guard::http_server) async fn shared(
        &self,
        pool: &ProcessPool,
        slot: &RequestPermit,
    ) -> Result<Arc<SharedChild>, NoChild> {
        let number = self.next_number();
        let sender = (&*slot.sender, &slot.counted);
        pool.shared(&self.ctx, sender, number).await
    }
}

/// How long a session with a child is idle before it may make room for another.
const SPARED: Duration = Duration::from_secs(60);
/// How often a request looks for room that others took from it.
const ROUNDS: usize = 8;
