//! Strings for instances: JSON text, examples of formats, and strings that match patterns.

use std::iter::Peekable;
use std::str::Chars;

pub(super) use toolsure_json::json_string as string;

/// Examples of a format.
pub(super) fn of_format(name: &str) -> &'static [&'static str] {
    match name {
        "date-time" => &["2026-01-02T03:04:05Z"],
        "date" => &["2026-01-02"],
        "time" => &["03:04:05Z"],
        "duration" => &["P1D"],
        "email" | "idn-email" => &["a@example.com"],
        "hostname" | "idn-hostname" => &["example.com"],
        "ipv4" => &["192.0.2.1"],
        "ipv6" => &["2001:db8::1"],
        "uri" | "iri" => &["https://example.com/a"],
        "uri-reference" | "iri-reference" => &["../a", "https://example.com/a"],
        "uri-template" => &["/a/{b}"],
        "uuid" => &["123e4567-e89b-42d3-a456-426614174000"],
        "json-pointer" => &["/a"],
        "relative-json-pointer" => &["0/a"],
        "regex" => &["^a$"],
        _ => &[],
    }
}

/// A short string that a pattern probably matches; `None` if this cannot parse the pattern.
pub(super) fn from_pattern(pattern: &str) -> Option<String> {
    if pattern.len() > 500 {
        return None;
    }
    let mut chars = pattern.chars().peekable();
    let mut out = String::new();
    alternatives(&mut chars, &mut out, 0)?;
    chars.next().is_none().then_some(out)
}

/// Writes the first of some alternatives and skips the others.
fn alternatives(chars: &mut Peekable<Chars<'_>>, out: &mut String, depth: usize) -> Option<()> {
    if depth > 20 {
        return None;
    }
    let mut first = true;
    loop {
        let mut own = String::new();
        sequence(chars, &mut own, depth)?;
        if first {
            out.push_str(&own);
        }
        first = false;
        if chars.next_if_eq(&'|').is_none() {
            return Some(());
        }
    }
}

fn sequence(chars: &mut Peekable<Chars<'_>>, out: &mut String, depth: usize) -> Option<()> {
    while let Some(c) = chars.next_if(|c| !matches!(c, '|' | ')')) {
        let atom = match c {
            '^' | '$' => continue,
            '.' => "a".to_owned(),
            '\\' => escape(chars.next()?)?.to_string(),
            '[' => class(chars)?.to_string(),
            '(' => group(chars, depth)?,
            plain => plain.to_string(),
        };
        let times = quantifier(chars)?;
        if atom.len().saturating_mul(times).saturating_add(out.len()) > 500 {
            return None;
        }
        out.push_str(&atom.repeat(times));
    }
    Some(())
}

fn group(chars: &mut Peekable<Chars<'_>>, depth: usize) -> Option<String> {
    let mut silent = false;
    if chars.next_if_eq(&'?').is_some() {
        match chars.next()? {
            ':' => {}
            '=' | '!' => silent = true,
            _ => return None,
        }
    }
    let mut inner = String::new();
    alternatives(chars, &mut inner, depth.saturating_add(1))?;
    chars.next_if_eq(&')')?;
    Some(if silent { String::new() } else { inner })
}

fn escape(c: char) -> Option<char> {
    match c {
        'd' => Some('1'),
        'w' => Some('a'),
        's' => Some(' '),
        'D' | 'S' => Some('a'),
        'W' => Some('-'),
        'n' => Some('\n'),
        't' => Some('\t'),
        c if c.is_alphanumeric() => None,
        c => Some(c),
    }
}

/// A character of a class.
fn class(chars: &mut Peekable<Chars<'_>>) -> Option<char> {
    let negated = chars.next_if_eq(&'^').is_some();
    let mut members = Vec::new();
    loop {
        match chars.next()? {
            ']' => break,
            '\\' => members.push(escape(chars.next()?)?),
            c => members.push(c),
        }
    }
    if !negated {
        return members.first().copied();
    }
    "aA0 _~".chars().find(|c| !members.contains(c))
}

/// The minimum number of repetitions.
fn quantifier(chars: &mut Peekable<Chars<'_>>) -> Option<usize> {
    let times = match chars.peek() {
        Some('*' | '?') => 0,
        Some('+') => 1,
        Some('{') => {
            chars.next();
            let mut digits = String::new();
            while let Some(digit) = chars.next_if(char::is_ascii_digit) {
                digits.push(digit);
            }
            while chars.next()? != '}' {}
            chars.next_if_eq(&'?');
            return digits.parse().ok().filter(|times| *times <= 500);
        }
        _ => return Some(1),
    };
    chars.next();
    chars.next_if_eq(&'?');
    Some(times)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_give_strings_that_they_match() {
        for pattern in [
            "^[a-z]{3,}$",
            r"^\d{4}-\d{2}$",
            "^(a|b)+c?$",
            "^(?:x_)?[^a]\\.$",
            "^(?!no).+$",
            "abc",
        ] {
            let text = from_pattern(pattern).unwrap();
            let compiled =
                toolsure_pattern::Pattern::new(pattern, &toolsure_pattern::Limits::default())
                    .unwrap();
            assert_eq!(
                compiled.matches(&text, &mut 10_000),
                Some(true),
                "{pattern}: {text}"
            );
        }
        assert_eq!(from_pattern("(a"), None);
        assert_eq!(from_pattern("(?<n>a)"), None);
        assert_eq!(from_pattern(&"(".repeat(400)), None);
        assert_eq!(from_pattern("a{999999999999}"), None);
    }

    #[test]
    fn patterns_are_read_to_the_bounds() {
        assert_eq!(from_pattern("a{500}"), Some("a".repeat(500)));
        assert_eq!(from_pattern("a{500}b"), None);
        let groups = |count: usize| format!("{}a{}", "(".repeat(count), ")".repeat(count));
        assert_eq!(from_pattern(&groups(20)), Some("a".to_owned()));
        assert_eq!(from_pattern(&groups(21)), None);
    }
}
