//! Removes lookarounds from a pattern, by way of its automaton.

use super::automaton::Automaton;
use super::language::Language;
use super::print;
use crate::parse::{self, Parsed};

/// The tree of a pattern.
pub(super) fn read(text: &str) -> Option<Parsed> {
    parse::parse(text, DEEPEST, usize::MAX).ok()
}

/// The text of a pattern without lookarounds that matches the same strings.
pub(super) fn without_looks(own: &Parsed, fuel: &mut u64) -> Option<String> {
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
pub(super) const LONGEST: usize = 500;
/// Groups inside groups, in the pattern and in what it becomes.
pub(super) const DEEPEST: usize = 32;
