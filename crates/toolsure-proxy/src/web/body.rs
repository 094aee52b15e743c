//! Bodies: requests read whole under a limit, responses whole or as an event stream.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::{Buf, Bytes};
use hyper::body::{Body, Frame, Incoming, SizeHint};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};

/// The body of a response.
#[derive(Debug)]
pub(crate) enum ResponseBody {
    /// The whole body.
    Whole(Bytes),
    /// A stream of chunks, until the sender is dropped.
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

/// Why a body could not be read.
#[derive(Debug)]
pub(crate) enum TooLarge {
    /// The body is over the limit. Contains what was read of it, at most a little more than the
    /// limit.
    Limit(Vec<u8>),
    /// The client left, or sent invalid HTTP.
    Broken,
    /// The bodies of all requests together have reached their limit.
    Full,
}

/// The bytes that the bodies of all requests may have together.
#[derive(Clone, Debug)]
pub(crate) struct Budget(Arc<Semaphore>);

/// The share of one body, released when it is dropped.
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
    /// Grows the share to `bytes` in all; `false` if there is no room.
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

/// Reads a whole body of at most `limit` bytes; `share` grows with it.
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
                // The budget counts memory, and a growing vector doubles its capacity.
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
                // Keep the beginning, because the answer needs the id in it.
                if size > limit || hopeless {
                    discard(&mut body).await;
                    return Err(TooLarge::Limit(whole));
                }
            }
        }
    }
}

/// Reads and discards more of the body, for a client that sends all of it before it reads the
/// response. If the connection were closed with bytes unread, the client could lose the response.
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

/// Maximum bytes that are discarded.
const DISCARDED: usize = 64 << 20;
/// The longest wait for the next piece.
const LINGER: Duration = Duration::from_millis(250);
/// The most memory that is reserved for a length that is only announced.
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
