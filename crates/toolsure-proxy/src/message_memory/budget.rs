//! The budget: who holds how many bytes, and who waits for more.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, timeout};

use super::bytes::{Bytes, Use};
use super::reader::Reader;
use super::slow::{Need, Slow};

/// A budget of bytes in flight. Clones share it; guards of one process should.
#[derive(Clone, Default)]
pub struct MessageMemory(Arc<Budget>);

struct Budget {
    total: AtomicUsize,
    /// The most that one caller may use.
    each: AtomicUsize,
    /// A copy of the sum in `state`, to read without the lock.
    used: AtomicUsize,
    state: Mutex<State>,
    next: AtomicU64,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            total: AtomicUsize::new(usize::MAX),
            each: AtomicUsize::new(usize::MAX),
            used: AtomicUsize::new(0),
            state: Mutex::default(),
            next: AtomicU64::new(0),
        }
    }
}

#[derive(Default)]
pub(super) struct State {
    pub(super) all: Bytes,
    callers: HashMap<Arc<str>, Bytes>,
    /// Clients that have something to read, by holder.
    pub(super) readers: HashMap<u64, Reader>,
    /// Messages that wait until they may be read, in the order in which they came.
    waiting: BTreeMap<u64, Waiting>,
    /// The message that was last read further without room.
    exceeded: Option<Exceeded>,
    /// When somebody last looked for slow readers.
    looked: Option<Instant>,
}

/// A message that is read further without room.
struct Exceeded {
    since: Instant,
    holder: u64,
    /// What is reserved for it.
    held: usize,
}

/// A message that waits until more of it may be read.
struct Waiting {
    holder: Holder,
    more: usize,
    /// What is reserved for it already.
    held: usize,
    since: Instant,
    /// Whether it has what it waits for.
    is_granted: bool,
    granted: Arc<Notify>,
}

/// One party that has bytes in flight.
#[derive(Clone)]
pub(crate) struct Holder {
    pub(super) budget: MessageMemory,
    pub(super) id: u64,
    /// Empty if it is not known for whom the bytes are.
    pub(super) caller: Arc<str>,
    /// Ends the client's connection.
    close: Arc<Notify>,
}

/// Bytes in flight, until this is dropped.
pub(crate) struct Held {
    pub(super) holder: Holder,
    pub(super) bytes: usize,
    pub(super) of: Use,
}

/// Which limit is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Full {
    Total,
    /// The caller's share.
    Caller,
}

impl Waiting {
    /// Whether it needs nothing but that the total is not reached.
    fn is_small(&self) -> bool {
        self.more == 0
    }
}

impl State {
    pub(super) fn of(&self, caller: &str) -> Bytes {
        self.callers.get(caller).copied().unwrap_or_default()
    }
}

impl MessageMemory {
    /// Sets the total and the most that one caller may use.
    pub(crate) fn limit(&self, total: usize, each: usize) {
        self.0.total.store(total, Ordering::Release);
        self.0.each.store(each, Ordering::Release);
    }

    /// The holder for messages whose receiver is not known yet.
    pub(crate) fn of_nobody(&self) -> Holder {
        self.of("".into(), Arc::default())
    }

    /// The holder for messages to and from a client; `close` ends its connection.
    pub(crate) fn of(&self, caller: Arc<str>, close: Arc<Notify>) -> Holder {
        Holder {
            budget: self.clone(),
            id: self.next(),
            caller,
            close,
        }
    }

