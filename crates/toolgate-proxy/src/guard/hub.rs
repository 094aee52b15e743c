//! One conversation over HTTP and the requests that take part in it.
//!
//! A legacy session is one conversation of many POSTs; a modern POST is one of its own. What the
//! conversation decides is brought to whose it is: answers to the POST that asked, messages for an
//! HTTP upstream to the POST that sends them, messages for a child to its input.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hyper::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use tokio::sync::{Notify, mpsc};
use tokio::time::Instant;
use toolgate_guard::{Act, IdKey, Purpose, Shape, Side, one_line};

use super::child::Input;
use super::inner::Caller;
use super::mirror::{mismatch, of_arguments};
use super::mux::Shared;
use super::options::Bounds;
use super::porter::{Carried, Order, Parcel, Porter};
use crate::http::Endpoint;

/// What lies behind a conversation.
pub(super) enum Way {
    /// An HTTP endpoint, with the headers of the request that opened the conversation, and whoever
    /// it is held for, whose authorization may have been renewed since.
    Endpoint(Arc<Endpoint>, HeaderMap, Caller),
    /// A child of its own.
    Child(Arc<Input>),
    /// A child that others use too, with the headers of the client's request that repeat its
    /// arguments.
    Shared(Arc<Shared>, HeaderMap),
    /// Nothing: only what needs no upstream can be answered.
    None,
}

/// What an exchange is told.
#[derive(Debug)]
pub(super) enum Delivery {
    ToServer(Parcel),
    ToClient(Parcel),
    /// Close the upstream's stream.
    Abandon,
    /// End the stream to the client.
    Close,
}

/// The way to one exchange. Cheap to copy.
#[derive(Clone, Debug)]
pub(super) struct Mailbox {
    sender: mpsc::UnboundedSender<Delivery>,
    queued: Arc<AtomicUsize>,
    bytes: Arc<AtomicUsize>,
}

/// The other end.
#[derive(Debug)]
pub(super) struct Inbox {
    receiver: mpsc::UnboundedReceiver<Delivery>,
    queued: Arc<AtomicUsize>,
    bytes: Arc<AtomicUsize>,
}

pub(super) fn mailbox() -> (Mailbox, Inbox) {
    let (sender, receiver) = mpsc::unbounded_channel();
    let queued = Arc::new(AtomicUsize::new(0));
    let bytes = Arc::new(AtomicUsize::new(0));
    let mailbox = Mailbox {
        sender,
        queued: Arc::clone(&queued),
        bytes: Arc::clone(&bytes),
    };
    let inbox = Inbox {
        receiver,
        queued,
        bytes,
    };
    (mailbox, inbox)
}

impl Delivery {
    fn bytes(&self) -> usize {
        match self {
            Self::ToServer(parcel) | Self::ToClient(parcel) => parcel.bytes.len(),
            Self::Abandon | Self::Close => 0,
        }
    }
}

impl Mailbox {
    /// `false`: nobody is there any more.
    pub(super) fn send(&self, delivery: Delivery) -> bool {
        self.queued.fetch_add(1, Ordering::AcqRel);
        self.bytes.fetch_add(delivery.bytes(), Ordering::AcqRel);
        self.sender.send(delivery).is_ok()
    }

    /// Whether the client is given up on: it has left more unread than it may.
    fn is_overfull(&self, bounds: &Bounds) -> bool {
        let messages = bounds.waiting_events.saturating_mul(UNREAD);
        self.queued() > messages || self.bytes.load(Ordering::Acquire) > bounds.message_bytes
    }

    pub(super) fn queued(&self) -> usize {
        if self.sender.is_closed() {
            0
        } else {
            self.queued.load(Ordering::Acquire)
        }
    }
}

impl Inbox {
    /// The next delivery. Safe to cancel.
    pub(super) async fn next(&mut self) -> Option<Delivery> {
        let delivery = self.receiver.recv().await?;
        self.queued.fetch_sub(1, Ordering::AcqRel);
        self.bytes.fetch_sub(delivery.bytes(), Ordering::AcqRel);
        Some(delivery)
    }
}

pub(super) struct Hub {
    pub(super) porter: Porter,
    pub(super) way: Way,
    boxes: Mutex<Boxes>,
    /// Told whenever a mailbox has been emptied by one.
    pub(super) taken: Notify,
    pub(super) begun: Instant,
    /// The child has ended.
    pub(super) gone: AtomicBool,
    /// The client was given up on, since it does not read.
    unread: AtomicBool,
}

/// The two names of a legacy session at an HTTP upstream.
#[derive(Clone)]
pub(super) struct Named {
    /// The upstream's.
    pub(super) theirs: HeaderValue,
    /// The client's.
    pub(super) ours: HeaderValue,
}

