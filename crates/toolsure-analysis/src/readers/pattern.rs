//! The regular expressions that a reader takes.

use toolsure_pattern::{Limits, Pattern};

/// The regular expressions that a reader takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct PatternRule {
    /// The language in which it reads a pattern.
    pub language: PatternLanguage,
    /// Whether it takes lookahead and lookbehind.
    pub lookaround: bool,
    /// Whether it takes references to groups.
    pub backreferences: bool,
}

/// The language in which a reader reads patterns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum PatternLanguage {
    /// ECMA-262 with the `u` flag.
    EcmaUnicode,
    /// ECMA-262 without flags, or with them if it compiles so.
    Ecma,
    /// Python's module `re`.
    Python,
    /// RE2 and engines like it.
    Re2,
    /// A grammar: the pattern describes the whole string, as `^…$`, and has no group that begins with `(?`.
    Grammar,
}

impl PatternRule {
    pub(super) const fn new(language: PatternLanguage) -> Self {
        Self {
            language,
            lookaround: true,
            backreferences: true,
        }
    }

    /// The same without lookaround.
    pub(super) const fn without_lookaround(self) -> Self {
        Self {
            lookaround: false,
            ..self
        }
    }

    /// The same without lookaround and references to groups.
    pub(super) const fn linear(self) -> Self {
        Self {
            lookaround: false,
            backreferences: false,
            ..self
        }
    }

    /// Whether it takes a pattern.
    #[must_use]
    pub fn takes(self, pattern: &str) -> bool {
        self.refusal(pattern).is_none()
    }

    /// What a pattern has that it does not take, such as `lookaround`; `None` if it takes the pattern.
    ///
    /// ```
    /// use toolsure_analysis::readers::{Fact, Part, reader};
    ///
    /// let openai = reader("openai").unwrap();
    /// let rule = openai.pick(|fact| match fact {
    ///     Fact::Patterns(Part::Input, rule) => Some(rule),
    ///     _ => None,
    /// });
    /// let rule = rule.into_iter().next().unwrap();
    /// assert_eq!(rule.refusal("^(?!x).+$"), Some("lookaround"));
    /// assert_eq!(rule.refusal(r"^\p{L}+$"), Some("a class of Unicode properties"));
    /// assert_eq!(rule.refusal(r"^\(\?=[(?=]$"), None);
    /// ```
    #[must_use]
    pub fn refusal(self, pattern: &str) -> Option<&'static str> {
        use PatternLanguage::{Ecma, EcmaUnicode, Grammar};
        if self.language == Grammar {
            if !pattern.starts_with('^') || !pattern.ends_with('$') {
                return Some("no `^` at its start or no `$` at its end");
            }
            if pattern.contains("(?") {
                return Some("a group that begins with `(?`");
            }
        }
        let is_ecma = matches!(self.language, Ecma | EcmaUnicode);
        let (mut in_class, mut rest) = (false, pattern);
        let mut python = (self.language == PatternLanguage::Python).then(Python::default);
        while let Some(c) = rest.chars().next() {
            let behind = rest.get(c.len_utf8()..).unwrap_or_default();
            let cause = match c {
                '\\' => self.escape(behind, in_class),
                '[' if !in_class => {
                    in_class = true;
                    let empty = behind.starts_with(']') || behind.starts_with("^]");
                    (empty && !is_ecma).then_some("an empty class")
                }
                ']' => {
                    in_class = false;
                    None
                }
                '(' if !in_class => self.group(behind),
                _ => None,
            };
            let of_python = python.as_mut().map(|state| state.step(c, behind));
            if let Some(cause) = cause.or(of_python.flatten()) {
                return Some(cause);
            }
            let skipped = if c == '\\' {
                behind.chars().next()
            } else {
                None
            };
            rest = behind
                .get(skipped.map_or(0, char::len_utf8)..)
                .unwrap_or_default();
        }
        let varies = self.language == PatternLanguage::Python && has_varying_lookbehind(pattern);
        varies.then_some("a lookbehind of no fixed length")
    }

    /// What is not taken of a group, by the text after its parenthesis.
    fn group(self, behind: &str) -> Option<&'static str> {
        let heads = ["?=", "?!", "?<=", "?<!"];
        if heads.iter().any(|head| behind.starts_with(head)) {
            return (!self.lookaround).then_some("lookaround");
        }
        let named = behind.starts_with("?<");
        (named && self.language == PatternLanguage::Python)
            .then_some("a group that is named as `(?<name>…)`")
    }

    /// What is not taken of an escape, by the text after its backslash.
    fn escape(self, behind: &str, in_class: bool) -> Option<&'static str> {
        use PatternLanguage::{Ecma, EcmaUnicode, Python, Re2};
        let first = behind.chars().next()?;
        let is_reference = !in_class && matches!(first, '1'..='9' | 'k');
        if is_reference && !self.backreferences {
            return Some("a reference to a group");
        }
        if matches!(self.language, Ecma | EcmaUnicode) {
            return None;
        }
        match first {
            'p' | 'P' => Some("a class of Unicode properties"),
            'k' => Some("a reference to a named group"),
            'c' => Some("an escape `\\c`"),
            'u' if behind.starts_with("u{") || self.language == Re2 => {
                Some("an escape `\\u` that its engine does not have")
            }
            'a'..='z' | 'A'..='Z' if self.language == Python => {
                let known = if in_class {
                    "abdDfnrsStuUvwWx"
                } else {
                    "abABdDfnrsStuUvwWxZ"
                };
                (!known.contains(first)).then_some("an escape that its engine does not have")
            }
            _ => None,
        }
    }
}

/// What Python's `re` requires of a pattern besides the escapes that it has.
#[derive(Default)]
struct Python {
    /// For each group that has been opened, whether it is closed.
    groups: Vec<bool>,
    open: Vec<Parenthesis>,
    /// What stands last in the class.
    class: Option<Last>,
}

