//! What a request takes of what all requests may have together.

use std::sync::Arc;

use tokio::sync::OwnedSemaphorePermit;
use toolgate_guard::Peer;

use crate::web::BudgetShare;

/// A request's place among those at work, and its bytes, until its answer is complete.
pub(super) struct RequestPermit {
    pub(super) _slot: OwnedSemaphorePermit,
    pub(super) bytes: BudgetShare,
    /// The client, for the records.
    pub(super) peer: Option<Arc<Peer>>,
}
