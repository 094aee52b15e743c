//! The client's side: options, and the transports that hold a server to its
//! tools' contracts.

mod check;
#[cfg(feature = "child-process")]
mod child;
mod decode;
mod event;
#[cfg(feature = "http-client")]
mod http;
mod known_tools;
mod lines;
mod list;
mod transport;
mod typed;

use std::sync::Arc;
use std::time::Duration;

use rmcp::RoleClient;
use rmcp::model::ErrorCode;
use rmcp::transport::{IntoTransport, Transport};
use tokio::io::{AsyncRead, AsyncWrite};
use toolgate_mcp::catalog::{Catalog, ToolSet};
use toolgate_mcp::check::OnUndecided;
use toolgate_mcp::contract::{Engine, SchemaStore, Validator};

#[cfg(feature = "child-process")]
pub use child::ChildLines;
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
/// to the request: a JSON-RPC error (`ServiceError::McpError`) whose `data` says
/// what is at fault and whether the call was sent:
///
/// | `data.kind` | code | `data.sent` | |
/// |---|---|---|---|
/// | `arguments` | -32602 | `false` | they break the tool's input schema |
/// | `schema` | -32602 | `false` | the tool's definition is malformed, does not compile, or could not be read |
/// | `tool` | -32602 | `false` | the server does not list it ([`listed_only`](Self::listed_only)) |
/// | `result` | [`INVALID_RESULT`](Self::INVALID_RESULT) | `true` | it breaks the tool's output schema |
///
/// `data.code` is the finer code of the log (`arguments-invalid`,
/// `result-undecided`, …), `data.tool` the tool's name.
///
/// A call whose contract is not known, or no longer (`list_changed`, a `ttlMs`
/// that is over), makes the gate read the server's list first. A result that
/// breaks a contract for which the server does not vouch by a `ttlMs` makes the
/// gate read the list once more, and meets the newer contract. A name that is
/// not listed is left to the server, unless [`listed_only`](Self::listed_only).
///
/// Of a list that can be read only in part, what was read is held to its
/// contracts, and calls of other names are refused with the reason, unless
/// [`on_unread_list`](Self::on_unread_list) says otherwise. The list is asked
/// for again by a call that comes five seconds later.
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
    on_unread_list: OnUnreadList,
    list_bytes: usize,
    list_timeout: Duration,
    observer: Observer,
}

/// What happens to a call of a tool that may stand in a part of the server's
/// list that could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(
    clippy::exhaustive_enums,
    reason = "a call without a contract is sent or not"
)]
pub enum OnUnreadList {
    /// It is refused with the reason (the default).
    #[default]
    Refuse,
    /// It is sent, and neither its arguments nor its result are checked.
    Pass,
}

impl ClientGate {
    /// The code of the error in the place of a result that breaks its tool's
    /// contract: -31602, outside the ranges of JSON-RPC and MCP, which have none
    /// for it.
    pub const INVALID_RESULT: ErrorCode = ErrorCode(-31_602);
    /// Bytes of one page of a server's list unless
    /// [`max_list_bytes`](Self::max_list_bytes) says otherwise: 16 MiB.
    pub const LIST_BYTES: usize = 16 << 20;
    /// How long the gate waits for a list that it reads itself unless
    /// [`list_timeout`](Self::list_timeout) says otherwise: 30 seconds.
    pub const LIST_TIMEOUT: Duration = Duration::from_secs(30);

    /// Refuses what cannot be decided and what stands in a list that cannot be
    /// read, leaves unlisted names to the server, logs by `tracing`.
    #[must_use]
    pub fn new() -> Self {
        Self {
            options: Options {
                check: CheckOptions::default(),
                listed_only: false,
                on_unread_list: OnUnreadList::default(),
                list_bytes: Self::LIST_BYTES,
                list_timeout: Self::LIST_TIMEOUT,
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

    /// Asks the program's own JSON Schema engine whether values match schemas;
    /// see [`Checker::engine`](toolgate_mcp::check::Checker::engine).
    #[must_use]
    pub fn validator(mut self, validator: impl Validator + 'static) -> Self {
        self.options.check.engine = Some(Engine::new(validator));
        self.renewed()
    }

    /// Refuses calls of tools that the server does not list.
    #[must_use]
    pub fn listed_only(mut self) -> Self {
        self.options.listed_only = true;
        self
    }

    /// Sets what happens to a call of a tool that may stand in a part of the
    /// server's list that could not be read: an error in the place of the list,
    /// a page without tools, a list without an end, a page over a bound.
    #[must_use]
    pub fn on_unread_list(mut self, policy: OnUnreadList) -> Self {
        self.options.on_unread_list = policy;
        self
    }

    /// Sets how many bytes one page of a server's list may have. A larger one is
    /// not read: see [`on_unread_list`](Self::on_unread_list).
    #[must_use]
    pub fn max_list_bytes(mut self, bytes: usize) -> Self {
        self.options.list_bytes = bytes;
        self
    }

    /// Sets how long the gate waits for a list that it reads itself, all its
    /// pages together. Calls that wait for it go on with what was read by then.
    #[must_use]
    pub fn list_timeout(mut self, timeout: Duration) -> Self {
        self.options.list_timeout = timeout;
        self
    }

    /// Compiles schemas by this store: its limits, its memory, shared with
    /// every other holder of a handle.
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
        self.checkers = Arc::new(Checkers::new(self.options.check.clone()));
        self
    }

    fn emit_event(&self, event: &ClientEvent<'_>) {
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
            .field("on_unread_list", &self.options.on_unread_list)
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
