//! Bodies: requests read whole under a bound, answers whole or as a stream of events.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::{Buf, Bytes};
use hyper::body::{Body, Frame, Incoming, SizeHint};
use tokio::sync::mpsc;

/// The body of an answer.
#[derive(Debug)]
pub(crate) enum Outgoing {
    /// All of it.
    Whole(Bytes),
    /// As it comes, until the sender is dropped.
    Stream(mpsc::Receiver<Bytes>),
}

impl Outgoing {
    pub(crate) fn empty() -> Self {
        Self::Whole(Bytes::new())
    }
}

impl Body for Outgoing {
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
}

/// A whole body of at most `limit` bytes.
pub(crate) async fn read(mut body: Incoming, limit: usize) -> Result<Vec<u8>, TooLarge> {
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
                whole.extend_from_slice(&data);
                // The beginning is read all the same: the id in it is answered.
                if size > limit || hopeless {
                    return Err(TooLarge::Limit(whole));
                }
            }
        }
    }
}

/// A length that is only announced earns no more memory than this at once.
const FIRST_ROOM: usize = 64 << 10;
