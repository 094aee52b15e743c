//! ECMA-262 patterns as bounded matchers, for the JSON Schema keywords
//! `pattern` and `patternProperties`.
//!
//! [`Pattern::new`] takes the text of a pattern; [`Pattern::matches`] searches
//! a string for it, unanchored, as JSON Schema (2020-12 validation, section
//! 6.3.3) demands. Both text and string may be hostile: every loop is bounded
//! by a limit that was checked before or by fuel that is paid as it turns.
//!
//! # Syntax and meaning
//!
//! The grammar is that of ECMA-262 under the `u` flag, modifiers `(?i:…)` and
//! repeated group names of the 2025 edition included. What only Annex B
//! allows (`\-`, `\_`, a lone `{`, `[\w-.]`, octal escapes) is taken with its
//! meaning there wherever the `u` grammar has none; [`is_ecma262`] is the
//! strict question. `.` excludes `\n`, `\r`, U+2028 and U+2029; `$` is the end
//! of the input only; `\d`, `\w` and `\b` are ASCII; one character is one code
//! point. Lone surrogates match nothing, since no `str` has any.
//!
//! # How it is matched
//!
//! 1. Literals and runs of classes such as `^[a-z0-9_-]{1,64}$` by a scan.
//! 2. Other regular patterns by a table, one look-up for each code point, if
//!    the table is small, else as a set of threads; both in linear time.
//! 3. Lookaheads that follow a leading `^`, and lookbehinds that precede a
//!    final `$`, are split off: each becomes a linear match of its own.
//! 4. The rest (backreferences, other lookarounds) by a backtracker.
//!
//! # Fuel
//!
//! One unit takes 10 to 20 ns. A scan costs a unit and one for every 8
//! bytes, a table one for every 4 bytes; threads and the backtracker pay by the
//! instruction. Building on first use is not charged: [`Pattern::size`]
//! bounds it. The price depends on the pattern and the haystack alone, never
//! on the machine, on other matches, or on what is built already.

#![deny(clippy::exhaustive_enums, clippy::exhaustive_structs)]

mod alphabet;
mod ast;
mod backtrack;
mod bracket;
mod closure;
mod conditions;
mod context;
mod cursor;
mod dfa;
mod error;
mod escape;
mod fold;
mod fuel;
mod group_names;
mod hazard;
mod instructions;
mod intern;
mod linear;
mod parse;
mod plan;
mod pool;
mod portable;
mod property;
mod recognise;
mod runs;
mod set;
mod threads;

use std::fmt;
use std::ops::Range;

use ast::Ast;
pub use error::{PatternError, PatternErrorKind, PatternLimit};
pub use hazard::Hazard;
use plan::Plan;

/// A compiled pattern.
///
/// Reading the text and estimating its size happen in [`Pattern::new`], in
/// microseconds; the automaton is built by the first match that needs it.
///
/// # Example
///
/// ```
/// use toolgate_pattern::{Limits, Pattern};
///
/// let pattern = Pattern::new(r"^\d{4}-\d{2}$", &Limits::default())?;
/// let mut fuel = 1_000;
/// assert_eq!(pattern.matches("2026-11", &mut fuel), Some(true));
/// assert_eq!(pattern.matches("2026-11\n", &mut fuel), Some(false));
///
/// let refused = Pattern::new("^(a", &Limits::default()).unwrap_err();
/// assert_eq!(refused.to_string(), "unclosed group at byte 1 of the pattern: `(`");
///
/// let mut spent = 0;
/// assert_eq!(pattern.matches("2026-11", &mut spent), None);
/// # Ok::<(), toolgate_pattern::PatternError>(())
/// ```
pub struct Pattern {
    text: Box<str>,
    ast: Ast,
    plan: Plan,
    size: usize,
    legacy: Option<Range<usize>>,
}

