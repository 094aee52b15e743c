//! The client's side: options, and the transports that hold a server to its
//! tools' contracts.

mod book;
mod decode;
mod event;
#[cfg(feature = "http-client")]
mod http;
mod judge;
mod lines;
mod list;
mod transport;
mod typed;

use std::sync::Arc;

use rmcp::RoleClient;
use rmcp::transport::{IntoTransport, Transport};
use tokio::io::{AsyncRead, AsyncWrite};
use toolgate_mcp::catalog::{Catalog, ToolSet};
use toolgate_mcp::check::OnUndecided;
use toolgate_mcp::contract::SchemaStore;

pub use event::ClientEvent;
#[cfg(feature = "http-client")]
pub use http::GatedHttp;
pub use lines::Lines;
pub use transport::GatedTransport;
pub use typed::{CallTyped, TypedCallError};

use crate::checkers::{CheckOptions, Checkers};
use event::Observer;

/// Holds servers to their tools' contracts, below rmcp's client.
///
/// The gate stands in the transport, so nothing of the client passes it by:
/// calls are checked before they are sent, results before they are received,
/// and a list is not lost because of one of its tools. A refusal is the answer
/// to the request: a JSON-RPC error -32602 (`ServiceError::McpError`).
///
/// A call whose contract is not known, or no longer (`list_changed`, a `ttlMs`
/// that is over), makes the gate read the server's list first. A name that is
/// not listed is left to the server, unless [`listed_only`](Self::listed_only).
///
/// One gate serves any number of connections: each has contracts of its own,
/// all share compiled schemas.
#[derive(Clone)]
pub struct ClientGate {
    options: Options,
    checkers: Arc<Checkers>,
    store: SchemaStore,
}

#[derive(Clone)]
struct Options {
    check: CheckOptions,
    listed_only: bool,
    observer: Observer,
}

impl ClientGate {
    /// Refuses what cannot be decided, leaves unlisted names to the server, logs
    /// by `tracing`.
    #[must_use]
    pub fn new() -> Self {
        Self {
            options: Options {
                check: CheckOptions::default(),
                listed_only: false,
                observer: Arc::new(event::trace),
            },
            checkers: Arc::default(),
            store: SchemaStore::new(),
        }
    }

    /// Sets what happens to a message whose check reaches its bound.
    #[must_use]
    pub fn on_undecided(mut self, policy: OnUndecided) -> Self {
        self.options.check.on_undecided = policy;
        self.renewed()
    }

    /// Sets the units of work of one check; see
    /// [`Limits::fuel`](toolgate_schema::Limits::fuel).
    #[must_use]
    pub fn fuel(mut self, units: u64) -> Self {
        self.options.check.fuel = Some(units);
        self.renewed()
    }

    /// Refuses calls of tools that the server does not list.
    #[must_use]
    pub fn listed_only(mut self) -> Self {
        self.options.listed_only = true;
        self
    }

    /// Compiles schemas by this store: its limits, its memory, shared with
    /// whoever else has a handle of it.
    #[must_use]
    pub fn store(mut self, store: SchemaStore) -> Self {
        self.store = store;
        self
    }

    /// Sets who is told of what was refused and isolated, in the place of the
    /// log. It is called while a message waits, from any thread.
    #[must_use]
    pub fn observe(mut self, observer: impl Fn(&ClientEvent<'_>) + Send + Sync + 'static) -> Self {
        self.options.observer = Arc::new(observer);
        self
    }

    /// Puts the gate above a transport of rmcp.
    ///
    /// The transport has read messages as rmcp's types by then. What it could
    /// not read it has dropped, and a result that looks like another kind has
    /// become one: over pipes prefer [`lines`](Self::lines), over HTTP put
    /// `http` (feature `http-client`) below as well.
    pub fn transport<T, E, A>(
        &self,
        transport: T,
    ) -> GatedTransport<impl Transport<RoleClient, Error = E> + use<T, E, A>>
    where
        T: IntoTransport<RoleClient, E, A>,
        E: std::error::Error + Send + Sync + 'static,
    {
        GatedTransport::new(self.clone(), transport.into_transport())
    }

    /// Puts the gate on a server's output and input, a child process's standard
    /// streams for instance: reads lines itself, each by the request it answers.
    pub fn lines<R, W>(&self, read: R, write: W) -> GatedTransport<Lines<R, W>>
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        GatedTransport::new(self.clone(), Lines::new(read, write))
    }

    /// Puts a part of the gate below rmcp's Streamable HTTP transport, where
    /// answers are still text: for `StreamableHttpClientTransport::with_client`,
    /// whose transport then goes into [`transport`](Self::transport).
    #[cfg(feature = "http-client")]
    #[must_use]
    pub fn http<C>(&self, client: C) -> GatedHttp<C> {
        GatedHttp::new(client)
    }

    fn renewed(mut self) -> Self {
        self.checkers = Arc::new(Checkers::new(self.options.check));
        self
    }

    fn tell(&self, event: &ClientEvent<'_>) {
        (self.options.observer)(event);
    }
}

impl Default for ClientGate {
    fn default() -> Self {
        Self::new()
    }
}

impl std::fmt::Debug for ClientGate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ClientGate")
            .field("check", &self.options.check)
            .field("listed_only", &self.options.listed_only)
            .finish_non_exhaustive()
    }
}

/// The tools of one connection, as its gate knows them.
#[derive(Debug, Clone)]
pub struct ToolWatch(Arc<Catalog>);

impl ToolWatch {
    /// The tools of the last complete list, and those that were isolated.
    #[must_use]
    pub fn snapshot(&self) -> Arc<ToolSet> {
        self.0.snapshot()
    }
}
