//! JSON Pointer (RFC 6901): building and splitting.

use std::borrow::Cow;

use crate::hash::NameEnds;

/// Appends one reference token, escaping `~` as `~0` and `/` as `~1`.
///
/// ```
/// let mut pointer = String::new();
/// toolsure_json::pointer::push(&mut pointer, "a/b~c");
/// assert_eq!(pointer, "/a~1b~0c");
/// ```
pub fn push(pointer: &mut String, token: &str) {
    pointer.reserve(1 + token.len());
    pointer.push('/');
    // Few tokens have anything to escape.
    if !has_special(token.as_bytes()) {
        return pointer.push_str(token);
    }
    let mut rest = token;
    while let Some((plain, special, after)) = split_special(rest) {
        pointer.push_str(plain);
        pointer.push_str(if special == b'~' { "~0" } else { "~1" });
        rest = after;
    }
    pointer.push_str(rest);
}

/// Appends the reference token of an array item.
///
/// ```
/// let mut pointer = "/items".to_owned();
/// toolsure_json::pointer::push_index(&mut pointer, 12);
/// assert_eq!(pointer, "/items/12");
/// ```
pub fn push_index(pointer: &mut String, index: usize) {
    pointer.push('/');
    let digit = u32::try_from(index).ok();
    match digit.and_then(|digit| char::from_digit(digit, 10)) {
        Some(digit) => pointer.push(digit),
        None => pointer.push_str(&index.to_string()),
    }
}

/// The reference tokens of a pointer, unescaped.
///
/// The empty pointer has none. Text before the first `/` is not a token, and a
/// `~` that starts no escape represents itself; [`is_valid`] rejects both.
///
/// ```
/// let tokens: Vec<_> = toolsure_json::pointer::tokens("/a~1b/0").collect();
/// assert_eq!(tokens, ["a/b", "0"]);
/// ```
pub fn tokens(pointer: &str) -> impl Iterator<Item = Cow<'_, str>> {
    pointer.split('/').skip(1).map(unescape)
}

/// Whether the string is a JSON Pointer: empty or starting with `/`, each `~` followed by `0` or
/// `1` (RFC 6901 section 3).
///
/// ```
/// assert!(toolsure_json::pointer::is_valid("/a~1b"));
/// assert!(!toolsure_json::pointer::is_valid("a/b"));
/// ```
#[must_use]
pub fn is_valid(pointer: &str) -> bool {
    (pointer.is_empty() || pointer.starts_with('/'))
        && pointer
            .split('~')
            .skip(1)
            .all(|after| after.starts_with(['0', '1']))
}

/// The array index that a token represents: digits without leading zeros, nothing else (RFC 6901
/// section 4). `-`, the place after the last item, is not an index.
///
/// ```
/// assert_eq!(toolsure_json::pointer::index("12"), Some(12));
/// assert_eq!(toolsure_json::pointer::index("012"), None);
/// ```
#[must_use]
pub fn index(token: &str) -> Option<usize> {
    let digits = token.bytes().all(|byte| byte.is_ascii_digit());
    let leading_zero = token.len() > 1 && token.starts_with('0');
    if !digits || leading_zero {
        return None;
    }
    token.parse().ok()
}

fn unescape(token: &str) -> Cow<'_, str> {
    if !token.contains('~') {
        return Cow::Borrowed(token);
    }
    let mut plain = String::with_capacity(token.len());
    let mut characters = token.chars().peekable();
    while let Some(character) = characters.next() {
        let escaped = match (character, characters.peek()) {
            ('~', Some('0')) => '~',
            ('~', Some('1')) => '/',
            _ => {
                plain.push(character);
                continue;
            }
        };
        characters.next();
        plain.push(escaped);
    }
    Cow::Owned(plain)
}

fn is_special(byte: u8) -> bool {
    matches!(byte, b'~' | b'/')
}

/// Whether there is a `~` or `/`, eight bytes at a time.
fn has_special(token: &[u8]) -> bool {
    let ends = NameEnds::of(token);
    let (words, _) = if ends.is_whole() {
        (&[][..], &[][..])
    } else {
        token.as_chunks::<8>()
    };
    let in_words = words.iter().fold(0, |found, word| {
        found | special_bytes(u64::from_ne_bytes(*word))
    });
    in_words | special_bytes(ends.head()) | special_bytes(ends.tail()) != 0
}

/// Not 0 if, and only if, one of the bytes is a `~` or `/`.
#[inline]
const fn special_bytes(word: u64) -> u64 {
    zero_bytes(word ^ (ONES * 0x7e)) | zero_bytes(word ^ (ONES * 0x2f))
}

/// Not 0 if, and only if, one of the bytes is 0.
#[inline]
const fn zero_bytes(word: u64) -> u64 {
    word.wrapping_sub(ONES) & !word & (ONES * 0x80)
}

const ONES: u64 = 0x0101_0101_0101_0101;

/// The text before the first `~` or `/`, that byte, and the text after it.
fn split_special(text: &str) -> Option<(&str, u8, &str)> {
    let at = text.bytes().position(is_special)?;
    let special = *text.as_bytes().get(at)?;
    Some((text.get(..at)?, special, text.get(at + 1..)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_what_was_pushed() {
        for path in [
            &[][..],
            &[""],
            &["a"],
            &["a", "", "b"],
            &["~", "/", "~1", "~0", "/~/", "é~€"],
        ] {
            let mut pointer = String::new();
            for token in path {
                push(&mut pointer, token);
            }
            assert!(is_valid(&pointer), "{pointer}");
            assert_eq!(tokens(&pointer).collect::<Vec<_>>(), path, "{pointer}");
        }
    }

    /// Each ASCII byte at each position, among others that must not mislead.
    #[test]
    fn what_is_escaped_is_found_everywhere() {
        for length in [1, 7, 8, 9, 17] {
            for place in 0..length {
                for byte in 0..0x80 {
                    for around in [0x00, 0x2e, 0x30, 0x7d, 0x7f] {
                        let mut token = vec![around; length];
                        token[place] = byte;
                        assert_eq!(has_special(&token), is_special(byte), "{token:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn bad_pointers_are_told() {
        for bad in ["a", "a/b", "/~", "/~2", "/a~/b", "#/a"] {
            assert!(!is_valid(bad), "{bad}");
        }
        assert_eq!(tokens("x/~2/~").collect::<Vec<_>>(), ["~2", "~"]);
        // `~01` is `~1`, not `/`.
        assert_eq!(tokens("/~01").collect::<Vec<_>>(), ["~1"]);
    }

    #[test]
    fn indexes_have_one_spelling() {
        for (token, expect) in [
            ("0", Some(0)),
            ("10", Some(10)),
            ("01", None),
            ("00", None),
            ("-", None),
            ("+1", None),
            ("", None),
            ("1 ", None),
            ("99999999999999999999999", None),
        ] {
            assert_eq!(index(token), expect, "{token}");
        }
    }
}
