//! Locations in the values, in words.

use toolsure_generate::Step;
use toolsure_json::quote;

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
