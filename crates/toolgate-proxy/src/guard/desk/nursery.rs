//! Children for clients over HTTP: how they are had, which of them modern clients share, and when
//! a shared one is ended.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hyper::header::{AUTHORIZATION, HeaderMap};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout};
use toolgate_guard::{Context, Peer};

use crate::guard::child::{Child, Restarts, Source};
use crate::guard::inner::Caller;
use crate::guard::mux::Shared;
use crate::guard::names::caller::shown;
use crate::guard::options::Restart;
use crate::guard::porter::{House, bearer};
use crate::http::Standing;

/// How children are had.
pub(in crate::guard) struct Nursery {
    source: Source,
    restart: Restart,
    /// What modern clients share: one process for all, a peer in this process for each
    /// authorization.
    berths: Mutex<HashMap<Context, Arc<Berth>>>,
    most: usize,
    slots: Arc<Semaphore>,
}

struct Berth {
    state: tokio::sync::Mutex<Occupancy>,
}

struct Occupancy {
    shared: Option<Arc<Shared>>,
    restarts: Restarts,
    used: Instant,
}

impl Occupancy {
    /// Whether somebody has it in hand besides its berth and the task that reads it.
    fn is_in_use(&self) -> bool {
        let shared = self.shared.as_ref();
        shared.is_some_and(|shared| !shared.is_gone() && Arc::strong_count(shared) > 2)
    }
}

impl Nursery {
    pub(in crate::guard) fn new(source: Source, restart: Restart, most: usize) -> Self {
        Self {
            source,
            restart,
            berths: Mutex::default(),
            most,
            slots: Arc::new(Semaphore::new(most)),
        }
    }

