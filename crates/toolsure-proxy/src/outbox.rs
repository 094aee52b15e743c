//! A queue of messages for one writer, which writes them in the order in which they were pushed.

use std::collections::VecDeque;
use std::io;
use std::sync::{Mutex, PoisonError};

use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::watch;

/// A queue in front of a writer of lines.
///
/// [`Outbox::push`] is called while the conversation is locked, so the queue keeps the order of the
/// decisions. [`Outbox::flush`] writes until the queue is empty, so its caller waits for the reader
/// on the other end. This is the backpressure: a task flushes the results of one message before it
/// reads the next. It also limits the queue to the results of one message for each task.
#[derive(Debug)]
pub(crate) struct Outbox<W> {
    queue: Mutex<Queue>,
    writer: tokio::sync::Mutex<Option<Writer<W>>>,
    /// Whether a write failed, so that nobody reads any more.
    lost: watch::Sender<bool>,
    /// Whether the task that writes must end.
    abandoned: watch::Sender<bool>,
}

#[derive(Debug, Default)]
struct Queue {
    messages: VecDeque<Vec<u8>>,
    bytes: usize,
    /// Whether the writer's buffer has bytes that are not written.
    is_writing: bool,
    /// Whether nothing is written any more, so that nothing is queued either.
    is_closed: bool,
}

#[derive(Debug)]
struct Writer<W> {
    to: W,
    /// The bytes to write next. They are kept here, so that a cancelled flush loses none.
    buffer: Vec<u8>,
    written: usize,
}

impl<W: AsyncWrite + Unpin> Outbox<W> {
    pub(crate) fn new(to: W) -> Self {
        let writer = Writer {
            to,
            buffer: Vec::new(),
            written: 0,
        };
        Self {
            queue: Mutex::default(),
            writer: tokio::sync::Mutex::new(Some(writer)),
            lost: watch::Sender::new(false),
            abandoned: watch::Sender::new(false),
        }
    }

    /// Whether a write has failed.
    pub(crate) fn is_lost(&self) -> bool {
        *self.lost.borrow()
    }

    /// Waits until a write fails.
    pub(crate) async fn lost(&self) {
        let mut lost = self.lost.subscribe();
        // `self` owns the sender, so only the value can end the wait.
        let _always_ok = lost.wait_for(|lost| *lost).await;
    }

    /// Queues one message; its line end is added here. After the end it is dropped.
    pub(crate) fn push(&self, message: Vec<u8>) {
        let mut queue = self.lock();
        if queue.is_closed {
            return;
        }
        queue.bytes = queue.bytes.saturating_add(message.len());
        queue.messages.push_back(message);
    }

    /// How many bytes are queued.
    pub(crate) fn waiting_bytes(&self) -> usize {
        self.lock().bytes
    }

    /// Writes the queued messages.
    ///
    /// # Errors
    ///
    /// The writer's errors; `BrokenPipe` after one, and after the end.
    pub(crate) async fn flush(&self) -> io::Result<()> {
        {
            let queue = self.lock();
            if queue.is_closed {
                return Err(io::ErrorKind::BrokenPipe.into());
            }
            // A flush that was given up leaves bytes in the buffer.
            if queue.messages.is_empty() && !queue.is_writing {
                return Ok(());
            }
        }
        let mut guard = self.writer.lock().await;
        let Some(writer) = guard.as_mut() else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        let written = tokio::select! {
            biased;
            written = self.write(writer) => written,
            () = self.abandoned() => {
                *guard = None;
                return Err(io::ErrorKind::BrokenPipe.into());
            }
        };
        if written.is_err() {
            *guard = None;
            self.shut();
            self.lost.send_replace(true);
        }
        written
    }

    async fn abandoned(&self) {
        let mut abandoned = self.abandoned.subscribe();
        // `self` owns the sender, so only the value can end the wait.
        let _always_ok = abandoned.wait_for(|abandoned| *abandoned).await;
    }

    /// Drops what is queued, and what is pushed from now on.
    fn shut(&self) {
        *self.lock() = Queue {
            is_closed: true,
            ..Queue::default()
        };
    }

    async fn write(&self, writer: &mut Writer<W>) -> io::Result<()> {
        loop {
            self.load(&mut writer.buffer);
            if writer.buffer.len() <= writer.written {
                writer.buffer.clear();
                writer.written = 0;
                self.lock().is_writing = false;
                return writer.to.flush().await;
            }
            while let Some(rest) = writer
                .buffer
                .get(writer.written..)
                .filter(|b| !b.is_empty())
            {
                let count = writer.to.write(rest).await?;
                if count == 0 {
                    return Err(io::ErrorKind::WriteZero.into());
                }
                writer.written = writer.written.saturating_add(count);
            }
            writer.buffer.clear();
            writer.buffer.shrink_to(KEPT);
            writer.written = 0;
        }
    }