    fn next(&self) -> u64 {
        self.0.next.fetch_add(1, Ordering::Relaxed)
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn total(&self) -> usize {
        self.0.total.load(Ordering::Acquire)
    }

    /// What messages may use that are not small. The rest is for small ones, so that they need not
    /// wait for slow readers of large ones.
    fn most(&self) -> usize {
        let total = self.total();
        total.saturating_sub(total / 4)
    }

    pub(super) fn each(&self) -> usize {
        self.0.each.load(Ordering::Acquire)
    }

    /// Which limit a message waits for, if it does.
    fn hindered(&self, state: &State, waiting: &Waiting) -> Option<Full> {
        let (holder, more, held) = (&waiting.holder, waiting.more, waiting.held);
        if waiting.is_small() {
            return (state.all.sum() >= self.total()).then_some(Full::Total);
        }
        if !holder.caller.is_empty() {
            let own = state.of(&holder.caller);
            if !own.admits(more, held, self.each()) {
                return Some(Full::Caller);
            }
        }
        (!state.all.admits(more, held, self.most())).then_some(Full::Total)
    }

    pub(super) fn add(&self, state: &mut State, holder: &Holder, of: Use, bytes: usize) {
        let change = |sum: &mut Bytes| *sum.of(of) = sum.of(of).saturating_add(bytes);
        change(&mut state.all);
        if bytes > 0 && !holder.caller.is_empty() {
            change(state.callers.entry(Arc::clone(&holder.caller)).or_default());
        }
        self.0.used.store(state.all.sum(), Ordering::Release);
    }

    pub(super) fn remove(&self, state: &mut State, holder: &Holder, of: Use, bytes: usize) {
        let change = |sum: &mut Bytes| *sum.of(of) = sum.of(of).saturating_sub(bytes);
        change(&mut state.all);
        if let Some(own) = state.callers.get_mut(&holder.caller) {
            change(own);
            if own.is_empty() {
                state.callers.remove(&holder.caller);
            }
        }
        self.0.used.store(state.all.sum(), Ordering::Release);
        if bytes > 0 {
            self.grant(state);
        }
    }

    /// Lets go on what may: first what is small or half read, then in the order in which they came.
    fn grant(&self, state: &mut State) {
        if state.waiting.is_empty() {
            return;
        }
        for goes_first in [true, false] {
            let waiting = state.waiting.iter();
            let waiting = waiting
                .filter(|(_, it)| !it.is_granted && (it.held > 0 || it.is_small()) == goes_first);
            let waiting: Vec<u64> = waiting.map(|(id, _)| *id).collect();
            for id in waiting {
                let Some(it) = state.waiting.get(&id) else {
                    continue;
                };
                match self.hindered(state, it) {
                    None => self.grant_to(state, id),
                    Some(Full::Caller) => {}
                    // A later one that needs less must not overtake it for ever.
                    Some(Full::Total) if !goes_first => break,
                    Some(Full::Total) => {}
                }
            }
        }
    }

    fn grant_to(&self, state: &mut State, id: u64) {
        let Some(it) = state.waiting.get_mut(&id) else {
            return;
        };
        it.is_granted = true;
        it.granted.notify_one();
        let (holder, more) = (it.holder.clone(), it.more);
        self.add(state, &holder, Use::Reading, more);
    }

    /// Looks for what stands in the way of those that have waited for a while.
    fn look(&self) {
        let now = Instant::now();
        let mut state = self.state();
        let is_soon = |at: Instant| now.saturating_duration_since(at) < LOOK_AGAIN;
        if state.looked.is_some_and(is_soon) {
            return;
        }
        state.looked = Some(now);
        self.let_one_exceed(&mut state, now);
        self.close_slow(&mut state, now);
    }

    /// Lets a message that is half read go on without room, if only such messages have the bytes that
    /// it waits for: they must not wait for each other.
    fn let_one_exceed(&self, state: &mut State, now: Instant) {
        let is_soon = |it: &Exceeded| now.saturating_duration_since(it.since) < BETWEEN_EXCEEDED;
        if state.exceeded.as_ref().is_some_and(is_soon) {
            return;
        }
        let one = state.waiting.iter().find(|(_, it)| {
            let waited = now.saturating_duration_since(it.since);
            waited >= BEFORE_EXCEEDED && self.may_exceed(state, it)
        });
        if let Some(id) = one.map(|(id, _)| *id) {
            self.exceed(state, id, now);
        }
    }

    /// Lets a message go on if it is the one that was last read further without room: it is of no use to
    /// anybody until it is whole.
    fn let_go_on(&self, state: &mut State, id: u64) {
        let is_last = |it: &Waiting| {
            let last = state.exceeded.as_ref();
            last.is_some_and(|last| last.holder == it.holder.id && last.held == it.held)
        };
        let waiting = state.waiting.get(&id).filter(|it| is_last(it));
        if waiting.is_some_and(|it| self.may_exceed(state, it)) {
            self.exceed(state, id, Instant::now());
        }
    }

    /// Whether a message that waits is half read, and at most about one message would be above the limit.
    fn may_exceed(&self, state: &State, it: &Waiting) -> bool {
        let (bytes, limit) = match self.hindered(state, it) {
            Some(Full::Total) => (state.all, self.most()),
            Some(Full::Caller) => (state.of(&it.holder.caller), self.each()),
            None => return false,
        };
        let others = bytes.sum().saturating_sub(it.held);
        it.held > 0 && !it.is_granted && bytes.answers == 0 && others <= limit
    }

    fn exceed(&self, state: &mut State, id: u64, since: Instant) {
        state.exceeded = state.waiting.get(&id).map(|it| Exceeded {
            since,
            holder: it.holder.id,
            held: it.held.saturating_add(it.more),
        });
        self.grant_to(state, id);
    }

    /// Closes the slowest readers until those have room that have waited for [`WINDOW`].
    fn close_slow(&self, state: &mut State, now: Instant) {
        let mut total = Need::default();
        let mut callers: HashMap<Arc<str>, Need> = HashMap::new();
        for it in state.waiting.values().filter(|it| !it.is_granted) {
            let waited = now.saturating_duration_since(it.since);
            match self.hindered(state, it) {
                Some(Full::Caller) => {
                    let of_caller = callers.entry(Arc::clone(&it.holder.caller));
                    of_caller.or_default().add(it.more, waited);
                }
                Some(Full::Total) => total.add(it.more.max(1), waited),
                None => {}
            }
        }
        let slow = Slow::of(&state.readers, now);
        for (caller, need) in callers {
            let limits = (state.of(&caller), self.each());
            slow.close(&mut state.readers, need, limits, |it| it.caller == caller);
        }
        // Readers of a caller above its share go first, and at once: only because its server has other
        // callers too, it was not held back.
        let limits = (state.all, self.most());
        let (each, callers) = (self.each(), &state.callers);
        let is_above = |it: &Reader| callers.get(&it.caller).is_some_and(|own| own.sum() > each);
        let at_once = Need {
            overdue: total.all,
            ..total
        };
        slow.close(&mut state.readers, at_once, limits, is_above);
        slow.close(&mut state.readers, total, limits, |_| true);
    }

    #[cfg(test)]
    pub(crate) fn assert_empty(&self) {
        let state = self.state();
        assert!(state.all.is_empty() && state.callers.is_empty());
        assert!(state.readers.is_empty() && state.waiting.is_empty());
        assert_eq!(self.0.used.load(Ordering::Acquire), 0);
    }
}

impl fmt::Debug for MessageMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MessageMemory").finish_non_exhaustive()
    }
}

