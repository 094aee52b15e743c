//! What comes of an odd tool with a client, and the words for it in `seen.json`.

/// The outcome of an odd tool with a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The call returns what the server returned, wrapped or not.
    Works,
    /// The call returns the text, and no structured content.
    TextOnly,
    /// The call returns other structured content than the server's.
    OtherValue,
    /// The call fails.
    Error,
    /// The tool is not listed.
    Hidden,
    /// The good tools do not work.
    GoodToolsFail,
    /// The client has no tools at all.
    NoTools,
    /// The client hangs.
    Hangs,
}

impl Outcome {
    pub(crate) fn from_word(word: &str) -> Option<Self> {
        WORDS
            .iter()
            .find_map(|(outcome, own)| (*own == word).then_some(*outcome))
    }

    pub(crate) fn word(self) -> &'static str {
        WORDS
            .iter()
            .find_map(|(outcome, own)| (*outcome == self).then_some(*own))
            .unwrap_or_default()
    }
}

const WORDS: [(Outcome, &str); 8] = [
    (Outcome::Works, "works"),
    (Outcome::TextOnly, "text-only"),
    (Outcome::OtherValue, "other-value"),
    (Outcome::Error, "error"),
    (Outcome::Hidden, "hidden"),
    (Outcome::GoodToolsFail, "good-tools-fail"),
    (Outcome::NoTools, "no-tools"),
    (Outcome::Hangs, "hangs"),
];
