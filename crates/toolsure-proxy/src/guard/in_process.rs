//! Upstreams in this process, which exchange messages with the guard directly.

use std::fmt;
use std::future::Future;
use std::pin::Pin;

use super::messages::{MessageReceiver, MessageSender};
use crate::fault::Fault;
pub use crate::http::Caller;
use crate::http::HttpTarget;

/// An upstream in this process, in place of a server.
///
/// It is opened once for a client on standard input and output, once for each legacy session over
/// HTTP, and once for each authorization of modern HTTP clients; two authorizations never share a
/// peer. [`Bounds::children`] limits the peers over HTTP, and they end when they have been idle for
/// [`Times::idle`].
///
/// [`Bounds::children`]: super::Bounds::children
/// [`Times::idle`]: super::Times::idle
pub trait InProcessUpstream: fmt::Debug + Send + Sync + 'static {
    /// Opens a peer. It is called on the runtime and must not block: a task should do slow work,
    /// while the peer's messages wait.
    ///
    /// # Errors
    ///
    /// A [`Fault`] if no peer can be opened; its text answers the request that needed the peer.
    fn open(&self, caller: &Caller) -> Result<InProcessPeer, Fault>;

    /// Whether a legacy session can move to a peer that another replica opens with the same
    /// `initialize`. For that, no process may be behind it. Default no.
    fn moves(&self) -> bool {
        false
    }

    /// The server behind it that takes the tokens of clients; the guard serves its metadata for its
    /// own address (RFC 9728). Default none.
    fn protected_resource(&self) -> Option<HttpTarget> {
        None
    }
}

/// One open peer: messages to it and from it.
#[expect(
    clippy::exhaustive_structs,
    reason = "built by the upstreams that open it: nothing in it has a default, so a new field must be set"
)]
pub struct InProcessPeer {
    /// Its name in messages.
    pub name: String,
    /// Messages from the peer. They end when the peer ends.
    pub from: MessageReceiver,
    /// Messages to the peer. When this is closed, the peer answers open requests and ends.
    pub to: MessageSender,
    /// Waits for the peer's end, and returns how it came in a few words (`ended`, `was closed`). It
    /// is awaited once `to` is closed, and dropped if that takes too long: what the peer has
    /// started must end with it.
    pub ended: Pin<Box<dyn Future<Output = String> + Send>>,
}

impl fmt::Debug for InProcessPeer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InProcessPeer")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}
