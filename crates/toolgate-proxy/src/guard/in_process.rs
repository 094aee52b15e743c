//! An upstream in this process, which is handed messages and hands messages back.

use std::fmt;
use std::future::Future;
use std::pin::Pin;

use super::messages::{MessageReceiver, MessageSender};
use crate::fault::Fault;
pub use crate::http::Caller;

/// Something in this process that can be put behind a guard in the place of a server.
///
/// It is opened as a child process would be: once for a client on standard input and output, once
/// for each legacy session over HTTP, and once for each authorization that modern HTTP clients
/// come with, never one for two of them. Those are bounded by [`Bounds::children`] and ended when
/// they have been idle for [`Times::idle`].
///
/// [`Bounds::children`]: super::Bounds::children
/// [`Times::idle`]: super::Times::idle
pub trait InProcessUpstream: fmt::Debug + Send + Sync + 'static {
    /// Opens one peer. It is called on the runtime and must not block: what takes its time is done
    /// by a task that the peer's messages wait for.
    ///
    /// # Errors
    ///
    /// A [`Fault`] if there can be none; the request that needed it is answered with its text.
    fn open(&self, caller: &Caller) -> Result<InProcessPeer, Fault>;

    /// Whether a legacy session can go on with a peer that another replica opens as the client
    /// had opened this one: nothing behind it is a process. Default no.
    fn moves(&self) -> bool {
        false
    }
}

/// One open peer: messages to it and from it.
pub struct InProcessPeer {
    /// Its name in messages.
    pub name: String,
    /// Messages from it. Their end is the peer's end.
    pub from: MessageReceiver,
    /// Messages to it. When this is closed it answers open requests and ends.
    pub to: MessageSender,
    /// Its end, and how it came, in a few words (`ended`, `was closed`). It is waited for once
    /// `to` is closed, and dropped when that takes too long: what the peer has started must
    /// end with it.
    pub ended: Pin<Box<dyn Future<Output = String> + Send>>,
}

impl fmt::Debug for InProcessPeer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InProcessPeer")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}
