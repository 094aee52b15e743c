//! Texts as people write them: with a byte order mark, as JSON with comments, or as YAML.

use std::path::Path;

use toolsure_json::line_column;

use crate::yaml::{self, Original};

/// The JSON text of a file that a person wrote (a schema, a listing, tests), of at most `most`
/// bytes, and the file itself if that is another text: YAML, by the file's name, or JSON with
/// comments. A byte order mark is removed.
///
/// The error is a text to put after a file's name and a colon.
pub(crate) fn document(
    path: &Path,
    text: Vec<u8>,
    most: usize,
) -> Result<(Vec<u8>, Option<Original>), String> {
    let text = utf8(text).map_err(|why| format!(" {why}"))?;
    let (text, original) = json_of(path, text, most)?;
    if original.is_some() || text.len() > most {
        return Ok((text, original));
    }
    let plain = without_comments(&text);
    match plain == text {
        true => Ok((text, None)),
        false => Ok((plain, Some(Original::with_comments(text)))),
    }
}

/// The JSON text of a file, of at most `most` bytes, and for YAML the file itself. The error is a
/// text to put after a file's name and a colon.
pub(crate) fn json_of(
    path: &Path,
    text: Vec<u8>,
    most: usize,
) -> Result<(Vec<u8>, Option<Original>), String> {
    if !yaml::is_yaml(path) {
        return Ok((text, None));
    }
    // The parser of the text reports that it is too long.
    if text.len() > most {
        return Ok((text, None));
    }
    let text = utf8(text).map_err(|why| format!(" {why}"))?;
    match yaml::read(&text, most) {
        Ok(yaml) => Ok((yaml.json, Some(yaml.original))),
        Err(fault) => {
            let place = line_column(&text, fault.at);
            let (line, column) = (place.line, place.column);
            Err(format!("{line}:{column}: {}", fault.message))
        }
    }
}

/// Removes a byte order mark. The error, to put after a file's name, says that the text is UTF-16.
fn utf8(mut text: Vec<u8>) -> Result<Vec<u8>, &'static str> {
    if text.starts_with(b"\xEF\xBB\xBF") {
        text.drain(..3);
    }
    let is_utf16 = match text.as_slice() {
        [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => true,
        [first, second, ..] => (*first == 0) != (*second == 0),
        _ => false,
    };
    if is_utf16 {
        return Err("is UTF-16; save it as UTF-8");
    }
    Ok(text)
}

/// Turns JSON with comments (`//`, `/* */`) and trailing commas into plain JSON of the same length:
/// spaces replace what is removed, so that all positions stay the same.
fn without_comments(text: &[u8]) -> Vec<u8> {
    let mut plain = text.to_vec();
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
                blank(&mut plain, at, end);
                at = end;
            }
            (b'/', Some(b'*')) => {
                let from = at.saturating_add(2);
                let end = find(text, from, |rest| rest.starts_with(b"*/")).saturating_add(2);
                blank(&mut plain, at, end);
                at = end;
            }
            (b',', _) => {
                comma = after_value.then_some(at);
                after_value = false;
                at = next;
            }
            (b']' | b'}', _) => {
                if let Some(comma) = comma.take() {
                    blank(&mut plain, comma, comma.saturating_add(1));
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
    plain
}

fn end_of_string(text: &[u8], mut at: usize) -> usize {
    loop {
        match text.get(at) {
            Some(b'\\') => at = at.saturating_add(2),
            Some(b'"') | None => return at.saturating_add(1),
            Some(_) => at = at.saturating_add(1),
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
            assert_eq!(String::from_utf8(found).unwrap(), plain, "{text}");
        }
    }

    #[test]
    fn marks_go_and_utf_16_is_named() {
        assert_eq!(utf8(b"\xEF\xBB\xBF{}".to_vec()), Ok(b"{}".to_vec()));
        for text in [b"\xFF\xFE{\0", b"\xFE\xFF\0{", b"{\0}\0", b"\0{\0}"] {
            assert!(utf8(text.to_vec()).is_err());
        }
        assert_eq!(utf8(Vec::new()), Ok(Vec::new()));
    }
}
