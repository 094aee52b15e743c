//! What a rule reports about a tool, and the text edits that would fix it.

use std::ops::Range;

use super::rule::Rule;
use super::severity::Severity;
use crate::readers::{Consequence, Reader};

/// Findings of a rule beyond the limits, which are only counted.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Unkept {
    /// The rule.
    pub rule: &'static Rule,
    /// The index of the tool in the listing, from 0; `None` if they are about the listing.
    pub tool: Option<usize>,
    /// How many there are.
    pub count: usize,
    /// The worst severity of them.
    pub severity: Severity,
}

/// One place where a rule is broken.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Finding {
    /// The rule.
    pub rule: &'static Rule,
    /// The rule's severity, or the one that the operator gave it.
    pub severity: Severity,
    /// What it costs the readers that care: the worst of them. `None` if it costs no reader anything that is
    /// known.
    pub consequence: Option<Consequence>,
    /// The readers whose facts it breaks; none for a rule that matters to all.
    pub readers: Vec<&'static Reader>,
    /// The index of the tool in the listing, from 0; `None` if it is about the listing.
    pub tool: Option<usize>,
    /// The index of the page, from 0, if it is about one.
    pub page: Option<usize>,
    /// The location as a JSON Pointer (RFC 6901) into the tool or the page, cut at
    /// [`POINTER_BYTES`](Self::POINTER_BYTES) with a `…`.
    pub pointer: String,
    /// The location as a byte range of the text of the tool or the page.
    pub span: Option<Range<usize>>,
    /// What is wrong, in one line; text from the tool is escaped and cut.
    pub message: String,
    /// What the author could do.
    pub help: Option<String>,
    /// The [setting](toolsure_schema::settings) that raises the limit that the schema exceeded.
    pub setting: Option<&'static str>,
    /// The same as edits of the tool's text, if a program can make them.
    pub fix: Option<Fix>,
}

impl Finding {
    /// The longest pointer that a finding carries, in bytes.
    pub const POINTER_BYTES: usize = 1_000;

    pub(super) fn help(&mut self, text: impl Into<String>) -> &mut Self {
        self.help = Some(text.into());
        self
    }

    pub(super) fn fix(&mut self, safety: Safety, edits: Option<Vec<Edit>>) -> &mut Self {
        self.fix = edits
            .filter(|edits| !edits.is_empty())
            .map(|edits| Fix { safety, edits });
        self
    }
}

/// Edits that belong together: apply all of them or none.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fix {
    /// Whether the fix may be applied without review.
    pub safety: Safety,
    /// The edits, as byte ranges of the tool's text as it was linted.
    pub edits: Vec<Edit>,
}

/// Whether a fix may be applied without review.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a fix is one or the other")]
pub enum Safety {
    /// No instance's verdict changes, or the schema could not be used at all before.
    Safe,
    /// It is what the author probably meant, but it changes the meaning of the schema.
    Unsafe,
}

/// One replacement in a string.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_structs,
    reason = "a replacement is a place and a text, and nothing else"
)]
pub struct Edit {
    /// The bytes that are replaced.
    pub span: Range<usize>,
    /// The text that replaces them.
    pub text: String,
}

/// Applies groups of edits to a string. Skips a group that overlaps what an earlier one (by position)
/// changed, or that is out of range: lint again and apply the rest. Returns the new string and, for each
/// group, whether it was applied.
///
/// ```
/// use toolsure_analysis::lint::{Edit, apply};
///
/// let edit = |span, text: &str| vec![Edit { span, text: text.to_owned() }];
/// let groups = [edit(0..5, "maximum"), edit(3..5, "!")];
/// let (text, applied) = apply("maxim: 3", &groups);
/// assert_eq!(text, "maximum: 3");
/// assert_eq!(applied, [true, false]);
/// ```
#[must_use]
pub fn apply(text: &str, groups: &[Vec<Edit>]) -> (String, Vec<bool>) {
    let mut order: Vec<usize> = (0..groups.len()).collect();
    let start = |group: &usize| {
        let edits = groups.get(*group).map_or(&[][..], Vec::as_slice);
        edits.iter().map(|edit| edit.span.start).min()
    };
    order.sort_by_key(start);
    let mut taken: Vec<&Edit> = Vec::new();
    let mut applied = vec![false; groups.len()];
    for group in order {
        let Some(edits) = groups.get(group) else {
            continue;
        };
        let fits = |edit: &Edit| {
            text.get(edit.span.clone()).is_some() && !taken.iter().rev().any(|t| touch(t, edit))
        };
        if edits.iter().all(fits) {
            taken.extend(edits);
            if let Some(applied) = applied.get_mut(group) {
                *applied = true;
            }
        }
    }
    taken.sort_by_key(|edit| edit.span.start);
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for edit in taken {
        out.push_str(text.get(at..edit.span.start).unwrap_or_default());
        out.push_str(&edit.text);
        at = edit.span.end;
    }
    out.push_str(text.get(at..).unwrap_or_default());
    (out, applied)
}

fn touch(a: &Edit, b: &Edit) -> bool {
    a.span.start <= b.span.end && b.span.start <= a.span.end
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(span: Range<usize>, text: &str) -> Edit {
        Edit {
            span,
            text: text.to_owned(),
        }
    }

    #[test]
    fn edits_apply_by_group_and_never_overlap() {
        let groups = [
            vec![edit(4..6, "X")],
            vec![edit(0..1, "A"), edit(8..9, "B")],
            vec![edit(2..5, "YY")],
            vec![edit(20..21, "no")],
        ];
        let (text, applied) = apply("0123456789", &groups);
        assert_eq!(text, "A1YY567B9");
        assert_eq!(applied, [false, true, true, false]);
    }
}
