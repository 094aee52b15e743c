//! Problems, in the terms that all formats share.

use std::ops::Range;

use toolsure_json::{ReadError, ReadErrorKind, quote};
use toolsure_schema::{
    Branches, CompileError, CompileErrorKind, Exhausted, Finding, FindingKind, Report, settings,
};

use super::contract::Sources;
use super::judge::Outcome;
use crate::not_json;
use crate::render::Source;
use crate::settings::{help, raise};

/// One problem of a text.
#[derive(Debug)]
pub(super) struct Problem<'a> {
    /// The keyword that fails, or a stable code.
    pub(super) code: &'a str,
    /// One line, with untrusted text escaped.
    pub(super) message: String,
    /// The location in bytes of the text.
    pub(super) span: Option<Range<usize>>,
    /// The location in words; untrusted.
    pub(super) label: String,
    /// Another location in the same text that belongs to the problem, and its label.
    pub(super) other: Option<(Range<usize>, &'static str)>,
    /// The finding that the problem comes from, if any.
    pub(super) finding: Option<&'a Finding>,
    /// How to fix it.
    pub(super) help: Option<String>,
}

impl<'a> Problem<'a> {
    fn new(code: &'a str, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            span: None,
            label: String::new(),
            other: None,
            finding: None,
            help: None,
        }
    }

    /// The problem of a keyword that fails in `text`.
    fn of_finding(finding: &'a Finding, text: &[u8]) -> Self {
        let message = match finding.property_name() {
            Some(name) => format!("property name `{}`: {}", quote(name, 64), finding.kind),
            None => finding.kind.to_string(),
        };
        let code = match finding.keyword() {
            "" => "false",
            keyword => keyword,
        };
        Self {
            span: finding.instance_span.clone().map(|span| {
                let about_the_name = matches!(
                    finding.kind,
                    FindingKind::UnexpectedProperty { .. } | FindingKind::ForbiddenProperty { .. }
                );
                key_before(text, span.start)
                    .filter(|_| about_the_name)
                    .unwrap_or(span)
            }),
            label: place(finding.instance_location()),
            finding: Some(finding),
            ..Self::new(code, message)
        }
    }

    /// The problem of a text that is not JSON, or exceeds a limit of the parser.
    fn of_text(error: &ReadError, text: &[u8]) -> Self {
        let code = match error.limit() {
            Some(_) => "limit",
            None => "json",
        };
        let at = error.at();
        let help = match error.kind() {
            ReadErrorKind::TrailingBytes
                if at > 0 && text.get(at.saturating_sub(1)) == Some(&b'\n') =>
            {
                Some("if each line is an instance, give `--jsonl`".to_owned())
            }
            _ => settings::of_read_error(error)
                .map(raise)
                .or_else(|| not_json::help(text, at).map(str::to_owned)),
        };
        Self {
            span: Some(at..at.saturating_add(1)),
            other: error
                .other()
                .map(|first| (key_at(text, first), "first here")),
            help,
            ..Self::new(
                code,
                placeless(&not_json::of_file(error), at, error.other()),
            )
        }
        .at_key(text)
    }

    /// An error or a warning of the compiler, and the text that it is about, if that is known.
    pub(super) fn of_schema<'s>(
        error: &'a CompileError,
        sources: &'s Sources<'s>,
    ) -> (Self, Option<&'s Source<'s>>) {
        let source = sources.of(error.document());
        let text = source.map(|source| source.bytes);
        (Self::of_compile_error(error, text), source)
    }

    fn of_compile_error(error: &'a CompileError, text: Option<&[u8]>) -> Self {
        let span = error.span().filter(|_| text.is_some());
        let text = text.unwrap_or_default();
        let mut problem = Self::new(error.code(), error.to_string());
        problem.help = match error.kind() {
            CompileErrorKind::RefDenied { .. } => Some(
                "move the target under `$defs`, or register its document with `--register URI=FILE` or `--register-dir DIR`; nothing is fetched unless `--fetch-host` names a host"
                    .to_owned(),
            ),
            _ => help(error),
        };
        if let CompileErrorKind::Json { message, other } = error.kind() {
            let at = span.as_ref().map_or(0, |span| span.start);
            problem.message = placeless(&not_json::in_file(message, *other), at, *other);
            problem.help = not_json::help(text, at).map(str::to_owned);
            problem.span = span.map(|span| span.start..span.end.max(span.start.saturating_add(1)));
            problem.other = other.map(|first| (key_at(text, first), "first here"));
            return problem.at_key(text);
        }
        // A limit on the text itself has no location in the schema.
        if error.limit().is_none() || !error.pointer().is_empty() {
            problem.label = place(error.pointer());
        }
        problem.span = span;
        problem
    }

    /// If the problem is a duplicate key, marks the whole key.
    fn at_key(mut self, text: &[u8]) -> Self {
        if let (Some(_), Some(span)) = (&self.other, &self.span) {
            self.span = Some(key_at(text, span.start));
            self.label = "again here".to_owned();
        }
        self
    }
}

