//! Rewrites a pattern so that engines with the `u` grammar accept it.
//!
//! Rewrites syntax that only Annex B of ECMA-262 allows, and syntax that was added in 2025, if
//! another spelling means exactly the same: the new text has the same tree as the old one.

use std::iter::Peekable;
use std::str::Chars;

use crate::{Pattern, is_ecma262, parse};

impl Pattern {
    /// The pattern in a spelling that engines without Annex B accept (the `u` flag, without
    /// modifiers, group names, `\u{…}` and `\c`); unchanged if it already is one. `None` if there
    /// is none.
    ///
    /// ```
    /// use toolsure_pattern::{Limits, Pattern};
    ///
    /// let portable = |text| Pattern::new(text, &Limits::default()).map(|pattern| pattern.portable());
    /// assert_eq!(portable(r"^[\w-.]+\@\#$")?.as_deref(), Some(r"^[\w\-.]+@#$"));
    /// assert_eq!(portable("a]{")?.as_deref(), Some(r"a\]\{"));
    /// assert_eq!(portable("(?i:a)")?, None);
    /// # Ok::<(), toolsure_pattern::PatternError>(())
    /// ```
    #[must_use]
    pub fn portable(&self) -> Option<String> {
        let text = rewritten(&self.text)?;
        if !is_ecma262(&text) {
            return None;
        }
        if *text == *self.text {
            return Some(text);
        }
        let parsed = |text| parse::parse(text, usize::MAX, usize::MAX).ok();
        let (old, new) = (parsed(&self.text)?, parsed(&text)?);
        (old.ast == new.ast && old.root == new.root).then_some(text)
    }
}

fn rewritten(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len() + 8);
    let mut rest = text.chars().peekable();
    let named = text.contains("\\k");
    while let Some(c) = rest.next() {
        match c {
            '\\' => escape(&mut rest, &mut out, false)?,
            '[' => class(&mut rest, &mut out)?,
            '{' if !quantifies(rest.clone()) => out.push_str("\\{"),
            '{' => {
                out.push(c);
                for c in rest.by_ref() {
                    out.push(c);
                    if c == '}' {
                        break;
                    }
                }
            }
            '}' | ']' => {
                out.push('\\');
                out.push(c);
            }
            '(' => {
                out.push(c);
                group(&mut rest, &mut out, named)?;
            }
            _ => out.push(c),
        }
    }
    Some(out)
}

/// Rewrites the part after `(`.
fn group(rest: &mut Peekable<Chars<'_>>, out: &mut String, named: bool) -> Option<()> {
    let mut ahead = rest.clone();
    if ahead.next() != Some('?') {
        return Some(());
    }
    match (ahead.next()?, ahead.next()) {
        (':' | '=' | '!', _) | ('<', Some('=' | '!')) => Some(()),
        ('<', _) if named => None,
        // Only references by name need the name.
        ('<', _) => rest.by_ref().find(|c| *c == '>').map(|_| ()),
        // Modifiers.
        _ => None,
    }
    .inspect(|()| {
        if let Some('?') = rest.peek() {
            out.extend(rest.next());
        }
    })
}

/// Whether the text after `{` makes it a quantifier.
fn quantifies(mut rest: Peekable<Chars<'_>>) -> bool {
    let digits = |rest: &mut Peekable<Chars<'_>>| {
        let mut count = 0;
        while rest.next_if(char::is_ascii_digit).is_some() {
            count += 1;
        }
        count
    };
    if digits(&mut rest) == 0 {
        return false;
    }
    if rest.next_if_eq(&',').is_some() {
        digits(&mut rest);
    }
    rest.next() == Some('}')
}

/// Writes an escape whose `\` was read.
fn escape(rest: &mut Peekable<Chars<'_>>, out: &mut String, in_class: bool) -> Option<()> {
    let c = rest.next()?;
    let special = if in_class { CLASS_SPECIAL } else { SPECIAL };
    match c {
        'u' => {
            let code = unicode(rest)?;
            literal(char::from_u32(code)?, out, special);
        }
        'c' if rest.peek().is_some_and(char::is_ascii_alphabetic) => {
            let code = u32::from(rest.next()?) % 32;
            literal(char::from_u32(code)?, out, special);
        }
        _ if c.is_ascii_alphanumeric() => {
            if LETTERS.contains(c) || c.is_ascii_digit() {
                out.push('\\');
            }
            out.push(c);
            if matches!(c, 'p' | 'P') && rest.peek() == Some(&'{') {
                for c in rest.by_ref() {
                    out.push(c);
                    if c == '}' {
                        break;
                    }
                }
            }
        }
        _ => literal(c, out, special),
    }
    Some(())
}

