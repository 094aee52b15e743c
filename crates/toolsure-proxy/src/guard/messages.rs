//! Messages into and out of the guard: as lines on byte streams, or directly if both ends are in
//! this process.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Waker};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::process::ChildStdin;
use tokio::sync::Notify;
use tokio::time::timeout;
use toolsure_guard::{Message, Recovered, Recovery, ToolsEvent, one_line};

use crate::outbox::Outbox;
use crate::stdio::{Line, Lines};

/// What a channel in this process carries.
pub(super) enum ChannelItem {
    Message(Message),
    /// An event of the server's tools, in order with the messages.
    Tools(ToolsEvent),
}

/// The reader and the writer of a client.
pub(super) struct Client {
    pub(super) from: MessageReader,
    pub(super) to: MessageWriter,
}

/// Writes messages to the other end.
pub(super) enum MessageWriter {
    Lines(Outbox<Box<dyn LineWriter>>),
    /// To a hub in this process, which handles each message at once.
    Hub(Arc<dyn Receiver>),
    /// From such a hub to its clients.
    Memory(MessageSender),
}

/// What receives messages in this process.
pub(super) trait Receiver: Send + Sync {
    fn take(&self, message: Message);

    /// Waits until most of what was received is passed on.
    fn flush(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>>;

    fn close(&self);
}

/// A byte stream that lines are written to.
pub(super) trait LineWriter: AsyncWrite + Send + Unpin {
    /// Whether a process may read it: `false` only if none can.
    fn may_be_read(&self) -> bool {
        true
    }

    /// Whether it was closed at the other end before all was read; `false` if that is unknown.
    fn has_lost(&self) -> bool {
        false
    }
}

impl LineWriter for ChildStdin {
    fn may_be_read(&self) -> bool {
        crate::stdio::may_be_read(self)
    }

    fn has_lost(&self) -> bool {
        !self.may_be_read() && crate::stdio::has_unread(self)
    }
}

impl LineWriter for Box<dyn AsyncWrite + Send + Unpin> {}

impl MessageWriter {
    /// A writer of lines.
    pub(super) fn lines(to: impl AsyncWrite + Send + Unpin + 'static) -> Self {
        let to: Box<dyn AsyncWrite + Send + Unpin> = Box::new(to);
        Self::Lines(Outbox::new(Box::new(to)))
    }

    /// A writer of lines to a process.
    pub(super) fn to_process(to: ChildStdin) -> Self {
        Self::Lines(Outbox::new(Box::new(to)))
    }

    /// Whether the other end may read: `false` only if it cannot.
    pub(super) fn may_be_read(&self) -> bool {
        match self {
            Self::Lines(outbox) => outbox.inspect(|to| to.may_be_read()).unwrap_or(true),
            Self::Hub(_) | Self::Memory(_) => true,
        }
    }

    /// Queues one message. A line never contains a line break, because the reader could take the
    /// rest for another message.
    pub(super) fn push(&self, message: impl Into<Message>) {
        match self {
            Self::Lines(outbox) => {
                let bytes = message.into().into_bytes();
                let flat = match one_line(&bytes) {
                    Cow::Owned(flat) => Some(flat),
                    Cow::Borrowed(_) => None,
                };
                outbox.push(flat.unwrap_or(bytes));
            }
            Self::Hub(hub) => hub.take(message.into()),
            Self::Memory(sender) => sender.push(message),
        }
    }

    /// Queues an event of the server's tools. On a byte stream nobody reads it.
    pub(super) fn tools_event(&self, event: ToolsEvent) {
        match self {
            Self::Lines(_) | Self::Hub(_) => {}
            Self::Memory(sender) => sender.tools_event(event),
        }
    }

    /// Writes the queued messages; in this process, waits until the receiver has taken most of
    /// them.
    ///
    /// # Errors
    ///
    /// The writer's errors; `BrokenPipe` if the receiver was dropped.
    pub(super) async fn flush(&self) -> io::Result<()> {
        match self {
            Self::Lines(outbox) => outbox.flush().await,
            Self::Hub(hub) => {
                hub.flush().await;
                Ok(())
            }
            Self::Memory(sender) => sender.flush().await,
        }
    }

    /// Writes the queued messages as far as that needs no waiting; `false` if something is left.
    pub(super) fn try_flush(&self) -> bool {
        let mut flush = std::pin::pin!(self.flush());
        let mut context = Context::from_waker(Waker::noop());
        flush.as_mut().poll(&mut context).is_ready()
    }

    /// How many bytes are queued.
    pub(super) fn waiting_bytes(&self) -> usize {
        match self {
            Self::Lines(outbox) => outbox.waiting_bytes(),
            Self::Hub(_) => 0,
            Self::Memory(sender) => sender.waiting_bytes(),
        }
    }

