//! Rewrites invalid arguments so that they are valid, if the fix is certain.
//!
//! Models send `"5"` for 5, an object as a string, or `null` for what they omit. [`repair`] undoes
//! just that:
//!
//! | found | becomes |
//! |---|---|
//! | a string that is the JSON of an array, object, number or boolean | that value |
//! | `null` as the value of a member | no member |
//! | a required member that is missing and has a `default` | the default |
//!
//! Nothing else is ever changed: a single value is not wrapped into an array, and nothing is cut,
//! renamed or guessed. The fewest edits that make the arguments valid are applied; if several sets
//! would do, the first in the order of the engine's findings. The engine decides: the returned
//! arguments were checked in exactly that form. Valid arguments are never changed. Anything that an
//! edit does not touch is copied byte by byte. An edit is only tried where the engine finds a
//! fault, so a value that merely enables a condition is left alone.
//!
//! ```
//! use toolsure_mcp::repair::{Outcome, RepairLimits, repair};
//! use toolsure_schema::Schema;
//!
//! let schema = Schema::compile(
//!     br#"{"type": "object", "properties": {"limit": {"type": "integer"}, "tags": {"type": "array"}}}"#,
//! )?;
//! let outcome = repair(&schema, br#"{"limit": "5", "tags": "[\"a\"]"}"#, &RepairLimits::default())?;
//! let Outcome::Repaired(repaired) = outcome else {
//!     return Err("repaired".into());
//! };
//! assert_eq!(repaired.text, r#"{"limit": 5, "tags": ["a"]}"#);
//! assert_eq!(
//!     repaired.edits[0].to_string(),
//!     r#"string `"5"` read as the number `5` (at `/limit`)"#
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`RepairLimits::only_certain`] leaves alone what has two readings. [`RepairLimits`] also bounds
//! everything; a search that reaches a limit ends as [`Outcome::Unrepaired`].

mod defaults;
mod edit;
mod propose;
#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use defaults::Defaults;
use toolsure_json::{OwnedDocument, ReadError, ReadLimits, View};
use toolsure_schema::{Exhausted, Finding, Schema, Verdict, Workspace};

pub use edit::{Edit, EditKind};

use edit::Proposal;
use propose::proposals;

/// The limits of a repair.
#[derive(Debug, Clone, Copy)]
#[expect(
    clippy::exhaustive_structs,
    reason = "callers write the fields they set and `..RepairLimits::default()`, which allows more fields"
)]
pub struct RepairLimits {
    /// Whether only a certain repair is wanted: strings are read as the JSON that they contain, no
    /// other set of as few edits makes the arguments valid, and a number that doubles do not hold (2^53
    /// or more, or so small that it would be read as 0) stays a string. Nothing is removed or filled in. Default `false`.
    pub only_certain: bool,
    /// The maximum number of edits in one repair. Default 32.
    pub edits: usize,
    /// The maximum number of candidates to check. Default 128.
    pub checks: usize,
    /// The fuel for all checks and explanations together (see [`toolsure_schema::Limits::fuel`]),
    /// including reading. Default 5,000,000.
    pub fuel: u64,
    /// The limits for reading arguments. Default 256 KiB, since every candidate is read.
    pub arguments: ReadLimits,
}

impl Default for RepairLimits {
    fn default() -> Self {
        Self {
            only_certain: false,
            edits: 32,
            checks: 128,
            fuel: 5_000_000,
            arguments: ReadLimits {
                bytes: 256 << 10,
                ..ReadLimits::default()
            },
        }
    }
}

/// The outcome of a repair.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "callers forward, replace or refuse the arguments, and must decide for each answer"
)]
#[must_use = "the arguments are changed only where the answer is used"]
pub enum Outcome {
    /// The arguments are valid as they are.
    Valid,
    /// They are valid after these edits.
    Repaired(Repaired),
    /// They are invalid, and no repair was found.
    Unrepaired {
        /// Whether everything was tried; `false` if a limit ended the search.
        complete: bool,
    },
    /// Whether they are valid could not be decided.
    Undecided(Exhausted),
}

/// Arguments that were repaired.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Repaired {
    /// The repaired, valid arguments.
    pub text: String,
    /// The edits, in order.
    pub edits: Vec<Edit>,
}

/// Repairs arguments, if the allowed edits can make them valid; applies the fewest.
///
/// ```
/// use toolsure_mcp::repair::{Outcome, RepairLimits, repair};
/// use toolsure_schema::Schema;
///
/// let schema = Schema::compile(br#"{"properties": {"limit": {"type": "integer"}}}"#)?;
/// let outcome = repair(&schema, br#"{"limit": 5}"#, &RepairLimits::default())?;
/// assert_eq!(outcome, Outcome::Valid);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// The arguments are not JSON, or exceed the limits of [`RepairLimits::arguments`].
pub fn repair(
    schema: &Schema,
    arguments: &[u8],
    limits: &RepairLimits,
) -> Result<Outcome, ReadError> {
    let document = OwnedDocument::read(arguments, &limits.arguments)?;
    let mut search = Search {
        schema,
        defaults: Defaults::of(schema),
        limits,
        fuel: limits.fuel,
        checks: limits.checks,
        workspace: Workspace::new(),
        seen: HashSet::new(),
        complete: true,
    };
    Ok(match search.check(&document) {
        Verdict::Valid => Outcome::Valid,
        Verdict::Undecided(why) => Outcome::Undecided(why),
        Verdict::Invalid => search.run(document.document().source().to_owned()),
    })
}

