//! The server's side: options, shared state, and what is done to calls.

mod call;
mod contracts;
mod define;
mod event;
mod handler;
#[cfg(feature = "http-server")]
mod http;
mod input;
mod lines;
mod list;
mod malformed;
mod router;
mod sampling;
mod task;
mod text;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rmcp::ServerHandler;
use rmcp::model::CacheScope;
use toolgate_mcp::check::{OnUndecided, PendingTasks};
use toolgate_mcp::contract::{Engine, SchemaPart, SchemaStore, Validator};
use toolgate_mcp::era::Era;
use toolgate_mcp::project::{OutputPolicy, Projection, TextFallback};
use toolgate_schema::{Compiler, Formats};

pub use define::tool;
pub use event::ServerEvent;
pub use handler::Gated;
#[cfg(feature = "http-server")]
pub use http::{BodyError, ReadBody, ServerHttp};
pub use input::Union;
pub use lines::ServerLines;
pub use router::{GateRouter, RefusedTools};

use crate::checkers::{CheckOptions, Checkers};
use contracts::Contracts;
use event::Observer;

/// Holds a server to its tools' contracts; made once, shared by all handlers of
/// one server.
///
/// A gate is a handle: clones share compiled schemas, contracts and the memory
/// of tasks. Over HTTP, where a handler is made for each session or request,
/// make one gate and [`wrap`](Self::wrap) each handler with it. Options are set
/// before the gate is cloned.
///
/// ```
/// use rmcp::{ServerHandler, model::ServerConfig};
/// use toolgate_rmcp::{OutputPolicy, ServerGate};
///
/// #[derive(Clone)]
/// struct Weather;
/// impl ServerHandler for Weather {}
///
/// let gate = ServerGate::new().output(OutputPolicy::Drop);
/// let for_each_session = move || gate.wrap(Weather);
/// # let _ = for_each_session();
/// ```
#[derive(Clone)]
pub struct ServerGate {
    options: Options,
    shared: Arc<Shared>,
}

#[derive(Clone)]
struct Options {
    output: OutputPolicy,
    text: TextFallback,
    caching: Option<(u64, CacheScope)>,
    fixed: bool,
    observer: Observer,
    check: CheckOptions,
}

struct Shared {
    checkers: Checkers,
    contracts: Contracts,
    tasks: Mutex<PendingTasks>,
}

impl ServerGate {
    /// Tasks whose tool is remembered; of more, the oldest is forgotten.
    pub const TASKS: usize = 65_536;

    /// Wrap for old readers, text for every structured content, refuse what
    /// cannot be decided, log by `tracing`. Formats are annotations, but those of
    /// numbers in arguments (`int64`, `uint8`, …) are asserted, so that no number
    /// reaches a handler whose Rust type does not hold it.
    #[must_use]
    pub fn new() -> Self {
        Self {
            options: Options {
                output: OutputPolicy::default(),
                text: TextFallback::default(),
                caching: None,
                fixed: false,
                observer: Arc::new(event::trace),
                check: checks(),
            },
            shared: Arc::new(Shared::new(checks(), store())),
        }
    }

    /// Sets what readers older than 2026-07-28 get in the place of output that
    /// is not an object.
    #[must_use]
    pub fn output(mut self, policy: OutputPolicy) -> Self {
        self.options.output = policy;
        self
    }

    /// Sets when a text block with the structured content's JSON is added to a
    /// result that has none.
    #[must_use]
    pub fn text(mut self, fallback: TextFallback) -> Self {
        self.options.text = fallback;
        self
    }

    /// Sets what happens to a message whose check reaches its bound. Forgets
    /// what the gate has learned.
    #[must_use]
    pub fn on_undecided(mut self, policy: OnUndecided) -> Self {
        self.options.check.on_undecided = policy;
        self.renewed(None)
    }

    /// Sets the units of work of one check; see
    /// [`Limits::fuel`](toolgate_schema::Limits::fuel). Forgets what the gate
    /// has learned.
    #[must_use]
    pub fn fuel(mut self, units: u64) -> Self {
        self.options.check.fuel = Some(units);
        self.renewed(None)
    }

