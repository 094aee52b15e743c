//! Rewrites a pattern in the syntax that all engines share, and compares the languages of two patterns.
//!
//! Properties, names of groups and modifiers are written as classes, groups and characters. A pattern
//! with lookaheads is written as the regular expression of the same language, if that is short: the
//! derivatives of the pattern ([`language`]) give an automaton, and removing its states one by one an
//! expression ([`automaton`], [`expression`]). The result is compared with the pattern, language with
//! language, before it is returned.

mod automaton;
mod behind;
mod classes;
mod expression;
mod language;
mod lengths;
mod looks;
mod print;
#[cfg(test)]
mod tests;

use toolsure_json::int::to_u64;

use crate::Pattern;
use crate::fuel::spend;

use language::{Language, Shortest};
pub use lengths::PlainPattern;
use looks::{LONGEST, read, without_looks};

/// Whether a pattern matches all strings of a set.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "a set of strings is included in another or is not"
)]
pub enum Inclusion {
    /// It matches all.
    Included,
    /// It does not match this one, which is as short as any of them.
    Excluded(String),
}

impl Pattern {
    /// A pattern that matches the same strings, without lookaround, `\p{…}`, names of groups, and
    /// modifiers; the same text if it has none of these. `None` if there is none of at most 500
    /// bytes, none is found within 150 states and the fuel, or groups are nested more than 32 deep.
    ///
    /// One unit of fuel takes about 100 ns. A byte of the text costs one, and so does each step of
    /// removing lookaheads; 100,000 are five times what the patterns of published tools need.
    ///
    /// ```
    /// use toolsure_pattern::{Limits, Pattern};
    ///
    /// let plain = |text| Pattern::new(text, &Limits::default()).map(|pattern| pattern.plain(&mut 100_000));
    /// assert_eq!(plain(r"^(?<y>\d{4})-\d\d$")?.as_deref(), Some("^([0-9]{4})-[0-9][0-9]$"));
    /// assert_eq!(plain(r"^(?!-)[a-z-]+$")?.as_deref(), Some("^[a-z][\\-a-z]*$"));
    /// assert_eq!(plain(r"^\p{L}+$")?, None);
    /// # Ok::<(), toolsure_pattern::PatternError>(())
    /// ```
    #[must_use]
    pub fn plain(&self, fuel: &mut u64) -> Option<String> {
        let special = ["(?", "\\p", "\\P", "\\k"];
        if !special.iter().any(|one| self.text.contains(one)) {
            return Some(self.text.as_ref().to_owned());
        }
        spend(fuel, to_u64(self.text.len()))?;
        let own = read(&self.text)?;
        let text = if own.ast.facts(own.root).looks {
            without_looks(&own, fuel)?
        } else {
            print::tree(&own.ast, own.root)?
        };
        (text.len() <= LONGEST).then_some(text)
    }

    /// The pattern without the lookaheads after a leading `^` that only bound the length, such as
    /// `(?=.{1,64}$)`, and these bounds. `None` if there is no such lookahead, if the class that it
    /// repeats forbids something that the rest allows, or if the rest cannot be written as
    /// [`Pattern::plain`] writes it.
    ///
    /// ```
    /// use toolsure_pattern::{Limits, Pattern};
    ///
    /// let split = |text| Pattern::new(text, &Limits::default()).map(|one| one.plain_with_lengths(&mut 100_000));
    /// let plain = split(r"^(?=.{1,64}$)[a-z]+(\.[a-z]+)*$")?.unwrap();
    /// assert_eq!((plain.text.as_str(), plain.min, plain.max), (r"^[a-z]+(\.[a-z]+)*$", 1, Some(64)));
    /// // Without the lookahead, a line break would be accepted.
    /// assert_eq!(split(r"^(?=.{1,64}$)\D+$")?, None);
    /// # Ok::<(), toolsure_pattern::PatternError>(())
    /// ```
    #[must_use]
    pub fn plain_with_lengths(&self, fuel: &mut u64) -> Option<PlainPattern> {
        lengths::split(read(&self.text)?, fuel)
    }

    /// Whether another pattern matches every string of at least `length` code points that this one
    /// matches. `None` if one of the two has something that no automaton expresses here, such as a
    /// reference to a group, or the fuel is not enough.
    ///
    /// One unit of fuel takes about 100 ns, as in [`Pattern::plain`].
    ///
    /// ```
    /// use toolsure_pattern::{Inclusion, Limits, Pattern};
    ///
    /// let pattern = |text| Pattern::new(text, &Limits::default());
    /// let (narrow, wide) = (pattern("^[A-Z][A-Z0-9]+$")?, pattern("^[A-Z][A-Z0-9_]+$")?);
    /// assert_eq!(narrow.included_in(&wide, 0, &mut 10_000), Some(Inclusion::Included));
    /// let only = Inclusion::Excluded("A_".to_owned());
    /// assert_eq!(wide.included_in(&narrow, 0, &mut 10_000), Some(only));
    /// let longer = wide.included_in(&narrow, 3, &mut 10_000);
    /// assert!(matches!(longer, Some(Inclusion::Excluded(text)) if text.len() == 3));
    /// let repeated = pattern(r"^(.)\1$")?;
    /// assert_eq!(narrow.included_in(&repeated, 0, &mut 10_000), None);
    /// # Ok::<(), toolsure_pattern::PatternError>(())
    /// ```
    #[must_use]
    pub fn included_in(&self, other: &Self, length: usize, fuel: &mut u64) -> Option<Inclusion> {
        let (own, other) = (read(&self.text)?, read(&other.text)?);
        let trees = [(&own.ast, own.root), (&other.ast, other.root)];
        let mut language = Language::of(&trees, fuel)?;
        let one = language.matched(&own.ast, own.root)?;
        let two = language.matched(&other.ast, other.root)?;
        let only = language.without(one, two)?;
        Some(match language.shortest(only, length)? {
            Shortest::None => Inclusion::Included,
            Shortest::Text(text) => Inclusion::Excluded(text),
        })
    }
}
