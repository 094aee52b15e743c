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
        let looks = ["(?=", "(?!", "(?<=", "(?<!"]
            .iter()
            .any(|head| pattern.contains(head));
        let bytes = pattern.as_bytes();
        let refers = pattern.match_indices('\\').any(|(at, _)| {
            bytes
                .get(at + 1)
                .is_some_and(|byte| (b'1'..=b'9').contains(byte))
        });
        let whole = pattern.starts_with('^') && pattern.ends_with('$') && !pattern.contains("(?");
        (self.lookaround || !looks)
            && (self.backreferences || !refers)
            && (whole || self.language != PatternLanguage::Grammar)
    }
}
