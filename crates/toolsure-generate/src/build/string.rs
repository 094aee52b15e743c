//! Strings of a length, a pattern and a format.

use std::cell::Cell;
use std::sync::Arc;

use toolsure_json::Node as _;
use toolsure_pattern::Pattern;
use toolsure_syntax::Keyword;
use toolsure_syntax::model::{ContentUse, Entry, Form};

use super::budget::Budget;
use super::variation::distinct;
use crate::conjunction::Conjunction;
use crate::heights::PATTERN_FUEL;
use crate::hints::{Hints, LONGEST};
use crate::parsed_schema::ParsedSchema;
use crate::text::{Matches, of_format};

/// What the keywords ask of a string, without the one that is to be broken.
pub(super) struct StringConstraints<'g> {
    pub(super) least: usize,
    pub(super) most: usize,
    patterns: Vec<(&'g Entry, Arc<Pattern>)>,
    /// Names of formats, also of those that are not asserted.
    formats: Vec<&'g str>,
    content: Option<ContentUse>,
    matches: &'g Matches,
    /// The fuel that patterns used.
    spent: Cell<u64>,
}

/// Strings that are worth trying.
pub(super) fn worth_trying<'g>(
    schema: &'g ParsedSchema,
    budget: &Budget,
    found: &Conjunction<'g>,
    hints: &Hints,
) -> Vec<String> {
    let constraints = StringConstraints::of(schema, found, None);
    let mut all: Vec<String> = Vec::new();
    let formats = constraints.formats.iter().flat_map(|name| of_format(name));
    all.extend(formats.map(|text| (*text).to_owned()));
    if !constraints.patterns.is_empty() {
        all.extend(constraints.patterned(PATTERNED));
    }
    all.extend(constraints.content.map(StringConstraints::content));
    all.extend(hints.between_patterns.iter().cloned());
    all.extend(["a", "", "Ab 1", "é", "-", "0"].map(str::to_owned));
    let own = [constraints.least, constraints.most].into_iter();
    let lengths = own.chain(hints.lengths.iter().take(24).copied());
    let lengths = lengths.filter(|length| *length <= LONGEST);
    let longer = hints.text_lengths.iter().take(6).copied();
    all.extend(lengths.chain(longer).map(|length| "a".repeat(length)));
    all.extend(hints.strings.iter().cloned());
    let most = u64::try_from(budget.most_looked).unwrap_or(u64::MAX);
    all.retain(|text| constraints.spent.get() < most && constraints.fits(text));
    budget.look(usize::try_from(constraints.spent.get()).unwrap_or(usize::MAX));
    budget.look(all.iter().map(|text| text.len() / 16 + 1).sum());
    distinct(all)
}

impl<'g> StringConstraints<'g> {
    pub(super) fn of(
        schema: &'g ParsedSchema,
        found: &Conjunction<'g>,
        broken: Option<&Entry>,
    ) -> Self {
        let lengths = found.limits((Keyword::MinLength, Keyword::MaxLength), broken, None);
        // No string has lengths that contradict each other.
        let (least, most) = lengths.unwrap_or((1, 0));
        let mut constraints = Self {
            least,
            most,
            patterns: Vec::new(),
            formats: Vec::new(),
            content: None,
            matches: &schema.matches,
            spent: Cell::new(0),
        };
        for (sub, entry) in &found.entries {
            let is_broken = broken.is_some_and(|broken| std::ptr::eq(broken, *entry));
            match (&entry.form, entry.keyword) {
                (Form::Pattern(id), _) if !is_broken => {
                    let pattern = schema.model.patterns.get(id.index());
                    constraints
                        .patterns
                        .extend(pattern.map(|it| (*entry, Arc::clone(it))));
                }
                (_, Keyword::Format) if !is_broken => {
                    let name = found.view(*sub, entry.value);
                    constraints.formats.extend(name.map(|name| name.string()));
                }
                (Form::Content(content), _) if !is_broken => constraints.content = Some(*content),
                _ => {}
            }
        }
        constraints
    }

    /// Whether a string has the length and matches the patterns.
    pub(super) fn fits(&self, text: &str) -> bool {
        let length = text.chars().count();
        (self.least..=self.most).contains(&length)
            && self.patterns.iter().all(|(_, pattern)| {
                let mut fuel = PATTERN_FUEL;
                let answer = pattern.matches(text, &mut fuel);
                let used = PATTERN_FUEL.saturating_sub(fuel);
                self.spent.set(self.spent.get().saturating_add(used));
                answer == Some(true)
            })
    }

    /// A string with such a content.
    fn content(content: ContentUse) -> String {
        match content {
            ContentUse::Base64 => "YQ==".to_owned(),
            ContentUse::Json => "{}".to_owned(),
        }
    }

    /// Candidate `turn`.
    pub(super) fn text(&self, turn: usize) -> Option<String> {
        let mut known: Vec<String> = Vec::new();
        let formats = self.formats.iter().flat_map(|name| of_format(name));
        known.extend(
            formats
                .map(|text| (*text).to_owned())
                .filter(|text| self.fits(text)),
        );
        known.extend(self.content.map(Self::content));
        if turn < known.len() {
            return known.into_iter().nth(turn);
        }
        if self.patterns.is_empty() {
            if !known.is_empty() {
                let turn = turn.checked_rem(known.len())?;
                return known.into_iter().nth(turn);
            }
            return Some(self.plain(turn));
        }
        let more = self.patterned(turn.saturating_sub(known.len()));
        known.extend(more);
        let turn = turn.checked_rem(known.len())?;
        known.into_iter().nth(turn)
    }

    /// Strings that match all patterns, up to candidate `turn`.
    pub(super) fn patterned(&self, turn: usize) -> Vec<String> {
        let mut all: Vec<String> = Vec::new();
        // The shortest of one pattern need not match the others.
        for (_, pattern) in &self.patterns {
            let count = turn.saturating_add(self.patterns.len()).saturating_add(1);
            for text in self.matches.first(pattern, self.least, count) {
                if self.fits(&text) && !all.contains(&text) {
                    all.push(text);
                }
                if all.len() > turn {
                    return all;
                }
            }
        }
        all
    }

    /// A string without a pattern.
    fn plain(&self, turn: usize) -> String {
        let letters = ["a", "b", "c", "d", "é", "Z", "0", " ", "\u{1F600}"];
        let letter = turn.checked_rem(letters.len());
        let letter = letter.and_then(|turn| letters.get(turn)).unwrap_or(&"a");
        let round = turn.checked_div(letters.len()).unwrap_or(0);
        let length = self.least.max(1).saturating_add(round).min(self.most);
        letter.repeat(length)
    }
}

/// Strings that match the patterns, among those that are worth trying.
const PATTERNED: usize = 3;
