//! What a schema, an instance and one check may cost, each bound named and on by default.

use toolgate_json::ReadLimits;
use toolgate_syntax::Limits as ModelLimits;

/// The bounds under which a schema is compiled and its instances are checked.
///
/// | field | default | counts |
/// |---|---|---|
/// | `model` | see [`ModelLimits`] | what reading a schema may take: bytes, depth, subschemas, patterns, references |
/// | `plan_nodes` | 20,000 | compiled subschemas, one for each dynamic scope they are used in, and their tables (16 names or enum members count as one) |
/// | `instance` | see [`ReadLimits`] | what reading an instance from bytes may take |
/// | `fuel` | 2,000,000 | units of work of one check, 10 to 40 ns each |
/// | `evaluation_depth` | 300 | nested subschema evaluations of one check |
///
/// `fuel` bounds work, not wall time.
///
/// ```
/// use toolgate_schema::{Compiler, Limits, ModelLimits};
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
    /// The limits under which a schema is read into a model.
    pub model: ModelLimits,
    /// Compiled subschemas, one for each (subschema, dynamic scope) that is
    /// reachable; 16 names, enum members or bindings in their tables count as one.
    pub plan_nodes: usize,
    /// What reading an instance from bytes may take.
    pub instance: ReadLimits,
    /// Units of work of one check.
    pub fuel: u64,
    /// Nested subschema evaluations of one check.
    pub evaluation_depth: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            model: ModelLimits::default(),
            plan_nodes: 20_000,
            instance: ReadLimits::default(),
            // why: 100 ms of a 2020s core for the dearest mix of work in the hostile
            // set; the median tool call takes under 100 units.
            fuel: 2_000_000,
            // why: the dearest level takes about 720 bytes of stack, so that 256 KiB
            // is enough; instances are at most 128 levels deep by default.
            evaluation_depth: 300,
        }
    }
}

/// The most values that a document may be allowed to have: 24 bytes each.
pub(crate) const NODES_MOST: u64 = 1 << 26;
