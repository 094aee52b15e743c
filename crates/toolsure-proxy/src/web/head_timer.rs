//! The timer for the heads of the requests on one connection.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::rt::{Sleep, Timer};
use tokio::time::Instant;

/// Makes the deadlines that hyper asks for, one for each request head. They share one entry in
/// tokio's timer, because a new entry for each request would wake the runtime, to tell it that
/// something is due earlier.
#[derive(Clone, Debug)]
pub(super) struct HeadTimer(Arc<Alarm>);

type Alarm = Mutex<Pin<Box<tokio::time::Sleep>>>;

struct Deadline {
    at: Instant,
    /// The shared timer. It fires at this deadline, or earlier, at that of a request that is over.
    alarm: Arc<Alarm>,
}

impl HeadTimer {
    /// `first` is the approximate time to the first deadline.
    pub(super) fn new(first: Duration) -> Self {
        Self(Arc::new(Mutex::new(Box::pin(tokio::time::sleep(first)))))
    }
}

impl Timer for HeadTimer {
    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Sleep>> {
        self.sleep_until(self.now() + duration)
    }

    fn sleep_until(&self, deadline: std::time::Instant) -> Pin<Box<dyn Sleep>> {
        Box::pin(Deadline {
            at: deadline.into(),
            alarm: Arc::clone(&self.0),
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
        let mut alarm = self.alarm.lock().unwrap_or_else(PoisonError::into_inner);
        if alarm.deadline() > self.at {
            alarm.as_mut().reset(self.at);
        }
        while alarm.as_mut().poll(context).is_ready() {
            if alarm.deadline() >= self.at {
                return Poll::Ready(());
            }
            alarm.as_mut().reset(self.at);
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
        let timer = HeadTimer::new(10 * SECOND);
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
}
