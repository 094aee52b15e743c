//! Rewrites a pattern in the syntax that all engines share.
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
mod included;
mod language;
mod lengths;
mod print;
#[cfg(test)]
mod tests;

use toolsure_json::int::to_u64;

use crate::Pattern;
use crate::parse::{self, Parsed};

use crate::fuel::spend;

use automaton::Automaton;
pub use included::Inclusion;
use language::Language;
pub use lengths::PlainPattern;

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
}

fn read(text: &str) -> Option<Parsed> {
    parse::parse(text, DEEPEST, usize::MAX).ok()
}

fn without_looks(own: &Parsed, fuel: &mut u64) -> Option<String> {
    let mut language = Language::of(&[(&own.ast, own.root)], fuel)?;
    let whole = language.matched(&own.ast, own.root)?;
    let automaton = Automaton::of(&mut language, whole)?;
    let expression = automaton.expression(language.fuel())?;
    let text = print::expression(&expression, language.atoms())?;
    let other = read(&text)?;
    (text.len() <= LONGEST && match_the_same(own, &other, fuel)?).then_some(text)
}

/// Whether two patterns match the same strings; `None` if a limit is reached.
fn match_the_same(one: &Parsed, other: &Parsed, fuel: &mut u64) -> Option<bool> {
    let trees = [(&one.ast, one.root), (&other.ast, other.root)];
    let mut language = Language::of(&trees, fuel)?;
    let one = language.matched(&one.ast, one.root)?;
    let other = language.matched(&other.ast, other.root)?;
    language.equal(one, other)
}

/// Bytes of a rewritten pattern.
const LONGEST: usize = 500;
/// Groups inside groups, in the pattern and in what it becomes.
const DEEPEST: usize = 32;