/// The problems of an instance, in the order in which they were found. If no branch of a union
/// matches, only problems of the branches that were most plausibly meant are kept.
pub(super) fn of_outcome<'a>(outcome: &'a Outcome, source: &Source<'_>) -> Vec<Problem<'a>> {
    let mut problems = problems(outcome, source);
    let unions: Vec<(&Finding, &Branches)> = problems
        .iter()
        .filter_map(|problem| {
            let finding = problem.finding?;
            match &finding.kind {
                FindingKind::AnyOf(branches) | FindingKind::OneOf(branches) => {
                    Some((finding, branches))
                }
                _ => None,
            }
        })
        .filter(|(_, branches)| !branches.plausible.is_empty())
        .collect();
    problems.retain(|problem| {
        problem.finding.is_none_or(|finding| {
            !unions.iter().any(|(union, branches)| {
                branch_of(finding, union)
                    .is_some_and(|branch| !branches.plausible.contains(&branch))
            })
        })
    });
    problems
}

/// Names the branches of a union that [`of_outcome`] keeps, if it drops others.
pub(super) fn closest_branches(finding: &Finding) -> Option<String> {
    let (FindingKind::AnyOf(branches) | FindingKind::OneOf(branches)) = &finding.kind else {
        return None;
    };
    let numbers: Vec<String> = branches
        .plausible
        .iter()
        .take(8)
        .map(usize::to_string)
        .collect();
    match numbers.as_slice() {
        [] => None,
        _ if branches.plausible.len() >= branches.count => None,
        [one] => Some(format!("branch {one} is the closest")),
        many => Some(format!("branches {} are the closest", many.join(", "))),
    }
}

/// The branch of a union that a finding belongs to.
fn branch_of(finding: &Finding, union: &Finding) -> Option<usize> {
    finding
        .instance_location()
        .strip_prefix(union.instance_location())
        .filter(|rest| rest.is_empty() || rest.starts_with('/'))?;
    let below = finding
        .keyword_location()
        .strip_prefix(union.keyword_location())?;
    below.strip_prefix('/')?.split('/').next()?.parse().ok()
}

/// All problems of an instance, in the order in which they were found.
pub(super) fn problems<'a>(outcome: &'a Outcome, source: &Source<'_>) -> Vec<Problem<'a>> {
    let (text, name) = (source.bytes, &source.name);
    match outcome {
        Outcome::Valid => Vec::new(),
        Outcome::Invalid(report) => {
            let findings = report.as_ref().map_or(&[][..], |report| &report.findings);
            let problems: Vec<Problem<'a>> = findings
                .iter()
                .map(|finding| Problem::of_finding(finding, text))
                .collect();
            if problems.is_empty() {
                let message = "the instance does not match, but a limit was reached before the reason was known";
                return vec![Problem {
                    span: Some(root(text)),
                    ..Problem::new("invalid", message)
                }];
            }
            problems
        }
        Outcome::Undecided(why) => vec![Problem {
            span: Some(root(text)),
            help: match why {
                Exhausted::Fuel { .. } => Some(raise("limits.fuel")),
                Exhausted::Depth { .. } => Some(raise("limits.evaluation_depth")),
                // No limit was reached.
                Exhausted::Internal => None,
            },
            ..Problem::new("undecided", why.to_string())
        }],
        Outcome::Unreadable(error) => vec![Problem::of_text(error, text)],
        Outcome::Missing(error) => {
            let message = format!("cannot read `{name}`: {error}");
            vec![Problem::new("io", message)]
        }
    }
}

