//! Checks calls before they are sent, and results before they are accepted.

mod call;
mod decision;
mod engine;
mod result;
mod task;

use toolsure_json::{OwnedDocument, ReadError, ReadLimits, Reader};
use toolsure_schema::Workspace;

use crate::contract::Engine;

pub use decision::{Checked, Decision, Fault, Pass, Refusal};
pub use result::ResultOf;
pub use task::PendingTasks;

/// What to do when a check reaches a limit before the answer is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(
    clippy::exhaustive_enums,
    reason = "an undecided check can be taken as a yes or as a no"
)]
pub enum OnUndecided {
    /// Refuse (the default).
    #[default]
    Refuse,
    /// Let it pass, and say so in the decision.
    Pass,
}

/// Checks calls and results against contracts.
///
/// Keeps memory that checks reuse: after the first checks, checking a valid value allocates
/// nothing. Use one per thread.
///
/// ```
/// use toolsure_mcp::check::{Checker, Decision};
/// use toolsure_mcp::contract::SchemaStore;
/// use toolsure_mcp::catalog::Catalog;
/// use toolsure_mcp::era::Era;
///
/// let catalog = Catalog::new(SchemaStore::new());
/// catalog.load([br#"{"tools": [{"name": "greet", "inputSchema":
///     {"type": "object", "properties": {"times": {"type": "integer"}}}}]}"# as &[u8]])?;
///
/// let call = br#"{"jsonrpc": "2.0", "id": 7, "method": "tools/call",
///     "params": {"name": "greet", "arguments": {"times": "3"}}}"#;
/// let mut checker = Checker::new();
/// let Decision::Refuse(why) = checker.check_call_message(&catalog.snapshot(), call) else {
///     panic!("a string is not an integer");
/// };
/// assert_eq!(why.fault.code(), "arguments-invalid");
/// assert!(why.answer(Era::V2025_11_25, "7").contains(r#""isError":true"#));
/// assert!(why.answer(Era::V2025_06_18, "7").contains(r#""code":-32602"#));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Checker {
    reader: Reader,
    workspace: Workspace,
    limits: ReadLimits,
    on_undecided: OnUndecided,
    /// The value for absent arguments.
    empty: OwnedDocument,
    /// Whether argument schemas in definitions are used.
    argument_schemas: bool,
    engine: Option<Engine>,
}

impl Checker {
    /// A checker that refuses what it cannot decide.
    #[must_use]
    pub fn new() -> Self {
        Self {
            reader: Reader::new(),
            workspace: Workspace::new(),
            limits: ReadLimits::default(),
            on_undecided: OnUndecided::Refuse,
            empty: OwnedDocument::empty_object(),
            argument_schemas: false,
            engine: None,
        }
    }

