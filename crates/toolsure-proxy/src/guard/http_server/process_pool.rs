//! The process pool: starts children for clients over HTTP, shares them among modern clients, and
//! ends idle peers in this process.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout};
use toolsure_guard::{Context, Peer};

use super::child_permits::{ChildPermit, ChildPermits};
use super::limit::Limit;
use crate::fault::Fault;
use crate::guard::bounds::{Bounds, Restart};
use crate::guard::child::{Child, Restarts, Source};
use crate::guard::context::GuardContext;
use crate::guard::identity::Identity;
use crate::guard::in_process::Caller;
use crate::guard::messages::MessageWriter;
use crate::guard::shared_child::SharedChild;
use crate::http::{Endpoint, Standing};

/// Where the HTTP server sends messages.
pub(in crate::guard) enum UpstreamPool {
    Endpoint(Arc<Endpoint>),
    Children(Box<ProcessPool>),
}

/// Starts children and holds the shared ones.
pub(in crate::guard) struct ProcessPool {
    source: Source,
    restart: Restart,
    /// The children that modern clients share: one process for all, or one peer in this process for
    /// each authorization.
    slots: Mutex<HashMap<Context, Arc<Slot>>>,
    most: usize,
    permits: ChildPermits,
}

struct Slot {
    /// What the children of its caller are counted by.
    counted: Arc<str>,
    state: tokio::sync::Mutex<SlotState>,
}

struct SlotState {
    shared: Option<Arc<SharedChild>>,
    restarts: Restarts,
    used: Instant,
}

impl SlotState {
    /// Whether something other than its slot and the task that reads it holds the child, or one of
    /// its calls waits for the caller's input.
    fn is_in_use(&self) -> bool {
        let shared = self.shared.as_ref().filter(|shared| !shared.is_gone());
        shared.is_some_and(|shared| Arc::strong_count(shared) > 2 || shared.awaits_input())
    }
}

impl ProcessPool {
    pub(in crate::guard) fn new(source: Source, restart: Restart, bounds: &Bounds) -> Self {
        let most = bounds.children;
        Self {
            source,
            restart,
            slots: Mutex::default(),
            most,
            permits: ChildPermits::new(most, bounds.children_of_one()),
        }
    }

    pub(super) fn permits(&self) -> &ChildPermits {
        &self.permits
    }

    /// Whether a session with a child can move to a child that another replica opens.
    pub(super) fn moves(&self) -> bool {
        match &self.source {
            Source::Launch(_) => false,
            Source::InProcess(in_process) => in_process.moves(),
        }
    }

    pub(super) fn start(
        &self,
        ctx: &Arc<GuardContext>,
        caller: &Caller,
    ) -> Result<(Child, Arc<MessageWriter>), Fault> {
        Child::start(ctx, &self.source, caller)
    }

