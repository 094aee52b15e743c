//! Texts as people write them: JSON with comments, or YAML.

use std::path::Path;

use toolsure_json::{ReadError, line_column};

use crate::exit::Failure;
use crate::not_json;
use crate::yaml::{self, Original};

/// The JSON text of a file that a person wrote (a schema, a listing, tests), of at most `most`
/// bytes, and the file itself if that is another text: YAML, by the file's name, or JSON with
/// comments.
///
/// The error is a text to put after a file's name and a colon.
pub(crate) fn document(
    path: &Path,
    text: Vec<u8>,
    most: usize,
) -> Result<(Vec<u8>, Option<Original>), String> {
    let (text, original) = json_of(path, text, most)?;
    if original.is_some() || text.len() > most {
        return Ok((text, original));
    }
    Ok(match without_comments(&text) {
        None => (text, None),
        Some(plain) => (plain, Some(Original::with_comments(text))),
    })
}

/// The JSON text of a file, of at most `most` bytes, and for YAML the file itself. The error is a
/// text to put after a file's name and a colon.
pub(crate) fn json_of(
    path: &Path,
    text: Vec<u8>,
    most: usize,
) -> Result<(Vec<u8>, Option<Original>), String> {
    // The parser of the text reports that it is too long.
    if !yaml::is_yaml(path) || text.len() > most {
        return Ok((text, None));
    }
    // Aliases must not make a short file a text as long as the limit for local files.
    let most = most.min(EXPANDED.max(text.len().saturating_mul(EXPANSION)));
    match yaml::read(&text, most) {
        Ok(yaml) => Ok((yaml.json, Some(yaml.original))),
        Err(fault) => {
            let place = line_column(&text, fault.at);
            let (line, column) = (place.line, place.column);
            Err(format!("{line}:{column}: {}", fault.message))
        }
    }
}

/// The failure for a text that is not JSON, or exceeds a limit of the parser. `name` is escaped;
/// places are those of `original`, if `text` was made from it.
pub(crate) fn unreadable(
    name: &str,
    text: &[u8],
    original: Option<&Original>,
    error: &ReadError,
) -> Failure {
    let place = match original {
        Some(original) => line_column(&original.text, original.place(error.at())),
        None => line_column(text, error.at()),
    };
    let why = not_json::of_file(error);
    let failure = Failure::usage(format!("{name}:{}:{}: {why}", place.line, place.column));
    match not_json::help(text, error.at()) {
        Some(help) => failure.with_help(help),
        None => failure,
    }
}

/// The JSON text that a YAML file may make with its aliases: this much, or this many times its own
/// length.
const EXPANDED: usize = 16 << 20;
const EXPANSION: usize = 8;

/// Turns JSON with comments (`//`, `/* */`) and trailing commas into plain JSON of the same length:
/// spaces replace what is removed, so that all positions stay the same. `None` if there are none.
fn without_comments(text: &[u8]) -> Option<Vec<u8>> {
    // Most files have none, and are not copied.
    let mut copy: Option<Vec<u8>> = None;
    let mut blank = |start, end| {
        let plain = copy.get_or_insert_with(|| text.to_vec());
        blank(plain, start, end);
    };
    // The comma after a value, while only white space and comments follow it.
    let mut comma = None;
    let mut after_value = false;
    let mut at = 0;
    while let Some(byte) = text.get(at) {
        let next = at.saturating_add(1);
        match (byte, text.get(next)) {
            (b'"', _) => {
                comma = None;
                after_value = true;
                at = end_of_string(text, next);
            }
            (b'/', Some(b'/')) => {
                let end = find(text, at, |rest| rest.starts_with(b"\n"));
                blank(at, end);
                at = end;
            }
            (b'/', Some(b'*')) => {
                let from = at.saturating_add(2);
                let end = find(text, from, |rest| rest.starts_with(b"*/")).saturating_add(2);
                blank(at, end);
                at = end;
            }
            (b',', _) => {
                comma = after_value.then_some(at);
                after_value = false;
                at = next;
            }
            (b']' | b'}', _) => {
                if let Some(comma) = comma.take() {
                    blank(comma, comma.saturating_add(1));
                }
                after_value = true;
                at = next;
            }
            (byte, _) => {
                if !byte.is_ascii_whitespace() {
                    comma = None;
                    after_value = !matches!(byte, b'[' | b'{' | b':');
                }
                at = next;
            }
        }
    }
    copy
}

fn end_of_string(text: &[u8], mut at: usize) -> usize {
    loop {
        let rest = text.get(at..).unwrap_or_default();
        match memchr::memchr2(b'"', b'\\', rest) {
            None => return text.len(),
            Some(length) if rest.get(length) == Some(&b'"') => {
                return at.saturating_add(length).saturating_add(1);
            }
            Some(length) => at = at.saturating_add(length).saturating_add(2),
        }
    }
}

fn find(text: &[u8], mut at: usize, is_there: impl Fn(&[u8]) -> bool) -> usize {
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        if is_there(rest) {
            break;
        }
        at = at.saturating_add(1);
    }
    at
}

/// Replaces a range by spaces; line feeds stay.
fn blank(text: &mut [u8], start: usize, end: usize) {
    for byte in text.iter_mut().take(end).skip(start) {
        if *byte != b'\n' {
            *byte = b' ';
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_last_commas_become_spaces() {
        for (text, plain) in [
            ("{\"a\": 1, // b\n}", "{\"a\": 1      \n}"),
            ("[1, /* , ] \n */ ]", "[1         \n    ]"),
            (r#"["//", "/*,]", "\",]",]"#, r#"["//", "/*,]", "\",]" ]"#),
            ("[1,2]", "[1,2]"),
            ("[1,,]", "[1,,]"),
            ("/* open", "       "),
            ("\"open\\", "\"open\\"),
            ("[,]", "[,]"),
        ] {
            let found = without_comments(text.as_bytes());
            assert_eq!(found.is_some(), text != plain, "{text}");
            let found = found.unwrap_or(text.as_bytes().to_vec());
            assert_eq!(String::from_utf8(found).unwrap(), plain, "{text}");
        }
    }
}
