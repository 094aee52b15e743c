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
use toolgate_guard::{IdKey, Purpose, Shape, Side, TraceContext, one_line};

use super::child::Input;
use super::inner::Caller;
use super::mux::Shared;
use super::porter::{Order, Parcel, Porter};
use crate::http::Endpoint;

/// What lies behind a conversation.
pub(super) enum Way {
    /// An HTTP endpoint, with the headers of the request that opened the conversation, and whoever
    /// it is held for, whose authorization may have been renewed since.
    Endpoint(Arc<Endpoint>, HeaderMap, Caller),
    /// A child of its own.
    Child(Arc<Input>),
    /// A child that others use too.
    Shared(Arc<Shared>),
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
}

/// The other end.
#[derive(Debug)]
pub(super) struct Inbox {
    receiver: mpsc::UnboundedReceiver<Delivery>,
    queued: Arc<AtomicUsize>,
}

pub(super) fn mailbox() -> (Mailbox, Inbox) {
    let (sender, receiver) = mpsc::unbounded_channel();
    let queued = Arc::new(AtomicUsize::new(0));
    let mailbox = Mailbox {
        sender,
        queued: Arc::clone(&queued),
    };
    (mailbox, Inbox { receiver, queued })
}

impl Mailbox {
    /// `false`: nobody is there any more.
    pub(super) fn send(&self, delivery: Delivery) -> bool {
        self.queued.fetch_add(1, Ordering::AcqRel);
        self.sender.send(delivery).is_ok()
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
        self.take_carried(from, message, None, current);
    }

    /// The same for a message whose transport carries a trace context.
    pub(super) fn take_carried(
        self: &Arc<Self>,
        from: Side,
        message: &[u8],
        context: Option<TraceContext>,
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
        self.porter.take_carried(from, message, context, deliver);
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
            Way::Shared(shared) => shared.send(self, &parcel),
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

    fn to_client(&self, parcel: Parcel, current: Option<&Mailbox>) {
        let boxes = self.boxes();
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

const LOOK_AGAIN: std::time::Duration = std::time::Duration::from_millis(500);
