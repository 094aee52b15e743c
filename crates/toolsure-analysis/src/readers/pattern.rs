//! The regular expressions that a reader takes.

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
            if cause.is_some() {
                return cause;
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
        None
    }

    /// What is not taken of a group, by the text after its parenthesis.
    fn group(self, behind: &str) -> Option<&'static str> {
        let heads = ["?=", "?!", "?<=", "?<!"];
        if heads.iter().any(|head| behind.starts_with(head)) {
            // Python's lookbehind has a fixed width; nobody writes other ones for it.
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
        ] {
            assert_eq!(python.takes(pattern), in_python, "{pattern}");
            assert_eq!(re2.takes(pattern), in_re2, "{pattern}");
        }
    }
}
