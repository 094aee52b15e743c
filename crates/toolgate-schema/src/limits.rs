//! What a schema, an instance and one check may cost, each bound named and on by default.

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
/// | `schema_nesting` | 512 | arrays and objects open at the same time in a schema document, data included |
/// | `schema_nodes` | 500,000 | values and member names in one schema document |
/// | `schema_digits` | 4,096 | digits of one number in a schema document |
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
#[expect(
    clippy::exhaustive_structs,
    reason = "callers write the fields they set and `..Limits::default()`, which allows more fields"
)]
pub struct Limits {
    /// Bytes of one schema document.
    pub schema_bytes: usize,
    /// Arrays and objects open at the same time in a schema document, those in
    /// `const`, `default` and `examples` included.
    pub schema_nesting: usize,
    /// Values and member names in one schema document.
    pub schema_nodes: usize,
    /// Decimal digits of one number in a schema document.
    pub schema_digits: usize,
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
        let model = toolgate_syntax::Limits::default();
        Self {
            schema_bytes: model.schema_bytes,
            schema_nesting: model.schema_nesting,
            schema_nodes: model.schema_nodes,
            schema_digits: model.schema_digits,
            depth: model.depth,
            subschemas: model.subschemas,
            plan_nodes: 20_000,
            enum_members: model.enum_members,
            pattern_bytes: model.pattern_bytes,
            pattern_size: model.pattern_size,
            patterns_size: model.patterns_size,
            registrations: model.registrations,
            reference_bytes: model.reference_bytes,
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

impl Limits {
    /// The part of them that bounds a schema's model.
    pub(crate) fn of_model(&self) -> toolgate_syntax::Limits {
        toolgate_syntax::Limits {
            schema_bytes: self.schema_bytes,
            schema_nesting: self.schema_nesting,
            schema_nodes: self.schema_nodes,
            schema_digits: self.schema_digits,
            depth: self.depth,
            subschemas: self.subschemas,
            enum_members: self.enum_members,
            pattern_bytes: self.pattern_bytes,
            pattern_size: self.pattern_size,
            patterns_size: self.patterns_size,
            registrations: self.registrations,
            reference_bytes: self.reference_bytes,
        }
    }
}

/// The most values that a document may be allowed to have: 24 bytes each.
pub(crate) const NODES_MOST: u64 = 1 << 26;
