//! The streams that callers listen on, so that one caller cannot take all connections.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::guard::mailbox::{Mailbox, MailboxItem};

/// The open streams of all callers.
#[derive(Debug)]
pub(super) struct Listeners {
    /// The maximum of one caller.
    most: usize,
    streams: Mutex<Streams>,
}

/// The open streams of each caller, oldest first.
#[derive(Debug, Default)]
struct Streams {
    of_callers: HashMap<Arc<str>, VecDeque<Mailbox>>,
    /// How many callers there were after the last clean-up.
    kept: usize,
}

impl Listeners {
    /// At most `most` streams for each caller, and at least one.
    pub(super) fn new(most: usize) -> Self {
        Self {
            most: most.max(1),
            streams: Mutex::default(),
        }
    }

    /// Adds a stream of a caller, and ends its oldest if it has too many.
    pub(super) fn add(&self, caller: Arc<str>, stream: &Mailbox) {
        let mut open = self.streams();
        // Callers that have left are removed when the number of callers has doubled.
        if open.of_callers.len() > open.kept.saturating_mul(2).max(FEW) {
            open.of_callers
                .retain(|_, streams| streams.iter().any(Mailbox::is_open));
            open.kept = open.of_callers.len();
        }
        let streams = open.of_callers.entry(caller).or_default();
        streams.retain(Mailbox::is_open);
        streams.push_back(stream.clone());
        while streams.len() > self.most {
            if let Some(oldest) = streams.pop_front() {
                oldest.send(MailboxItem::Close);
            }
        }
    }

    /// Ends all streams.
    pub(super) fn close(&self) {
        let mut open = self.streams();
        for stream in open.of_callers.drain().flat_map(|(_, streams)| streams) {
            stream.send(MailboxItem::Close);
        }
    }

    fn streams(&self) -> MutexGuard<'_, Streams> {
        self.streams.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// So few callers need no clean-up.
const FEW: usize = 64;

#[cfg(test)]
mod tests {
    use hyper::header::{AUTHORIZATION, HeaderValue};
    use toolsure_guard::Peer;

    use super::*;
    use crate::guard::identity::Identity;
    use crate::guard::mailbox::{Inbox, mailbox};

    fn from(address: &str, authorization: Option<&'static str>) -> Arc<str> {
        let peer = Peer {
            address: Some(address.into()),
            ..Peer::default()
        };
        let named = authorization.map(|value| (AUTHORIZATION, HeaderValue::from_static(value)));
        let headers = named.into_iter().collect();
        Identity::unverified(&headers).counted_as(Some(&peer))
    }

    #[test]
    fn one_stream_too_many_ends_the_oldest_of_its_caller() {
        let listeners = Listeners::new(2);
        let mut opened: Vec<Inbox> = Vec::new();
        let mut open = |caller: &Arc<str>| {
            let (sender, inbox) = mailbox();
            listeners.add(Arc::clone(caller), &sender);
            opened.push(inbox);
            sender.queued()
        };
        let (one, other) = (from("10.0.0.1:1", None), from("10.0.0.2:1", None));
        // Another port is the same caller; another `Authorization` is not.
        let (again, named) = (from("10.0.0.1:2", None), from("10.0.0.1:3", Some("a")));
        for peer in [&one, &other, &again, &named, &other] {
            assert_eq!(open(peer), 0);
        }
        assert_eq!(open(&one), 0);
        let ended: Vec<usize> = (0..opened.len())
            .filter(|at| opened.get(*at).is_some_and(|inbox| inbox.queued() > 0))
            .collect();
        assert_eq!(ended, [0]);
        drop(opened);
        for port in 0..1_000 {
            let (sender, _left) = mailbox();
            listeners.add(
                from(&format!("10.0.{}.{}:1", port / 250, port % 250), None),
                &sender,
            );
        }
        assert!(listeners.streams().of_callers.len() <= FEW + 1);
    }
}