struct Boxes {
    open: HashMap<IdKey, Mailbox>,
    /// The request that came last: where a child's own messages go without a listening stream.
    latest: Option<(IdKey, Mailbox)>,
    listener: Option<Mailbox>,
    used: Instant,
    /// What a legacy session over HTTP is called.
    named: Option<Named>,
}

impl Hub {
    pub(super) fn new(porter: Porter, way: Way) -> Arc<Self> {
        let now = Instant::now();
        Arc::new(Self {
            porter,
            way,
            boxes: Mutex::new(Boxes {
                open: HashMap::new(),
                latest: None,
                listener: None,
                used: now,
                named: None,
            }),
            taken: Notify::new(),
            begun: now,
            gone: AtomicBool::new(false),
            unread: AtomicBool::new(false),
        })
    }

    /// Answers to this request go there from now on. `false`: another with its id is open, and
    /// keeps its answers.
    pub(super) fn open(&self, id: &IdKey, mailbox: &Mailbox) -> bool {
        let mut boxes = self.boxes();
        boxes.used = Instant::now();
        if boxes.open.contains_key(id) {
            return false;
        }
        boxes.open.insert(id.clone(), mailbox.clone());
        boxes.latest = Some((id.clone(), mailbox.clone()));
        true
    }

    pub(super) fn close(&self, id: &IdKey) {
        let mut boxes = self.boxes();
        boxes.used = Instant::now();
        boxes.open.remove(id);
        if boxes
            .latest
            .as_ref()
            .is_some_and(|(latest, _)| latest == id)
        {
            let another = boxes.open.iter().next();
            boxes.latest = another.map(|(id, mailbox)| (id.clone(), mailbox.clone()));
        }
    }

    /// The server's own messages go there from now on.
    pub(super) fn listen(&self, mailbox: &Mailbox) {
        let mut boxes = self.boxes();
        boxes.used = Instant::now();
        boxes.listener = Some(mailbox.clone());
    }

    /// Ends the listening stream.
    pub(super) fn close_listener(&self) {
        if let Some(listener) = self.boxes().listener.take() {
            listener.send(Delivery::Close);
        }
    }

    pub(super) fn touch(&self) {
        self.boxes().used = Instant::now();
    }

    /// Since when nobody has used it; `None` while a request or a stream is open.
    pub(super) fn idle_since(&self) -> Option<Instant> {
        let mut boxes = self.boxes();
        if boxes
            .listener
            .as_ref()
            .is_some_and(|listener| listener.sender.is_closed())
        {
            boxes.listener = None;
            boxes.used = Instant::now();
        }
        let quiet = boxes.open.is_empty() && boxes.listener.is_none();
        quiet.then_some(boxes.used)
    }

    /// Waits until no exchange has more than `bound` messages to pass on.
    pub(super) async fn room(&self, bound: usize) {
        loop {
            let taken = self.taken.notified();
            let full = {
                let boxes = self.boxes();
                let open = boxes.open.values().chain(&boxes.listener);
                open.map(Mailbox::queued).any(|queued| queued > bound)
            };
            if !full {
                return;
            }
            // A client that has left frees its mailbox without a word.
            let _again = tokio::time::timeout(LOOK_AGAIN, taken).await;
        }
    }

    /// A message of one side; what it leads to is brought where it belongs. `current` is the
    /// exchange that the message is part of.
    pub(super) fn take(self: &Arc<Self>, from: Side, message: &[u8], current: Option<&Mailbox>) {
        self.take_carried(from, message, Carried::default(), current);
    }

    /// The same for a message of which the transport knows more.
    pub(super) fn take_carried(
        self: &Arc<Self>,
        from: Side,
        message: &[u8],
        carried: Carried,
        current: Option<&Mailbox>,
    ) {
        let deliver = &mut |order| match (order, current) {
            // What a client's message is answered with at once is its own sender's, even if
            // another request has the same id.
            (Order::Send(parcel), Some(current))
                if from == Side::Client && parcel.purpose == Purpose::Answer =>
            {
                current.send(Delivery::ToClient(parcel));
            }
            (order, current) => self.route(order, current),
        };
        self.porter.take_carried(from, message, carried, deliver);
    }

    pub(super) fn route(self: &Arc<Self>, order: Order, current: Option<&Mailbox>) {
        match order {
            Order::Abandon(id) => {
                if let Some(mailbox) = self.boxes().open.get(&id) {
                    mailbox.send(Delivery::Abandon);
                }
            }
            Order::Send(parcel) if parcel.to == Side::Server => self.to_server(parcel, current),
            Order::Send(parcel) => self.to_client(parcel, current),
        }
    }

