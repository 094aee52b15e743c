//! Bodies: requests read whole under a bound, answers whole or as a stream of events.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::{Buf, Bytes};
use hyper::body::{Body, Frame, Incoming, SizeHint};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};

/// The body of an answer.
#[derive(Debug)]
pub(crate) enum ResponseBody {
    /// All of it.
    Whole(Bytes),
    /// As it comes, until the sender is dropped.
    Stream(mpsc::Receiver<Bytes>),
}

impl ResponseBody {
    pub(crate) fn empty() -> Self {
        Self::Whole(Bytes::new())
    }
}

impl Body for ResponseBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match self.get_mut() {
            Self::Whole(bytes) if bytes.is_empty() => Poll::Ready(None),
            Self::Whole(bytes) => Poll::Ready(Some(Ok(Frame::data(std::mem::take(bytes))))),
            Self::Stream(pieces) => pieces
                .poll_recv(context)
                .map(|piece| piece.map(|piece| Ok(Frame::data(piece)))),
        }
    }

    fn is_end_stream(&self) -> bool {
        matches!(self, Self::Whole(bytes) if bytes.is_empty())
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Whole(bytes) => {
                SizeHint::with_exact(u64::try_from(bytes.len()).unwrap_or(u64::MAX))
            }
            Self::Stream(_) => SizeHint::default(),
        }
    }
}

/// Why there is no body.
#[derive(Debug)]
pub(crate) enum TooLarge {
    /// It is over the bound: what was read of it, a little over the bound at most.
    Limit(Vec<u8>),
    /// The client left, or broke HTTP.
    Broken,
    /// All requests together have as many bytes as they may.
    Full,
}

/// The bytes that the bodies of all requests may have together.
#[derive(Clone, Debug)]
pub(crate) struct Budget(Arc<Semaphore>);

/// The bytes of one body, which come free when it is dropped.
#[derive(Debug)]
pub(crate) struct BudgetShare {
    budget: Budget,
    held: Option<OwnedSemaphorePermit>,
}

impl Budget {
    pub(crate) fn new(bytes: usize) -> Self {
        Self(Arc::new(Semaphore::new(bytes.min(Semaphore::MAX_PERMITS))))
    }

    pub(crate) fn share(&self) -> BudgetShare {
        BudgetShare {
            budget: self.clone(),
            held: None,
        }
    }
}

impl BudgetShare {
    /// Takes room for `bytes` in all; `false` if there is none.
    fn grow(&mut self, bytes: usize) -> bool {
        let held = self
            .held
            .as_ref()
            .map_or(0, OwnedSemaphorePermit::num_permits);
        let Ok(more) = u32::try_from(bytes.saturating_sub(held)) else {
            return false;
        };
        let Ok(more) = Arc::clone(&self.budget.0).try_acquire_many_owned(more) else {
            return false;
        };
        match &mut self.held {
            Some(held) => held.merge(more),
            None => self.held = Some(more),
        }
        true
    }
}

/// A whole body of at most `limit` bytes, for which room is taken from `share` as it comes.
pub(crate) async fn read(
    mut body: Incoming,
    limit: usize,
    share: &mut BudgetShare,
) -> Result<Vec<u8>, TooLarge> {
    let announced = body.size_hint();
    let cap = u64::try_from(limit).unwrap_or(u64::MAX);
    let hopeless = announced.lower() > cap;
    let exact = announced
        .exact()
        .and_then(|exact| usize::try_from(exact).ok());
    let mut whole = Vec::with_capacity(exact.unwrap_or_default().min(FIRST_ROOM));
    loop {
        let frame = std::future::poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await;
        match frame {
            None => return Ok(whole),
            Some(Err(_)) => return Err(TooLarge::Broken),
            Some(Ok(frame)) => {
                let Ok(data) = frame.into_data() else {
                    continue;
                };
                let size = whole.len().saturating_add(data.remaining());
                // Memory is what counts, and a vector that grows doubles.
                if size > whole.capacity() {
                    let room = size.max(whole.capacity().saturating_mul(2));
                    if !share.grow(room) {
                        return Err(TooLarge::Full);
                    }
                    whole.reserve_exact(room.saturating_sub(whole.len()));
                } else if !share.grow(whole.capacity()) {
                    return Err(TooLarge::Full);
                }
                whole.extend_from_slice(&data);
                // The beginning is read all the same: the id in it is answered.
                if size > limit || hopeless {
                    discard(&mut body).await;
                    return Err(TooLarge::Limit(whole));
                }
            }
        }
    }
}

/// Reads on for a client that sends all of its body before it looks for an answer: one that was
/// closed with bytes unread would lose it.
async fn discard(body: &mut Incoming) {
    let mut bytes = 0_usize;
    while bytes < DISCARDED {
        let next = std::future::poll_fn(|context| Pin::new(&mut *body).poll_frame(context));
        let Ok(Some(Ok(frame))) = tokio::time::timeout(LINGER, next).await else {
            return;
        };
        bytes = bytes.saturating_add(frame.data_ref().map_or(0, Bytes::len));
    }
}

/// Bytes over the bound that are read for nothing.
const DISCARDED: usize = 64 << 20;
/// Between two pieces of them.
const LINGER: Duration = Duration::from_millis(250);
/// A length that is only announced earns no more memory than this at once.
const FIRST_ROOM: usize = 64 << 10;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_shared_and_come_free() {
        let budget = Budget::new(10);
        let (mut one, mut two) = (budget.share(), budget.share());
        assert!(one.grow(4) && one.grow(7) && one.grow(7));
        assert!(!two.grow(4));
        assert!(two.grow(3) && !one.grow(8));
        drop(one);
        assert!(two.grow(10) && !two.grow(11));
    }
}
