//! The layer of a client: its options, and what its connections share.

use std::sync::Arc;
use std::time::Duration;

use rmcp::model::ErrorCode;
use toolsure_mcp::check::OnUndecided;
use toolsure_mcp::contract::{Engine, SchemaStore, Validator};

use super::event::{self, ClientEvent, Observer};
use crate::checkers::{CheckOptions, Checkers};

/// Checks calls and results against the schemas of a server's tools, below rmcp's client.
///
/// The layer wraps the transport, so every message of the client passes through it. Calls are
/// checked before they are sent, results before the client gets them, and a malformed tool does not
/// make its whole list unreadable. A refused call or result is answered with a JSON-RPC error
/// (`ServiceError::McpError`) whose `data` says what is wrong and whether the call was sent:
///
/// | `data.kind` | code | `data.sent` | |
/// |---|---|---|---|
/// | `arguments` | -32602 | `false` | the arguments violate the tool's input schema |
/// | `schema` | -32602 | `false` | the tool's definition is malformed, does not compile, or could not be read |
/// | `tool` | -32602 | `false` | the server does not list it ([`listed_only`](Self::listed_only)) |
/// | `result` | [`INVALID_RESULT`](Self::INVALID_RESULT) | `true` | the result violates the tool's output schema |
///
/// `data.code` is the more detailed code of the log (`arguments-invalid`, `result-undecided`, …),
/// and `data.tool` is the tool's name.
///
/// If the contract of a call is unknown or out of date (`list_changed`, an expired `ttlMs`), the
/// layer reads the server's list first. If a result violates a contract that no `ttlMs` guarantees,
/// the layer reads the list again and checks the result against the new contract. Calls of tools
/// that are not listed are sent, unless [`listed_only`](Self::listed_only) is set.
///
/// If only a part of the list can be read, the tools in that part are checked, and calls of others
/// are refused with the reason, unless [`on_unread_list`](Self::on_unread_list) says otherwise. The
/// first call after five seconds makes the layer request the list again.
///
/// One layer serves any number of connections. Each has its own contracts;
/// all share compiled schemas.
#[derive(Clone)]
pub struct ClientLayer {
    pub(super) options: Options,
    pub(super) checkers: Arc<Checkers>,
    pub(super) store: SchemaStore,
}

#[derive(Clone)]
pub(super) struct Options {
    pub(super) check: CheckOptions,
    pub(super) listed_only: bool,
    pub(super) on_unread_list: OnUnreadList,
    pub(super) list_bytes: usize,
    pub(super) list_timeout: Duration,
    pub(super) observer: Observer,
}

/// What happens to a call of a tool that may be in a part of the server's list that
/// could not be read.
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

impl ClientLayer {
    /// The code of the error that replaces a result which violates its tool's contract: -31602. It
    /// is outside the ranges of JSON-RPC and MCP, which have no code for this.
    pub const INVALID_RESULT: ErrorCode = ErrorCode(-31_602);
    /// The default of [`max_list_bytes`](Self::max_list_bytes): 16 MiB.
    pub const LIST_BYTES: usize = 16 << 20;
    /// The default of [`list_timeout`](Self::list_timeout): 30 seconds.
    pub const LIST_TIMEOUT: Duration = Duration::from_secs(30);

    /// Creates a layer with the defaults: undecided messages and calls of tools in an unreadable
    /// part of the list are refused, calls of unlisted tools are sent, events go to `tracing`.
    ///
    /// ```no_run
    /// use rmcp::ServiceExt as _;
    /// use toolsure_rmcp::ClientLayer;
    ///
    /// # async fn connect() -> Result<(), Box<dyn std::error::Error>> {
    /// let socket = tokio::net::TcpStream::connect("127.0.0.1:7000").await?;
    /// let (read, write) = socket.into_split();
    /// let client = ().serve(ClientLayer::new().lines(read, write)).await?;
    /// # client.cancel().await?;
    /// # Ok(())
    /// # }
    /// ```
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

    /// Sets what happens to a message whose check reaches its limit, and to the result of a task
    /// whose tool is unknown.
    ///
    /// ```
    /// use toolsure_rmcp::{ClientLayer, OnUndecided};
    ///
    /// // They pass, and each is an event (`ClientEvent::Undecided`).
    /// let layer = ClientLayer::new().on_undecided(OnUndecided::Pass);
    /// # let _ = layer;
    /// ```
    #[must_use]
    pub fn on_undecided(mut self, policy: OnUndecided) -> Self {
        self.options.check.on_undecided = policy;
        self.renewed()
    }

    /// Sets the units of work of one check; see
    /// [`Limits::fuel`](toolsure_schema::Limits::fuel).
    ///
    /// ```
    /// use toolsure_rmcp::ClientLayer;
    ///
    /// let layer = ClientLayer::new().fuel(1_000_000);
    /// # let _ = layer;
    /// ```
    #[must_use]
    pub fn fuel(mut self, units: u64) -> Self {
        self.options.check.fuel = Some(units);
        self.renewed()
    }