    fn to_server(self: &Arc<Self>, parcel: Parcel, current: Option<&Mailbox>) {
        match &self.way {
            Way::None => {}
            Way::Child(input) => {
                input.push(one_line(&parcel.bytes).into_owned());
                let input = Arc::clone(input);
                // Not by whoever is here: a client that leaves must not cut a line in two.
                tokio::spawn(async move { input.flush().await });
            }
            Way::Shared(shared, headers) => match contradicted(&parcel, headers) {
                None => shared.send(self, &parcel),
                Some((id, wrong)) => self.give_up(id, Act::ClientSentOtherHeaders, wrong),
            },
            Way::Endpoint(endpoint, headers, caller) => {
                let own = match (&parcel.purpose, &parcel.shape) {
                    (Purpose::Ask, _) => None,
                    (_, Shape::Request { id, .. }) => self.boxes().open.get(id).cloned(),
                    _ => current.cloned(),
                };
                match own {
                    Some(mailbox) => {
                        mailbox.send(Delivery::ToServer(parcel));
                    }
                    None => {
                        let (endpoint, mut headers) = (Arc::clone(endpoint), headers.clone());
                        headers.remove(AUTHORIZATION);
                        headers.extend(caller.value().map(|value| (AUTHORIZATION, value)));
                        tokio::spawn(super::ask::ask(Arc::clone(self), endpoint, headers, parcel));
                    }
                }
            }
        }
    }

    /// Gives a request up. A moment later: the conversation is locked by whoever sends.
    fn give_up(self: &Arc<Self>, id: IdKey, act: Act, why: String) {
        let hub = Arc::clone(self);
        tokio::spawn(async move {
            let deliver = &mut |order| hub.route(order, None);
            hub.porter.give_up(&id, act, &why, deliver);
        });
    }

    /// A child that others use cannot be held back for one client that does not read: that one's
    /// request is given up. `true`: this message is not for it any more.
    fn is_unread(self: &Arc<Self>, mailbox: &Mailbox, id: IdKey) -> bool {
        let bounds = &self.porter.house.bounds;
        if !matches!(self.way, Way::Shared(..)) || !mailbox.is_overfull(bounds) {
            return false;
        }
        if !self.unread.swap(true, Ordering::AcqRel) {
            let (messages, bytes) = (bounds.waiting_events, bounds.message_bytes);
            let why = format!(
                "the client leaves more unread than {} messages (64 × events) or {bytes} bytes (message)",
                messages.saturating_mul(UNREAD)
            );
            self.give_up(id, Act::ClientReadsTooSlowly, why);
        }
        true
    }

    fn to_client(self: &Arc<Self>, parcel: Parcel, current: Option<&Mailbox>) {
        let boxes = self.boxes();
        if !matches!(parcel.shape, Shape::Answer { .. })
            && let Some((id, mailbox)) = &boxes.latest
            && self.is_unread(mailbox, id.clone())
        {
            return;
        }
        let mailbox = match &parcel.shape {
            Shape::Answer { id: Some(id), .. } => boxes.open.get(id).or(current),
            Shape::Answer { id: None, .. } | Shape::Batch(_) => current,
            Shape::Request { .. } | Shape::Notification { .. } => current
                .or(boxes.listener.as_ref())
                .or(boxes.latest.as_ref().map(|(_, mailbox)| mailbox)),
        };
        let delivered = mailbox.cloned().is_some_and(|mailbox| {
            drop(boxes);
            mailbox.send(Delivery::ToClient(parcel))
        });
        if !delivered {
            let note = "a message found no stream to its client";
            self.porter.house.note("undeliverable", note);
        }
    }

    pub(super) fn named(&self) -> Option<Named> {
        self.boxes().named.clone()
    }

    pub(super) fn name(&self, named: Named) {
        self.boxes().named = Some(named);
    }

    fn boxes(&self) -> MutexGuard<'_, Boxes> {
        self.boxes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A call whose headers say something else of its arguments than its body (2026-07-28,
/// server/tools, `x-mcp-header`).
fn contradicted(parcel: &Parcel, headers: &HeaderMap) -> Option<(IdKey, String)> {
    let Shape::Request { id, .. } = &parcel.shape else {
        return None;
    };
    let contract = parcel.call.as_deref()?;
    let wrong = mismatch(&of_arguments(&parcel.bytes, contract), headers)?;
    Some((id.clone(), wrong))
}

/// How often `events` messages may wait for a client of a child that others use.
const UNREAD: usize = 64;
const LOOK_AGAIN: std::time::Duration = std::time::Duration::from_millis(500);
