//! The timer for the heads of the requests on one connection.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::rt::{Sleep, Timer};
use tokio::time::Instant;

/// Makes the deadlines that hyper asks for, one for each request head: `head` after the first byte of the
/// head, and before that, `reuse` after the request before it (`head` for the first request). They
/// share one entry in tokio's timer, because a new entry for each request would wake the runtime,
/// to tell it that something is due earlier.
#[derive(Clone, Debug)]
pub(super) struct HeadTimer {
    head: Duration,
    reuse: Duration,
    state: Arc<Mutex<State>>,
}

#[derive(Debug)]
struct State {
    /// It fires at the deadline, or earlier, at that of a request that is over.
    alarm: Pin<Box<tokio::time::Sleep>>,
    /// Whether the next head is that of the first request.
    is_first: bool,
    /// When the head began to arrive that hyper waits for.
    begun: Option<Instant>,
}

struct Deadline {
    /// When the wait for the head ends, if no byte of it arrives.
    unbegun: Instant,
    head: Duration,
    state: Arc<Mutex<State>>,
}

impl HeadTimer {
    pub(super) fn new(head: Duration, reuse: Duration) -> Self {
        let state = State {
            alarm: Box::pin(tokio::time::sleep(head)),
            is_first: true,
            begun: None,
        };
        Self {
            head,
            reuse,
            state: Arc::new(Mutex::new(state)),
        }
    }

    /// Notes that bytes have arrived.
    pub(super) fn arrived(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.begun.get_or_insert_with(Instant::now);
    }
}

impl Timer for HeadTimer {
    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Sleep>> {
        self.sleep_until(self.now() + duration)
    }

    /// `deadline` is `head` after now, since that is what hyper was told.
    fn sleep_until(&self, deadline: std::time::Instant) -> Pin<Box<dyn Sleep>> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.begun = None;
        let more = match std::mem::take(&mut state.is_first) {
            true => Duration::ZERO,
            false => self.reuse.saturating_sub(self.head),
        };
        drop(state);
        Box::pin(Deadline {
            unbegun: Instant::from(deadline) + more,
            head: self.head,
            state: Arc::clone(&self.state),
        })
    }

    fn now(&self) -> std::time::Instant {
        Instant::now().into()
    }
}

impl Sleep for Deadline {}

impl Future for Deadline {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let at = state.begun.map_or(self.unbegun, |begun| begun + self.head);
        let alarm = &mut state.alarm;
        if alarm.deadline() > at {
            alarm.as_mut().reset(at);
        }
        while alarm.as_mut().poll(context).is_ready() {
            if alarm.deadline() >= at {
                return Poll::Ready(());
            }
            alarm.as_mut().reset(at);
        }
        Poll::Pending
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[tokio::test(start_paused = true)]
    async fn each_deadline_is_kept_to() {
        let timer = HeadTimer::new(10 * SECOND, 10 * SECOND);
        let begun = Instant::now();
        // First later than the alarm, as after a slow request, then earlier.
        for (dropped, seconds) in [(10, 17), (40, 3), (1, 10)] {
            drop(timer.sleep(dropped * SECOND));
            let before = begun.elapsed();
            timer.sleep(seconds * SECOND).await;
            let took = begun.elapsed().saturating_sub(before);
            assert_eq!(took.as_secs(), u64::from(seconds), "{took:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_head_that_has_begun_has_less_time_than_a_connection_that_waits() {
        let timer = HeadTimer::new(10 * SECOND, 75 * SECOND);
        let begun = Instant::now();
        timer.sleep(10 * SECOND).await;
        assert_eq!(begun.elapsed().as_secs(), 10);
        timer.sleep(10 * SECOND).await;
        assert_eq!(begun.elapsed().as_secs(), 85);
        let waiting = timer.sleep(10 * SECOND);
        let arriving = async {
            tokio::time::sleep(30 * SECOND).await;
            timer.arrived();
            tokio::time::sleep(5 * SECOND).await;
            timer.arrived();
        };
        // hyper polls it whenever bytes arrive.
        let mut waiting = waiting;
        tokio::select! {
            () = &mut waiting => panic!("it was over early"),
            () = arriving => {}
        }
        waiting.await;
        assert_eq!(begun.elapsed().as_secs(), 125);
    }
}