/// Writes a character that represents itself.
fn literal(c: char, out: &mut String, special: &str) {
    if c.is_control() {
        out.push_str(&format!("\\x{:02x}", u32::from(c)));
        return;
    }
    if special.contains(c) {
        out.push('\\');
    }
    out.push(c);
}

/// The code point after `\u`.
fn unicode(rest: &mut Peekable<Chars<'_>>) -> Option<u32> {
    if rest.next_if_eq(&'{').is_some() {
        let digits: String = rest.by_ref().take_while(|c| *c != '}').collect();
        return u32::from_str_radix(&digits, 16).ok();
    }
    let four = |rest: &mut Peekable<Chars<'_>>| {
        let digits: String = rest.by_ref().take(4).collect();
        (digits.len() == 4).then(|| u32::from_str_radix(&digits, 16).ok())?
    };
    let high = four(rest)?;
    if !(0xd800..0xdc00).contains(&high) {
        return Some(high);
    }
    if rest.next() != Some('\\') || rest.next() != Some('u') {
        return None;
    }
    let low = four(rest)?;
    let low = low.checked_sub(0xdc00).filter(|low| *low < 0x400)?;
    Some(0x1_0000 + ((high - 0xd800) << 10) + low)
}

/// Writes a class whose `[` was read.
fn class(rest: &mut Peekable<Chars<'_>>, out: &mut String) -> Option<()> {
    out.push('[');
    out.extend(rest.next_if_eq(&'^'));
    let is_set = |c: char| matches!(c, 'd' | 'D' | 's' | 'S' | 'w' | 'W' | 'p' | 'P');
    let (mut first, mut after_set) = (true, false);
    loop {
        let c = rest.next()?;
        match c {
            ']' => {
                out.push(c);
                return Some(());
            }
            '-' => {
                let mut ahead = rest.clone();
                let before_set = ahead.next() == Some('\\') && ahead.next().is_some_and(is_set);
                let last = rest.peek() == Some(&']');
                out.push_str(if !first && !last && (after_set || before_set) {
                    "\\-"
                } else {
                    "-"
                });
                after_set = false;
            }
            '\\' => {
                after_set = rest.peek().copied().is_some_and(is_set);
                escape(rest, out, true)?;
            }
            _ => {
                out.push(c);
                after_set = false;
            }
        }
        first = false;
    }
}

/// Characters that need a `\` to represent themselves.
const SPECIAL: &str = "^$\\.*+?()[]{}|/";
/// The same inside a class.
const CLASS_SPECIAL: &str = "^\\]-";
/// Letters that have a meaning after `\` in the `u` grammar.
const LETTERS: &str = "bBdDsSwWfnrtvxpPk";

#[cfg(test)]
mod tests {
    use crate::{Limits, Pattern, is_ecma262};

    #[test]
    fn the_spelling_is_one_that_strict_engines_take() {
        for (text, expected) in [
            ("^a$", Some("^a$")),
            (r"^[\w-.]+$", Some(r"^[\w\-.]+$")),
            (r"[a-\d]", Some(r"[a\-\d]")),
            (r"[\w-]", Some(r"[\w-]")),
            (r"[-\w]", Some(r"[-\w]")),
            (r"a\-b", Some("a-b")),
            (r"\@\#\%\_\ \'\:", Some("@#%_ ':")),
            (r"\/\.\{", Some(r"\/\.\{")),
            (r"[\.\@\-\]]", Some(r"[.@\-\]]")),
            ("^{a}$", Some(r"^\{a\}$")),
            ("^a{,3}$", Some(r"^a\{,3\}$")),
            ("a{2,3}", Some("a{2,3}")),
            ("a]", Some(r"a\]")),
            (r"\Aa\Z", Some("AaZ")),
            (r"\u{1F600}\u0041", Some("\u{1F600}A")),
            (r"\ud83d\ude00", Some("\u{1F600}")),
            (r"\u002e\cJ", Some(r"\.\x0a")),
            (r"(?<y>\d{4})-x", Some(r"(\d{4})-x")),
            (r"(?<y>a)\k<y>", None),
            ("(?i:a)", None),
            (r"(?=a)*", None),
            (r"^\p{L}+$", Some(r"^\p{L}+$")),
            ("^(?=a)(?!b)(?<=c)d", Some("^(?=a)(?!b)(?<=c)d")),
        ] {
            let pattern =
                Pattern::new(text, &Limits::default()).unwrap_or_else(|error| panic!("{error}"));
            let portable = pattern.portable();
            assert_eq!(portable.as_deref(), expected, "{text}");
            if let Some(portable) = portable {
                assert!(is_ecma262(&portable), "{portable}");
            }
        }
    }
}
