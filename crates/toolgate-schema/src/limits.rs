//! What a schema, an instance and one check may cost, each bound named and on by default.

use std::fmt;

use toolgate_json::ReadLimits;

/// The bounds under which a schema is compiled and its instances are checked.
///
/// The defaults are made for schemas written by strangers. The largest of 11,799
/// schemas published by real MCP servers has 104 kB, 1,827 subschemas and 14
/// levels, so every default leaves room of several times that.
///
/// | field | default | counts |
/// |---|---|---|
/// | `schema_bytes` | 1 MiB | bytes of one schema document |
/// | `depth` | 64 | nested subschemas (an array between two is not a level) |
/// | `subschemas` | 10,000 | subschemas of the schema and of all documents it reaches |
/// | `plan_nodes` | 20,000 | compiled subschemas, one for each dynamic scope they are used in, and their tables (16 names or enum members count as one) |
/// | `enum_members` | 20,000 | members of one `enum` |
/// | `pattern_bytes` | 8 KiB | the text of one regular expression |
/// | `pattern_size` | 1 MiB | estimated compiled bytes of one regular expression |
/// | `patterns_size` | 6 MiB | the same, summed over the schema's distinct expressions |
/// | `registrations` | 1,024 | documents registered with one compiler |
/// | `reference_bytes` | 8 KiB | the text of one reference |
/// | `instance` | see [`ReadLimits`] | what reading an instance from bytes may take |
/// | `fuel` | 2,000,000 | units of work of one check, 10 to 40 ns each |
/// | `evaluation_depth` | 300 | nested subschema evaluations of one check |
///
/// What they do not promise: `pattern_size` bounds the automaton, not the
/// scratch memory that a match may use (that is bounded per pattern by
/// `toolgate-pattern`), and `fuel` bounds work, not wall time.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Bytes of one schema document.
    pub schema_bytes: usize,
    /// Levels of nested subschemas.
    pub depth: usize,
    /// Subschemas of the schema and of all documents it reaches.
    pub subschemas: usize,
    /// Compiled subschemas, one for each (subschema, dynamic scope) that is
    /// reachable; 16 names, enum members or bindings in their tables count as one.
    pub plan_nodes: usize,
    /// Members of one `enum`.
    pub enum_members: usize,
    /// Bytes of one regular expression.
    pub pattern_bytes: usize,
    /// Estimated compiled bytes of one regular expression.
    pub pattern_size: usize,
    /// Estimated compiled bytes of all distinct regular expressions of a schema.
    pub patterns_size: usize,
    /// Documents registered with one compiler.
    pub registrations: usize,
    /// Bytes of one reference (`$ref`, `$dynamicRef`, `$recursiveRef`, `$id`).
    pub reference_bytes: usize,
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
            schema_bytes: 1 << 20,
            depth: 64,
            subschemas: 10_000,
            plan_nodes: 20_000,
            enum_members: 20_000,
            pattern_bytes: 8 << 10,
            pattern_size: 1 << 20,
            patterns_size: 6 << 20,
            registrations: 1_024,
            reference_bytes: 8 << 10,
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

/// Which bound was reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LimitName {
    /// [`Limits::schema_bytes`]
    SchemaBytes,
    /// [`Limits::depth`]
    Depth,
    /// [`Limits::subschemas`]
    Subschemas,
    /// [`Limits::plan_nodes`]
    PlanNodes,
    /// [`Limits::enum_members`]
    EnumMembers,
    /// [`Limits::pattern_bytes`]
    PatternBytes,
    /// [`Limits::pattern_size`]
    PatternSize,
    /// [`Limits::patterns_size`]
    PatternsSize,
    /// [`Limits::registrations`]
    Registrations,
    /// [`Limits::reference_bytes`]
    ReferenceBytes,
    /// A bound of the JSON reader on a schema document (nesting, nodes, digits).
    Document,
}

impl LimitName {
    /// The name as messages print it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::SchemaBytes => "schema bytes",
            Self::Depth => "schema depth",
            Self::Subschemas => "subschemas",
            Self::PlanNodes => "compiled subschemas",
            Self::EnumMembers => "enum members",
            Self::PatternBytes => "pattern length in bytes",
            Self::PatternSize => "compiled pattern size",
            Self::PatternsSize => "compiled size of all patterns",
            Self::Registrations => "registered documents",
            Self::ReferenceBytes => "reference length in bytes",
            Self::Document => "schema document",
        }
    }
}

impl fmt::Display for LimitName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A bound that a schema went over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    /// Which bound.
    pub name: LimitName,
    /// Its value.
    pub allowed: u64,
}

/// How a JSON reader is set for a schema document: its own byte bound, deep
/// enough for data under `const` or `examples`, duplicate keys refused.
pub(crate) fn schema_read_limits(limits: &Limits) -> ReadLimits {
    ReadLimits {
        bytes: limits.schema_bytes,
        depth: 512,
        nodes: 500_000,
        ..ReadLimits::default()
    }
}
