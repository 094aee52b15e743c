//! Rules on how much of a model's context a listing takes.
//!
//! An estimate: name, description and input schema are sent to the model, and their minified JSON takes
//! about one token for four ASCII bytes, or for one other character. Tokenizers differ by some 20 %.

use std::collections::HashMap;

use toolsure_json::Node as _;

use super::Listing;
use crate::lint::out::Out;
use crate::lint::tool::{Place, Side, Tool};

/// TL014: the whole listing.
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

/// TL015: one tool.
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

/// TL116: repeated subschemas, which a definition would hold once.
pub(crate) fn repeated(tool: &Tool<'_>, out: &mut Out<'_>) {
    // The input schema comes first; a schema that is too large was not walked.
    let walked = tool.subs.first().filter(|sub| sub.side == Side::Input);
    let Some(schema) = walked.map(|root| root.view) else {
        return;
    };
    let text = schema.raw();
    let offset = schema.span().start;
    let hashes = Hashes::of(text.as_bytes());
    // The first subschema with each text, how often it is repeated, and its size in bytes.
    let mut first: HashMap<(u64, usize), usize> = HashMap::new();
    let mut copies: Vec<bool> = Vec::with_capacity(tool.subs.len());
    let (mut saved, mut count, mut largest) = (0_usize, 0_usize, None);
    for (index, sub) in tool.subs.iter().enumerate() {
        let inside = sub.parent.and_then(|parent| copies.get(parent)).copied() == Some(true);
        let span = sub.view.span();
        let length = span.end.saturating_sub(span.start);
        let mut copy = inside;
        if !inside && sub.side == Side::Input && length >= SMALLEST && !sub.has("$ref") {
            let hash = hashes.range(span.start.saturating_sub(offset), length);
            let known = *first.entry((hash, length)).or_insert(index);
            let same = tool
                .subs
                .get(known)
                .is_some_and(|one| one.view.raw() == sub.view.raw());
            if known != index && same {
                copy = true;
                count = count.saturating_add(1);
                saved = saved.saturating_add(length.saturating_sub(REFERENCE));
                largest = largest.max(Some((length, known)));
            }
        }
        copies.push(copy);
    }
    if let Some(sub) = largest
        .and_then(|(_, index)| tool.subs.get(index))
        .filter(|_| saved >= WORTH)
    {
        let message = format!(
            "{count} subschema{} repeat{} another; `$defs` would save about {saved} bytes",
            if count == 1 { "" } else { "s" },
            if count == 1 { "s" } else { "" },
        );
        out.find(tool.place(sub), message)
            .help("define it once under `$defs` and refer to it");
    }
}

/// Hashes of all ranges of a string, after one pass over it.
struct Hashes {
    /// For each prefix of the string.
    prefixes: Vec<u64>,
    /// Powers of the base.
    powers: Vec<u64>,
}

impl Hashes {
    fn of(text: &[u8]) -> Self {
        let (mut hash, mut power) = (0_u64, 1_u64);
        let mut made = Self {
            prefixes: vec![0],
            powers: vec![1],
        };
        for byte in text {
            hash = hash
                .wrapping_mul(BASE)
                .wrapping_add(u64::from(*byte).wrapping_add(1));
            power = power.wrapping_mul(BASE);
            made.prefixes.push(hash);
            made.powers.push(power);
        }
        made
    }

    fn range(&self, start: usize, length: usize) -> u64 {
        let at = |list: &[u64], index: usize| list.get(index).copied().unwrap_or_default();
        let end = at(&self.prefixes, start.saturating_add(length));
        let before = at(&self.prefixes, start).wrapping_mul(at(&self.powers, length));
        end.wrapping_sub(before)
    }
}

/// The number of tokens that a model sees of a tool.
pub(crate) fn tokens(tool: &Tool<'_>) -> usize {
    *tool.tokens.get_or_init(|| {
        ["name", "description", "inputSchema"]
            .iter()
            .filter_map(|member| tool.root.member(member))
            .fold(0, |sum, value| sum.saturating_add(estimate(value.raw())))
    })
}

/// The number of tokens of a JSON text, without its white space.
fn estimate(json: &str) -> usize {
    let (mut ascii, mut other) = (0_usize, 0_usize);
    let (mut inside, mut escaped) = (false, false);
    for byte in json.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => inside = !inside,
            _ if !inside && byte.is_ascii_whitespace() => continue,
            _ => {}
        }
        if byte.is_ascii() {
            ascii = ascii.saturating_add(1);
        } else if byte & 0xc0 != 0x80 {
            // The first byte of a character.
            other = other.saturating_add(1);
        }
    }
    ascii.div_ceil(4).saturating_add(other)
}

/// An odd number with its bits spread evenly.
const BASE: u64 = 0x9e37_79b9_7f4a_7c15;
/// Bytes of a subschema that is worth a definition, and of the reference that replaces it.
const SMALLEST: usize = 120;
const REFERENCE: usize = 30;
/// The minimum number of bytes saved for a report.
const WORTH: usize = 1_000;
/// An eighth of a context of 200,000.
const LISTING_TOKENS: usize = 25_000;
/// More than 99 of 100 published tools need (13 kB of JSON).
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
