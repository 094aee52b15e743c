//! Writes a value in a few characters of JSON, however large it is.

use std::fmt::Write as _;

use toolsure_json::{Key as _, Kind, Node, Number};

use super::text::FoundValue;
use crate::execute::ValueOrName;
use toolsure_syntax::closest;

/// The value as it appears in a finding.
pub(super) fn found<'i, N: Node<'i>>(at: ValueOrName<'i, N>) -> FoundValue {
    FoundValue {
        kind: at.kind(),
        text: match at {
            ValueOrName::Value(node) => show(node),
            ValueOrName::Name(_) => {
                let mut out = String::new();
                push_text(at.string(), &mut out);
                out
            }
        },
    }
}

/// The JSON text of a value, truncated if it is long.
pub(crate) fn show<'i, N: Node<'i>>(node: N) -> String {
    // Growing while it is written would take as long as writing it.
    let mut out = String::with_capacity(match node.kind() {
        Kind::String => quoted(beginning(node.string())),
        Kind::Array | Kind::Object => CONTAINER,
        Kind::Null | Kind::Boolean | Kind::Number => SCALAR,
    });
    write(node, LEVELS, &mut out);
    out
}

/// A string of the schema or the instance, truncated if it is long.
pub(super) fn cut(text: &str) -> String {
    match beginning(text) {
        (whole, "") => whole.to_owned(),
        (shown, mark) => [shown, mark].concat(),
    }
}

/// The part of a string that is shown, and the mark that follows if there is more.
fn beginning(text: &str) -> (&str, &'static str) {
    // A string has no more characters than bytes.
    let longer = text.len() > ENOUGH;
    let end = longer.then(|| text.char_indices().nth(ENOUGH)).flatten();
    match end.and_then(|(end, _)| text.get(..end)) {
        Some(shown) => (shown, "…"),
        None => (text, ""),
    }
}

/// The closest spelling; `None` for words of one or two letters.
pub(super) fn near<'c>(
    word: &str,
    candidates: impl IntoIterator<Item = &'c str>,
) -> Option<&'c str> {
    word.chars().nth(2)?;
    closest(word, candidates)
}

fn write<'i, N: Node<'i>>(node: N, levels: usize, out: &mut String) {
    match node.kind() {
        Kind::Null => out.push_str("null"),
        Kind::Boolean => out.push_str(if node.boolean() { "true" } else { "false" }),
        Kind::Number => push_number(node.number(), out),
        Kind::String => push_text(node.string(), out),
        Kind::Array if levels == 0 && !node.is_empty() => out.push_str("[…]"),
        Kind::Object if levels == 0 && !node.is_empty() => out.push_str("{…}"),
        Kind::Array => {
            out.push('[');
            for (index, item) in node.items().enumerate() {
                if !separate(index, out) {
                    break;
                }
                write(item, levels - 1, out);
            }
            out.push(']');
        }
        Kind::Object => {
            out.push('{');
            for (index, (key, value)) in node.members().enumerate() {
                if !separate(index, out) {
                    break;
                }
                push_text(key.text(), out);
                out.push(':');
                write(value, levels - 1, out);
            }
            out.push('}');
        }
    }
}

/// Writes a number, truncated like a string. Numbers are ASCII.
fn push_number(number: Number<'_>, out: &mut String) {
    let start = out.len();
    // Writing to a string cannot fail.
    let _ = write!(out, "{number}");
    if out.len() > start + ENOUGH {
        out.truncate(start + ENOUGH);
        out.push('…');
    }
}

/// Begins an element; if the output is long enough, marks the truncation and returns `false`.
fn separate(index: usize, out: &mut String) -> bool {
    if index > 0 {
        out.push(',');
    }
    if out.len() > ENOUGH {
        out.push('…');
        return false;
    }
    true
}

/// Writes a JSON string. The message that contains it escapes characters that cannot be shown on a
/// line.
fn push_text(text: &str, out: &mut String) {
    let (shown, mark) = beginning(text);
    out.reserve(quoted((shown, mark)));
    out.push('"');
    if shown.contains(is_escaped) {
        for character in shown.chars() {
            if is_escaped(character) {
                out.push('\\');
            }
            out.push(character);
        }
    } else {
        out.push_str(shown);
    }
    out.push_str(mark);
    out.push('"');
}

/// The length of a string's text if nothing is escaped.
fn quoted((shown, mark): (&str, &str)) -> usize {
    shown.len() + mark.len() + 2
}

fn is_escaped(character: char) -> bool {
    matches!(character, '"' | '\\')
}

/// Maximum number of levels of containers that are shown.
const LEVELS: usize = 3;
/// Maximum number of characters of a string; a container is truncated after as many.
const ENOUGH: usize = 80;
/// The lengths of the texts of containers and of numbers in bytes; most are not longer.
const CONTAINER: usize = 128;
const SCALAR: usize = 16;

#[cfg(test)]
mod tests {
    use super::show;
    use toolsure_json::{OwnedDocument, ReadLimits};

    #[test]
    fn values_in_a_few_characters() {
        let nested = format!("{}{}", "[".repeat(100), "]".repeat(100));
        let long = format!("[{}1]", "1,".repeat(5_000));
        let digits = "1".repeat(81);
        let cut_digits = format!("1.{}…", "1".repeat(78));
        for (text, expected) in [
            ("null", "null"),
            ("true", "true"),
            ("1.50", "1.5"),
            (digits.as_str(), cut_digits.as_str()),
            (r#""a\"b\\""#, r#""a\"b\\""#),
            (r#"{"a": [1, {"b": {"c": 1}}]}"#, r#"{"a":[1,{"b":{…}}]}"#),
            ("[[[[]]]]", "[[[[]]]]"),
            (nested.as_str(), "[[[[…]]]]"),
        ] {
            let document = OwnedDocument::read(text, &ReadLimits::default()).unwrap();
            assert_eq!(show(document.document().root()), expected);
        }
        let document = OwnedDocument::read(long, &ReadLimits::default()).unwrap();
        let shown = show(document.document().root());
        assert!(shown.ends_with(",…]") && shown.len() < 100, "{shown}");
    }
}