/// Intermediate arguments, and the edits that led to them.
struct Attempt {
    text: String,
    edits: Vec<Edit>,
    /// The fuel for checking them.
    price: u64,
}

struct Search<'s> {
    schema: &'s Schema,
    defaults: Defaults<'s>,
    limits: &'s RepairLimits,
    fuel: u64,
    checks: usize,
    workspace: Workspace,
    /// Hashes of the texts already tried.
    seen: HashSet<u64>,
    complete: bool,
}

impl Search<'_> {
    /// Searches all rewrites by number of edits, so that the first valid one has the fewest.
    fn run(&mut self, text: String) -> Outcome {
        self.seen.insert(hash(&text));
        let mut level = vec![Attempt {
            text,
            edits: Vec::new(),
            price: self.workspace.fuel_used(),
        }];
        for _ in 0..self.limits.edits {
            let mut next = Vec::new();
            let mut found: Option<Repaired> = None;
            for attempt in &level {
                if self.checks == 0 {
                    return Outcome::Unrepaired { complete: false };
                }
                for repaired in self.rewrite(attempt, &mut next) {
                    if !self.limits.only_certain {
                        return Outcome::Repaired(repaired);
                    }
                    if found.replace(repaired).is_some() {
                        // Two readings are possible.
                        return Outcome::Unrepaired { complete: true };
                    }
                }
            }
            if let Some(repaired) = found {
                return match self.complete {
                    true => Outcome::Repaired(repaired),
                    false => Outcome::Unrepaired { complete: false },
                };
            }
            if next.is_empty() {
                return Outcome::Unrepaired {
                    complete: self.complete,
                };
            }
            level = next;
        }
        Outcome::Unrepaired { complete: false }
    }

    /// Tries each single edit of an attempt that could fix its first fault. Returns the first that makes
    /// it valid, or all of them if there must be just one. Rewrites that are still invalid are added to
    /// `next`.
    fn rewrite(&mut self, attempt: &Attempt, next: &mut Vec<Attempt>) -> Vec<Repaired> {
        let mut found = Vec::new();
        let Some(document) = self.read(&attempt.text) else {
            return found;
        };
        let root = document.document().root();
        let findings = self.findings(attempt.price, root);
        let proposed = proposals(&mut self.defaults, root, &findings, self.limits.checks);
        self.complete &= !proposed.more;
        let only_certain = self.limits.only_certain;
        let wanted = |edit: &Proposal<'_>| !only_certain || edit.is_certain();
        for proposal in proposed.edits.into_iter().filter(wanted) {
            let (edit, text) = proposal.apply(root);
            if !self.seen.insert(hash(&text)) {
                continue;
            }
            let Some(left) = self.checks.checked_sub(1) else {
                self.complete = false;
                return found;
            };
            self.checks = left;
            let Some(document) = self.read(&text) else {
                continue;
            };
            let mut edits = attempt.edits.clone();
            edits.push(edit);
            match self.check(&document) {
                Verdict::Valid => {
                    found.push(Repaired { text, edits });
                    if !only_certain {
                        return found;
                    }
                }
                Verdict::Invalid => next.push(Attempt {
                    text,
                    edits,
                    price: self.workspace.fuel_used(),
                }),
                // Not known to be valid, so never returned.
                Verdict::Undecided(_) => self.complete = false,
            }
        }
        found
    }

    /// The faults of an attempt.
    fn findings(&mut self, price: u64, root: View<'_>) -> Vec<Finding> {
        // An explanation costs about ten times as much as a check, and may spend that twice.
        let allowed = price.saturating_mul(EXPLAINING).max(LEAST_FUEL);
        let allowed = allowed.min(self.fuel / 2);
        self.fuel = self.fuel.saturating_sub(allowed.saturating_mul(2));
        self.workspace = std::mem::take(&mut self.workspace).fuel(allowed);
        let report = self.schema.explain(&mut self.workspace, root);
        if report.findings.is_empty() {
            self.complete = false;
        }
        report.findings
    }

    /// Reads a rewrite; one more edit can exceed a limit of the reader.
    fn read(&mut self, text: &str) -> Option<OwnedDocument> {
        let document = OwnedDocument::read(text, &self.limits.arguments).ok();
        self.complete &= document.is_some();
        document
    }

    fn check(&mut self, document: &OwnedDocument) -> Verdict {
        let bytes = document.document().source().len();
        let reading = u64::try_from(bytes / BYTES_PER_UNIT).unwrap_or(u64::MAX);
        self.fuel = self.fuel.saturating_sub(reading);
        self.workspace = std::mem::take(&mut self.workspace).fuel(self.fuel);
        let verdict = self
            .schema
            .check(&mut self.workspace, document.document().root());
        self.fuel = self.fuel.saturating_sub(self.workspace.fuel_used());
        verdict
    }
}

fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// How much more fuel an explanation may use than the check before it.
const EXPLAINING: u64 = 12;
/// The fuel that an explanation may always use, if that much is left.
const LEAST_FUEL: u64 = 2_000;
/// The number of bytes of text read per unit of fuel.
const BYTES_PER_UNIT: usize = 32;
