//! Strings for instances: examples of formats, and strings that match patterns or do not.

use std::collections::HashMap;
use std::iter::Peekable;
use std::str::Chars;
use std::sync::{Mutex, PoisonError};

use toolsure_pattern::{Inclusion, Limits, Pattern};

/// Examples of a format, the plainest first.
///
/// ```
/// use toolsure_generate::text::of_format;
///
/// assert_eq!(of_format("ipv4").first(), Some(&"192.0.2.1"));
/// assert!(of_format("colour").is_empty());
/// ```
#[must_use]
pub fn of_format(name: &str) -> &'static [&'static str] {
    match name {
        "date-time" => &[
            "2026-01-02T03:04:05Z",
            "2024-02-29T23:59:59.5+01:00",
            "1999-12-31T00:00:00Z",
        ],
        "date" => &["2026-01-02", "2024-02-29", "1999-12-31"],
        "time" => &["03:04:05Z", "23:59:59.5+01:00", "00:00:00Z"],
        "duration" => &["P1D", "PT2H", "P3W"],
        "email" | "idn-email" => &["a@example.com", "b.c+d@mail.example.com", "e@example.org"],
        "hostname" | "idn-hostname" => &["example.com", "a-b.example.org", "localhost"],
        "ipv4" => &["192.0.2.1", "0.0.0.0", "255.255.255.255"],
        "ipv6" => &["2001:db8::1", "::", "2001:db8::ffff:1"],
        "uri" | "iri" => &[
            "https://example.com/a",
            "urn:example:b",
            "https://example.com/c?d=e#f",
        ],
        "uri-reference" | "iri-reference" => &["../a", "https://example.com/a", "?b#c"],
        "uri-template" => &["/a/{b}", "/c{?d,e}", "/f"],
        "uuid" => &[
            "123e4567-e89b-42d3-a456-426614174000",
            "123e4567-e89b-42d3-a456-426614174001",
            "00000000-0000-0000-0000-000000000000",
        ],
        "json-pointer" => &["/a", "", "/b/0"],
        "relative-json-pointer" => &["0/a", "1", "0#"],
        "regex" => &["^a$", "b+", "[c-d]"],
        _ => &[],
    }
}

/// Strings that few formats accept.
pub(crate) const NOT_OF_FORMATS: [&str; 6] = ["not of this format", "", "a b", "%", "\u{1f}", "[("];

/// The strings that patterns match, as far as they were asked for: finding the next one takes long.
#[derive(Debug, Default)]
pub(crate) struct Matches(Mutex<HashMap<(String, usize), PatternStrings>>);

/// The strings of one pattern.
#[derive(Debug, Default)]
struct PatternStrings {
    texts: Vec<String>,
    /// Whether there are no more, or none are found.
    is_all: bool,
}

impl Matches {
    /// Up to `count` different strings of at least `length` code points that a pattern matches, the shortest first.
    pub(crate) fn first(&self, pattern: &Pattern, length: usize, count: usize) -> Vec<String> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (pattern.as_str().to_owned(), length);
        let found = all.entry(key).or_default();
        while found.texts.len() < count.min(MOST_OF_PATTERN) && !found.is_all {
            match matching(pattern, length, &found.texts) {
                Some(text) => found.texts.push(text),
                None => found.is_all = true,
            }
        }
        found.texts.iter().take(count).cloned().collect()
    }
}

/// A string of at least `length` code points that a pattern matches and that is none of `known`. `None` if none was
/// found, which does not mean that there is none.
fn matching(pattern: &Pattern, length: usize, known: &[String]) -> Option<String> {
    let alternatives: Vec<String> = known.iter().map(|text| literal(text)).collect();
    let known_ones = match alternatives.is_empty() {
        // Matches nothing.
        true => "[]".to_owned(),
        false => format!("^(?:{})$", alternatives.join("|")),
    };
    let others = Pattern::new(&known_ones, &Limits::default()).ok();
    let found = others.and_then(|others| pattern.included_in(&others, length, &mut fuel()));
    match found {
        Some(Inclusion::Excluded(text)) => Some(text),
        Some(Inclusion::Included) => None,
        None => {
            let text = from_pattern(pattern.as_str())?;
            let text = match length.checked_sub(text.chars().count()) {
                Some(more) => format!("{text}{}", "a".repeat(more)),
                None => text,
            };
            let is_new = !known.contains(&text);
            (is_new && pattern.matches(&text, &mut fuel()) == Some(true)).then_some(text)
        }
    }
}

/// A string of at least `length` code points that a pattern does not match.
pub(crate) fn not_matching(pattern: &Pattern, length: usize) -> Option<String> {
    let every = Pattern::new("", &Limits::default()).ok()?;
    match every.included_in(pattern, length, &mut fuel()) {
        Some(Inclusion::Excluded(text)) => Some(text),
        Some(Inclusion::Included) => None,
        None => {
            let mut all = ["", "!", "a", "0", " ", "A_", "\u{1f}"].into_iter();
            let enough = |text: &&str| text.chars().count() >= length;
            all.find(|text| enough(text) && pattern.matches(text, &mut fuel()) == Some(false))
                .map(str::to_owned)
        }
    }
}

/// A pattern that matches this text alone.
fn literal(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c.is_ascii_alphanumeric() {
            true => out.push(c),
            false => out.push_str(&format!("\\u{{{:x}}}", u32::from(c))),
        }
    }
    out
}

/// A new allowance of fuel.
fn fuel() -> u64 {
    AUTOMATON_FUEL
}

/// Strings of one pattern that are told apart.
const MOST_OF_PATTERN: usize = 24;
/// Units of fuel for one question about a pattern, of about 100 ns.
const AUTOMATON_FUEL: u64 = 20_000;

/// A short string that a pattern probably matches, found without an automaton; `None` if this cannot parse the pattern.
///
/// ```
/// use toolsure_generate::text::from_pattern;
///
/// assert_eq!(from_pattern("^[a-z]{3}$").as_deref(), Some("aaa"));
/// assert_eq!(from_pattern("("), None);
/// ```
#[must_use]
pub fn from_pattern(pattern: &str) -> Option<String> {
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
            let compiled = Pattern::new(pattern, &Limits::default()).unwrap();
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
