//! Bodies: requests read whole under a limit, responses whole or as an event stream.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::{Buf, Bytes};
use hyper::body::{Body, Frame, Incoming, SizeHint};
use tokio::sync::mpsc;

use crate::message_memory::{Held, Holder, SMALL};

/// The body of a response.
#[derive(Debug)]
pub(crate) enum ResponseBody {
    /// The whole body.
    Whole(Bytes),
    /// The same, of bytes that are counted until the client has read them.
    Counted(Piece),
    /// A stream of pieces, until the sender is dropped; with the piece that is being sent.
    Stream(mpsc::Receiver<Piece>, Option<Piece>),
}

/// A part of a body, and the count of its bytes.
#[derive(Debug)]
pub(crate) struct Piece {
    bytes: Bytes,
    held: Option<Held>,
    /// Whether it is written in several parts. Each is copied, so that the memory of all comes free
    /// when its count does, and the client's progress is seen.
    has_parts: bool,
}

impl Piece {
    /// Bytes that `holder` holds until the client has read them.
    pub(crate) fn of(bytes: impl Into<Bytes>, holder: Option<&Holder>) -> Self {
        let bytes = bytes.into();
        Self {
            held: holder.map(|holder| holder.answer(bytes.len())),
            has_parts: bytes.len() > WHOLE,
            bytes,
        }
    }

    /// The next bytes to write.
    fn next(&mut self) -> Bytes {
        let next = match self.has_parts {
            true => {
                let part = self.bytes.len().min(WRITTEN_AT_ONCE);
                Bytes::copy_from_slice(&self.bytes.split_to(part))
            }
            false => std::mem::take(&mut self.bytes),
        };
        if let Some(held) = &self.held {
            held.taken(next.len());
        }
        next
    }
}

impl ResponseBody {
    pub(crate) fn empty() -> Self {
        Self::Whole(Bytes::new())
    }

    /// A whole body, which `holder` holds until the client has read it.
    pub(crate) fn counted(bytes: Vec<u8>, holder: Option<&Holder>) -> Self {
        match bytes.len() > SMALL {
            true => Self::Counted(Piece::of(bytes, holder)),
            false => Self::Whole(bytes.into()),
        }
    }
}

impl Body for ResponseBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let bytes = match self.get_mut() {
            Self::Whole(bytes) => std::mem::take(bytes),
            Self::Counted(piece) => piece.next(),
            Self::Stream(pieces, current) => {
                let mut piece = match current.take() {
                    Some(piece) => piece,
                    // Only the end of the sender ends the body.
                    None => loop {
                        match ready!(pieces.poll_recv(context)) {
                            Some(piece) if piece.bytes.is_empty() => {}
                            Some(piece) => break piece,
                            None => return Poll::Ready(None),
                        }
                    },
                };
                let bytes = piece.next();
                *current = Some(piece).filter(|piece| !piece.bytes.is_empty());
                bytes
            }
        };
        Poll::Ready((!bytes.is_empty()).then(|| Ok(Frame::data(bytes))))
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Whole(bytes) => bytes.is_empty(),
            Self::Counted(piece) => piece.bytes.is_empty(),
            Self::Stream(..) => false,
        }
    }

    fn size_hint(&self) -> SizeHint {
        let exact = |bytes: &Bytes| u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        match self {
            Self::Whole(bytes) => SizeHint::with_exact(exact(bytes)),
            Self::Counted(piece) => SizeHint::with_exact(exact(&piece.bytes)),
            Self::Stream(..) => SizeHint::default(),
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

/// Reads a whole body of at most `limit` bytes; `share` grows with it.
pub(crate) async fn read(
    mut body: Incoming,
    limit: usize,
    share: &mut Held,
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
                    if share.grow(room).is_err() {
                        return Err(TooLarge::Full);
                    }
                    whole.reserve_exact(room.saturating_sub(whole.len()));
                } else if share.grow(whole.capacity()).is_err() {
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
/// Pieces up to this size are written at once.
const WHOLE: usize = 256 << 10;
/// Bytes of a larger piece that are written at once.
const WRITTEN_AT_ONCE: usize = 64 << 10;

#[cfg(test)]
mod tests {
    use std::pin::pin;

    use super::*;

    #[tokio::test]
    async fn an_empty_piece_does_not_end_a_stream() {
        let (to, pieces) = mpsc::channel(4);
        for piece in [&b""[..], b"a", b"", b"b"] {
            to.send(Piece::of(piece, None)).await.unwrap();
        }
        drop(to);
        let mut body = pin!(ResponseBody::Stream(pieces, None));
        let mut seen = Vec::new();
        while let Some(frame) =
            std::future::poll_fn(|context| body.as_mut().poll_frame(context)).await
        {
            seen.extend_from_slice(frame.unwrap().data_ref().unwrap());
        }
        assert_eq!(seen, b"ab");
    }
}