/// What an open parenthesis begins.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Parenthesis {
    /// The group at this place in [`Python::groups`].
    Group(usize),
    /// A lookbehind; groups from this place on are inside it.
    Lookbehind(usize),
    Other,
}

/// What stands last in a class of characters.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Last {
    /// The bracket, after which `^` negates the class.
    Start,
    /// Nothing, or a range: a hyphen that follows stands for itself.
    Whole,
    Character,
    /// A class such as `\w`, which no range may begin with.
    Class,
    /// The hyphen of a range.
    Hyphen,
}

impl Python {
    /// Reads a character, or an escape. `behind` is the text after it, or after its backslash.
    fn step(&mut self, c: char, behind: &str) -> Option<&'static str> {
        let escaped = behind.chars().next().filter(|_| c == '\\');
        if let Some(last) = self.class {
            let is_class = escaped.is_some_and(|escaped| "dDsSwW".contains(escaped));
            let is_range = matches!(
                (last, c),
                (Last::Character | Last::Class, '-') if !behind.starts_with(']')
            );
            self.class = match last {
                _ if c == ']' => None,
                Last::Start if c == '^' => Some(Last::Whole),
                Last::Class if is_range => return Some(BAD_RANGE),
                Last::Hyphen if is_class => return Some(BAD_RANGE),
                Last::Hyphen => Some(Last::Whole),
                _ if is_range => Some(Last::Hyphen),
                _ if is_class => Some(Last::Class),
                _ => Some(Last::Character),
            };
            return None;
        }
        match (c, escaped) {
            ('[', _) => self.class = Some(Last::Start),
            ('(', _) => {
                let next = self.groups.len();
                if behind.starts_with("?<=") || behind.starts_with("?<!") {
                    self.open.push(Parenthesis::Lookbehind(next));
                } else if behind.starts_with('?') && !behind.starts_with("?P<") {
                    self.open.push(Parenthesis::Other);
                } else {
                    self.open.push(Parenthesis::Group(next));
                    self.groups.push(false);
                }
            }
            (')', _) => {
                if let Some(Parenthesis::Group(closed)) = self.open.pop()
                    && let Some(group) = self.groups.get_mut(closed)
                {
                    *group = true;
                }
            }
            (_, Some('1'..='9')) => {
                let digits = behind.bytes().take(3).take_while(u8::is_ascii_digit);
                let digits = behind.get(..digits.count()).unwrap_or_default();
                let is_octal = digits.len() == 3 && digits.bytes().all(|digit| digit < b'8');
                let number = digits.get(..2).unwrap_or(digits).parse::<usize>();
                let group = number.ok().and_then(|number| number.checked_sub(1));
                let is_closed = group.and_then(|group| self.groups.get(group)) == Some(&true);
                let in_same_lookbehind = self.open.iter().any(
                    |one| matches!(one, Parenthesis::Lookbehind(first) if group >= Some(*first)),
                );
                return (!is_octal && (!is_closed || in_same_lookbehind))
                    .then_some("a reference to a group that is not closed");
            }
            _ => {}
        }
        None
    }
}

/// Whether Python's `re` refuses a lookbehind of a pattern for its length. What cannot be read is taken.
fn has_varying_lookbehind(pattern: &str) -> bool {
    (pattern.contains("(?<=") || pattern.contains("(?<!"))
        && Pattern::new(pattern, &Limits::default())
            .is_ok_and(|pattern| pattern.has_varying_lookbehind())
}

const BAD_RANGE: &str = "a range that begins or ends with a class";

#[cfg(test)]
mod tests {
    use super::*;

    /// Each row is what Python 3.13's `re.compile` says of a pattern, and Go's `regexp` where it is of RE2.
    #[test]
    fn patterns_are_judged_as_the_engines_do() {
        let python = PatternRule::new(PatternLanguage::Python);
        let re2 = PatternRule::new(PatternLanguage::Re2).linear();
        for (pattern, in_python, in_re2) in [
            (r"^[a-z]+$", true, true),
            (r"^(?=.*\d).+$", true, false),
            (r"(?<!a)b", true, false),
            (r"(?<y>\d{4})", false, true),
            (r"\p{L}", false, false),
            (r"[\P{Lu}]", false, false),
            (r"\\p{L}", true, true),
            (r"[(?<n>]", true, true),
            (r"\(?<", true, true),
            (r"\u{1F600}", false, false),
            (r"\u0041", true, false),
            (r"\cA", false, false),
            (r"[]", false, false),
            (r"[^]", false, false),
            (r"[\]]", true, true),
            (r"(a)\1", true, false),
            (r"(?:a|b)", true, true),
            (r"[\b]", true, true),
            (r"[\B]", false, true),
            (r"\_\-\/", true, true),
            (r"[\w-.]", false, true),
            (r"[.-\d]", false, true),
            (r"[\w-]", true, true),
            (r"[-\w]", true, true),
            (r"[a-z-\w]", true, true),
            (r"[^-\w]", true, true),
            (r"[\^-\w]", false, true),
            (r"[\[-a]", true, true),
            (r"a\1?()", false, false),
            (r"(a\1)", false, false),
            (r"(?:a)\1", false, false),
            (r"((a)\2)", true, false),
            (r"\101", true, false),
            (r"(?<=ab|cd)e", true, false),
            (r"(?<=a+)b", false, false),
            (r"(?<=(a)\1)b", false, false),
            (r"(a)(?<=\1)b", true, false),
        ] {
            assert_eq!(python.takes(pattern), in_python, "{pattern}");
            assert_eq!(re2.takes(pattern), in_re2, "{pattern}");
        }
    }
}