    /// Sets what happens when a limit is reached before the answer is known.
    ///
    /// ```
    /// use toolsure_mcp::catalog::ToolSet;
    /// use toolsure_mcp::check::{Checker, Decision, OnUndecided};
    /// use toolsure_mcp::contract::SchemaStore;
    ///
    /// let page = br#"{"tools": [{"name": "find", "inputSchema": {"type": "object"}}]}"#;
    /// let tools = ToolSet::of_pages([page.as_slice()], &SchemaStore::new())?;
    /// let find = tools.tool("find").ok_or("listed")?;
    /// let mut checker = Checker::new().fuel(0);
    /// assert!(matches!(checker.check_arguments_bytes(find, b"{}"), Decision::Refuse(_)));
    /// let mut checker = checker.on_undecided(OnUndecided::Pass);
    /// assert!(matches!(checker.check_arguments_bytes(find, b"{}"), Decision::Pass(_)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn on_undecided(mut self, policy: OnUndecided) -> Self {
        self.on_undecided = policy;
        self
    }

    /// Checks arguments by the argument schema that a tool's definition publishes
    /// ([`ToolContract::argument_schema`](crate::contract::ToolContract::argument_schema)), before
    /// its input schema: for a server's own definitions. Otherwise published argument schemas are
    /// ignored.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use toolsure_mcp::check::Checker;
    /// use toolsure_mcp::contract::SchemaStore;
    /// use toolsure_mcp::publish::ToolDefinition;
    ///
    /// let tool = ToolDefinition::new("find").argument_schema(r#"{"q": {"required": true}}"#);
    /// let tool = Arc::new(tool.build(&SchemaStore::new())?);
    /// let decision = Checker::new().argument_schemas().check_arguments_bytes(&tool, b"{}");
    /// assert!(decision.refusal().is_some_and(|why| why.text().contains("missing required argument 'q'")));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn argument_schemas(mut self) -> Self {
        self.argument_schemas = true;
        self
    }

    /// Uses a host's engine instead of this crate's own to decide whether values match schemas.
    /// Schemas that this crate's own engine does not compile are still refused, so references to
    /// outside a schema and unbounded schemas never reach the host's engine. One reason is the host's
    /// to decide on: a schema of an unknown dialect (draft 3, a vendor's `$schema`) reaches it, if it is
    /// within the limits and refers to no other document
    /// ([`ToolContract::verify_for_host`](crate::contract::ToolContract::verify_for_host)). Fuel does not
    /// limit the host's engine. [`Validator`](crate::contract::Validator) has an example.
    #[must_use]
    pub fn engine(mut self, engine: Engine) -> Self {
        self.engine = Some(engine);
        self
    }

    /// Sets the limits for reading messages.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use toolsure_json::ReadLimits;
    /// use toolsure_mcp::check::Checker;
    /// use toolsure_mcp::contract::{SchemaStore, ToolContract};
    ///
    /// let tool = br#"{"name": "find", "inputSchema": {"type": "object"}}"#;
    /// let tool = Arc::new(ToolContract::read(tool, &SchemaStore::new())?);
    /// let limits = ReadLimits { depth: 1, ..ReadLimits::default() };
    /// let decision = Checker::new().limits(limits).check_arguments_bytes(&tool, br#"{"q": []}"#);
    /// assert_eq!(decision.refusal().map(|why| why.fault.kind()), Some("message"));
    /// # Ok::<(), toolsure_mcp::contract::MalformedTool>(())
    /// ```
    #[must_use]
    pub fn limits(mut self, limits: ReadLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets the units of work of one check; see
    /// [`Limits::fuel`](toolsure_schema::Limits::fuel).
    ///
    /// ```
    /// use std::sync::Arc;
    /// use toolsure_mcp::check::Checker;
    /// use toolsure_mcp::contract::{SchemaStore, ToolContract};
    ///
    /// let tool = br#"{"name": "find", "inputSchema": {"type": "object"}}"#;
    /// let tool = Arc::new(ToolContract::read(tool, &SchemaStore::new())?);
    /// let mut checker = Checker::new().fuel(1_000);
    /// assert!(checker.check_arguments_bytes(&tool, b"{}").refusal().is_none());
    /// assert!((1..1_000).contains(&checker.fuel_used()));
    /// # Ok::<(), toolsure_mcp::contract::MalformedTool>(())
    /// ```
    #[must_use]
    pub fn fuel(mut self, units: u64) -> Self {
        self.workspace = self.workspace.fuel(units);
        self
    }

    /// The units of work that the last check took.
    ///
    /// ```
    /// assert_eq!(toolsure_mcp::check::Checker::new().fuel_used(), 0);
    /// ```
    #[must_use]
    pub fn fuel_used(&self) -> u64 {
        self.workspace.fuel_used()
    }

    /// Reads a message with the reader's memory, and puts the memory back after `then`.
    fn reading(
        &mut self,
        message: &[u8],
        then: impl FnOnce(&mut Self, toolsure_json::Document<'_>) -> Decision,
    ) -> Result<Decision, ReadError> {
        let mut reader = std::mem::take(&mut self.reader);
        let decision = match reader.read(message, &self.limits) {
            Ok(document) => Ok(then(self, document)),
            Err(error) => Err(error),
        };
        self.reader = reader;
        decision
    }
}

impl Default for Checker {
    fn default() -> Self {
        Self::new()
    }
}
