//! Messages of servers while they are read.

use super::budget::{Held, Holder};
use super::slow::SMALL;

/// How messages of a server are read: their maximum bytes, and who holds them.
#[derive(Clone, Debug)]
pub(crate) struct ReadLimit {
    pub(crate) bytes: usize,
    pub(crate) holder: Holder,
}

/// The bytes that are reserved for the message that is being read.
#[derive(Debug)]
pub(crate) struct Reading {
    holder: Holder,
    held: Option<Held>,
    /// Maximum bytes of a message.
    limit: usize,
}

impl ReadLimit {
    /// Reserves nothing yet.
    pub(crate) fn reading(&self) -> Reading {
        Reading {
            holder: self.holder.clone(),
            held: None,
            limit: self.bytes,
        }
    }
}

impl Reading {
    /// Waits until more of a message may be read, of which `bytes` are in memory; `announced` is its
    /// length, if it is known. Cancel safe.
    pub(crate) async fn may_go_on(&mut self, bytes: usize, announced: Option<usize>) {
        if bytes <= SMALL {
            return self.holder.may_read().await;
        }
        let held = self.reserved();
        if bytes <= held {
            return;
        }
        // A message whose length is known is reserved at once: half of it is of no use to anybody.
        let wanted = announced.unwrap_or(0).max(bytes.saturating_mul(2));
        let wanted = wanted.min(self.limit).max(bytes);
        let more = wanted.saturating_sub(held);
        let more = self.holder.reserve(more, held).await;
        match &mut self.held {
            Some(held) => held.absorb(more),
            None => self.held = Some(more),
        }
    }

    /// Whether [`may_go_on`](Self::may_go_on) need not wait.
    pub(crate) fn may_go_on_at_once(&self, bytes: usize) -> bool {
        match bytes <= SMALL {
            true => !self.holder.is_full(),
            false => bytes <= self.reserved(),
        }
    }

    /// How many bytes are reserved.
    pub(crate) fn reserved(&self) -> usize {
        self.held.as_ref().map_or(0, Held::bytes)
    }

    /// The message is read, and counted elsewhere from now on.
    pub(crate) fn done(&mut self) {
        self.held = None;
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::{Duration, Instant};

    use super::*;
    use crate::message_memory::MessageMemory;

    fn limit(budget: &MessageMemory, caller: &str) -> ReadLimit {
        ReadLimit {
            bytes: 6 * SMALL,
            holder: budget.of(caller.into(), std::sync::Arc::default()),
        }
    }

    /// Reads messages of unknown length up to `bytes` at the same time, and returns how long it took.
    async fn read_all(readings: &mut [Reading], bytes: usize) -> Duration {
        let begun = Instant::now();
        for half in readings.iter_mut() {
            half.may_go_on(2 * SMALL, None).await;
            assert_eq!(half.reserved(), 4 * SMALL);
        }
        let all = readings.iter_mut().map(|reading| async move {
            reading.may_go_on(bytes, None).await;
            tokio::time::sleep(Duration::from_millis(10)).await;
            reading.done();
        });
        futures_of(all.collect()).await;
        begun.elapsed()
    }

    /// Waits for all of them, in the order in which they are ready.
    async fn futures_of<'a>(futures: Vec<impl Future<Output = ()> + Send + 'a>) {
        let mut futures: Vec<_> = futures.into_iter().map(Box::pin).collect();
        std::future::poll_fn(|context| {
            futures.retain_mut(|future| future.as_mut().poll(context).is_pending());
            match futures.is_empty() {
                true => std::task::Poll::Ready(()),
                false => std::task::Poll::Pending,
            }
        })
        .await;
    }

    #[tokio::test(start_paused = true)]
    async fn messages_that_are_half_read_do_not_wait_for_each_other_for_ever() {
        // By the total, and by the share of their caller.
        for (total, each, caller) in [(12, 12, ""), (80, 9, "a")] {
            let budget = MessageMemory::default();
            budget.limit(total * SMALL, each * SMALL);
            let limit = limit(&budget, caller);
            let mut halves = [limit.reading(), limit.reading()];
            let took = read_all(&mut halves, 5 * SMALL).await;
            assert!(took < Duration::from_secs(3), "{took:?}");
            budget.assert_empty();
        }
    }

    #[tokio::test(start_paused = true)]
    async fn one_of_several_that_are_half_read_is_read_to_its_end() {
        let budget = MessageMemory::default();
        budget.limit(12 * SMALL, 12 * SMALL);
        let mut halves = [(); 3].map(|()| {
            let limit = ReadLimit {
                bytes: 64 * SMALL,
                ..limit(&budget, "")
            };
            limit.reading()
        });
        for half in &mut halves {
            half.may_go_on(SMALL + 1, None).await;
        }
        let begun = Instant::now();
        let all = halves.iter_mut().map(|half| async {
            for bytes in 3..=64 {
                half.may_go_on(bytes * SMALL, None).await;
            }
            half.done();
        });
        futures_of(all.collect()).await;
        assert!(
            begun.elapsed() < Duration::from_secs(3),
            "{:?}",
            begun.elapsed()
        );
        budget.assert_empty();
    }

    #[tokio::test(start_paused = true)]
    async fn a_message_above_the_budget_is_read_alone() {
        let budget = MessageMemory::default();
        budget.limit(2 * SMALL, SMALL);
        let limit = limit(&budget, "a");
        for announced in [None, Some(6 * SMALL)] {
            // What the client sent stays in memory until it has the answer.
            let mut request = limit.holder.request();
            request.grow(SMALL).unwrap();
            let mut reading = limit.reading();
            let begun = Instant::now();
            for bytes in 1..=6 {
                reading.may_go_on(bytes * SMALL, announced).await;
            }
            assert_eq!(begun.elapsed(), Duration::ZERO);
        }
        budget.assert_empty();
    }
}
