//! Whether one pattern matches all strings that another matches.

use super::language::{Language, Shortest};
use super::read;
use crate::Pattern;

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
