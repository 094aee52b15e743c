//! Tests of the budget, with a clock that the test moves.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, timeout};

use super::{Full, Held, Holder, MessageMemory, Waiting};

fn of(budget: &MessageMemory, caller: &str) -> Holder {
    budget.of(caller.into(), Arc::default())
}

/// Whether a message may be read now.
fn fits(holder: &Holder, more: usize) -> bool {
    let waiting = Waiting {
        holder: holder.clone(),
        more,
        held: 0,
        since: Instant::now(),
        is_granted: false,
        granted: Arc::default(),
    };
    let state = holder.budget.state();
    holder.budget.hindered(&state, &waiting).is_none()
}

async fn seconds(seconds: u64) {
    tokio::time::sleep(Duration::from_secs(seconds)).await;
}

#[tokio::test]
async fn bytes_are_shared_and_come_free() {
    let budget = MessageMemory::default();
    budget.limit(40, 16);
    let (a, b) = (of(&budget, "a"), of(&budget, "b"));
    let (mut one, mut two) = (a.request(), b.request());
    // Half of a share, and of the total, is for requests; one request always fits.
    assert!(one.grow(4).is_ok() && one.grow(8).is_ok() && one.grow(8).is_ok());
    assert_eq!(a.request().grow(1), Err(Full::Caller));
    assert!(two.grow(13).is_err() && two.grow(12).is_ok());
    assert_eq!(of(&budget, "c").request().grow(1), Err(Full::Total));
    // Answers may use the rest of the share.
    let reading = a.reserve(7, 0).await;
    assert!(!fits(&a, 2) && fits(&a, 1));
    // And all together three quarters of the total.
    assert!(fits(&b, 3) && !fits(&of(&budget, "d"), 4));
    drop((one, reading, two));
    // An answer is in memory already, even if it is above the limit.
    let answer = b.answer(50);
    assert!(budget.0.used.load(Ordering::Acquire) == 50 && !fits(&a, 0));
    drop(answer);
    // One message always has room.
    assert!(fits(&a, 100) && fits(&a, 0));
    budget.assert_empty();
}

/// Clients that have an answer to read, as parts of the budget.
struct Clients(Vec<(Option<Held>, Arc<Notify>)>);

impl Clients {
    fn new(budget: &MessageMemory, answers: &[(&str, usize)]) -> Self {
        let answers = answers.iter().map(|(caller, bytes)| {
            let close = Arc::<Notify>::default();
            let holder = budget.of((*caller).into(), Arc::clone(&close));
            (Some(holder.answer(*bytes)), close)
        });
        Self(answers.collect())
    }

    /// Each client takes so many bytes in each second; one that is closed goes. Returns which ones
    /// were closed, in order, until the message of `waiting` was read.
    async fn until<T>(
        &mut self,
        takes: &[usize],
        waiting: impl Future<Output = T>,
    ) -> (Vec<usize>, T) {
        let mut closed = Vec::new();
        let mut waiting = std::pin::pin!(waiting);
        loop {
            if let Ok(done) = timeout(Duration::from_millis(100), waiting.as_mut()).await {
                return (closed, done);
            }
            for (n, (held, close)) in self.0.iter_mut().enumerate() {
                if timeout(Duration::ZERO, close.notified()).await.is_ok() {
                    closed.push(n);
                    *held = None;
                }
                if let Some(held) = held {
                    held.taken(takes[n] / 10);
                }
            }
        }
    }
}

const MIB: usize = 1 << 20;

#[tokio::test(start_paused = true)]
async fn the_slowest_are_closed_until_the_message_fits_and_no_more() {
    let budget = MessageMemory::default();
    budget.limit(64 * MIB, 32 * MIB);
    let answers = [("a", 10), ("b", 10), ("c", 10), ("d", 10)].map(|(c, n)| (c, n * MIB));
    let mut clients = Clients::new(&budget, &answers);
    let begun = Instant::now();
    let takes = [MIB, 0, 20_000, 100_000];
    let reader = of(&budget, "e");
    let (closed, held) = clients.until(&takes, reader.reserve(20 * MIB, 0)).await;
    assert_eq!(closed, [1, 2]);
    let took = begun.elapsed().as_secs();
    assert!((5..7).contains(&took), "{took}");
    drop((held, clients));
    budget.assert_empty();
}

#[tokio::test(start_paused = true)]
async fn a_fast_client_is_never_closed() {
    let budget = MessageMemory::default();
    budget.limit(64 * MIB, 64 * MIB);
    let mut clients = Clients::new(&budget, &[("a", 48 * MIB)]);
    let reader = of(&budget, "b");
    let waiting = timeout(Duration::from_secs(120), reader.reserve(MIB, 0));
    let (closed, read) = clients.until(&[13 * MIB / 10], waiting).await;
    assert!(closed.is_empty() && read.is_err());
}

#[tokio::test(start_paused = true)]
async fn a_caller_above_its_share_is_held_back_or_closed_before_others() {
    let budget = MessageMemory::default();
    budget.limit(64 * MIB, 32 * MIB);
    // Its own messages wait for its own readers, however slow others are.
    let mut clients = Clients::new(&budget, &[("a", 24 * MIB), ("b", 8 * MIB)]);
    let reader = of(&budget, "a");
    let (closed, held) = clients
        .until(&[1_000, 0], reader.reserve(10 * MIB, 0))
        .await;
    assert_eq!(closed, [0]);
    drop((held, clients));
    // A program that all callers share cannot hold it back.
    let mut clients = Clients::new(&budget, &[("b", 8 * MIB), ("a", 20 * MIB), ("a", 18 * MIB)]);
    seconds(6).await;
    let begun = Instant::now();
    let program = budget.of_nobody();
    let (closed, held) = clients
        .until(&[0, 1_000, 0], program.reserve(10 * MIB, 0))
        .await;
    assert_eq!(closed, [2]);
    assert!(begun.elapsed() < Duration::from_secs(1));
    drop((held, clients));
    budget.assert_empty();
}

#[tokio::test(start_paused = true)]
async fn messages_go_on_in_the_order_in_which_they_came() {
    let budget = MessageMemory::default();
    budget.limit(4 * MIB, 4 * MIB);
    let first = budget.of_nobody().reserve(2 * MIB, 0).await;
    let (b, c) = (of(&budget, "b"), of(&budget, "c"));
    let mut large = std::pin::pin!(b.reserve(3 * MIB, 0));
    assert!(
        timeout(Duration::from_millis(1), large.as_mut())
            .await
            .is_err()
    );
    // It would fit, but the other one was first.
    let mut later = std::pin::pin!(c.reserve(MIB, 0));
    assert!(
        timeout(Duration::from_millis(1), later.as_mut())
            .await
            .is_err()
    );
    // Small ones need not wait.
    c.may_read().await;
    drop(first);
    let held = large.await;
    assert!(
        timeout(Duration::from_millis(1), later.as_mut())
            .await
            .is_err()
    );
    drop(held);
    drop(later.await);
    // Who gives up lets the others go on, and gives back what it was granted.
    let first = budget.of_nobody().reserve(2 * MIB, 0).await;
    {
        let mut large = std::pin::pin!(b.reserve(3 * MIB, 0));
        assert!(
            timeout(Duration::from_millis(1), large.as_mut())
                .await
                .is_err()
        );
        drop(first);
    }
    budget.assert_empty();
}
