//! A waker for work that a task polls itself. If the work wakes itself while it is polled, it is
//! polled again at once, and the task is not scheduled again.

use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Wake, Waker};

/// Passes wake-ups on to the task, except those that come while the task polls the work.
#[derive(Debug)]
pub(super) struct Relay {
    state: AtomicU8,
    task: Mutex<Waker>,
}

impl Relay {
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self {
            state: AtomicU8::new(RESTING),
            task: Mutex::new(Waker::noop().clone()),
        })
    }

    /// Polls the work until it has a result or waits for an external event.
    pub(super) fn drive<T>(
        self: &Arc<Self>,
        context: &Context<'_>,
        mut work: impl FnMut(&mut Context<'_>) -> Poll<T>,
    ) -> Poll<T> {
        self.task
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone_from(context.waker());
        let waker = Waker::from(Arc::clone(self));
        let mut inner = Context::from_waker(&waker);
        for _ in 0..ROUNDS {
            self.state.store(DRIVEN, Ordering::Release);
            if let Poll::Ready(done) = work(&mut inner) {
                self.state.store(RESTING, Ordering::Release);
                return Poll::Ready(done);
            }
            let ended =
                self.state
                    .compare_exchange(DRIVEN, RESTING, Ordering::AcqRel, Ordering::Acquire);
            if ended.is_ok() {
                return Poll::Pending;
            }
        }
        // The work keeps waking itself: let other tasks run first.
        self.state.store(RESTING, Ordering::Release);
        context.waker().wake_by_ref();
        Poll::Pending
    }
}

impl Wake for Relay {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        let woken = self
            .state
            .compare_exchange(DRIVEN, WOKEN, Ordering::AcqRel, Ordering::Acquire);
        if woken == Err(RESTING) {
            let task = self.task.lock().unwrap_or_else(PoisonError::into_inner);
            task.wake_by_ref();
        }
    }
}

/// The work is not being polled: a wake-up goes to the task.
const RESTING: u8 = 0;
/// The work is being polled.
const DRIVEN: u8 = 1;
/// The work is being polled, and was woken in the meantime.
const WOKEN: u8 = 2;
/// How often work that wakes itself is polled before other tasks run.
const ROUNDS: usize = 8;

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use super::*;

    #[derive(Default)]
    struct Counted(AtomicUsize);

    impl Wake for Counted {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn only_what_wakes_from_outside_wakes_the_task() {
        let counted = Arc::new(Counted::default());
        let waker = Waker::from(Arc::clone(&counted));
        let context = Context::from_waker(&waker);
        let relay = Relay::new();
        let mut kept = None;
        let mut rounds = 0;
        let pending: Poll<()> = relay.drive(&context, |inner| {
            rounds += 1;
            if rounds == 1 {
                inner.waker().wake_by_ref();
            }
            kept = Some(inner.waker().clone());
            Poll::Pending
        });
        assert!(pending.is_pending());
        assert_eq!((rounds, counted.0.load(Ordering::Relaxed)), (2, 0));
        kept.unwrap().wake();
        assert_eq!(counted.0.load(Ordering::Relaxed), 1);
        // An earlier wake-up does not count as a new one.
        assert_eq!(relay.drive(&context, |_| Poll::Ready(1)), Poll::Ready(1));
        assert_eq!(counted.0.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn work_that_wakes_itself_without_end_lets_others_have_their_turn() {
        let counted = Arc::new(Counted::default());
        let waker = Waker::from(Arc::clone(&counted));
        let mut rounds = 0;
        let pending: Poll<()> = Relay::new().drive(&Context::from_waker(&waker), |inner| {
            rounds += 1;
            inner.waker().wake_by_ref();
            Poll::Pending
        });
        assert!(pending.is_pending());
        assert_eq!((rounds, counted.0.load(Ordering::Relaxed)), (ROUNDS, 1));
    }
}
