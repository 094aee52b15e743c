//! The layer of a server, and its options.
//!
//! Its checks are in `checks`; `handler`, `router` and `transport` each hold one thing that it can wrap.

use std::sync::Arc;
use std::time::Duration;

use rmcp::model::CacheScope;
use toolsure_mcp::check::OnUndecided;
use toolsure_mcp::contract::{Engine, SchemaPart, SchemaStore, Validator};
use toolsure_mcp::project::{OutputPolicy, TextFallback};
use toolsure_schema::{Compiler, Formats};

use super::checks::{Checks, Options, TASKS};
use super::event::{self, ServerEvent};
use crate::checkers::CheckOptions;

/// Checks a server's calls and results against the schemas of its tools.
///
/// One layer serves all handlers of a server. Clones share compiled schemas, contracts and the list
/// of running tasks. Over HTTP, where rmcp makes a handler for each session or request, create one
/// layer and [`wrap`](Self::wrap) each handler with it. Set options before you clone it.
///
/// ```
/// use rmcp::{ServerHandler, model::ServerConfig};
/// use toolsure_rmcp::{OutputPolicy, ServerLayer};
///
/// #[derive(Clone)]
/// struct Weather;
/// impl ServerHandler for Weather {}
///
/// let layer = ServerLayer::new().output(OutputPolicy::Drop);
/// let for_each_session = move || layer.wrap(Weather);
/// # let _ = for_each_session();
/// ```
#[derive(Clone)]
pub struct ServerLayer {
    pub(super) checks: Checks,
}

impl ServerLayer {
    /// The maximum number of tasks whose tool is remembered. Beyond it, the oldest is forgotten.
    pub const TASKS: usize = TASKS;

    /// Creates a layer with the defaults: output that older clients cannot read is wrapped,
    /// structured content gets a text block, undecided messages are refused, events go to
    /// `tracing`. Formats are annotations, except those of numbers in arguments (`int64`, `uint8`,
    /// …), so that no number reaches a handler whose Rust type cannot hold it.
    ///
    /// ```
    /// use rmcp::ServerHandler;
    /// use toolsure_rmcp::ServerLayer;
    ///
    /// struct Weather;
    /// impl ServerHandler for Weather {}
    ///
    /// let server = ServerLayer::new().wrap(Weather);
    /// # let _ = server;
    /// ```
    #[must_use]
    pub fn new() -> Self {
        let options = Options {
            output: OutputPolicy::default(),
            text: TextFallback::default(),
            caching: None,
            fixed: false,
            observer: Arc::new(event::trace),
            check: check_options(),
        };
        Self {
            checks: Checks::new(options, store()),
        }
    }

    /// Sets what clients older than 2026-07-28 get instead of output that is not an object.
    ///
    /// ```
    /// use toolsure_rmcp::{OutputPolicy, ServerLayer};
    ///
    /// // They get the text `[20, 19]` alone, without `{"result": [20, 19]}`.
    /// let layer = ServerLayer::new().output(OutputPolicy::Drop);
    /// # let _ = layer;
    /// ```
    #[must_use]
    pub fn output(mut self, policy: OutputPolicy) -> Self {
        self.checks.options.output = policy;
        self
    }

    /// Sets when a text block with the JSON of the structured content is added to a result that has
    /// no text block.
    ///
    /// ```
    /// use toolsure_rmcp::{ServerLayer, TextFallback};
    ///
    /// // Clients that read the structured content of an object do not get it twice.
    /// let layer = ServerLayer::new().text(TextFallback::NonObject);
    /// # let _ = layer;
    /// ```
    #[must_use]
    pub fn text(mut self, fallback: TextFallback) -> Self {
        self.checks.options.text = fallback;
        self
    }

    /// Sets what happens to a message whose check reaches its limit. Forgets the contracts that the
    /// layer has compiled.
    ///
    /// ```
    /// use toolsure_rmcp::{OnUndecided, ServerLayer};
    ///
    /// // They pass, and each is an event (`ServerEvent::Undecided`).
    /// let layer = ServerLayer::new().on_undecided(OnUndecided::Pass);
    /// # let _ = layer;
    /// ```
    #[must_use]
    pub fn on_undecided(mut self, policy: OnUndecided) -> Self {
        self.checks.options.check.on_undecided = policy;
        self.renewed(None)
    }

    /// Sets the units of work of one check; see
    /// [`Limits::fuel`](toolsure_schema::Limits::fuel). Forgets the contracts that the
    /// layer has compiled.
    ///
    /// ```
    /// use toolsure_rmcp::ServerLayer;
    ///
    /// let layer = ServerLayer::new().fuel(1_000_000);
    /// # let _ = layer;
    /// ```
    #[must_use]
    pub fn fuel(mut self, units: u64) -> Self {
        self.checks.options.check.fuel = Some(units);
        self.renewed(None)
    }

