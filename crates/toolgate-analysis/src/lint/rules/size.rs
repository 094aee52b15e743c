//! Rules on what a listing costs a model that is shown it.
//!
//! An estimate: name, description and input schema are sent to the model, and
//! minified JSON of these makes about one token of four ASCII bytes, or of one
//! other character. Tokenizers differ by some 20 %.

use toolgate_json::Node as _;

use super::Listing;
use crate::lint::out::Out;
use crate::lint::tool::{Place, Tool};

/// TG014: the whole listing.
pub(crate) fn listing(listing: &Listing, out: &mut Out<'_>) {
    let total: usize = listing
        .tools
        .iter()
        .fold(0, |sum, tool| sum.saturating_add(tool.tokens));
    if total <= LISTING_TOKENS {
        return;
    }
    let mut dearest: Vec<(usize, &str)> = listing
        .tools
        .iter()
        .filter_map(|tool| Some((tool.tokens, tool.name.as_ref()?.0.as_str())))
        .collect();
    dearest.sort_by(|a, b| b.cmp(a));
    let names: Vec<&str> = dearest.iter().take(3).map(|(_, name)| *name).collect();
    let message = format!(
        "the listing has about {total} tokens, which every conversation pays for; the dearest tools are {}",
        super::list(&names)
    );
    out.find(Place::none(), message)
        .help("split the server, offer tool sets, or shorten descriptions; `--profile strict` finds noise to cut");
}

/// TG015: one tool.
pub(crate) fn tool(tool: &Tool<'_>, out: &mut Out<'_>) {
    let tokens = tokens(tool);
    if tokens > TOOL_TOKENS {
        out.find(
            tool.member_place(""),
            format!("the tool has about {tokens} tokens, more than {TOOL_TOKENS}"),
        )
        .help("shorten its description, or split what it takes into smaller tools");
    }
}

/// What a model is shown of a tool, in tokens.
pub(crate) fn tokens(tool: &Tool<'_>) -> usize {
    ["name", "description", "inputSchema"]
        .iter()
        .filter_map(|member| tool.root.member(member))
        .fold(0, |sum, value| sum.saturating_add(estimate(value.raw())))
}

/// Tokens of a JSON text, white space between its tokens not counted.
fn estimate(json: &str) -> usize {
    let (mut ascii, mut other) = (0_usize, 0_usize);
    let (mut inside, mut escaped) = (false, false);
    for c in json.chars() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => inside = !inside,
            _ if !inside && c.is_ascii_whitespace() => continue,
            _ => {}
        }
        if c.is_ascii() {
            ascii = ascii.saturating_add(1);
        } else {
            other = other.saturating_add(1);
        }
    }
    ascii.div_ceil(4).saturating_add(other)
}

/// An eighth of a context of 200,000.
const LISTING_TOKENS: usize = 25_000;
/// More than 99 of 100 published tools have (13 kB of JSON).
const TOOL_TOKENS: usize = 3_500;

#[cfg(test)]
mod tests {
    use super::estimate;

    #[test]
    fn white_space_outside_strings_is_free() {
        assert_eq!(estimate(r#"{ "a b" :  1 }"#), estimate(r#"{"a b":1}"#));
        assert_eq!(estimate("\"漢字\""), 3);
    }
}