    /// The child for a modern client, started if there is none; `number` is the context of a new
    /// child, and `counted` what those of its caller are counted by.
    pub(super) async fn shared(
        &self,
        ctx: &Arc<GuardContext>,
        (sender, counted): (&Identity, &Arc<str>),
        number: u64,
    ) -> Result<Arc<SharedChild>, NoChild> {
        let (key, caller) = match &self.source {
            Source::Launch(_) => (Context::Anonymous, Caller::default()),
            Source::InProcess(_) => {
                let caller = sender.caller().standing_for(Standing::Everybody);
                // Many clients share it, so the record has no address.
                let caller = caller.recorded_as(Arc::new(Peer {
                    caller: sender.name.clone(),
                    verified: sender.verified.clone(),
                    ..Peer::default()
                }));
                (sender.context.clone(), caller)
            }
        };
        let (slot, evicted) = self.slot(&key, counted).ok_or(Limit::Children)?;
        // One that has ended before has released its permit, which another may have by now.
        let made_room = match evicted {
            Some(evicted) => end(&evicted),
            None => false,
        };
        // Its lock is released before it is left.
        let slot_use = SlotUse {
            pool: self,
            key: &key,
            slot,
        };
        let mut state = slot_use.slot.state.lock().await;
        state.used = Instant::now();
        if let Some(shared) = state.shared.as_ref().filter(|shared| !shared.is_gone()) {
            return Ok(Arc::clone(shared));
        }
        if state.shared.is_some() {
            let pause = state.restarts.next();
            tokio::time::sleep(pause.ok_or(NoChild::EndedTooOften)?).await;
        }
        let all = self.permits.all();
        let permit = match &self.source {
            // Sessions hold the other permits, and release them when they end.
            Source::Launch(_) => {
                let of_all = all.try_acquire_owned().ok();
                ChildPermit::new(of_all.ok_or(Limit::Children)?, None)
            }
            Source::InProcess(_) => {
                let mut own = None;
                if let Some(permits) = self.permits.of_caller(counted) {
                    let permit = self.permit_for_one(ctx, permits, Some(counted), false);
                    own = Some(permit.await.ok_or(Limit::CallerChildren)?);
                }
                let of_all = self.permit_for_one(ctx, all, None, made_room).await;
                ChildPermit::new(of_all.ok_or(Limit::Children)?, own)
            }
        };
        let started = self.start(ctx, &caller);
        let (child, input) = started.map_err(NoChild::Failed)?;
        let is_process = matches!(self.source, Source::Launch(_));
        let fresh = SharedChild::new(ctx, input, number, is_process, (key.clone(), caller));
        if (state.shared.as_ref()).is_some_and(|ended| ended.knows_no_discovery()) {
            fresh.without_discovery();
        }
        tokio::spawn(Arc::clone(&fresh).read_child(child, permit));
        state.shared = Some(Arc::clone(&fresh));
        Ok(fresh)
    }

    /// The slot of an authorization. If there are too many, a new slot replaces the one that has
    /// been unused longest, of the same caller if it has one, which the caller must end. `None` if all
    /// are in use.
    fn slot(&self, key: &Context, counted: &Arc<str>) -> Option<(Arc<Slot>, Option<Arc<Slot>>)> {
        let mut slots = self.slots();
        if let Some(slot) = slots.get(key) {
            return Some((Arc::clone(slot), None));
        }
        let mut evicted = None;
        if slots.len() >= self.most {
            let own = Self::evict(&mut slots, Some(counted), |_| true);
            evicted = Some(own.or_else(|| Self::evict(&mut slots, None, |_| true))?);
        }
        let slot = Arc::new(Slot {
            counted: Arc::clone(counted),
            state: tokio::sync::Mutex::new(SlotState {
                shared: None,
                restarts: Restarts::new(self.restart),
                used: Instant::now(),
            }),
        });
        slots.insert(key.clone(), Arc::clone(&slot));
        Some((slot, evicted))
    }

    /// One of these permits, for a peer in this process. If none is left, evicts an unused peer, of this
    /// caller if one is given, and waits for its permit. With `made_room`, a peer was evicted already.
    async fn permit_for_one(
        &self,
        ctx: &GuardContext,
        permits: Arc<Semaphore>,
        counted: Option<&Arc<str>>,
        made_room: bool,
    ) -> Option<OwnedSemaphorePermit> {
        if let Ok(permit) = Arc::clone(&permits).try_acquire_owned() {
            return Some(permit);
        }
        if !made_room {
            let evicted = Self::evict(&mut self.slots(), counted, |state| {
                let shared = state.shared.as_ref();
                shared.is_some_and(|shared| !shared.is_gone())
            });
            let _freed_now = end(evicted?.as_ref());
        }
        let freed = timeout(ctx.times.notify, permits.acquire_owned());
        freed.await.ok()?.ok()
    }

    /// Removes and returns the slot that has been unused longest, of all or of one caller.
    fn evict(
        slots: &mut HashMap<Context, Arc<Slot>>,
        counted: Option<&Arc<str>>,
        fits: impl Fn(&SlotState) -> bool,
    ) -> Option<Arc<Slot>> {
        let fitting = slots.iter();
        let fitting = fitting.filter(|(_, slot)| counted.is_none_or(|own| *own == slot.counted));
        let unused = fitting.filter_map(|(key, slot)| {
            let since = unused_since(slot, &fits)?;
            Some((since, key.clone()))
        });
        let (_, key) = unused.min_by_key(|(since, _)| *since)?;
        slots.remove(&key)
    }

