//! Untrusted text in messages: on one line, nothing hidden, cut to a bound.

use std::fmt::{self, Write as _};

/// Shows `text` on one line, in at most `max_chars` characters.
///
/// Control characters, line separators, bidirectional marks and overrides, and invisible characters
/// are written as escapes (`\n`, `\u{202e}`); a longer text is cut and ends in `…`. There are no
/// surrounding quotes. Reads at most `max_chars + 1` characters of `text`.
///
/// ```
/// use toolsure_json::quote;
///
/// assert_eq!(quote("two\nlines", 64).to_string(), r"two\nlines");
/// assert_eq!(quote("abc\u{202e}def", 64).to_string(), r"abc\u{202e}def");
/// assert_eq!(quote("far too long", 8).to_string(), "far too…");
/// ```
#[must_use]
pub fn quote(text: &str, max_chars: usize) -> Quote<'_> {
    Quote { text, max_chars }
}

/// Text to display; made by [`quote`].
#[derive(Clone, Copy, Debug)]
pub struct Quote<'a> {
    text: &'a str,
    max_chars: usize,
}

impl fmt::Display for Quote<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Most texts consist only of characters that are shown as they are.
        let plain = printable(self.text, self.max_chars);
        if plain == self.text.len() {
            return f.write_str(self.text);
        }
        let mut width = plain;
        // The longest prefix that leaves room for the `…`.
        let mut kept = plain.saturating_sub(1);
        let rest = self.text.get(plain..).unwrap_or_default();
        for (at, character) in rest.char_indices() {
            let at = plain + at;
            if width < self.max_chars {
                kept = at;
            }
            width += shown_width(character);
            if width > self.max_chars {
                let prefix = self.text.get(..kept).unwrap_or_default();
                write_shown(f, prefix)?;
                return if self.max_chars == 0 {
                    Ok(())
                } else {
                    f.write_char('…')
                };
            }
        }
        write_shown(f, self.text)
    }
}

fn write_shown(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    let mut rest = text;
    while let Some((plain, after)) = rest.split_at_checked(printable(rest, rest.len())) {
        f.write_str(plain)?;
        let mut characters = after.chars();
        match characters.next() {
            None => break,
            Some('\n') => f.write_str("\\n")?,
            Some('\r') => f.write_str("\\r")?,
            Some('\t') => f.write_str("\\t")?,
            Some(hidden) if is_hidden(hidden) => write!(f, "\\u{{{:x}}}", u32::from(hidden))?,
            Some(shown) => f.write_char(shown)?,
        }
        rest = characters.as_str();
    }
    Ok(())
}

/// How many visible ASCII characters a text begins with, up to a maximum.
fn printable(text: &str, most: usize) -> usize {
    let bytes = text.as_bytes();
    let bytes = bytes.get(..most).unwrap_or(bytes);
    let is_printable = |byte: &u8| matches!(byte, b' '..=b'~');
    // A block without early exit is faster.
    let whole = |block: &&[u8]| {
        block
            .iter()
            .fold(true, |all, byte| all & is_printable(byte))
    };
    let blocks = bytes.chunks_exact(BLOCK).take_while(whole).count();
    let rest = bytes.get(blocks * BLOCK..).unwrap_or_default();
    blocks * BLOCK + rest.iter().take_while(|byte| is_printable(byte)).count()
}

fn shown_width(character: char) -> usize {
    match character {
        '\n' | '\r' | '\t' => 2,
        _ if is_hidden(character) => {
            let digits = (32 - u32::from(character).leading_zeros())
                .div_ceil(4)
                .max(1);
            4 + crate::int::to_usize(digits)
        }
        _ => 1,
    }
}

/// Characters that move, hide or break the text around them.
fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{ad}'
                | '\u{34f}'
                | '\u{61c}'
                | '\u{115f}'
                | '\u{1160}'
                | '\u{17b4}'
                | '\u{17b5}'
                | '\u{180b}'..='\u{180f}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{3164}'
                | '\u{fe00}'..='\u{fe0f}'
                | '\u{feff}'
                | '\u{ffa0}'
                | '\u{fff0}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e0fff}'
        )
}

/// How many bytes are looked at together.
const BLOCK: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_and_cuts() {
        for (text, max, expect) in [
            ("", 5, ""),
            ("abc", 3, "abc"),
            ("abcd", 3, "ab…"),
            ("abcd", 1, "…"),
            ("abcd", 0, ""),
            ("", 0, ""),
            ("0123456789abcdef", 16, "0123456789abcdef"),
            ("0123456789abcdefg", 16, "0123456789abcde…"),
            ("0123456789\nabcdef", 40, r"0123456789\nabcdef"),
            ("a\r\n\tb", 20, r"a\r\n\tb"),
            ("\u{0}\u{1f}\u{7f}\u{9b}", 40, r"\u{0}\u{1f}\u{7f}\u{9b}"),
            (
                "\u{2066}x\u{2069}\u{2028}",
                40,
                r"\u{2066}x\u{2069}\u{2028}",
            ),
            ("\u{e0041}", 40, r"\u{e0041}"),
            ("é€😀", 3, "é€😀"),
            ("é€😀x", 3, "é€…"),
            // An escape is cut as a whole.
            ("ab\u{202e}cd", 6, "ab…"),
            ("ab\u{202e}", 10, r"ab\u{202e}"),
            ("ab\u{202e}", 9, "ab…"),
        ] {
            let shown = quote(text, max).to_string();
            assert_eq!(shown, expect, "{text:?} in {max}");
            assert!(shown.chars().count() <= max);
        }
    }
}