    /// Whether the process will never read something that was sent or queued.
    pub(super) fn is_lost(&self) -> bool {
        match self {
            Self::Lines(outbox) => {
                outbox.is_lost() || outbox.inspect(|to| to.has_lost()).unwrap_or(false)
            }
            Self::Hub(_) | Self::Memory(_) => false,
        }
    }

    /// Waits until a write fails, because the other end has closed. In this process both directions are
    /// closed together.
    pub(super) async fn lost(&self) {
        match self {
            Self::Lines(outbox) => outbox.lost().await,
            Self::Hub(_) | Self::Memory(_) => std::future::pending().await,
        }
    }

    /// Whether the other end reads: `false` if more than `most` bytes still wait after `patience`.
    pub(super) async fn drains_to(&self, most: usize, patience: Duration) -> bool {
        match self {
            // After a write error nothing waits, and what the other end has written is still read.
            Self::Lines(outbox) => {
                outbox.waiting_bytes() <= most || timeout(patience, outbox.flush()).await.is_ok()
            }
            Self::Hub(_) => true,
            Self::Memory(sender) => sender.drains_to(most, patience).await,
        }
    }

    /// Writes the queued messages and closes. It has no deadline of its own; the caller sets one.
    pub(super) async fn close(&self) {
        match self {
            Self::Lines(outbox) => outbox.close().await,
            Self::Hub(hub) => hub.close(),
            Self::Memory(sender) => sender.close(),
        }
    }

    /// Closes without writing what is queued.
    pub(super) fn abandon(&self) {
        match self {
            Self::Lines(outbox) => outbox.abandon(),
            Self::Hub(hub) => hub.close(),
            Self::Memory(sender) => sender.close(),
        }
    }
}

/// Writes what is queued as far as that needs no waiting, and the rest in a task of its own, so that a client
/// that leaves does not cut a line in two.
pub(super) fn start_to_flush(writer: &Arc<MessageWriter>) {
    if !writer.try_flush() {
        let writer = Arc::clone(writer);
        tokio::spawn(async move { writer.flush().await });
    }
}

/// Reads messages from the other end.
pub(super) enum MessageReader {
    Lines(Lines<Box<dyn AsyncRead + Send + Unpin>>),
    Memory(MessageReceiver),
}

/// The result of a read.
pub(super) enum Received {
    Message(Message),
    /// An event of the server's tools, from a translator.
    Tools(ToolsEvent),
    /// A line over the limit, with what could be recovered from it.
    TooLong(Recovered),
    /// No more messages will come.
    End,
}

impl MessageReader {
    /// A reader of lines of up to `limit` bytes.
    pub(super) fn lines(from: impl AsyncRead + Send + Unpin + 'static, limit: usize) -> Self {
        Self::Lines(Lines::new(Box::new(from), limit))
    }

    /// The same for a server's output, which may begin with a byte order mark.
    pub(super) fn server_lines(
        from: impl AsyncRead + Send + Unpin + 'static,
        limit: usize,
    ) -> Self {
        let from: Box<dyn AsyncRead + Send + Unpin> = Box::new(from);
        Self::Lines(Lines::new(from, limit).without_byte_order_mark())
    }

    /// Whether a byte order mark was dropped.
    pub(super) fn dropped_byte_order_mark(&self) -> bool {
        matches!(self, Self::Lines(lines) if lines.dropped_byte_order_mark())
    }

    /// The next message. Skips empty lines.
    pub(super) async fn next(&mut self) -> Received {
        let lines = match self {
            Self::Lines(lines) => lines,
            Self::Memory(receiver) => {
                return match receiver.next_item().await {
                    Some(ChannelItem::Message(message)) => Received::Message(message),
                    Some(ChannelItem::Tools(event)) => Received::Tools(event),
                    None => Received::End,
                };
            }
        };
        let mut recovery = Recovery::new();
        loop {
            match lines.next_or_skip(|piece| recovery.feed(piece)).await {
                Ok(Line::Full(line)) if line.trim_ascii().is_empty() => {}
                Ok(Line::Full(line)) => return Received::Message(line.into()),
                Ok(Line::TooLong(_)) => return Received::TooLong(recovery.finish()),
                Ok(Line::End(rest)) if rest.trim_ascii().is_empty() => return Received::End,
                // The last line, without a line end.
                Ok(Line::End(rest)) => return Received::Message(rest.into()),
                Err(_) => return Received::End,
            }
        }
    }
}

/// A channel in this process. Messages are received in the order they were sent.
///
/// Sending never waits. A sender of many messages waits for the receiver in
/// [`MessageSender::flush`], as a writer waits for the reader of a pipe.
pub(super) fn message_channel() -> (MessageSender, MessageReceiver) {
    let channel = Arc::new(Channel::default());
    (
        MessageSender(Arc::clone(&channel)),
        MessageReceiver(channel),
    )
}

/// The sending end of a channel. Dropping it closes the channel.
pub(super) struct MessageSender(Arc<Channel>);

/// The receiving end of a channel. Messages that are sent after it is dropped are lost.
pub(super) struct MessageReceiver(Arc<Channel>);

#[derive(Default)]
struct Channel {
    queue: Mutex<Queue>,
    pushed: Notify,
    taken: Notify,
}

#[derive(Default)]
struct Queue {
    items: VecDeque<ChannelItem>,
    bytes: usize,
    /// Whether the sender is closed.
    closed: bool,
    /// Whether the receiver was dropped.
    gone: bool,
}

impl Channel {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ChannelItem {
    fn bytes(&self) -> usize {
        match self {
            Self::Message(message) => message.bytes().len(),
            Self::Tools(_) => 0,
        }
    }
}

impl MessageSender {
    /// Sends a message. It is lost if the sender is closed or the receiver was dropped.
    fn push(&self, message: impl Into<Message>) {
        self.push_item(ChannelItem::Message(message.into()));
    }

