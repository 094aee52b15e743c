//! A belt between one who brings work, many who do it, and one who takes it away in order.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Work on its way. At most `room` pieces are on it at a time, done or not.
pub(super) struct Belt<W, D> {
    state: Mutex<State<W, D>>,
    changed: Condvar,
    room: usize,
}

struct State<W, D> {
    waiting: VecDeque<(usize, W)>,
    done: BTreeMap<usize, D>,
    /// Pieces brought and taken away so far.
    brought: usize,
    taken: usize,
    /// Nothing more is brought.
    ended: bool,
    /// Nobody takes anything away any more, or a worker panicked.
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

    /// Puts a piece of work on the belt once there is room; says whether anybody wants more.
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

    /// Nothing more is brought.
    pub(super) fn end(&self) {
        self.state().ended = true;
        self.changed.notify_all();
    }

    /// Whoever waits goes home.
    pub(super) fn stop(&self) {
        self.state().stopped = true;
        self.changed.notify_all();
    }

    /// Does work until there is no more.
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

    /// Takes away the next piece in the order in which they were brought. `pause` is called
    /// before a wait. `None` when all are taken away.
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

/// A worker that panics must not let the others wait for what it had in hand.
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