    /// Writes the queued messages and closes the writer. It has no deadline of its own; the caller
    /// sets one.
    pub(crate) async fn close(&self) {
        let _reader_is_gone = self.flush().await;
        if let Some(mut writer) = self.writer.lock().await.take() {
            self.shut();
            let _reader_is_gone = writer.to.shutdown().await;
        }
    }

    /// Closes the writer without writing what is queued.
    pub(crate) fn abandon(&self) {
        self.shut();
        // A task that writes drops the writer.
        self.abandoned.send_replace(true);
        if let Ok(mut writer) = self.writer.try_lock() {
            *writer = None;
        }
    }

    /// Looks at the writer; `None` if it is in use or closed.
    pub(crate) fn inspect<T>(&self, look: impl FnOnce(&W) -> T) -> Option<T> {
        let guard = self.writer.try_lock().ok()?;
        guard.as_ref().map(|writer| look(&writer.to))
    }

    /// Moves messages into the buffer until it is large enough for a system call.
    fn load(&self, buffer: &mut Vec<u8>) {
        let mut queue = self.lock();
        while buffer.len() < ENOUGH {
            let Some(message) = queue.messages.pop_front() else {
                break;
            };
            queue.bytes = queue.bytes.saturating_sub(message.len());
            if buffer.is_empty() {
                *buffer = message;
            } else {
                buffer.extend_from_slice(&message);
            }
            buffer.push(b'\n');
            queue.is_writing = true;
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

const ENOUGH: usize = 64 << 10;
const KEPT: usize = 64 << 10;

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tokio::io::AsyncReadExt;

    use super::*;

    #[tokio::test]
    async fn a_flush_that_is_given_up_loses_nothing() {
        let (to, mut from) = tokio::io::duplex(4);
        let outbox = Outbox::new(to);
        outbox.push(b"0123456789".to_vec());
        tokio::select! {
            biased;
            _ = outbox.flush() => panic!("the pipe holds four bytes"),
            () = std::future::ready(()) => {}
        }
        // The rest is written although nothing is queued.
        {
            let (flushed, read) = tokio::join!(outbox.flush(), async {
                let mut seen = [0; 11];
                from.read_exact(&mut seen).await.map(|_| seen)
            });
            flushed.unwrap();
            assert_eq!(&read.unwrap(), b"0123456789\n");
        }
        outbox.push(b"ab".to_vec());
        let outbox = Arc::new(outbox);
        let rest = Arc::clone(&outbox);
        let writing = tokio::spawn(async move { rest.close().await });
        let mut seen = String::new();
        from.read_to_string(&mut seen).await.unwrap();
        writing.await.unwrap();
        assert_eq!(seen, "ab\n");
        outbox.push(b"late".to_vec());
        assert!(outbox.flush().await.is_err());
    }

    #[tokio::test]
    async fn nothing_is_kept_for_a_reader_that_is_gone() {
        let (to, from) = tokio::io::duplex(4);
        let outbox = Outbox::new(to);
        drop(from);
        outbox.push(b"one".to_vec());
        outbox.push(b"two".to_vec());
        assert!(outbox.flush().await.is_err());
        assert!(outbox.is_lost());
        assert_eq!(outbox.waiting_bytes(), 0);
        outbox.push(b"three".to_vec());
        assert_eq!(outbox.waiting_bytes(), 0);
        assert!(outbox.flush().await.is_err());
    }

    #[tokio::test]
    async fn an_outbox_that_is_abandoned_closes_although_a_task_writes() {
        let (to, mut from) = tokio::io::duplex(4);
        let outbox = Arc::new(Outbox::new(to));
        outbox.push(b"0123456789".to_vec());
        let writing = Arc::clone(&outbox);
        let writing = tokio::spawn(async move { writing.flush().await });
        let mut first = [0; 4];
        from.read_exact(&mut first).await.unwrap();
        outbox.abandon();
        assert!(writing.await.unwrap().is_err());
        // What was written before, and then the end.
        let mut rest = String::new();
        from.read_to_string(&mut rest).await.unwrap();
        assert!("456789\n".starts_with(&rest), "{rest}");
        assert!(rest.len() <= 4, "{rest}");
    }
}