/// What a pattern may cost before it is matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_structs,
    reason = "callers write the fields they set and `..Limits::default()`, which allows more fields"
)]
pub struct Limits {
    /// Bytes of pattern text; 8,192 by default, more than twenty times the
    /// longest pattern that published tools carry.
    pub length: usize,
    /// Estimated bytes of the compiled pattern, [`Pattern::size`]; 1 MiB by
    /// default. That is about 32,000 instructions, which are read, built and
    /// found too many for a table in less than 10 ms.
    pub size: usize,
    /// Groups inside groups; 64 by default.
    pub depth: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            length: 8_192,
            size: 1 << 20,
            depth: 64,
        }
    }
}

impl Pattern {
    /// Reads a pattern.
    ///
    /// # Errors
    ///
    /// If the text is not a pattern, uses what cannot be matched here, or passes
    /// a limit; the error has the place in the text.
    pub fn new(text: &str, limits: &Limits) -> Result<Self, PatternError> {
        if text.len() > limits.length {
            let span = 0..text.len();
            return Err(PatternError::limited(
                text,
                PatternLimit::Length,
                limits.length,
                span,
            ));
        }
        let mut parsed = parse::parse(text, limits.depth, limits.size)?;
        if !parsed.ast.is_consistent(parsed.root) {
            return Err(PatternError::internal(text, "inconsistent tree"));
        }
        let (plan, size) = plan::plan(&parsed.ast, parsed.root);
        let size = size
            .saturating_add(parsed.ast.size())
            .saturating_add(text.len());
        if size > limits.size {
            let span = 0..text.len();
            return Err(PatternError::limited(
                text,
                PatternLimit::Size,
                limits.size,
                span,
            ));
        }
        parsed.ast.shrink();
        Ok(Self {
            text: text.into(),
            ast: parsed.ast,
            plan,
            size,
            legacy: parsed.legacy,
        })
    }

    /// The text it was read from.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The bytes that the pattern holds at most once it has been matched, an
    /// estimate from its text alone. Callers with many patterns sum it up.
    #[must_use]
    pub fn size(&self) -> usize {
        self.size
    }

    /// The first bytes of the text that only Annex B of ECMA-262 allows, if
    /// there are any: other validators may refuse such a pattern.
    ///
    /// ```
    /// use toolgate_pattern::{Limits, Pattern};
    ///
    /// assert_eq!(Pattern::new(r"^\a", &Limits::default())?.legacy(), Some(1..3));
    /// assert_eq!(Pattern::new("^a", &Limits::default())?.legacy(), None);
    /// # Ok::<(), toolgate_pattern::PatternError>(())
    /// ```
    #[must_use]
    pub fn legacy(&self) -> Option<Range<usize>> {
        self.legacy.clone()
    }

    /// Whether the pattern matches somewhere in the haystack; none if the fuel
    /// ran out, which leaves `fuel` at 0.
    ///
    /// It is also none, never true or false, if what was built of the pattern
    /// contradicts itself, which would be a fault of this crate.
    ///
    /// The same pattern, haystack and fuel always end the same way. The
    /// backtracker also gives up, with the fuel at 0, when its stack passes
    /// 262,144 entries.
    pub fn matches(&self, haystack: &str, fuel: &mut u64) -> Option<bool> {
        self.plan.matches(&self.ast, haystack, fuel)
    }
}

impl fmt::Debug for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pattern")
            .field("text", &self.text)
            .field("size", &self.size)
            .finish_non_exhaustive()
    }
}

/// Whether the text is a pattern of ECMA-262 under the `u` flag: the question
/// of `format: "regex"`. Annex B does not count, and no limit applies; time and
/// memory are linear in the text.
///
/// ```
/// assert!(toolgate_pattern::is_ecma262(r"^\p{Lu}(?!x)"));
/// assert!(!toolgate_pattern::is_ecma262(r"\a"));
/// ```
#[must_use]
pub fn is_ecma262(text: &str) -> bool {
    parse::is_strict(text)
}