    /// Asks the program's own JSON Schema engine whether values match schemas;
    /// see [`Checker::engine`](toolgate_mcp::check::Checker::engine). Forgets
    /// what the gate has learned.
    #[must_use]
    pub fn validator(mut self, validator: impl Validator + 'static) -> Self {
        self.options.check.engine = Some(Engine::new(validator));
        self.renewed(None)
    }

    /// Compiles schemas by this store: its limits, its memory, shared with
    /// every other holder of a handle. Forgets what the gate has learned.
    #[must_use]
    pub fn store(self, store: SchemaStore) -> Self {
        self.renewed(Some(store))
    }

    /// Sets how long, and by whom, lists of tools may be cached: `ttlMs` (in
    /// whole milliseconds) and `cacheScope` of every list for readers of
    /// 2026-07-28, whatever the handler says.
    #[must_use]
    pub fn caching(mut self, ttl: Duration, scope: CacheScope) -> Self {
        let ttl = u64::try_from(ttl.as_millis()).unwrap_or(u64::MAX);
        self.options.caching = Some((ttl, scope));
        self
    }

    /// Says that the handler's tools never change, so that `get_tool` is asked
    /// once for each and not at every call. Handlers made by rmcp's macros with
    /// their default router build all their tools to answer it.
    #[must_use]
    pub fn fixed_tools(mut self) -> Self {
        self.options.fixed = true;
        self
    }

    /// Sets who is told of what was refused and lost, in the place of the log.
    /// It is called while a message waits, from any thread.
    #[must_use]
    pub fn observe(mut self, observer: impl Fn(&ServerEvent<'_>) + Send + Sync + 'static) -> Self {
        self.options.observer = Arc::new(observer);
        self
    }

    /// Puts the gate in front of a handler.
    #[must_use]
    pub fn wrap<H: ServerHandler>(&self, handler: H) -> Gated<H> {
        Gated::new(self.clone(), handler)
    }

    /// Forgets the handler's tools, so that they are asked for again. Needed
    /// only by a handler without `get_tool` whose tools change: call it where
    /// `notifications/tools/list_changed` is sent.
    pub fn forget_tools(&self) {
        self.shared.contracts.forget();
    }

    fn renewed(mut self, store: Option<SchemaStore>) -> Self {
        let store = store.unwrap_or_else(|| self.shared.contracts.store().clone());
        self.shared = Arc::new(Shared::new(self.options.check.clone(), store));
        self
    }

    fn projection(&self, reader: Era) -> Projection {
        Projection::to(reader)
            .output(self.options.output)
            .text(self.options.text)
    }

    fn emit_event(&self, event: &ServerEvent<'_>) {
        (self.options.observer)(event);
    }

    fn tasks(&self) -> std::sync::MutexGuard<'_, PendingTasks> {
        let tasks = self.shared.tasks.lock();
        tasks.unwrap_or_else(PoisonError::into_inner)
    }
}

impl Shared {
    fn new(check: CheckOptions, store: SchemaStore) -> Self {
        Self {
            checkers: Checkers::new(check),
            contracts: Contracts::new(store),
            tasks: Mutex::new(PendingTasks::new(ServerGate::TASKS)),
        }
    }
}

/// A server's own definitions may say what their arguments are by an argument
/// schema.
fn checks() -> CheckOptions {
    CheckOptions {
        argument_schemas: true,
        ..CheckOptions::default()
    }
}

/// Formats are annotations, as everywhere, but for those of numbers in arguments.
fn store() -> SchemaStore {
    SchemaStore::choosing(Compiler::new(), SchemaStore::BYTES, |_, part| match part {
        SchemaPart::Input => Formats::AssertNumbers,
        SchemaPart::Output => Formats::Annotate,
    })
}

impl Default for ServerGate {
    fn default() -> Self {
        Self::new()
    }
}

impl std::fmt::Debug for ServerGate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ServerGate")
            .field("output", &self.options.output)
            .field("text", &self.options.text)
            .field("contracts", &self.shared.contracts)
            .finish_non_exhaustive()
    }
}

/// A server in one more word: `MyServer::new().gated().serve(stdio())`.
pub trait GateServer: ServerHandler {
    /// Puts a gate of its own with default options in front of this handler.
    fn gated(self) -> Gated<Self> {
        ServerGate::new().wrap(self)
    }
}

impl<H: ServerHandler> GateServer for H {}
