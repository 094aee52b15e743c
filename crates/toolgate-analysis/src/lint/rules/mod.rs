//! The rules, by what they look at. Each is one function over a tool, a subschema or a listing.

pub(super) mod admission;
pub(super) mod budget;
pub(super) mod dialect;
pub(super) mod keywords;
pub(super) mod logic;
pub(super) mod noise;
pub(super) mod pattern;
pub(super) mod prose;
pub(super) mod provider;
pub(super) mod samples;
pub(super) mod shell;
pub(super) mod size;
pub(super) mod text;
pub(super) mod types;

use std::ops::Range;

use toolgate_json::quote;

/// What the rules on whole listings know of each tool.
pub(super) struct Listing {
    pub(super) tools: Vec<Facts>,
}

/// One tool in a few words.
pub(super) struct Facts {
    /// Its name and where it stands.
    pub(super) name: Option<(String, Range<usize>)>,
    /// Estimated tokens of what a model is shown of it.
    pub(super) tokens: usize,
    /// Its parameters that are not required, at every level.
    pub(super) optional: usize,
    /// Its parameters that have an `anyOf` or several types.
    pub(super) unions: usize,
}

/// A few names in a message, the rest as a number.
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
