//! The state that all parts of the parser share: the position, the grammar and the flags.

use std::ops::Range;

use crate::cursor::Cursor;
use crate::error::{PatternError, PatternLimit};
use crate::fold;

/// Which texts are patterns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Grammar {
    /// Those of the grammar with the `u` flag.
    Strict,
    /// Those of Annex B too, if the grammar with the `u` flag does not allow them.
    Lenient,
}

/// The flags that modifiers `(?ims-ims:…)` set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Flags {
    pub(crate) ignore_case: bool,
    pub(crate) multiline: bool,
    pub(crate) dot_all: bool,
}

/// The state that escapes and brackets share with the parser.
#[derive(Debug)]
pub(crate) struct Context<'t> {
    pub(crate) cursor: Cursor<'t>,
    pub(crate) grammar: Grammar,
    pub(crate) flags: Flags,
    group_count: Option<GroupCount>,
    legacy: Option<Range<usize>>,
}

/// The result of a pass over the whole text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GroupCount {
    /// The number of capturing groups.
    pub(crate) captures: u32,
    /// Whether one of them has a name.
    pub(crate) named: bool,
}

impl<'t> Context<'t> {
    /// At the start of a text.
    pub(crate) fn new(text: &'t str, grammar: Grammar) -> Self {
        Self {
            cursor: Cursor::new(text),
            grammar,
            flags: Flags::default(),
            group_count: None,
            legacy: None,
        }
    }

    /// The first range that only Annex B allows.
    pub(crate) fn first_legacy(self) -> Option<Range<usize>> {
        self.legacy
    }

    /// The error for a part of the text that exceeds a limit.
    pub(crate) fn limited(
        &self,
        limit: PatternLimit,
        allowed: usize,
        span: Range<usize>,
    ) -> PatternError {
        PatternError::limited(self.cursor.text(), limit, allowed, span)
    }

    /// An error about the text from `start` to here.
    pub(crate) fn error(&self, message: &'static str, start: usize) -> PatternError {
        PatternError::syntax(self.cursor.text(), message, start..self.cursor.at())
    }

    /// The error for an impossible state of the parser, which `what` names.
    pub(crate) fn internal(&self, what: &'static str) -> PatternError {
        PatternError::internal(self.cursor.text(), what)
    }

    /// Accepts syntax that only Annex B allows, if the grammar is lenient.
    pub(crate) fn legacy(
        &mut self,
        message: &'static str,
        start: usize,
    ) -> Result<(), PatternError> {
        if self.grammar == Grammar::Strict {
            return Err(self.error(message, start));
        }
        let span = start..self.cursor.at();
        self.legacy.get_or_insert(span);
        Ok(())
    }

    /// Reads `ims-ims:`.
    pub(crate) fn modifiers(&mut self, start: usize) -> Result<Flags, PatternError> {
        let mut flags = self.flags;
        let mut seen = String::new();
        let mut on = true;
        while let Some(c) = self.cursor.next() {
            match c {
                ':' if flags.ignore_case && !fold::TABLE && self.grammar != Grammar::Strict => {
                    return Err(PatternError::unsupported(
                        self.cursor.text(),
                        "ignored case, without a table here",
                        start..self.cursor.at(),
                    ));
                }
                ':' if on || !seen.is_empty() => return Ok(flags),
                '-' if on => on = false,
                _ => {
                    let flag = match c {
                        'i' => &mut flags.ignore_case,
                        'm' => &mut flags.multiline,
                        's' => &mut flags.dot_all,
                        _ => break,
                    };
                    if seen.contains(c) {
                        break;
                    }
                    *flag = on;
                    seen.push(c);
                }
            }
        }
        Err(self.error("unknown kind of group", start))
    }

    /// The number of groups, counted when first needed.
    pub(crate) fn group_count(&mut self) -> GroupCount {
        let text = self.cursor.text();
        *self.group_count.get_or_insert_with(|| count_groups(text))
    }
}

/// Counts the capturing groups of a text, whether or not it is a pattern.
fn count_groups(text: &str) -> GroupCount {
    let mut group_count = GroupCount {
        captures: 0,
        named: false,
    };
    let mut cursor = Cursor::new(text);
    while let Some(c) = cursor.next() {
        match c {
            '\\' => {
                cursor.next();
            }
            '[' => {
                cursor.skip_bracket();
            }
            '(' if !cursor.eat('?') => {
                group_count.captures = group_count.captures.saturating_add(1)
            }
            '(' if cursor.eat('<') && !matches!(cursor.peek(), Some('=' | '!')) => {
                group_count.captures = group_count.captures.saturating_add(1);
                group_count.named = true;
            }
            _ => {}
        }
    }
    group_count
}
