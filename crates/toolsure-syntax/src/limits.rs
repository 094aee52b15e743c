//! How large a schema may be: named limits, on by default.

use std::fmt;

use toolsure_json::ReadLimits;

/// The limits under which a schema is read into a [`Model`](crate::Model).
///
/// The defaults are meant for schemas from untrusted authors. The largest of 11,799 schemas
/// published by real MCP servers has 104 kB, 1,827 subschemas and 14 levels, so every default
/// allows several times that.
///
/// | field | default | counts |
/// |---|---|---|
/// | `schema_bytes` | 1 MiB | bytes of one schema document |
/// | `schema_nesting` | 512 | arrays and objects open at the same time in a schema document, data included |
/// | `schema_nodes` | 500,000 | values and member names in one schema document |
/// | `schema_digits` | 4,096 | digits of one number in a schema document |
/// | `depth` | 64 | nested subschemas (an array between two is not a level) |
/// | `subschemas` | 10,000 | subschemas of the schema and of all documents it reaches |
/// | `enum_members` | 20,000 | members of one `enum` |
/// | `pattern_bytes` | 8 KiB | the source of one regular expression |
/// | `pattern_depth` | 64 | groups inside groups of one regular expression |
/// | `pattern_size` | 1 MiB | estimated compiled bytes of one regular expression |
/// | `patterns_size` | 6 MiB | the same, summed over the schema's distinct expressions |
/// | `registrations` | 1,024 | documents registered with one parser |
/// | `reference_bytes` | 8 KiB | the string of one reference |
///
/// `pattern_size` bounds the automaton of a pattern, not the scratch memory that a
/// match may use (`toolsure-pattern` bounds that for each pattern).
///
/// ```
/// use toolsure_syntax::{Limits, Options, Parser};
///
/// let limits = Limits { subschemas: 2, ..Limits::default() };
/// let mut options = Options::default();
/// options.limits = limits;
/// let error = Parser::new(options).parse(br#"{"not": {"not": {}}}"#).unwrap_err();
/// let limit = error.limit().unwrap();
/// assert_eq!((limit.name.setting(), limit.allowed), ("limits.subschemas", 2));
/// ```
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
    /// Members of one `enum`.
    pub enum_members: usize,
    /// Bytes of one regular expression.
    pub pattern_bytes: usize,
    /// Groups inside groups of one regular expression.
    pub pattern_depth: usize,
    /// Estimated compiled bytes of one regular expression.
    pub pattern_size: usize,
    /// Estimated compiled bytes of all distinct regular expressions of a schema.
    pub patterns_size: usize,
    /// Documents registered with one parser.
    pub registrations: usize,
    /// Bytes of one reference (`$ref`, `$dynamicRef`, `$recursiveRef`, `$id`).
    pub reference_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        let pattern = toolsure_pattern::Limits::default();
        Self {
            schema_bytes: 1 << 20,
            schema_nesting: 512,
            schema_nodes: 500_000,
            schema_digits: 4_096,
            depth: 64,
            subschemas: 10_000,
            enum_members: 20_000,
            pattern_bytes: pattern.length,
            pattern_depth: pattern.depth,
            pattern_size: pattern.size,
            patterns_size: 6 << 20,
            registrations: 1_024,
            reference_bytes: 8 << 10,
        }
    }
}

/// The limit that was reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LimitName {
    /// [`Limits::schema_bytes`]
    SchemaBytes,
    /// [`Limits::schema_nesting`]
    SchemaNesting,
    /// [`Limits::schema_nodes`]
    SchemaNodes,
    /// [`Limits::schema_digits`]
    SchemaDigits,
    /// [`Limits::depth`]
    Depth,
    /// [`Limits::subschemas`]
    Subschemas,
    /// Compiled subschemas: a limit of the compiler in `toolsure-schema`.
    PlanNodes,
    /// [`Limits::enum_members`]
    EnumMembers,
    /// [`Limits::pattern_bytes`]
    PatternBytes,
    /// [`Limits::pattern_depth`]
    PatternDepth,
    /// [`Limits::pattern_size`]
    PatternSize,
    /// [`Limits::patterns_size`]
    PatternsSize,
    /// [`Limits::registrations`]
    Registrations,
    /// [`Limits::reference_bytes`]
    ReferenceBytes,
}

impl LimitName {
    /// Every limit that can refuse a schema.
    pub const ALL: [Self; 14] = [
        Self::SchemaBytes,
        Self::SchemaNesting,
        Self::SchemaNodes,
        Self::SchemaDigits,
        Self::Depth,
        Self::Subschemas,
        Self::PlanNodes,
        Self::EnumMembers,
        Self::PatternBytes,
        Self::PatternDepth,
        Self::PatternSize,
        Self::PatternsSize,
        Self::Registrations,
        Self::ReferenceBytes,
    ];

    /// The name of the setting that raises it in Toolsure's programs.
    ///
    /// ```
    /// assert_eq!(toolsure_syntax::LimitName::Depth.setting(), "limits.depth");
    /// ```
    pub fn setting(self) -> &'static str {
        match self {
            Self::SchemaBytes => "limits.schema_bytes",
            Self::SchemaNesting => "limits.schema_nesting",
            Self::SchemaNodes => "limits.schema_nodes",
            Self::SchemaDigits => "limits.schema_digits",
            Self::Depth => "limits.depth",
            Self::Subschemas => "limits.subschemas",
            Self::PlanNodes => "limits.plan_nodes",
            Self::EnumMembers => "limits.enum_members",
            Self::PatternBytes => "limits.pattern_bytes",
            Self::PatternDepth => "limits.pattern_depth",
            Self::PatternSize => "limits.pattern_size",
            Self::PatternsSize => "limits.patterns_size",
            Self::Registrations => "limits.registrations",
            Self::ReferenceBytes => "limits.reference_bytes",
        }
    }

    /// The name as messages print it.
    ///
    /// ```
    /// assert_eq!(toolsure_syntax::LimitName::Depth.as_str(), "schema depth");
    /// ```
    pub fn as_str(self) -> &'static str {
        match self {
            Self::SchemaBytes => "schema bytes",
            Self::SchemaNesting => "nested arrays and objects of a schema document",
            Self::SchemaNodes => "values and names in a schema document",
            Self::SchemaDigits => "digits of a number in a schema",
            Self::Depth => "schema depth",
            Self::Subschemas => "subschemas",
            Self::PlanNodes => "compiled subschemas",
            Self::EnumMembers => "enum members",
            Self::PatternBytes => "pattern length in bytes",
            Self::PatternDepth => "nested groups of a pattern",
            Self::PatternSize => "compiled pattern size",
            Self::PatternsSize => "compiled size of all patterns",
            Self::Registrations => "registered documents",
            Self::ReferenceBytes => "reference length in bytes",
        }
    }
}

impl fmt::Display for LimitName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A limit that a schema exceeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_structs,
    reason = "a name and a number, from which other crates make errors"
)]
pub struct Limit {
    /// Which limit.
    pub name: LimitName,
    /// Its value.
    pub allowed: u64,
}

/// The JSON reader's limits for a schema document: its own byte limit, enough depth for data under
/// `const` or `examples`, duplicate keys refused.
impl From<&Limits> for ReadLimits {
    fn from(limits: &Limits) -> Self {
        Self {
            bytes: limits.schema_bytes,
            depth: limits.schema_nesting,
            nodes: limits.schema_nodes,
            digits: limits.schema_digits,
            ..Self::default()
        }
    }
}
