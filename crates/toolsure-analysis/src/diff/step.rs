//! Locations in the values that a schema describes.

use toolsure_json::quote;

/// One step from a value to a part of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Step {
    /// The member with this name.
    Name(String),
    /// Some undeclared member.
    AnyName,
    /// The item with this index.
    Index(usize),
    /// Some item.
    AnyItem,
}

impl Step {
    /// Whether a token of a JSON pointer is such a step.
    pub(super) fn is(&self, token: &str) -> bool {
        match self {
            Self::Name(name) => name == token,
            Self::Index(index) => index.to_string() == token,
            Self::AnyName | Self::AnyItem => true,
        }
    }
}

/// A location in the values, in the form of [`Change::place`](super::Change::place).
pub(super) fn pattern(place: &[Step]) -> String {
    let mut text = String::new();
    for step in place {
        match step {
            Step::Name(name) => toolsure_json::pointer::push(&mut text, name),
            Step::AnyName | Step::AnyItem => text.push_str("/*"),
            Step::Index(index) => toolsure_json::pointer::push(&mut text, &index.to_string()),
        }
    }
    quote(&text, PLACE_CHARS).to_string()
}

/// Characters of a location in a report.
const PLACE_CHARS: usize = 400;
