//! A stream with a deadline for writing: it fails if the other end does not read for too long. It tells a timer
//! when bytes arrive.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

use super::head_timer::HeadTimer;

/// A stream with a deadline for each write that has to wait.
#[derive(Debug)]
pub(super) struct WriteDeadline<T> {
    stream: T,
    limit: Duration,
    waiting: Option<Pin<Box<Sleep>>>,
    heads: HeadTimer,
}

impl<T> WriteDeadline<T> {
    pub(super) fn new(stream: T, limit: Duration, heads: HeadTimer) -> Self {
        Self {
            stream,
            limit,
            waiting: None,
            heads,
        }
    }

    fn watch<R>(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<io::Result<R>>,
    ) -> Poll<io::Result<R>> {
        if written.is_ready() {
            self.waiting = None;
            return written;
        }
        let limit = self.limit;
        let waiting = self.waiting.get_or_insert_with(|| Box::pin(sleep(limit)));
        ready!(waiting.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<T: AsyncRead + Unpin> AsyncRead for WriteDeadline<T> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        if buffer.filled().len() > before {
            self.heads.arrived();
        }
        read
    }
}

impl<T: AsyncWrite + Unpin> AsyncWrite for WriteDeadline<T> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.watch(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, bytes);
        self.watch(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(context);
        self.watch(context, flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let shut = Pin::new(&mut self.stream).poll_shutdown(context);
        self.watch(context, shut)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncWriteExt;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_reader_that_stops_breaks_the_stream_and_a_slow_one_does_not() {
        let (ours, mut theirs) = tokio::io::duplex(4);
        let limit = Duration::from_secs(10);
        let mut stream = WriteDeadline::new(ours, limit, HeadTimer::new(limit, limit));
        let reading = tokio::spawn(async move {
            let mut seen = [0; 4];
            for _ in 0..3 {
                sleep(Duration::from_secs(9)).await;
                tokio::io::AsyncReadExt::read_exact(&mut theirs, &mut seen)
                    .await
                    .unwrap();
            }
            theirs
        });
        stream.write_all(b"0123456789ab").await.unwrap();
        let _open = reading.await.unwrap();
        stream.write_all(b"cdef").await.unwrap();
        let error = stream.write_all(b"0123").await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
    }
}
