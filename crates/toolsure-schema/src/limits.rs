//! Limits on the cost of a schema, an instance and a check; each has a name and is on by default.

use toolsure_json::ReadLimits;
use toolsure_syntax::Limits as ModelLimits;

/// The limits under which a schema is compiled and its instances are checked.
///
/// | field | default | counts |
/// |---|---|---|
/// | `model` | see [`ModelLimits`] | what reading a schema may take: bytes, depth, subschemas, patterns, references |
/// | `plan_nodes` | 20,000 | compiled subschemas, one for each dynamic scope they are used in, and their tables (16 names or enum members count as one) |
/// | `instance` | see [`ReadLimits`] | what reading an instance from bytes may take |
/// | `fuel` | 2,000,000 | units of work of one check, 10 to 40 ns each |
/// | `evaluation_depth` | 300 | nested subschema evaluations of one check |
///
/// `fuel` limits work, not wall time.
///
/// ```
/// use toolsure_schema::{Compiler, Limits, ModelLimits};
///
/// let model = ModelLimits { depth: 2, ..ModelLimits::default() };
/// let compiler = Compiler::new().limits(Limits { model, ..Limits::default() });
/// assert!(compiler.compile(br#"{"not": {"not": {}}}"#).is_ok());
/// assert!(compiler.compile(br#"{"not": {"not": {"not": {}}}}"#).is_err());
/// ```
#[derive(Debug, Clone)]
#[expect(
    clippy::exhaustive_structs,
    reason = "callers write the fields they set and `..Limits::default()`, which allows more fields"
)]
pub struct Limits {
    /// Limits on reading a schema into a model.
    pub model: ModelLimits,
    /// Maximum number of compiled subschemas, one for each reachable pair of subschema and dynamic
    /// scope; 16 names, enum members or bindings in their tables count as one.
    pub plan_nodes: usize,
    /// Limits on reading an instance from bytes.
    pub instance: ReadLimits,
    /// Maximum units of work of one check.
    pub fuel: u64,
    /// Maximum depth of nested subschema evaluations in one check.
    pub evaluation_depth: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            model: ModelLimits::default(),
            plan_nodes: 20_000,
            instance: ReadLimits::default(),
            // why: 100 ms of a 2020s core for the most expensive mix of work in the hostile set;
            // the median tool call takes under 100 units.
            fuel: 2_000_000,
            // why: the most expensive level takes about 720 bytes of stack, so 256 KiB are enough;
            // instances are at most 128 levels deep by default.
            evaluation_depth: 300,
        }
    }
}

/// The largest limit on the number of values in a document: 24 bytes each.
pub(crate) const NODES_MOST: u64 = 1 << 26;
