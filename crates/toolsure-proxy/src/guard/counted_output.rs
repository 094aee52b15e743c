//! The output of a child, which is read only while there is room for its messages.

use std::fmt;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, ReadBuf};

use crate::message_memory::{ReadLimit, Reading};

/// Lines of a child, counted while they are read.
pub(super) struct CountedOutput<R> {
    from: R,
    /// `None` while `waiting` has it.
    reading: Option<Reading>,
    /// Waits until more may be read.
    waiting: Option<Waiting>,
    /// Bytes of the incomplete line.
    line: usize,
    /// Whether a line has ended since, which `reading` counts.
    passed_on: bool,
}

type Waiting = Pin<Box<dyn Future<Output = Reading> + Send>>;

impl<R> CountedOutput<R> {
    pub(super) fn new(from: R, limit: &ReadLimit) -> Self {
        Self {
            from,
            reading: Some(limit.reading()),
            waiting: None,
            line: 0,
            passed_on: false,
        }
    }

    /// Waits until more may be read.
    fn poll_room(&mut self, context: &mut Context<'_>) -> Poll<()> {
        if let Some(reading) = self.reading.take() {
            if reading.may_go_on_at_once(self.line) {
                self.reading = Some(reading);
                return Poll::Ready(());
            }
            let (mut reading, line) = (reading, self.line);
            self.waiting = Some(Box::pin(async move {
                reading.may_go_on(line, None).await;
                reading
            }));
        }
        if let Some(waiting) = &mut self.waiting {
            self.reading = Some(ready!(waiting.as_mut().poll(context)));
            self.waiting = None;
        }
        Poll::Ready(())
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for CountedOutput<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        // Whoever reads on has passed on the lines before, which are counted there.
        if std::mem::take(&mut self.passed_on)
            && let Some(reading) = &mut self.reading
        {
            reading.done();
        }
        ready!(self.poll_room(context));
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.from).poll_read(context, buffer))?;
        let read = buffer.filled().get(before..).unwrap_or_default();
        match memchr::memrchr(b'\n', read) {
            None => self.line = self.line.saturating_add(read.len()),
            Some(at) => {
                self.line = read.len().saturating_sub(at).saturating_sub(1);
                self.passed_on = true;
            }
        }
        Poll::Ready(Ok(()))
    }
}

impl<R> fmt::Debug for CountedOutput<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CountedOutput").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;
    use crate::message_memory::{MessageMemory, SMALL};

    #[tokio::test(start_paused = true)]
    async fn a_long_line_is_read_once_the_budget_has_room_for_it() {
        let budget = MessageMemory::default();
        budget.limit(6 * SMALL, 6 * SMALL);
        let limit = ReadLimit {
            bytes: 3 * SMALL,
            holder: budget.of_nobody(),
        };
        let (mut to, from) = tokio::io::duplex(SMALL);
        let mut output = CountedOutput::new(from, &limit);
        let writing = tokio::spawn(async move {
            let mut text = "x".repeat(2 * SMALL);
            text.push_str("\nshort\n");
            to.write_all(text.as_bytes()).await.unwrap();
        });
        let other = budget.of_nobody().answer(3 * SMALL);
        let mut seen = Vec::new();
        let read = tokio::time::timeout(
            std::time::Duration::from_secs(1),
            output.read_to_end(&mut seen),
        );
        assert!(read.await.is_err());
        assert!((SMALL..=2 * SMALL).contains(&seen.len()), "{}", seen.len());
        drop(other);
        output.read_to_end(&mut seen).await.unwrap();
        assert_eq!(seen.len(), 2 * SMALL + 7);
        writing.await.unwrap();
        // The room is free again.
        budget.assert_empty();
    }
}