    /// The place of one more child; `None` if there is none.
    pub(super) fn place(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.slots).try_acquire_owned().ok()
    }

    /// Whether a session with a child can go on with one that another replica opens.
    pub(super) fn moves(&self) -> bool {
        match &self.source {
            Source::Launch(_) => false,
            Source::Inner(inner) => inner.moves(),
        }
    }

    pub(super) fn start(
        &self,
        house: &Arc<House>,
        caller: &Caller,
    ) -> Result<(Child, Arc<crate::guard::child::Input>), crate::fault::Fault> {
        Child::start(house, &self.source, caller)
    }

    /// The child that a modern client uses, started if there is none; `number` is for what is
    /// known of a new one.
    pub(super) async fn shared(
        &self,
        house: &Arc<House>,
        headers: &HeaderMap,
        number: u64,
    ) -> Result<Arc<Shared>, String> {
        let (key, caller) = match &self.source {
            Source::Launch(_) => (Context::Anonymous, Caller::default()),
            Source::Inner(_) => {
                let authorization = headers.get(AUTHORIZATION);
                let caller = Caller::new(authorization).standing_for(Standing::Everybody);
                // Many share it, from many addresses.
                let caller = caller.recorded_as(Arc::new(Peer {
                    caller: shown(headers).map(Into::into),
                    ..Peer::default()
                }));
                (bearer(authorization), caller)
            }
        };
        let (berth, evicted) = self.berth(&key).ok_or(TOO_MANY)?;
        let made_room = evicted.is_some();
        if let Some(evicted) = evicted {
            end(&evicted).await;
        }
        let mut state = berth.state.lock().await;
        state.used = Instant::now();
        if let Some(shared) = state.shared.as_ref().filter(|shared| !shared.is_gone()) {
            return Ok(Arc::clone(shared));
        }
        if state.shared.is_some() {
            let pause = state.restarts.next();
            tokio::time::sleep(pause.ok_or("the server has ended too often")?).await;
        }
        let place = match &self.source {
            // Sessions have the other places, and end by themselves.
            Source::Launch(_) => self.place(),
            Source::Inner(_) => self.place_for_one(house, made_room).await,
        };
        let place = place.ok_or(TOO_MANY)?;
        let started = self.start(house, &caller);
        let (child, input) = started.map_err(|fault| fault.to_string())?;
        let fresh = Shared::new(house, input, number, (key, caller));
        tokio::spawn(Arc::clone(&fresh).talk(child, place));
        state.shared = Some(Arc::clone(&fresh));
        Ok(fresh)
    }

    /// The berth of an authorization; a new one takes the place of what has been unused longest if
    /// there are too many, and that is to be ended. `None` if all are in use.
    fn berth(&self, key: &Context) -> Option<(Arc<Berth>, Option<Arc<Berth>>)> {
        let mut berths = self.berths();
        if let Some(berth) = berths.get(key) {
            return Some((Arc::clone(berth), None));
        }
        let mut evicted = None;
        if berths.len() >= self.most {
            evicted = Some(Self::evict(&mut berths, |_| true)?);
        }
        let berth = Arc::new(Berth {
            state: tokio::sync::Mutex::new(Occupancy {
                shared: None,
                restarts: Restarts::new(self.restart),
                used: Instant::now(),
            }),
        });
        berths.insert(key.clone(), Arc::clone(&berth));
        Some((berth, evicted))
    }

    /// A place, if need be that of a peer which nobody uses; unless one `made_room` already, whose
    /// place comes free when it has ended.
    async fn place_for_one(&self, house: &House, made_room: bool) -> Option<OwnedSemaphorePermit> {
        if let Some(place) = self.place() {
            return Some(place);
        }
        if !made_room {
            let evicted = Self::evict(&mut self.berths(), |state| {
                let shared = state.shared.as_ref();
                shared.is_some_and(|shared| !shared.is_gone())
            });
            end(evicted?.as_ref()).await;
        }
        let freed = Arc::clone(&self.slots).acquire_owned();
        timeout(house.times.notify, freed).await.ok()?.ok()
    }

    /// Takes out what has been unused longest.
    fn evict(
        berths: &mut HashMap<Context, Arc<Berth>>,
        fits: impl Fn(&Occupancy) -> bool,
    ) -> Option<Arc<Berth>> {
        let unused = berths.iter().filter_map(|(key, berth)| {
            let since = unused_since(berth, &fits)?;
            Some((since, key.clone()))
        });
        let (_, key) = unused.min_by_key(|(since, _)| *since)?;
        berths.remove(&key)
    }

    /// Ends peers that nobody has used for a while. A process stays: its start may be dear.
    pub(super) async fn sweep(&self, idle: Duration) {
        if matches!(self.source, Source::Launch(_)) {
            return;
        }
        let now = Instant::now();
        let stale: Vec<Arc<Berth>> = {
            let mut berths = self.berths();
            let stale = berths.iter().filter(|(_, berth)| {
                let since = unused_since(berth, |_| true);
                since.is_some_and(|since| now.saturating_duration_since(since) >= idle)
            });
            let keys: Vec<Context> = stale.map(|(key, _)| key.clone()).collect();
            keys.iter().filter_map(|key| berths.remove(key)).collect()
        };
        for berth in stale {
            end(&berth).await;
        }
    }

    /// Ends what modern clients share, and waits until every child has ended, within `patience`.
    pub(super) async fn close(&self, patience: Duration) {
        let berths: Vec<Arc<Berth>> = self.berths().drain().map(|(_, berth)| berth).collect();
        let mut ending = Vec::new();
        for berth in berths {
            if let Some(shared) = berth.state.lock().await.shared.take() {
                shared.close().await;
                ending.push(shared);
            }
        }
        let all = u32::try_from(self.most).unwrap_or(u32::MAX);
        let ended = async {
            for shared in ending {
                shared.ended().await;
            }
            let _never_closed = self.slots.acquire_many(all).await;
        };
        let _they_are_killed = timeout(patience, ended).await;
    }

    fn berths(&self) -> MutexGuard<'_, HashMap<Context, Arc<Berth>>> {
        self.berths.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What is said where no child may be started.
pub(super) const TOO_MANY: &str = "too many children";

/// Ends the peer of a berth that nobody finds any more.
async fn end(berth: &Berth) {
    let shared = berth.state.lock().await.shared.take();
    if let Some(shared) = shared {
        shared.close().await;
    }
}

/// Since when a berth of the map is unused; `None` if it is in use. Who wants to use it takes it
/// from the map first, whose lock the caller holds.
fn unused_since(berth: &Arc<Berth>, fits: impl Fn(&Occupancy) -> bool) -> Option<Instant> {
    if Arc::strong_count(berth) > 1 {
        return None;
    }
    let state = berth.state.try_lock().ok()?;
    (!state.is_in_use() && fits(&state)).then_some(state.used)
}
