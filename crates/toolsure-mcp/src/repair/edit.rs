//! One edit: how it changes the text, and how it is reported.

use std::fmt;

use toolsure_json::{Kind, Node as _, View, quote};

/// An edit that was applied. `Display` is one line.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Edit {
    /// The location of the value, as a JSON pointer (RFC 6901) into the arguments.
    pub pointer: String,
    /// What was done.
    pub kind: EditKind,
    /// The JSON text before, cut at 100 characters; empty for a default.
    pub from: String,
    /// The JSON text after, cut at 100 characters; empty for a removal.
    pub to: String,
}

/// What was done to a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum EditKind {
    /// A string was replaced by the value of this type that it contained as JSON.
    Parsed(Kind),
    /// A member with the value `null` was removed.
    NullRemoved,
    /// A missing member was given its default.
    DefaultFilled,
}

impl fmt::Display for Edit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let from = quote(&self.from, SHOWN);
        let to = quote(&self.to, SHOWN);
        match self.kind {
            EditKind::Parsed(kind) => write!(f, "string `{from}` read as the {kind} `{to}`")?,
            EditKind::NullRemoved => write!(f, "`{from}` left out")?,
            EditKind::DefaultFilled => write!(f, "missing member filled with its default `{to}`")?,
        }
        if self.pointer.is_empty() {
            f.write_str(" (at the root)")
        } else {
            write!(f, " (at `{}`)", quote(&self.pointer, SHOWN))
        }
    }
}

/// An edit that could be applied.
pub(super) struct Proposal<'d> {
    pub(super) pointer: String,
    pub(super) change: Change<'d>,
}

/// The change of an edit.
pub(super) enum Change<'d> {
    /// Replace a string with the JSON text in it.
    Parse {
        value: View<'d>,
        text: String,
        kind: Kind,
    },
    /// Remove a member.
    Remove { object: View<'d>, value: View<'d> },
    /// Add a member.
    Fill {
        object: View<'d>,
        /// The member's name as JSON text.
        name: String,
        /// The default as JSON text.
        default: String,
    },
}

impl Proposal<'_> {
    /// Whether there is one reading of what it changes, and a double holds it.
    pub(super) fn is_certain(&self) -> bool {
        match &self.change {
            Change::Parse { text, kind, .. } if *kind == Kind::Number => {
                let number = text.parse::<f64>();
                let is_zero = || {
                    !text
                        .bytes()
                        .take_while(|c| !b"eE".contains(c))
                        .any(|c| matches!(c, b'1'..=b'9'))
                };
                number.is_ok_and(|number| number.abs() < EXACT && (number != 0.0 || is_zero()))
            }
            Change::Parse { .. } => true,
            Change::Remove { .. } | Change::Fill { .. } => false,
        }
    }

    /// The edit as it will be reported, and the whole text after it.
    pub(super) fn apply(self, root: View<'_>) -> (Edit, String) {
        let source = root.document().source();
        let (start, end, text, kind, from, to) = match self.change {
            Change::Parse { value, text, kind } => {
                let span = value.span();
                let shown = (cut(value.raw()), cut(&text));
                (
                    span.start,
                    span.end,
                    text,
                    EditKind::Parsed(kind),
                    shown.0,
                    shown.1,
                )
            }
            Change::Remove { object, value } => {
                let (start, end) = member_span(object, value);
                let from = cut(value.raw());
                (
                    start,
                    end,
                    String::new(),
                    EditKind::NullRemoved,
                    from,
                    String::new(),
                )
            }
            Change::Fill {
                object,
                name,
                default,
            } => {
                let last = object.members().last();
                let (at, comma) = match last {
                    Some((_, value)) => (value.span().end, ","),
                    None => (object.span().start + 1, ""),
                };
                let to = cut(&default);
                let text = format!("{comma}{name}:{default}");
                (at, at, text, EditKind::DefaultFilled, String::new(), to)
            }
        };
        let before = source.get(..start).unwrap_or_default();
        let after = source.get(end..).unwrap_or_default();
        let edit = Edit {
            pointer: self.pointer,
            kind,
            from,
            to,
        };
        (edit, format!("{before}{text}{after}"))
    }
}

/// The span of a member with one of the commas next to it.
fn member_span(object: View<'_>, value: View<'_>) -> (usize, usize) {
    let mut before = None;
    let mut members = object.members();
    while let Some((key, held)) = members.next() {
        if held.id() == value.id() {
            let start = key.view().span().start;
            return match (members.next(), before) {
                (Some((next, _)), _) => (start, next.view().span().start),
                (None, Some(end)) => (end, held.span().end),
                (None, None) => (start, held.span().end),
            };
        }
        before = Some(held.span().end);
    }
    let span = value.span();
    (span.start, span.start)
}

fn cut(text: &str) -> String {
    text.chars().take(KEPT).collect()
}

/// Below 2^53, a double holds each whole number.
const EXACT: f64 = 9_007_199_254_740_992.0;
/// The maximum number of characters of foreign text in an edit.
const KEPT: usize = 100;
/// The maximum number of those characters in a line.
const SHOWN: usize = 64;
