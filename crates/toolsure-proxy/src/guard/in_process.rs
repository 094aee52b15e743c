//! Upstreams in this process, which exchange messages with the guard directly.

use std::future::Future;
use std::pin::Pin;

use super::messages::{MessageReceiver, MessageWriter};
use crate::fault::Fault;
pub use crate::http::Caller;

/// An upstream in this process, in place of a server: it is opened once for each legacy session over
/// HTTP, and once for each authorization of modern HTTP clients. Two authorizations never share a peer.
/// [`Bounds::children`] limits the peers, and they end when they have been idle for [`Times::idle`].
///
/// [`Bounds::children`]: super::Bounds::children
/// [`Times::idle`]: super::Times::idle
pub(super) trait InProcessUpstream: Send + Sync {
    /// Opens a peer.
    ///
    /// # Errors
    ///
    /// A [`Fault`] if no peer can be opened; its text answers the request that needed the peer.
    fn open(&self, caller: &Caller) -> Result<InProcessPeer, Fault>;

    /// Whether a legacy session can move to a peer that another replica opens with the same
    /// `initialize`. For that, no process may be behind it.
    fn moves(&self) -> bool;
}

/// One open peer: messages to it and from it.
pub(super) struct InProcessPeer {
    /// Its name in messages.
    pub(super) name: String,
    /// Messages from the peer. They end when the peer ends.
    pub(super) from: MessageReceiver,
    /// Messages to the peer. When this is closed, the peer ends.
    pub(super) to: MessageWriter,
    /// Waits for the peer's end, and returns how it came in a few words (`ended`, `was closed`). It
    /// is awaited once `to` is closed, and dropped if that takes too long: what the peer has
    /// started ends with it.
    pub(super) ended: Pin<Box<dyn Future<Output = String> + Send>>,
}
