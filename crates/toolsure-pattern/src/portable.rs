//! What engines that know less than ECMA-262 with Annex B accept: a pattern's spelling in the `u` grammar, and
//! lookbehinds of a fixed width, which Python's `re` requires.
//!
//! The spelling rewrites syntax that only Annex B of ECMA-262 allows, and syntax that was added in 2025, if
//! another spelling means exactly the same: the new text has the same tree as the old one.

use std::iter::Peekable;
use std::str::Chars;

use toolsure_json::int::to_usize;

use crate::ast::{Ast, Node, NodeId};
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

    /// Whether a lookbehind may match texts of different lengths, so that engines without such lookbehinds,
    /// such as Python's `re`, refuse the pattern. A reference to a group that is not closed counts as varying.
    ///
    /// ```
    /// use toolsure_pattern::{Limits, Pattern};
    ///
    /// let varies = |text| Pattern::new(text, &Limits::default()).map(|pattern| pattern.has_varying_lookbehind());
    /// assert!(!varies("(?<=ab|cd)e")?);
    /// assert!(varies("(?<!a+)e")?);
    /// # Ok::<(), toolsure_pattern::PatternError>(())
    /// ```
    #[must_use]
    pub fn has_varying_lookbehind(&self) -> bool {
        has_varying_lookbehind(&self.ast)
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

fn has_varying_lookbehind(ast: &Ast) -> bool {
    // The number of characters that each node matches; `None` if it varies. Children precede parents.
    let mut widths: Vec<Option<u64>> = Vec::with_capacity(ast.len());
    let mut groups: Vec<Option<u64>> = vec![None; to_usize(ast.captures)];
    for node in ast.nodes() {
        let width_of = |id: NodeId| widths.get(to_usize(id.0)).copied().flatten();
        let width = match node {
            Node::Empty | Node::Assert(_) => Some(0),
            Node::Char(_) | Node::Class(_) => Some(1),
            Node::Look {
                behind: true,
                child,
                ..
            } if width_of(child).is_none() => return true,
            Node::Look { .. } => Some(0),
            Node::Capture { index, child } => {
                let width = width_of(child);
                if let Some(group) = groups.get_mut(to_usize(index)) {
                    *group = width;
                }
                width
            }
            Node::BackReference { target, .. } => same(
                ast.target(target)
                    .iter()
                    .map(|index| groups.get(to_usize(*index)).copied().flatten()),
            ),
            Node::Concat(list) => ast
                .children(list)
                .iter()
                .try_fold(0_u64, |sum, child| sum.checked_add(width_of(*child)?)),
            Node::Alternate(list) => same(ast.children(list).iter().map(|child| width_of(*child))),
            Node::Repeat {
                child, min, max, ..
            } => width_of(child)
                .filter(|width| *width == 0 || min == max)
                .and_then(|width| width.checked_mul(u64::from(min))),
        };
        widths.push(width);
    }
    false
}

/// The width that all of them have.
fn same(mut widths: impl Iterator<Item = Option<u64>>) -> Option<u64> {
    let first = widths.next().flatten()?;
    widths.all(|width| width == Some(first)).then_some(first)
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

    /// Each row is what Python 3.11 says: "look-behind requires fixed-width pattern".
    #[test]
    fn lookbehinds_vary_as_python_says() {
        for (text, expected) in [
            ("(?<=a)b", false),
            ("(?<=ab|cd)e", false),
            ("(?<=a|bc)e", true),
            ("(?<!a+)b", true),
            ("(?<!a{3})b", false),
            ("(?<!a{2,3})b", true),
            ("(?<=(?:)*)b", false),
            (r"(?<=^\b[a-z]{2}(?=x+))b", false),
            (r"(ab)(?<=\1c)d", false),
            (r"(a+)(?<=\1c)d", true),
            ("(?<=a(?<!b*)c)d", true),
            ("(?<=a?|)d", true),
        ] {
            let pattern = Pattern::new(text, &Limits::default()).unwrap();
            assert_eq!(pattern.has_varying_lookbehind(), expected, "{text}");
        }
    }
}