impl Holder {
    /// Holds no bytes yet, for the body of a request.
    pub(crate) fn request(&self) -> Held {
        self.held(Use::Request, 0)
    }

    /// Holds bytes that are in memory already, for the client to read.
    pub(crate) fn answer(&self, bytes: usize) -> Held {
        let mut state = self.budget.state();
        self.budget.add(&mut state, self, Use::Answer, bytes);
        let reader = state.readers.entry(self.id).or_insert_with(|| {
            let (caller, close) = (Arc::clone(&self.caller), Arc::clone(&self.close));
            Reader::new(caller, close, Instant::now())
        });
        reader.bytes = reader.bytes.saturating_add(bytes);
        drop(state);
        self.held(Use::Answer, bytes)
    }

    /// Whether even small messages have to wait.
    pub(super) fn is_full(&self) -> bool {
        let budget = &self.budget.0;
        budget.used.load(Ordering::Acquire) >= self.budget.total()
    }

    /// Waits until a small message may be read.
    pub(super) async fn may_read(&self) {
        if self.is_full() {
            drop(self.reserve(0, 0).await);
        }
    }

    /// Waits until `more` of a message may be read, for which `held` is reserved. Cancel safe.
    pub(super) async fn reserve(&self, more: usize, held: usize) -> Held {
        let granted = Arc::new(Notify::new());
        let waiting = {
            let mut state = self.budget.state();
            let id = self.budget.next();
            let waiting = Waiting {
                holder: self.clone(),
                more,
                held,
                since: Instant::now(),
                is_granted: false,
                granted: Arc::clone(&granted),
            };
            state.waiting.insert(id, waiting);
            self.budget.grant(&mut state);
            self.budget.let_go_on(&mut state, id);
            InQueue(&self.budget, id)
        };
        loop {
            if waiting.is_granted() {
                break;
            }
            if timeout(LOOK_AGAIN, granted.notified()).await.is_err() {
                self.budget.look();
            }
        }
        waiting.leave();
        self.held(Use::Reading, more)
    }

    fn held(&self, of: Use, bytes: usize) -> Held {
        Held {
            holder: self.clone(),
            bytes,
            of,
        }
    }
}

/// A place in the queue, which is given up when this is dropped.
struct InQueue<'a>(&'a MessageMemory, u64);

impl InQueue<'_> {
    fn is_granted(&self) -> bool {
        let state = self.0.state();
        state.waiting.get(&self.1).is_some_and(|it| it.is_granted)
    }

    /// Leaves with what was granted.
    fn leave(self) {
        self.0.state().waiting.remove(&self.1);
    }
}

impl Drop for InQueue<'_> {
    fn drop(&mut self) {
        let mut state = self.0.state();
        let Some(it) = state.waiting.remove(&self.1) else {
            return;
        };
        match it.is_granted {
            true => self.0.remove(&mut state, &it.holder, Use::Reading, it.more),
            // Others may have waited for its turn.
            false => self.0.grant(&mut state),
        }
    }
}

impl fmt::Debug for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Holder").finish_non_exhaustive()
    }
}

/// How often those that wait look for what stands in their way.
const LOOK_AGAIN: Duration = Duration::from_millis(250);
/// How long a message that is half read waits before it may exceed the budget.
const BEFORE_EXCEEDED: Duration = Duration::from_secs(1);
/// The time between two messages that exceed the budget.
const BETWEEN_EXCEEDED: Duration = Duration::from_secs(1);

#[cfg(test)]
#[path = "budget_tests.rs"]
mod tests;
