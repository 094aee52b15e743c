//! Ordered worker pool: one thread adds work, many do it, and one takes the results in order.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// The queue of a pool. It holds at most `room` pieces of work at a time, done or not.
pub(super) struct Belt<W, D> {
    state: Mutex<State<W, D>>,
    changed: Condvar,
    room: usize,
}

struct State<W, D> {
    waiting: VecDeque<(usize, W)>,
    done: BTreeMap<usize, D>,
    /// Pieces of work that were added, and results that were taken.
    brought: usize,
    taken: usize,
    /// No more work is added.
    ended: bool,
    /// Nobody takes results any more, or a worker panicked.
    stopped: bool,
}

impl<W, D> Belt<W, D> {
    pub(super) fn new(room: usize) -> Self {
        Self {
            state: Mutex::new(State {
                waiting: VecDeque::new(),
                done: BTreeMap::new(),
                brought: 0,
                taken: 0,
                ended: false,
                stopped: false,
            }),
            changed: Condvar::new(),
            room,
        }
    }

    /// Adds a piece of work once there is room; returns `false` if the pool has stopped.
    pub(super) fn bring(&self, work: W) -> bool {
        let full = |state: &State<W, D>| state.brought - state.taken >= self.room;
        let mut state = self.wait(|state| !state.stopped && full(state));
        if state.stopped {
            return false;
        }
        let number = state.brought;
        state.waiting.push_back((number, work));
        state.brought += 1;
        self.changed.notify_all();
        true
    }

    /// Ends the work: nothing more is added.
    pub(super) fn end(&self) {
        self.state().ended = true;
        self.changed.notify_all();
    }

    /// Stops the pool; nobody waits any longer.
    pub(super) fn stop(&self) {
        self.state().stopped = true;
        self.changed.notify_all();
    }

    /// Does work until there is no more, or the pool stops.
    pub(super) fn work(&self, mut how: impl FnMut(W) -> D) {
        let _guard = StopOnPanic(self);
        loop {
            let idle = |state: &State<W, D>| state.waiting.is_empty() && !state.ended;
            let mut state = self.wait(|state| !state.stopped && idle(state));
            let Some((number, work)) = state.waiting.pop_front().filter(|_| !state.stopped) else {
                return;
            };
            drop(state);
            let done = how(work);
            self.state().done.insert(number, done);
            self.changed.notify_all();
        }
    }

    /// Takes the next result, in the order in which the work was added. Calls `pause` before it
    /// waits. `None` if all results are taken, or if the pool has stopped.
    pub(super) fn take(&self, pause: impl FnOnce()) -> Option<D> {
        let here = |state: &State<W, D>| {
            let over = state.ended && state.taken == state.brought;
            state.done.contains_key(&state.taken) || over || state.stopped
        };
        if !here(&self.state()) {
            pause();
        }
        let mut state = self.wait(|state| !here(state));
        let next = state.taken;
        let done = state.done.remove(&next)?;
        state.taken += 1;
        self.changed.notify_all();
        Some(done)
    }

    fn state(&self) -> MutexGuard<'_, State<W, D>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait(&self, until_not: impl Fn(&State<W, D>) -> bool) -> MutexGuard<'_, State<W, D>> {
        self.changed
            .wait_while(self.state(), |state| until_not(state))
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// Stops the pool if a worker panics, so that nobody waits for its result.
struct StopOnPanic<'b, W, D>(&'b Belt<W, D>);

impl<W, D> Drop for StopOnPanic<'_, W, D> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.stop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_leaves_in_the_order_in_which_it_came() {
        let belt = Belt::new(3);
        let mut taken = Vec::new();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| belt.work(|n: u32| n * 2));
            }
            scope.spawn(|| {
                for n in 0..1_000 {
                    assert!(belt.bring(n));
                }
                belt.end();
            });
            while let Some(done) = belt.take(|| ()) {
                taken.push(done);
            }
        });
        assert_eq!(taken, (0..1_000).map(|n| n * 2).collect::<Vec<_>>());
    }

    #[test]
    fn nobody_waits_once_it_is_stopped() {
        let belt = Belt::new(1);
        std::thread::scope(|scope| {
            scope.spawn(|| belt.work(|n: u32| n));
            let bringer = scope.spawn(|| (0..1_000).take_while(|n| belt.bring(*n)).count());
            assert_eq!(belt.take(|| ()), Some(0));
            belt.stop();
            assert!(bringer.join().unwrap() < 1_000);
            assert!(!belt.bring(7));
        });
    }
}