    /// Ends peers that have been unused for `idle`. Processes stay: starting one may be expensive.
    pub(super) fn sweep(&self, idle: Duration) {
        if matches!(self.source, Source::Launch(_)) {
            return;
        }
        let now = Instant::now();
        let stale: Vec<Arc<Slot>> = {
            let mut slots = self.slots();
            let stale = slots.iter().filter(|(_, slot)| {
                let since = unused_since(slot, |_| true);
                since.is_some_and(|since| now.saturating_duration_since(since) >= idle)
            });
            let keys: Vec<Context> = stale.map(|(key, _)| key.clone()).collect();
            keys.iter().filter_map(|key| slots.remove(key)).collect()
        };
        for slot in stale {
            let _was_running = end(&slot);
        }
    }

    /// Ends the shared children, and waits up to `patience` until every child has ended.
    pub(super) async fn close(&self, patience: Duration) {
        let slots: Vec<Arc<Slot>> = self.slots().drain().map(|(_, slot)| slot).collect();
        let mut ending = Vec::new();
        for slot in slots {
            if let Some(shared) = slot.state.lock().await.shared.take() {
                shared.close();
                ending.push(shared);
            }
        }
        let all = u32::try_from(self.most).unwrap_or(u32::MAX);
        let ended = async {
            for shared in ending {
                shared.ended().await;
            }
            let permits = self.permits.all();
            let _never_closed = permits.acquire_many(all).await;
        };
        let _they_are_killed = timeout(patience, ended).await;
    }

    fn slots(&self) -> MutexGuard<'_, HashMap<Context, Arc<Slot>>> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Why a request gets no child.
pub(super) enum NoChild {
    /// There are too many.
    Limit(Limit),
    /// It could not be started.
    Failed(Fault),
    EndedTooOften,
}

impl From<Limit> for NoChild {
    fn from(limit: Limit) -> Self {
        Self::Limit(limit)
    }
}

impl std::fmt::Display for NoChild {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Limit(limit) => f.write_str(limit.text()),
            Self::Failed(fault) => fault.fmt(f),
            Self::EndedTooOften => f.write_str("the server has ended too often"),
        }
    }
}

/// Ends the peer of an unused slot that was removed from the map. Returns whether it was running.
fn end(slot: &Slot) -> bool {
    // Nothing else has the slot, so its lock is free.
    let shared = slot.state.try_lock().ok();
    let Some(shared) = shared.and_then(|mut state| state.shared.take()) else {
        return false;
    };
    let was_running = !shared.is_gone();
    shared.close();
    was_running
}

/// A request's use of a slot. A slot that got no peer is removed: it would take the place of one.
struct SlotUse<'p> {
    pool: &'p ProcessPool,
    key: &'p Context,
    slot: Arc<Slot>,
}

impl Drop for SlotUse<'_> {
    fn drop(&mut self) {
        let mut slots = self.pool.slots();
        // The map and this one; others that wait for its peer remove it themselves.
        let is_last = Arc::strong_count(&self.slot) == 2;
        let is_own = |slot: &Arc<Slot>| Arc::ptr_eq(slot, &self.slot);
        let state = self.slot.state.try_lock();
        let is_empty = state.is_ok_and(|state| state.shared.is_none());
        if is_last && is_empty && slots.get(self.key).is_some_and(is_own) {
            slots.remove(self.key);
        }
    }
}

/// The time since which a slot of the map is unused; `None` if it is in use. The caller holds the
/// lock of the map, so nothing takes the slot meanwhile.
fn unused_since(slot: &Arc<Slot>, fits: impl Fn(&SlotState) -> bool) -> Option<Instant> {
    if Arc::strong_count(slot) > 1 {
        return None;
    }
    let state = slot.state.try_lock().ok()?;
    (!state.is_in_use() && fits(&state)).then_some(state.used)
}
