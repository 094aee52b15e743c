//! Strings of a length, a pattern and a format.

use std::cell::Cell;
use std::sync::Arc;

use toolsure_json::{Node as _, push_json_string};
use toolsure_pattern::Pattern;
use toolsure_syntax::Keyword;
use toolsure_syntax::model::{ContentUse, Entry, Form, FormatUse, TypeSet};

use super::array::limits;
use super::vary::distinct;
use super::{Builder, Focus, Position};
use crate::conjunction::Conjunction;
use crate::heights::PATTERN_FUEL;
use crate::hints::{Hints, LONGEST};
use crate::text::{Matches, NOT_OF_FORMATS, not_matching, of_format};

/// What is asked of a string.
struct Asked<'g> {
    least: usize,
    most: usize,
    patterns: Vec<(&'g Entry, Arc<Pattern>)>,
    /// Names of formats, also of those that are not asserted.
    formats: Vec<&'g str>,
    content: Option<ContentUse>,
    matches: &'g Matches,
    /// The fuel that patterns used.
    spent: Cell<u64>,
}

impl<'g> Builder<'g> {
    /// Writes a string.
    pub(super) fn string(
        &mut self,
        found: &Conjunction<'g>,
        focus: Focus<'_, 'g>,
        position: Position,
    ) -> Option<()> {
        let broken = focus.broken().map(|(_, entry)| entry);
        let mut asked = self.asked(found, broken);
        if let Some(entry) = focus.bound()
            && let Form::Count(count) = entry.form
        {
            let count = usize::try_from(count).ok()?;
            match entry.keyword {
                Keyword::MinLength => asked.most = asked.most.min(count),
                Keyword::MaxLength => asked.least = asked.least.max(count),
                _ => {}
            }
        }
        if asked.least > asked.most || asked.least > self.bytes {
            return None;
        }
        if broken.is_none()
            && let Some(text) = self.hinted(found, TypeSet::STRING)
        {
            self.out.push_str(&text);
            return Some(());
        }
        let turn = match broken {
            Some(_) => self.variant,
            None => position.turn.saturating_add(match self.style {
                super::Style::Mixed => self.random.below(4),
                _ => self.variant,
            }),
        };
        let text = match broken.map(|entry| &entry.form) {
            Some(Form::Pattern(id)) => {
                let pattern = self.model.patterns.get(id.index())?;
                not_matching(pattern, asked.least)
                    .into_iter()
                    .chain(NOT_OF_FORMATS.map(str::to_owned))
                    .filter(|text| asked.fits(text))
                    .nth(turn)?
            }
            Some(Form::Format(FormatUse::Text(format))) => NOT_OF_FORMATS
                .into_iter()
                .map(str::to_owned)
                .chain(asked.patterned(0))
                .filter(|text| !format.accepts(text) && asked.fits(text))
                .nth(turn)?,
            Some(Form::Content(_)) => "{!".to_owned(),
            _ => asked.text(turn).or_else(|| {
                let variation = self.variation?;
                self.strings(found, variation.hints).into_iter().next()
            })?,
        };
        push_json_string(&mut self.out, &text);
        Some(())
    }

    /// Strings that are worth trying.
    pub(super) fn strings(&self, found: &Conjunction<'g>, hints: &Hints) -> Vec<String> {
        let asked = self.asked(found, None);
        let mut all: Vec<String> = Vec::new();
        let formats = asked.formats.iter().flat_map(|name| of_format(name));
        all.extend(formats.map(|text| (*text).to_owned()));
        if !asked.patterns.is_empty() {
            all.extend(asked.patterned(PATTERNED));
        }
        all.extend(asked.content.map(Asked::content));
        all.extend(hints.between_patterns.iter().cloned());
        all.extend(["a", "", "Ab 1", "é", "-", "0"].map(str::to_owned));
        let own = [asked.least, asked.most].into_iter();
        let lengths = own.chain(hints.lengths.iter().take(24).copied());
        let lengths = lengths.filter(|length| *length <= LONGEST);
        let longer = hints.text_lengths.iter().take(6).copied();
        all.extend(lengths.chain(longer).map(|length| "a".repeat(length)));
        all.extend(hints.strings.iter().cloned());
        let most = u64::try_from(self.most_looked).unwrap_or(u64::MAX);
        all.retain(|text| asked.spent.get() < most && asked.fits(text));
        self.look(usize::try_from(asked.spent.get()).unwrap_or(usize::MAX));
        self.look(all.iter().map(|text| text.len() / 16 + 1).sum());
        distinct(all)
    }

    fn asked(&self, found: &Conjunction<'g>, broken: Option<&Entry>) -> Asked<'g> {
        let lengths = limits(
            found,
            (Keyword::MinLength, Keyword::MaxLength),
            broken,
            None,
        );
        // No string has lengths that contradict each other.
        let (least, most) = lengths.unwrap_or((1, 0));
        let mut asked = Asked {
            least,
            most,
            patterns: Vec::new(),
            formats: Vec::new(),
            content: None,
            matches: self.matches,
            spent: Cell::new(0),
        };
        for (sub, entry) in &found.entries {
            let is_broken = broken.is_some_and(|broken| std::ptr::eq(broken, *entry));
            match (&entry.form, entry.keyword) {
                (Form::Pattern(id), _) if !is_broken => {
                    let pattern = self.model.patterns.get(id.index());
                    asked
                        .patterns
                        .extend(pattern.map(|it| (*entry, Arc::clone(it))));
                }
                (_, Keyword::Format) if !is_broken => {
                    let name = found.view(self.model, *sub, entry.value);
                    asked.formats.extend(name.map(|name| name.string()));
                }
                (Form::Content(content), _) if !is_broken => asked.content = Some(*content),
                _ => {}
            }
        }
        asked
    }
}

impl Asked<'_> {
    /// Whether a string has the length and matches the patterns.
    fn fits(&self, text: &str) -> bool {
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
    fn text(&self, turn: usize) -> Option<String> {
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
    fn patterned(&self, turn: usize) -> Vec<String> {
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
