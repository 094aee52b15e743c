//! The rules, grouped by what they check. Each is one function over a tool, a subschema or a listing.

pub(super) mod admission;
pub(super) mod budget;
pub(super) mod defaults_and_examples;
pub(super) mod dialect;
pub(super) mod keywords;
pub(super) mod logic;
pub(super) mod members;
pub(super) mod noise;
pub(super) mod pattern;
pub(super) mod prose;
pub(super) mod provider;
pub(super) mod size;
pub(super) mod text;
pub(super) mod tool_object;
pub(super) mod types;

use std::ops::Range;

use toolsure_json::quote;

/// The facts about each tool that rules on whole listings use.
pub(super) struct Listing {
    pub(super) tools: Vec<Facts>,
}

/// The facts about one tool.
pub(super) struct Facts {
    /// Its name and the location of the name.
    pub(super) name: Option<(String, Range<usize>)>,
    /// The estimated number of tokens that a model sees of it.
    pub(super) tokens: usize,
    /// The number of its parameters that are not required, at every level.
    pub(super) optional: usize,
    /// The number of its parameters that have an `anyOf` or several types.
    pub(super) unions: usize,
    /// The parameters that nothing describes.
    pub(super) silent: Option<Silent>,
}

/// Parameters of a tool that nothing describes.
pub(super) struct Silent {
    pub(super) names: Vec<String>,
    /// The number of all its parameters.
    pub(super) of: usize,
    /// The location of the first of them.
    pub(super) span: Range<usize>,
}

/// A few names for a message, and the number of the others.
fn list(names: &[&str]) -> String {
    let shown: Vec<String> = names
        .iter()
        .take(SHOWN)
        .map(|name| format!("`{}`", quote(name, 40)))
        .collect();
    match names.len().saturating_sub(SHOWN) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// The words of a name in snake, kebab or camel case, in lower case.
fn words_of_name(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut lower = false;
    for c in name.chars().take(100) {
        if !c.is_alphanumeric() || (c.is_uppercase() && lower) {
            words.push(String::new());
        }
        lower = c.is_lowercase();
        if let Some(word) = words.last_mut().filter(|_| c.is_alphanumeric()) {
            word.extend(c.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

const SHOWN: usize = 5;

#[cfg(test)]
mod tests {
    use super::words_of_name;

    #[test]
    fn names_fall_into_words() {
        for (name, expected) in [
            ("maxResults", vec!["max", "results"]),
            ("page_size", vec!["page", "size"]),
            ("URLCount", vec!["urlcount"]),
            ("--", vec![]),
        ] {
            assert_eq!(words_of_name(name), expected, "{name}");
        }
    }
}
