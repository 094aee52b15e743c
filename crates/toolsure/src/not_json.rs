//! Says in the words of a file why a text is not JSON, and how to fix the usual mistakes: literals
//! of other languages, comments, and JSON5.

use toolsure_json::ReadError;

/// The message for an error in a file.
pub(crate) fn of_file(error: &ReadError) -> String {
    in_file(&error.to_string(), error.other())
}

/// A parser's message about a file. `other` is the first of two equal keys, which the message quotes.
pub(crate) fn in_file(message: &str, other: Option<usize>) -> String {
    match other {
        Some(_) => message.to_owned(),
        // Otherwise it quotes one character at most.
        None => message.replacen("the text", "the file", 1),
    }
}

/// How to fix a text that stops being JSON at a byte; `None` if the mistake is not a usual one.
pub(crate) fn help(text: &[u8], at: usize) -> Option<&'static str> {
    let rest = text.get(at..)?;
    let before = text.get(..at)?;
    let last = before.trim_ascii_end().last();
    match rest {
        [b'/', b'/' | b'*', ..] | [b'#', ..] => {
            return Some("JSON has no comments; leave them out");
        }
        [b'\'', ..] => return Some("strings and keys in JSON have double quotes"),
        [b']' | b'}', ..] if last == Some(&b',') => {
            return Some("JSON has no comma after the last item; leave it out");
        }
        _ => {}
    }
    // The parser stops inside of a word that begins like one of JSON, as in `nan`.
    let is_word = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'.');
    let start = at.saturating_sub(
        before
            .iter()
            .rev()
            .take_while(is_word)
            .take(LONGEST)
            .count(),
    );
    let word = text.get(start..)?;
    let length = word.iter().take_while(is_word).take(LONGEST).count();
    let (word, after) = word.split_at_checked(length)?;
    let lead = text.get(..start)?;
    if matches!(lead.trim_ascii_end().last(), Some(b'{' | b','))
        && after.trim_ascii_start().starts_with(b":")
    {
        return Some("keys in JSON have double quotes");
    }
    match word {
        b"NaN" | b"nan" | b"Infinity" | b"infinity" | b"inf" | b"Inf" => {
            Some("JSON has no NaN and no Infinity; write null, a number or a string")
        }
        b"None" | b"undefined" | b"nil" | b"NULL" | b"Null" => Some("write null"),
        b"True" | b"TRUE" => Some("write true"),
        b"False" | b"FALSE" => Some("write false"),
        b"" if matches!(rest, [b'+', ..]) => Some("a number in JSON has no `+` before it"),
        [b'0', b'x' | b'X', ..] => Some("numbers in JSON are decimal"),
        [b'.', b'0'..=b'9', ..] | [b'0'..=b'9', .., b'.'] => {
            Some("a number in JSON has digits before and after its point")
        }
        _ => None,
    }
}

/// Characters of a word that are looked at.
const LONGEST: usize = 40;

#[cfg(test)]
mod tests {
    use toolsure_json::{ReadLimits, Reader};

    use super::*;

    fn error(text: &str) -> ReadError {
        let mut reader = Reader::new();
        let read = reader.read(text.as_bytes(), &ReadLimits::default());
        read.unwrap_err()
    }

    #[test]
    fn each_usual_mistake_has_its_help() {
        for (text, told) in [
            ("NaN", "no NaN"),
            ("[nan]", "no NaN"),
            ("[-NaN]", "no NaN"),
            ("{\"a\": Infinity}", "no NaN"),
            ("{\"a\": -Infinity}", "no NaN"),
            ("[-inf]", "no NaN"),
            ("// a\n{}", "no comments"),
            ("{} // a", "no comments"),
            ("{/* a */}", "no comments"),
            ("[1, /* a */ 2]", "no comments"),
            ("# a\n{}", "no comments"),
            ("{'a': 1}", "double quotes"),
            ("['a']", "double quotes"),
            ("{a: 1}", "keys in JSON have double quotes"),
            ("{\"a\": 1, b_1 : 2}", "keys in JSON have double quotes"),
            ("{null: 1}", "keys in JSON have double quotes"),
            ("[1, 2, ]", "comma after the last"),
            ("{\"a\": 1,\n}", "comma after the last"),
            ("[True]", "write true"),
            ("{\"a\": False}", "write false"),
            ("{\"a\": None}", "write null"),
            ("undefined", "write null"),
            ("[+1]", "no `+`"),
            ("[.5]", "before and after its point"),
            ("[5.]", "before and after its point"),
            ("[0x1F]", "decimal"),
        ] {
            let error = error(text);
            let help = help(text.as_bytes(), error.at());
            assert!(
                help.is_some_and(|help| help.contains(told)),
                "{text}: {error}: {help:?}"
            );
        }
        for text in ["", "[1", "{\"a\" 1}", "[1 2]", "\"a", "[tru]", "\u{1}", "]"] {
            let error = error(text);
            assert_eq!(help(text.as_bytes(), error.at()), None, "{text}");
        }
    }

    #[test]
    fn a_file_is_called_a_file_and_what_it_says_is_left_alone() {
        for (text, told) in [
            ("[", "found the end of the file at byte 1"),
            (
                "{\"the text\": 1, \"the text\": 2}",
                "duplicate key `the text`",
            ),
        ] {
            let said = of_file(&error(text));
            assert!(said.contains(told), "{said}");
        }
    }
}
