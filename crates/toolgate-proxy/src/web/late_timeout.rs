//! A deadline for work that is mostly done at once.

use std::future::Future;
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use tokio::time::error::Elapsed;
use tokio::time::timeout;

/// As [`timeout`], but the timer is made when the work is not done the second time that it is
/// looked at. A body that came with its head is there by then: hyper reads it when it is asked for.
///
/// # Errors
///
/// The work was not done in time.
pub(crate) async fn late_timeout<F: Future>(
    limit: Duration,
    work: F,
) -> Result<F::Output, Elapsed> {
    let mut work = pin!(work);
    let mut looked = false;
    let early = std::future::poll_fn(|context| match work.as_mut().poll(context) {
        Poll::Ready(done) => Poll::Ready(Some(done)),
        Poll::Pending if looked => Poll::Ready(None),
        Poll::Pending => {
            looked = true;
            // The deadline must not depend on somebody else waking this task.
            context.waker().wake_by_ref();
            Poll::Pending
        }
    });
    match early.await {
        Some(done) => Ok(done),
        None => timeout(limit, work).await,
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::{Instant, sleep};

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn work_that_nobody_wakes_is_given_up_in_time() {
        let second = Duration::from_secs(1);
        let begun = Instant::now();
        let never = late_timeout(second, std::future::pending::<()>()).await;
        assert!(never.is_err());
        assert_eq!(begun.elapsed().as_secs(), 1);
        assert!(late_timeout(3 * second, sleep(second)).await.is_ok());
        assert!(late_timeout(second, std::future::ready(())).await.is_ok());
    }
}
