//! What one tool and one listing may use, and what the tools of a listing used so far.

use toolsure_json::{DuplicateKeys, OwnedDocument, ReadLimits};

use super::patterns::PlainPatterns;
use super::report::Refusal;

/// The limits of projecting one tool.
///
/// | field | default | counts |
/// |---|---|---|
/// | `recursion` | 2 | how often a recursive schema is written out inside itself, for readers without recursion |
/// | `depth` | 64 | nested subschemas |
/// | `subschemas` | 10,000 | subschemas of the projected schema |
/// | `values` | 100,000 | JSON values of a schema whose references are written out, and one more for each 64 bytes of a string or name |
/// | `sentence` | 1,000 | characters of one sentence that goes into a description |
/// | `steps` | 200 | steps that are listed; more are counted |
/// | `pairs` | 20,000 | pairs of subschemas that the rules compare, in each direction |
/// | `instances` | 300 | instances that are tried, in each direction |
/// | `fuel` | 8,000,000 | units of work of all checks of instances, and 2 for each byte of an instance |
/// | `listing_values` | 1,000,000 | the same for all schemas of a listing, as they are while they are rewritten; tools beyond are refused |
/// | `listing_fuel` | 250,000,000 | `fuel` of all tools of a listing, 2,000 for each of the `pairs` and 20,000 for each tool; relations beyond follow from the kinds of the steps, or are undecided |
/// | `listing_work` | 10,000,000 | units of work of rewriting a listing, 100 to 200 ns each; tools beyond are refused |
/// | `listing_patterns` | 4,000,000 | units of work of writing the patterns of a listing in another form; patterns beyond become words |
#[derive(Debug, Clone)]
#[expect(
    clippy::exhaustive_structs,
    reason = "built by struct update from the default"
)]
pub struct Limits {
    /// How often a recursive schema is written out inside itself.
    pub recursion: usize,
    /// Nested subschemas.
    pub depth: usize,
    /// Subschemas of the projected schema.
    pub subschemas: usize,
    /// JSON values of a schema whose references are written out, and one more for each 64 bytes of a
    /// string or name.
    pub values: usize,
    /// Characters of one sentence that goes into a description.
    pub sentence: usize,
    /// Steps that are listed.
    pub steps: usize,
    /// Pairs of subschemas that the rules compare, in each direction.
    pub pairs: usize,
    /// Instances that are tried, in each direction.
    pub instances: usize,
    /// Units of work of all checks of instances, and 2 for each byte of an instance.
    pub fuel: u64,
    /// The same for all schemas of a listing, with their references replaced. When they are used up, the
    /// remaining tools are refused: a listing of many small tools that each refer to a lot would exceed
    /// what the limits on one tool prevent.
    pub listing_values: usize,
    /// `fuel` of all tools of a listing, 2,000 for each of the `pairs` that were compared and 20,000 for each tool. When it is used up, relations follow from the kinds of the steps
    /// or are undecided.
    pub listing_fuel: u64,
    /// Units of work, 100 to 200 ns each, of rewriting a listing: values that are copied, merged, written and
    /// checked. They are counted before the work is done. When they are used up, the remaining tools are
    /// refused: rewriting nested unions takes more work than the sizes of the schemas say.
    pub listing_work: u64,
    /// Units of work, about 100 ns each, of writing the patterns of a listing in another form. Each different
    /// pattern is written once, for at most 100,000 units. Patterns beyond become words in descriptions.
    pub listing_patterns: u64,
}

impl Limits {
    /// The default limits, without a search for how projected schemas relate to their originals: relations
    /// that do not follow from the kinds of the steps are undecided.
    ///
    /// ```
    /// use toolsure_analysis::readers::reader;
    /// use toolsure_analysis::project::{Limits, Projector, Relation};
    ///
    /// let projector = Projector::new(reader("gemini").unwrap()).limits(Limits::without_relations());
    /// let schema = projector.project_schema(r#"{"type": "object", "additionalProperties": false}"#)?;
    /// assert!(matches!(schema.relation, Relation::Undecided { .. }));
    /// # Ok::<(), toolsure_analysis::project::Refusal>(())
    /// ```
    #[must_use]
    pub fn without_relations() -> Self {
        Self {
            pairs: 0,
            instances: 0,
            ..Self::default()
        }
    }

    /// Whether relations may be searched for.
    pub(super) fn has_search(&self) -> bool {
        self.pairs > 0 || self.instances > 0
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            recursion: 2,
            depth: 64,
            subschemas: 10_000,
            values: 100_000,
            sentence: 1_000,
            steps: 200,
            pairs: 20_000,
            instances: 300,
            fuel: 8_000_000,
            listing_values: 1_000_000,
            listing_fuel: 250_000_000,
            listing_work: 10_000_000,
            listing_patterns: 4_000_000,
        }
    }
}

/// What the tools of one listing used so far.
#[derive(Debug)]
pub(super) struct Spent {
    pub(super) values: usize,
    pub(super) fuel: u64,
    pub(super) patterns: PlainPatterns,
    pub(super) work: Work,
}

impl Spent {
    pub(super) fn new(limits: &Limits) -> Self {
        Self {
            values: 0,
            fuel: 0,
            patterns: PlainPatterns::default(),
            work: Work {
                left: limits.listing_work,
                allowed: limits.listing_work,
            },
        }
    }
}

/// The work that a listing may still take.
#[derive(Debug)]
pub(super) struct Work {
    left: u64,
    allowed: u64,
}

impl Work {
    /// Takes the work of going through so many values, so often.
    pub(super) fn pay(&mut self, values: usize, times: u64) -> Result<(), Refusal> {
        let values = u64::try_from(values).unwrap_or(u64::MAX);
        match self.left.checked_sub(values.saturating_mul(times)) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => {
                self.left = 0;
                Err(self.refusal())
            }
        }
    }

    /// Whether none is left.
    pub(super) fn is_used_up(&self) -> bool {
        self.left == 0
    }

    /// Why a tool is refused when the work is used up.
    pub(super) fn refusal(&self) -> Refusal {
        Refusal::TooLarge {
            limit: "listing_work",
            allowed: usize::try_from(self.allowed).unwrap_or(usize::MAX),
        }
    }
}

/// The limits for parsing tools: a schema that is too deep is an error of its own tool, which the compiler's limits
/// name, however they are set.
pub(super) fn tool_limits() -> ReadLimits {
    ReadLimits {
        bytes: 16 << 20,
        depth: 512,
        duplicate_keys: DuplicateKeys::KeepLast,
        ..ReadLimits::default()
    }
}

/// Reads a text that this module wrote.
pub(super) fn read_own(text: &str) -> Result<OwnedDocument, Refusal> {
    let internal = |error: toolsure_json::ReadError| Refusal::Internal(error.to_string());
    OwnedDocument::read(text, &tool_limits()).map_err(internal)
}
