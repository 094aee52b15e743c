//! A timeout for work that is usually done at once.

use std::future::Future;
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use tokio::time::error::Elapsed;
use tokio::time::timeout;

/// Like [`timeout`], but creates the timer only if the work is still pending when it is polled a
/// second time. By then, hyper has read a body that came with its head.
///
/// # Errors
///
/// [`Elapsed`] if the work was not done within `limit`.
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
            // Wake the task, so that the timer is created even if the work wakes nobody.
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
