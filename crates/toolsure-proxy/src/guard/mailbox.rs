//! The queue of messages for the task of one HTTP exchange.
//!
//! The task itself queues most of the messages, so a queue behind a lock is enough; it wakes the
//! task only if that waits.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use hyper::header::HeaderMap;
use toolsure_guard::{IdKey, Message};

use super::bounds::Bounds;

/// The status and the headers of an upstream's response.
pub(super) type UpstreamHead = Box<(u16, HeaderMap)>;

/// A message for the task of one HTTP exchange.
#[derive(Debug)]
pub(super) enum MailboxItem {
    ToServer(Message),
    /// A message, and the head of the upstream's response if it answers a request that was refused.
    ToClient(Message, Option<UpstreamHead>),
    /// Close the upstream's stream of a request, which needs no answer.
    Abandon(IdKey),
    /// End the stream to the client.
    Close,
}

/// Sends to the task of one HTTP exchange. Cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct Mailbox(Arc<Mutex<Queue>>);

/// The receiving end of a mailbox.
#[derive(Debug)]
pub(super) struct Inbox(Arc<Mutex<Queue>>);

#[derive(Debug, Default)]
struct Queue {
    items: VecDeque<MailboxItem>,
    /// The bytes of all queued messages.
    bytes: usize,
    /// Whether the exchange has ended.
    is_closed: bool,
    /// Whether the exchange was told to end.
    is_ending: bool,
    /// Whether the client reads no streams, so that it gets nothing but the answer.
    is_json_only: bool,
    /// Wakes the exchange, if it waits for an item.
    reader: Option<Waker>,
}

pub(super) fn mailbox() -> (Mailbox, Inbox) {
    let queue = Arc::default();
    (Mailbox(Arc::clone(&queue)), Inbox(queue))
}

impl MailboxItem {
    fn bytes(&self) -> usize {
        match self {
            Self::ToServer(message) | Self::ToClient(message, _) => message.bytes().len(),
            Self::Abandon(_) | Self::Close => 0,
        }
    }
}

impl Mailbox {
    /// Queues an item; `false` if the exchange has ended.
    pub(super) fn send(&self, item: MailboxItem) -> bool {
        let mut queue = locked(&self.0);
        if queue.is_closed {
            return false;
        }
        queue.is_ending |= matches!(item, MailboxItem::Close);
        queue.bytes = queue.bytes.saturating_add(item.bytes());
        queue.items.push_back(item);
        let reader = queue.reader.take();
        drop(queue);
        if let Some(reader) = reader {
            reader.wake();
        }
        true
    }

    /// Whether the client has left more unread than it may.
    pub(super) fn is_overfull(&self, bounds: &Bounds) -> bool {
        let messages = bounds.waiting_events.saturating_mul(UNREAD);
        let queue = locked(&self.0);
        queue.items.len() > messages || queue.bytes > bounds.message_bytes
    }

    /// Whether the exchange still runs, and was not told to end.
    pub(super) fn is_open(&self) -> bool {
        let queue = locked(&self.0);
        !queue.is_closed && !queue.is_ending
    }

    pub(super) fn set_json_only(&self) {
        locked(&self.0).is_json_only = true;
    }

    /// Whether it runs, and its client takes messages besides the answer.
    pub(super) fn takes_notifications(&self) -> bool {
        self.is_open() && !locked(&self.0).is_json_only
    }

    pub(super) fn queued(&self) -> usize {
        locked(&self.0).items.len()
    }
}

impl Inbox {
    #[cfg(test)]
    pub(super) fn queued(&self) -> usize {
        locked(&self.0).items.len()
    }

    /// The next item. Cancel safe.
    pub(super) async fn next(&mut self) -> MailboxItem {
        std::future::poll_fn(|context| self.poll_next(context)).await
    }

    fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<MailboxItem> {
        let mut queue = locked(&self.0);
        if let Some(item) = queue.items.pop_front() {
            queue.bytes = queue.bytes.saturating_sub(item.bytes());
            return Poll::Ready(item);
        }
        match &mut queue.reader {
            Some(reader) => reader.clone_from(context.waker()),
            reader => *reader = Some(context.waker().clone()),
        }
        Poll::Pending
    }
}

impl Drop for Inbox {
    fn drop(&mut self) {
        let mut queue = locked(&self.0);
        queue.is_closed = true;
        queue.bytes = 0;
        let unread = std::mem::take(&mut queue.items);
        drop(queue);
        drop(unread);
    }
}

fn locked(queue: &Mutex<Queue>) -> MutexGuard<'_, Queue> {
    queue.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How many times `waiting_events` messages may wait for a client of a shared child.
pub(super) const UNREAD: usize = 64;
