//! Rewrites a pattern in the syntax that all engines share.
//!
//! Properties, names of groups and modifiers are written as classes, groups and characters. A pattern
//! with lookaheads is written as the regular expression of the same language, if that is short: the
//! derivatives of the pattern ([`language`]) give an automaton, and removing its states one by one an
//! expression ([`automaton`], [`expression`]). The result is compared with the pattern, language with
//! language, before it is returned.

mod automaton;
mod classes;
mod expression;
mod language;
mod print;
#[cfg(test)]
mod tests;

use crate::Pattern;
use crate::parse::{self, Parsed};

use automaton::Automaton;
use language::Language;

impl Pattern {
    /// A pattern that matches the same strings, without lookaround, `\p{…}`, names of groups, and
    /// modifiers; the same text if it has none of these. `None` if there is none of at most 500
    /// characters, or none is found within 150 states.
    ///
    /// ```
    /// use toolsure_pattern::{Limits, Pattern};
    ///
    /// let plain = |text| Pattern::new(text, &Limits::default()).map(|pattern| pattern.plain());
    /// assert_eq!(plain(r"^(?<y>\d{4})-\d\d$")?.as_deref(), Some("^([0-9]{4})-[0-9][0-9]$"));
    /// assert_eq!(plain(r"^(?!-)[a-z-]+$")?.as_deref(), Some("^[a-z][\\-a-z]*$"));
    /// assert_eq!(plain(r"^\p{L}+$")?, None);
    /// # Ok::<(), toolsure_pattern::PatternError>(())
    /// ```
    #[must_use]
    pub fn plain(&self) -> Option<String> {
        let special = ["(?", "\\p", "\\P", "\\k"];
        if !special.iter().any(|one| self.text.contains(one)) {
            return Some(self.text.as_ref().to_owned());
        }
        let own = read(&self.text)?;
        let text = if own.ast.facts(own.root).looks {
            without_looks(&own)?
        } else {
            print::tree(&own.ast, own.root)?
        };
        (text.len() <= LONGEST).then_some(text)
    }
}

fn read(text: &str) -> Option<Parsed> {
    parse::parse(text, usize::MAX, usize::MAX).ok()
}

fn without_looks(own: &Parsed) -> Option<String> {
    let mut language = Language::of(&[(&own.ast, own.root)])?;
    let whole = language.matched(&own.ast, own.root)?;
    let automaton = Automaton::of(&mut language, whole)?;
    let expression = automaton.expression()?;
    let text = print::expression(&expression, language.atoms())?;
    let other = read(&text)?;
    (text.len() <= LONGEST && match_the_same(own, &other)?).then_some(text)
}

/// Whether two patterns match the same strings; `None` if a limit is reached.
fn match_the_same(one: &Parsed, other: &Parsed) -> Option<bool> {
    let mut language = Language::of(&[(&one.ast, one.root), (&other.ast, other.root)])?;
    let one = language.matched(&one.ast, one.root)?;
    let other = language.matched(&other.ast, other.root)?;
    language.equal(one, other)
}

/// Bytes of a rewritten pattern.
const LONGEST: usize = 500;
