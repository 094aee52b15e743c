//! The share of one request in the limits for all requests.

use std::sync::Arc;

use tokio::sync::OwnedSemaphorePermit;
use toolsure_guard::Peer;

use super::identity::Identity;
use crate::message_memory::{Held, Holder};

/// A request's slot and its bytes, held until its answer is complete.
pub(super) struct RequestPermit {
    pub(super) _slot: OwnedSemaphorePermit,
    pub(super) bytes: Held,
    /// The client, for the bytes of its answers.
    pub(super) holder: Holder,
    /// The client, for the records.
    pub(super) peer: Option<Arc<Peer>>,
    pub(super) sender: Arc<Identity>,
    /// What its sessions and children are counted by ([`Identity::counted_as`]).
    pub(super) counted: Arc<str>,
}