    /// Sends an event of the server's tools.
    pub(super) fn tools_event(&self, event: ToolsEvent) {
        self.push_item(ChannelItem::Tools(event));
    }

    fn push_item(&self, item: ChannelItem) {
        let mut queue = self.0.queue();
        if !queue.closed && !queue.gone {
            // What was read of a message is not kept for a receiver that is behind.
            let item = match item {
                ChannelItem::Message(message) if queue.bytes > UNREAD => {
                    ChannelItem::Message(message.unread())
                }
                item => item,
            };
            queue.bytes = queue.bytes.saturating_add(item.bytes());
            queue.items.push_back(item);
            self.0.pushed.notify_one();
        }
    }

    /// Waits until the receiver has taken all but 64 KiB.
    ///
    /// # Errors
    ///
    /// `BrokenPipe` if the receiver was dropped.
    async fn flush(&self) -> io::Result<()> {
        self.drained_to(UNREAD).await
    }

    /// As [`MessageWriter::drains_to`].
    pub(super) async fn drains_to(&self, most: usize, patience: Duration) -> bool {
        timeout(patience, self.drained_to(most)).await.is_ok()
    }

    /// Waits until at most `bytes` bytes are unread.
    async fn drained_to(&self, bytes: usize) -> io::Result<()> {
        loop {
            let taken = self.0.taken.notified();
            {
                let queue = self.0.queue();
                if queue.gone {
                    return Err(io::ErrorKind::BrokenPipe.into());
                }
                if queue.bytes <= bytes {
                    return Ok(());
                }
            }
            taken.await;
        }
    }

    /// How many bytes are unread.
    pub(super) fn waiting_bytes(&self) -> usize {
        self.0.queue().bytes
    }

    /// Closes the channel: the receiver gets the messages that were sent, and then the end.
    fn close(&self) {
        self.0.queue().closed = true;
        self.0.pushed.notify_one();
    }
}

impl MessageReceiver {
    /// The next message or event; `None` after the last. Cancel safe.
    pub(super) async fn next_item(&mut self) -> Option<ChannelItem> {
        loop {
            {
                let mut queue = self.0.queue();
                if let Some(item) = queue.items.pop_front() {
                    queue.bytes = queue.bytes.saturating_sub(item.bytes());
                    self.0.taken.notify_waiters();
                    return Some(item);
                }
                if queue.closed {
                    return None;
                }
            }
            self.0.pushed.notified().await;
        }
    }
}

impl Drop for MessageSender {
    fn drop(&mut self) {
        self.close();
    }
}

impl Drop for MessageReceiver {
    fn drop(&mut self) {
        let mut queue = self.0.queue();
        queue.gone = true;
        queue.bytes = 0;
        queue.items.clear();
        self.0.taken.notify_waiters();
    }
}

/// Why a message is not sent to a server that has left too much unread.
pub(super) const UNREAD_INPUT: &str = "the server does not read what it is sent";
/// Bytes that may be unread before the sender waits, as many as a pipe of the system holds.
const UNREAD: usize = 64 << 10;

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_sender_waits_for_a_receiver_that_does_not_take() {
        let (sender, mut receiver) = message_channel();
        sender.push(vec![b'a'; UNREAD]);
        sender.flush().await.unwrap();
        sender.push(b"b".to_vec());
        tokio::select! {
            biased;
            _ = sender.flush() => panic!("too much waits"),
            () = std::future::ready(()) => {}
        }
        let (flushed, taken) = tokio::join!(sender.flush(), receiver.next_item());
        flushed.unwrap();
        assert_eq!(taken.unwrap().bytes(), UNREAD);
        sender.close();
        sender.push(b"late".to_vec());
        assert_eq!(receiver.next_item().await.unwrap().bytes(), 1);
        assert!(receiver.next_item().await.is_none());
        drop(receiver);
        assert!(sender.flush().await.is_err());
    }
}
