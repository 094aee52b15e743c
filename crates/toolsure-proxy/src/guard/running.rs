//! A running guard, and why it ended.

use std::net::SocketAddr;
use std::sync::Arc;

use tokio::task::JoinHandle;

use super::context::GuardContext;
use crate::fault::Fault;

/// Why a guard ended.
#[derive(Debug)]
#[non_exhaustive]
pub enum Exit {
    /// The client on standard input and output left.
    ClientGone,
    /// [`Running::stop`] was called; open calls have been answered.
    Stopped,
    /// The child ended and may not be started again; the text says how.
    UpstreamGone(String),
    /// Something could not be started.
    Failed(Fault),
}

/// A running guard.
pub struct Running {
    pub(super) ctx: Arc<GuardContext>,
    pub(super) address: Option<SocketAddr>,
    pub(super) task: JoinHandle<Exit>,
}

impl std::fmt::Debug for Running {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Running")
            .field("address", &self.address)
            .finish_non_exhaustive()
    }
}

impl Running {
    /// The address that it listens on, for HTTP.
    pub fn address(&self) -> Option<SocketAddr> {
        self.address
    }

    /// Begins to stop the guard: it refuses new calls and answers open ones, within
    /// [`Times::drain`](super::Times::drain). Returns at once; [`Running::finished`] waits.
    pub fn stop(&self) {
        self.ctx.stop();
    }

    /// Waits until the guard has ended.
    pub async fn finished(mut self) -> Exit {
        self.ended().await
    }

    /// Like [`finished`](Self::finished), but the caller can still [`stop`](Self::stop) the guard.
    /// It must not be called again after it has returned.
    pub async fn ended(&mut self) -> Exit {
        match (&mut self.task).await {
            Ok(exit) => exit,
            // Nothing aborts the task, so it can only have panicked.
            Err(error) => match error.try_into_panic() {
                Ok(panic) => std::panic::resume_unwind(panic),
                Err(_) => Exit::Stopped,
            },
        }
    }
}
