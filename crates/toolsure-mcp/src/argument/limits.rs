//! The limits of an argument schema and of one check with it.

use toolsure_json::ReadLimits;

/// The limits of an argument schema, each on by default.
///
/// | field | default | counts |
/// |---|---|---|
/// | `schema_bytes` | 256 KiB | bytes of the schema |
/// | `fields` | 2,000 | properties, those of nested objects included |
/// | `depth` | 16 | levels of properties and items; never more than 48 |
/// | `enum_members` | 10,000 | members of one `enum` |
/// | `pattern` | see there | one regular expression |
/// | `patterns_size` | 8 MiB | estimated compiled bytes of all of them |
/// | `refusals` | 16 | errors that one check collects |
/// | `fuel` | 2,500,000 | units of work of one check |
/// | `arguments` | see [`ReadLimits`] | what reading arguments from bytes may take |
///
/// `fuel` bounds work, not wall time; the first match of a pattern also builds
/// its automaton, which `patterns_size` bounds.
#[derive(Debug, Clone)]
#[expect(
    clippy::exhaustive_structs,
    reason = "callers write the fields they set and `..ArgumentLimits::default()`, which allows more fields"
)]
pub struct ArgumentLimits {
    /// Bytes of the schema.
    pub schema_bytes: usize,
    /// Properties of the schema, those of nested objects included.
    pub fields: usize,
    /// Levels of nested properties and items; values above 48 count as 48, so that schema compilers
    /// accept the published form.
    pub depth: usize,
    /// Members of one `enum`.
    pub enum_members: usize,
    /// The limits of one regular expression.
    pub pattern: toolsure_pattern::Limits,
    /// Estimated compiled bytes of all regular expressions.
    pub patterns_size: usize,
    /// The number of errors that one check collects before it stops.
    pub refusals: usize,
    /// Units of work of one check.
    pub fuel: u64,
    /// The limits for reading arguments from bytes.
    pub arguments: ReadLimits,
}

impl Default for ArgumentLimits {
    fn default() -> Self {
        Self {
            schema_bytes: 256 << 10,
            fields: 2_000,
            depth: 16,
            enum_members: 10_000,
            pattern: toolsure_pattern::Limits::default(),
            patterns_size: 8 << 20,
            refusals: 16,
            fuel: 2_500_000,
            arguments: ReadLimits::default(),
        }
    }
}

impl ArgumentLimits {
    /// The maximum depth of the schema.
    pub(super) fn levels(&self) -> usize {
        self.depth.min(MOST_LEVELS)
    }

    /// The JSON reader's limits for the schema's text.
    pub(super) fn schema_read(&self) -> ReadLimits {
        ReadLimits {
            bytes: self.schema_bytes,
            nodes: 200_000,
            // why: a bound is published with its exponent, which must then be readable.
            digits: 1_024,
            ..ReadLimits::default()
        }
    }
}

const MOST_LEVELS: usize = 48;