    /// Asks the program's own JSON Schema engine whether values match schemas;
    /// see [`Checker::engine`](toolsure_mcp::check::Checker::engine).
    ///
    /// ```
    /// use toolsure_rmcp::{HostSchema, HostVerdict, ClientLayer, Validator};
    ///
    /// struct Engine;
    /// struct Constant(String);
    ///
    /// impl Validator for Engine {
    ///     fn compile(&self, schema: &str) -> Result<Box<dyn HostSchema>, String> {
    ///         let schema: serde_json::Value =
    ///             serde_json::from_str(schema).map_err(|why| why.to_string())?;
    ///         match (schema["const"].as_str(), schema.as_object()) {
    ///             (Some(text), Some(keywords)) if keywords.len() == 1 => {
    ///                 Ok(Box::new(Constant(text.to_owned())))
    ///             }
    ///             _ => Err("this engine only knows `const` with a string".to_owned()),
    ///         }
    ///     }
    /// }
    ///
    /// impl HostSchema for Constant {
    ///     fn check(&self, instance: &str) -> HostVerdict {
    ///         match serde_json::from_str::<serde_json::Value>(instance) {
    ///             Ok(found) if found == self.0 => HostVerdict::Valid,
    ///             Ok(_) => HostVerdict::Invalid(vec![format!("it is not `{}`", self.0)]),
    ///             Err(why) => HostVerdict::Undecided(why.to_string()),
    ///         }
    ///     }
    /// }
    ///
    /// let layer = ClientLayer::new().validator(Engine);
    /// # let _ = layer;
    /// ```
    #[must_use]
    pub fn validator(mut self, validator: impl Validator + 'static) -> Self {
        self.options.check.engine = Some(Engine::new(validator));
        self.renewed()
    }

    /// Refuses calls of tools that the server does not list.
    ///
    /// ```
    /// use toolsure_rmcp::ClientLayer;
    ///
    /// let layer = ClientLayer::new().listed_only();
    /// # let _ = layer;
    /// ```
    #[must_use]
    pub fn listed_only(mut self) -> Self {
        self.options.listed_only = true;
        self
    }

    /// Sets what happens to a call of a tool that may be in a part of the server's list
    /// that could not be read: the server answered with an error, a page had no tools or
    /// was too large, or the list did not end.
    ///
    /// ```
    /// use toolsure_rmcp::{ClientLayer, OnUnreadList};
    ///
    /// // It is sent unchecked, and is an event (`ClientEvent::Unchecked`).
    /// let layer = ClientLayer::new().on_unread_list(OnUnreadList::Pass);
    /// # let _ = layer;
    /// ```
    #[must_use]
    pub fn on_unread_list(mut self, policy: OnUnreadList) -> Self {
        self.options.on_unread_list = policy;
        self
    }

    /// Sets how many bytes one page of a server's list may have. A larger page is not read: see
    /// [`on_unread_list`](Self::on_unread_list).
    ///
    /// ```
    /// use toolsure_rmcp::ClientLayer;
    ///
    /// let layer = ClientLayer::new().max_list_bytes(1 << 20);
    /// # let _ = layer;
    /// ```
    #[must_use]
    pub fn max_list_bytes(mut self, bytes: usize) -> Self {
        self.options.list_bytes = bytes;
        self
    }

    /// Sets how long the layer waits for all pages of a list that it reads itself. Calls
    /// that wait for the list then use the part that was read.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use toolsure_rmcp::ClientLayer;
    ///
    /// let layer = ClientLayer::new().list_timeout(Duration::from_secs(5));
    /// # let _ = layer;
    /// ```
    #[must_use]
    pub fn list_timeout(mut self, timeout: Duration) -> Self {
        self.options.list_timeout = timeout;
        self
    }

    /// Compiles schemas with this store, under its limits. All handles to the store share the
    /// compiled schemas.
    ///
    /// ```
    /// use toolsure_rmcp::{Compiler, Formats, SchemaStore, ClientLayer};
    ///
    /// // Formats such as `date-time` are asserted.
    /// let compiler = Compiler::new().formats(Formats::Assert);
    /// let store = SchemaStore::with(compiler, SchemaStore::BYTES);
    /// let layer = ClientLayer::new().store(store.clone());
    /// # let _ = (layer, store);
    /// ```
    #[must_use]
    pub fn store(mut self, store: SchemaStore) -> Self {
        self.store = store;
        self
    }

    /// Sets the function that receives events, instead of `tracing`. It may be called from any
    /// thread, and the message waits until it returns.
    ///
    /// ```
    /// use toolsure_rmcp::{ClientEvent, ClientLayer};
    ///
    /// let layer = ClientLayer::new().observe(|event| match event {
    ///     ClientEvent::ResultRefused(why) => eprintln!("the server broke its contract: {why}"),
    ///     event => eprintln!("{event}"),
    /// });
    /// # let _ = layer;
    /// ```
    #[must_use]
    pub fn observe(mut self, observer: impl Fn(&ClientEvent<'_>) + Send + Sync + 'static) -> Self {
        self.options.observer = Arc::new(observer);
        self
    }

    fn renewed(mut self) -> Self {
        self.checkers = Arc::new(Checkers::new(self.options.check.clone()));
        self
    }

    pub(super) fn emit_event(&self, event: &ClientEvent<'_>) {
        (self.options.observer)(event);
    }
}

impl Default for ClientLayer {
    fn default() -> Self {
        Self::new()
    }
}

impl std::fmt::Debug for ClientLayer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ClientLayer")
            .field("check", &self.options.check)
            .field("listed_only", &self.options.listed_only)
            .field("on_unread_list", &self.options.on_unread_list)
            .finish_non_exhaustive()
    }
}
