//! ECMA-262 patterns as bounded matchers, for the JSON Schema keywords `pattern` and
//! `patternProperties`.
//!
//! [`Pattern::new`] reads the source of a pattern; [`Pattern::matches`] searches a string for it,
//! unanchored, as JSON Schema (2020-12 validation, section 6.3.3) requires. Both source and string
//! may be hostile: every loop is bounded by a limit that was checked before or by fuel that is paid
//! for each iteration.
//!
//! # Syntax and meaning
//!
//! The grammar is that of ECMA-262 under the `u` flag, including the modifiers `(?i:…)` and
//! repeated group names of the 2025 edition. Syntax that only Annex B allows (`\-`, `\_`, a lone
//! `{`, `[\w-.]`, octal escapes) is accepted with its meaning there if the `u` grammar does not
//! allow it; [`is_ecma262`] is the strict check. `.` excludes `\n`, `\r`, U+2028 and U+2029; `$` is
//! only the end of the input; `\d`, `\w` and `\b` are ASCII; one character is one code point. Lone
//! surrogates match nothing, since no `str` contains any.
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
//! One unit takes 10 to 40 ns. A match costs two units; a scan one more for every 8 bytes, a table one
//! for every 4 bytes; threads and the backtracker pay for each instruction. Building on first use is
//! not charged: [`Pattern::size`] and [`Pattern::share`] bound it. The price depends only on the pattern and the
//! haystack, never on the machine, on other matches, or on what has already been built.

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
mod plain;
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
pub use plain::{Inclusion, PlainPattern};
use plan::Plan;

/// A compiled pattern.
///
/// [`Pattern::new`] reads the source and estimates its size, in microseconds; the first match that
/// needs the automaton builds it.
///
/// # Example
///
/// ```
/// use toolsure_pattern::{Limits, Pattern};
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
/// # Ok::<(), toolsure_pattern::PatternError>(())
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
    /// Bytes of the pattern's source; 8,192 by default, more than twenty times the longest pattern
    /// in published tools.
    pub length: usize,
    /// Estimated bytes of the compiled pattern, [`Pattern::size`]; 1 MiB by default. That is about
    /// 32,000 instructions, which are read, built and found to be too many for a table in less than
    /// 10 ms.
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
    /// ```
    /// use toolsure_pattern::{Limits, Pattern};
    ///
    /// let pattern = Pattern::new("^(ab)+$", &Limits::default())?;
    /// assert_eq!(pattern.as_str(), "^(ab)+$");
    /// let longer = Pattern::new("^(ab)+(cd)+$", &Limits::default())?;
    /// assert!(pattern.size() < longer.size());
    ///
    /// let limits = Limits { length: 6, ..Limits::default() };
    /// assert!(Pattern::new("^(ab)+$", &limits).is_err());
    /// # Ok::<(), toolsure_pattern::PatternError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the text is not a pattern, uses a feature that cannot be matched here, or exceeds a
    /// limit; the error has the position in the text.
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

    /// Makes the pattern one of `count` that are used together: they share the time that building
    /// tables may take on first use, about 20 ms. One that needs more than its share is matched as
    /// a set of threads, with the same result.
    ///
    /// ```
    /// use toolsure_pattern::{Limits, Pattern};
    ///
    /// let texts = ["^a+b", "^c+d"];
    /// for text in texts {
    ///     let mut pattern = Pattern::new(text, &Limits::default())?;
    ///     pattern.share(texts.len());
    ///     assert_eq!(pattern.matches("aab", &mut 100), Some(text == "^a+b"));
    /// }
    /// # Ok::<(), toolsure_pattern::PatternError>(())
    /// ```
    pub fn share(&mut self, count: usize) {
        self.plan.share(&self.ast, count);
    }

    /// The source of the pattern.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// An upper estimate, from its source alone, of the bytes that the pattern holds once it has
    /// been matched. Callers with many patterns add it up.
    #[must_use]
    pub fn size(&self) -> usize {
        self.size
    }

    /// The first bytes of the source that only Annex B of ECMA-262 allows, if there are any: other
    /// validators may refuse such a pattern.
    ///
    /// ```
    /// use toolsure_pattern::{Limits, Pattern};
    ///
    /// assert_eq!(Pattern::new(r"^\a", &Limits::default())?.legacy(), Some(1..3));
    /// assert_eq!(Pattern::new("^a", &Limits::default())?.legacy(), None);
    /// # Ok::<(), toolsure_pattern::PatternError>(())
    /// ```
    #[must_use]
    pub fn legacy(&self) -> Option<Range<usize>> {
        self.legacy.clone()
    }

    /// Whether the pattern matches somewhere in the haystack; `None` if the fuel ran out, which
    /// leaves `fuel` at 0.
    ///
    /// It is also `None`, never true or false, if the compiled pattern contradicts itself, which
    /// would be a bug in this crate.
    ///
    /// The same pattern, haystack and fuel always give the same result. The backtracker also gives
    /// up, with the fuel at 0, if its stack exceeds 262,144 entries.
    ///
    /// ```
    /// use toolsure_pattern::{Limits, Pattern};
    ///
    /// let pattern = Pattern::new("b+", &Limits::default())?;
    /// let mut fuel = 100;
    /// assert_eq!(pattern.matches("abba", &mut fuel), Some(true));
    /// assert_eq!(pattern.matches("xyz", &mut fuel), Some(false));
    /// assert!(fuel < 100);
    /// # Ok::<(), toolsure_pattern::PatternError>(())
    /// ```
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

/// Whether the text is a pattern of ECMA-262 under the `u` flag, which is what `format: "regex"`
/// asks. Annex B does not count, and no limit applies; time and memory are linear in the text.
///
/// ```
/// assert!(toolsure_pattern::is_ecma262(r"^\p{Lu}(?!x)"));
/// assert!(!toolsure_pattern::is_ecma262(r"\a"));
/// ```
#[must_use]
pub fn is_ecma262(text: &str) -> bool {
    parse::is_strict(text)
}
