//! The limits of inlining, and its result.

use std::fmt;

use toolsure_json::quote;

/// The limits of one inlining.
///
/// | field | default | counts |
/// |---|---|---|
/// | `input_bytes` | 1 MiB | bytes of the schema |
/// | `growth` | 4 | maximum ratio of output bytes to input bytes |
/// | `floor_bytes` | 256 KiB | bytes that the output may always have |
/// | `ceiling_bytes` | 1 MiB | bytes that the output may never exceed, unless the input does |
/// | `subschemas` | 8,000 | subschemas of the output |
/// | `depth` | 56 | nested subschemas of the output |
///
/// The defaults keep the output within what `toolsure_schema`'s default limits can compile. If the input
/// already exceeds a limit, references stay and the output is no larger, except for the names that it
/// needs.
#[derive(Debug, Clone, Copy)]
#[expect(
    clippy::exhaustive_structs,
    reason = "callers write the fields they set and `..InlineLimits::default()`, which allows more fields"
)]
pub struct InlineLimits {
    /// Bytes of the schema.
    pub input_bytes: usize,
    /// The maximum ratio of output bytes to input bytes.
    pub growth: usize,
    /// Bytes that the output may have whatever the size of the input.
    pub floor_bytes: usize,
    /// Bytes that `growth` cannot exceed.
    pub ceiling_bytes: usize,
    /// Subschemas of the output.
    pub subschemas: usize,
    /// Nested subschemas of the output.
    pub depth: usize,
}

impl Default for InlineLimits {
    fn default() -> Self {
        Self {
            input_bytes: 1 << 20,
            growth: 4,
            floor_bytes: 256 << 10,
            ceiling_bytes: 1 << 20,
            subschemas: 8_000,
            depth: 56,
        }
    }
}

impl InlineLimits {
    /// The bytes that the output for an input of this size may have.
    ///
    /// ```
    /// use toolsure_analysis::inline::InlineLimits;
    ///
    /// let limits = InlineLimits { floor_bytes: 100, ..InlineLimits::default() };
    /// assert_eq!(limits.output_bytes(10), 100);
    /// assert_eq!(limits.output_bytes(1_000), 4_000);
    /// ```
    #[must_use]
    pub fn output_bytes(&self, input: usize) -> usize {
        input
            .saturating_mul(self.growth)
            .min(self.ceiling_bytes)
            .max(self.floor_bytes)
            .max(input)
    }
}

/// The rewritten schema, and the references that could not be replaced.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Inlined {
    /// The schema. It has no references if `kept` is empty and `untouched` is `None`.
    pub text: String,
    /// How many references were replaced by their targets, including copies.
    pub replaced: usize,
    /// The references that stay, in the order in which they were met, each place of the source once; at
    /// most [`Inlined::KEPT`].
    pub kept: Vec<Kept>,
    /// How many more places than those in `kept` have a reference that stays.
    pub more_kept: usize,
    /// Why the text is the unchanged source, if it is.
    pub untouched: Option<Untouched>,
}

impl Inlined {
    /// The maximum number of kept references that are listed.
    pub const KEPT: usize = 100;
}

/// A reference that stays. `Display` is one line.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Kept {
    /// The schema that has the reference, as a JSON pointer into the source.
    pub pointer: String,
    /// The reference as it is in the source, cut at 200 characters.
    pub reference: String,
    /// Why it stays.
    pub why: Why,
}

/// Why a reference stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Why {
    /// It leads back into itself.
    Recursive,
    /// Writing it out would go over a bound.
    Size,
    /// It leads out of the schema.
    External,
    /// It leads nowhere in the schema.
    Unresolved,
}

/// Why a schema is left unchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Untouched {
    /// It declares an unknown dialect.
    Dialect,
    /// A part declares a dialect that differs from the whole schema's.
    MixedDialects,
    /// It has references that mean different places in different contexts.
    Dynamic,
    /// It has too many subschemas to examine, or the names of the definitions that stay would alone exceed
    /// the limit.
    TooLarge,
    /// The analysis contradicts itself, which is a bug in it and not an error in the schema.
    Internal,
}

impl fmt::Display for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let why = match self.why {
            Why::Recursive => "it is recursive",
            Why::Size => "the schema would grow beyond its bound",
            Why::External => "it leads out of the schema",
            Why::Unresolved => "it leads nowhere",
        };
        let place = if self.pointer.is_empty() {
            "the root"
        } else {
            &self.pointer
        };
        write!(
            f,
            "reference `{}` stays: {why} (at `{}`)",
            quote(&self.reference, 64),
            quote(place, 64)
        )
    }
}

impl fmt::Display for Untouched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Dialect => "the dialect is not known",
            Self::MixedDialects => "a part declares another dialect than the whole",
            Self::Dynamic => "dynamic references mean different places in different uses",
            Self::TooLarge => "the schema is too large to be rewritten",
            Self::Internal => "internal error of toolsure-analysis",
        })
    }
}