    /// Asks the program's own JSON Schema engine whether values match schemas;
    /// see [`Checker::engine`](toolsure_mcp::check::Checker::engine). Forgets
    /// the contracts that the layer has compiled.
    ///
    /// ```
    /// use toolsure_rmcp::{HostSchema, HostVerdict, ServerLayer, Validator};
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
    /// let layer = ServerLayer::new().validator(Engine);
    /// # let _ = layer;
    /// ```
    #[must_use]
    pub fn validator(mut self, validator: impl Validator + 'static) -> Self {
        self.checks.options.check.engine = Some(Engine::new(validator));
        self.renewed(None)
    }

    /// Compiles schemas with this store, under its limits. All handles to the store share the
    /// compiled schemas. Forgets the contracts that the layer has compiled.
    ///
    /// ```
    /// use toolsure_rmcp::{Compiler, Formats, SchemaStore, ServerLayer};
    ///
    /// // Formats such as `date-time` are asserted.
    /// let compiler = Compiler::new().formats(Formats::Assert);
    /// let store = SchemaStore::with(compiler, SchemaStore::BYTES);
    /// let layer = ServerLayer::new().store(store.clone());
    /// # let _ = (layer, store);
    /// ```
    #[must_use]
    pub fn store(self, store: SchemaStore) -> Self {
        self.renewed(Some(store))
    }

    /// Sets how long, and by whom, lists of tools may be cached: `ttlMs` (in
    /// whole milliseconds) and `cacheScope` of every list for clients of
    /// 2026-07-28. Replaces the handler's own values.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use rmcp::model::CacheScope;
    /// use toolsure_rmcp::ServerLayer;
    ///
    /// let layer = ServerLayer::new().caching(Duration::from_secs(300), CacheScope::Private);
    /// # let _ = layer;
    /// ```
    #[must_use]
    pub fn caching(mut self, ttl: Duration, scope: CacheScope) -> Self {
        let ttl = u64::try_from(ttl.as_millis()).unwrap_or(u64::MAX);
        self.checks.options.caching = Some((ttl, scope));
        self
    }

    /// Declares that the handler's tools never change, so that `get_tool` is called
    /// once for each tool and not for each call. With their default router, handlers
    /// made by rmcp's macros build all their tools in each `get_tool`.
    ///
    /// ```
    /// use toolsure_rmcp::ServerLayer;
    ///
    /// let layer = ServerLayer::new().fixed_tools();
    /// # let _ = layer;
    /// ```
    #[must_use]
    pub fn fixed_tools(mut self) -> Self {
        self.checks.options.fixed = true;
        self
    }

    /// Sets the function that receives events, instead of `tracing`. It may be called from any
    /// thread, and the message waits until it returns.
    ///
    /// ```
    /// use toolsure_rmcp::{ServerEvent, ServerLayer};
    ///
    /// let layer = ServerLayer::new().observe(|event| match event {
    ///     ServerEvent::ResultRefused(why) => eprintln!("a tool broke its contract: {why}"),
    ///     event => eprintln!("{event}"),
    /// });
    /// # let _ = layer;
    /// ```
    #[must_use]
    pub fn observe(mut self, observer: impl Fn(&ServerEvent<'_>) + Send + Sync + 'static) -> Self {
        self.checks.options.observer = Arc::new(observer);
        self
    }

    /// Forgets the handler's tools, so that the layer asks for them again. Only a
    /// handler without `get_tool` whose tools change needs this: call it where you send
    /// `notifications/tools/list_changed`.
    ///
    /// ```
    /// use rmcp::{RoleServer, service::{Peer, ServiceError}};
    /// use toolsure_rmcp::ServerLayer;
    ///
    /// async fn tools_changed(
    ///     layer: &ServerLayer,
    ///     client: &Peer<RoleServer>,
    /// ) -> Result<(), ServiceError> {
    ///     layer.forget_tools();
    ///     client.notify_tool_list_changed().await
    /// }
    /// ```
    pub fn forget_tools(&self) {
        self.checks.shared.contracts.forget();
    }

    fn renewed(mut self, store: Option<SchemaStore>) -> Self {
        let store = store.unwrap_or_else(|| self.checks.shared.contracts.store().clone());
        self.checks = Checks::new(self.checks.options, store);
        self
    }
}

/// A server's own definitions may have argument schemas.
fn check_options() -> CheckOptions {
    CheckOptions {
        argument_schemas: true,
        ..CheckOptions::default()
    }
}

/// Formats are annotations, as everywhere else, except those of numbers in arguments.
fn store() -> SchemaStore {
    SchemaStore::choosing(Compiler::new(), SchemaStore::BYTES, |_, part| match part {
        SchemaPart::Input => Formats::AssertNumbers,
        SchemaPart::Output => Formats::Annotate,
    })
}

impl Default for ServerLayer {
    fn default() -> Self {
        Self::new()
    }
}

impl std::fmt::Debug for ServerLayer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ServerLayer")
            .field("output", &self.checks.options.output)
            .field("text", &self.checks.options.text)
            .field("contracts", &self.checks.shared.contracts)
            .finish_non_exhaustive()
    }
}