/// Whether all problems of the instance are known.
pub(super) fn is_complete(outcome: &Outcome) -> bool {
    match outcome {
        Outcome::Invalid(Some(Report { complete, .. })) => *complete,
        _ => true,
    }
}

/// The text without the white space around it.
fn root(text: &[u8]) -> Range<usize> {
    let start = text.len().saturating_sub(text.trim_ascii_start().len());
    start..text.trim_ascii_end().len().max(start)
}

/// The location of a finding's keyword: file, line, column and pointer, escaped; its URI if the
/// text of the document is not available.
pub(super) fn keyword_place(finding: &Finding, sources: &Sources<'_>) -> String {
    let Some(schema) = sources.of(finding.source().document) else {
        return quote(finding.absolute_keyword_location(), POINTER_CHARS).to_string();
    };
    let place = schema.line_column(finding.source().span.start);
    let pointer = quote(finding.source().pointer, POINTER_CHARS);
    format!("{}:{}:{} {pointer}", schema.name, place.line, place.column)
}

/// A JSON pointer in words.
pub(super) fn place(pointer: &str) -> String {
    if pointer.is_empty() {
        "at the root".to_owned()
    } else {
        format!("at {pointer}")
    }
}

/// A parser's message without the byte offsets at its end, because people are shown the location.
fn placeless(message: &str, at: usize, other: Option<usize>) -> String {
    let places = match other {
        Some(first) => format!(" at byte {at}, first at byte {first}"),
        None => format!(" at byte {at}"),
    };
    message.strip_suffix(&places).unwrap_or(message).to_owned()
}

/// The key that begins at a quotation mark.
fn key_at(text: &[u8], quote: usize) -> Range<usize> {
    let rest = text.get(quote.saturating_add(1)..).unwrap_or_default();
    let mut escaped = false;
    for (at, byte) in rest.iter().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return quote..quote.saturating_add(at).saturating_add(2),
            _ => {}
        }
    }
    quote..quote.saturating_add(1)
}

/// The key of the member whose value begins at `value`, in valid JSON.
fn key_before(text: &[u8], value: usize) -> Option<Range<usize>> {
    let before = text.get(..value)?.trim_ascii_end();
    let before = before.strip_suffix(b":")?.trim_ascii_end();
    let end = before.len();
    let mut inside = before.strip_suffix(b"\"")?;
    loop {
        let quote = inside.iter().rposition(|byte| *byte == b'"')?;
        inside = inside.get(..quote)?;
        let slashes = inside.iter().rev().take_while(|byte| **byte == b'\\');
        if slashes.count() % 2 == 0 {
            return Some(quote..end);
        }
    }
}

/// Maximum characters of a pointer that is shown.
pub(super) const POINTER_CHARS: usize = 400;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_found_from_their_values() {
        for (text, value, key) in [
            (r#"{"a": 1}"#, "1", Some("\"a\"")),
            (r#"{"a" : [1]}"#, "[1]", Some("\"a\"")),
            (r#"{"x": "", "a\"b\\": 1}"#, "1", Some(r#""a\"b\\""#)),
            (r#"{"\\": 1}"#, "1", Some(r#""\\""#)),
            (r#"{"": 1}"#, "1", Some("\"\"")),
            (r#"[0, 1]"#, "1", None),
            ("1", "1", None),
        ] {
            let at = text.rfind(value).unwrap();
            let found = key_before(text.as_bytes(), at);
            assert_eq!(
                found.clone().and_then(|found| text.get(found)),
                key,
                "{text}"
            );
            if let (Some(found), Some(key)) = (found, key) {
                assert_eq!(text.get(key_at(text.as_bytes(), found.start)), Some(key));
            }
        }
    }

    #[test]
    fn messages_lose_their_bytes_only_at_the_end() {
        assert_eq!(placeless("x at byte 7", 7, None), "x");
        assert_eq!(placeless("x at byte 7 y", 7, None), "x at byte 7 y");
        assert_eq!(placeless("k at byte 9, first at byte 1", 9, Some(1)), "k");
    }
}
