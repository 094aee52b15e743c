//! The settings whose value is a word.

use toolsure_json::DuplicateKeys;

use crate::compiler::Compiler;
use crate::dialect::Dialect;
use crate::options::{Content, Formats, Strictness};

/// A setting whose value is a word.
#[derive(Debug, Clone, Copy)]
pub(super) enum Choice {
    Formats,
    Content,
    Strictness,
    Dialect,
    DefaultDialect,
    DuplicateKeys,
}

impl Choice {
    /// The words and the effect of each.
    pub(super) fn words(self) -> Vec<(&'static str, &'static str)> {
        match self {
            Self::Formats => FORMATS
                .iter()
                .map(|(word, help, _)| (*word, *help))
                .collect(),
            Self::Content => CONTENT
                .iter()
                .map(|(word, help, _)| (*word, *help))
                .collect(),
            Self::Strictness => STRICTNESS
                .iter()
                .map(|(word, help, _)| (*word, *help))
                .collect(),
            Self::Dialect => std::iter::once((DECLARED, "the dialect that the schema declares"))
                .chain(dialects())
                .collect(),
            Self::DefaultDialect => dialects().collect(),
            Self::DuplicateKeys => DUPLICATE_KEYS
                .iter()
                .map(|(word, help, _)| (*word, *help))
                .collect(),
        }
    }

    /// The word for the current value in a compiler.
    pub(super) fn show(self, compiler: &Compiler) -> &'static str {
        let options = compiler.parser().options();
        match self {
            Self::Formats => word(FORMATS, &options.formats),
            Self::Content => word(CONTENT, &options.content),
            Self::Strictness => word(STRICTNESS, &options.strictness),
            Self::Dialect => options.dialect.map_or(DECLARED, Dialect::name),
            Self::DefaultDialect => options.default_dialect.unwrap_or_default().name(),
            Self::DuplicateKeys => word(DUPLICATE_KEYS, &compiler.bounds().instance.duplicate_keys),
        }
    }

    /// A compiler with the value that a word names; `None` if the word is unknown.
    pub(super) fn apply(self, compiler: Compiler, text: &str) -> Option<Compiler> {
        Some(match self {
            Self::Formats => compiler.formats(*value(FORMATS, text)?),
            Self::Content => compiler.content(*value(CONTENT, text)?),
            Self::Strictness => compiler.strictness(*value(STRICTNESS, text)?),
            Self::Dialect if text == DECLARED => compiler.declared_dialect(),
            Self::Dialect => compiler.dialect(Dialect::from_name(text)?),
            Self::DefaultDialect => compiler.default_dialect(Dialect::from_name(text)?),
            Self::DuplicateKeys => {
                let mut limits = compiler.bounds().clone();
                limits.instance.duplicate_keys = *value(DUPLICATE_KEYS, text)?;
                compiler.limits(limits)
            }
        })
    }
}

type Words<T> = &'static [(&'static str, &'static str, T)];

fn word<T: PartialEq>(words: Words<T>, value: &T) -> &'static str {
    let known = words.iter().find(|(_, _, known)| known == value);
    known.map_or("", |(word, _, _)| word)
}

fn value<T>(words: Words<T>, text: &str) -> Option<&'static T> {
    let known = words.iter().find(|(word, _, _)| *word == text);
    known.map(|(_, _, value)| value)
}

/// The dialects, newest first.
fn dialects() -> impl Iterator<Item = (&'static str, &'static str)> {
    let newest_first = Dialect::ALL.into_iter().rev();
    newest_first.map(|dialect| (dialect.name(), dialect.uri()))
}

const DECLARED: &str = "declared";

const FORMATS: Words<Formats> = &[
    (
        "annotate",
        "nothing is asserted, unless a metaschema requires it",
        Formats::Annotate,
    ),
    (
        "assert",
        "every format of the specification is asserted; unknown ones never fail",
        Formats::Assert,
    ),
    (
        "assert-with-numbers",
        "the same, and `int32`, `uint64`, `float` and the like",
        Formats::AssertWithNumbers,
    ),
];

const CONTENT: Words<Content> = &[
    ("annotate", "they are annotations", Content::Annotate),
    (
        "assert",
        "`base64` and `application/json` are asserted in draft 7",
        Content::Assert,
    ),
];

const STRICTNESS: Words<Strictness> = &[
    ("strict", "the schema is refused", Strictness::Strict),
    (
        "lenient",
        "the keyword is ignored and reported, and so is a pattern in another regex syntax; references and limits stay strict",
        Strictness::Lenient,
    ),
];

const DUPLICATE_KEYS: Words<DuplicateKeys> = &[
    ("refuse", "the instance is refused", DuplicateKeys::Refuse),
    (
        "keep-last",
        "the last member counts",
        DuplicateKeys::KeepLast,
    ),
];
