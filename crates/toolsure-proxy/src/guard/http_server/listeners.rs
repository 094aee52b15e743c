//! The streams that callers listen on, so that one caller cannot take all connections.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use toolsure_guard::Peer;

use crate::guard::mailbox::{Mailbox, MailboxItem};

/// The open streams of each caller, oldest first.
#[derive(Debug, Default)]
pub(super) struct Listeners {
    of_callers: HashMap<Arc<str>, VecDeque<Mailbox>>,
    /// How many callers there were after the last clean-up.
    kept: usize,
}

impl Listeners {
    /// Adds a stream of a caller, and ends its oldest if it has more than `most`.
    pub(super) fn add(&mut self, peer: Option<&Peer>, stream: &Mailbox, most: usize) {
        // Callers that have left are removed when the number of callers has doubled.
        if self.of_callers.len() > self.kept.saturating_mul(2).max(FEW) {
            self.of_callers
                .retain(|_, streams| streams.iter().any(Mailbox::is_open));
            self.kept = self.of_callers.len();
        }
        let streams = self.of_callers.entry(caller(peer)).or_default();
        streams.retain(Mailbox::is_open);
        streams.push_back(stream.clone());
        while streams.len() > most.max(1) {
            if let Some(oldest) = streams.pop_front() {
                oldest.send(MailboxItem::Close);
            }
        }
    }

    /// Ends all streams.
    pub(super) fn close(&mut self) {
        for stream in self.of_callers.drain().flat_map(|(_, streams)| streams) {
            stream.send(MailboxItem::Close);
        }
    }
}

/// Whose stream it is: of an `Authorization`, or without one, of an address (of an IPv6 address,
/// of its first 64 bits).
pub(super) fn caller(peer: Option<&Peer>) -> Arc<str> {
    let Some(peer) = peer else { return "".into() };
    match (&peer.caller, peer.network()) {
        (Some(caller), _) => Arc::clone(caller),
        (None, Some(network)) => network.to_string().into(),
        (None, None) => "".into(),
    }
}

/// So few callers need no clean-up.
const FEW: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guard::mailbox::{Inbox, mailbox};

    fn from(address: &str, caller: Option<&str>) -> Peer {
        Peer {
            caller: caller.map(Into::into),
            session: None,
            address: Some(address.into()),
            verified: None,
        }
    }

    #[test]
    fn one_stream_too_many_ends_the_oldest_of_its_caller() {
        let mut listeners = Listeners::default();
        let mut opened: Vec<Inbox> = Vec::new();
        let mut open = |peer: &Peer| {
            let (sender, inbox) = mailbox();
            listeners.add(Some(peer), &sender, 2);
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
            listeners.add(Some(&from(&format!("{port}:1"), None)), &sender, 2);
        }
        assert!(listeners.of_callers.len() <= FEW + 1);
    }
}
