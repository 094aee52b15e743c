//! Why a Python value cannot be read.

/// Why a Python value cannot be read.
pub(crate) enum Refusal {
    /// JSON cannot express it: the location and the reason.
    NotJson { pointer: String, message: String },
    /// It exceeds a limit on reading.
    Limit { limit: ValueLimit, allowed: usize },
    /// It has an integer with more digits than Python converts to text.
    PythonDigits,
}

impl Refusal {
    /// The refusal of text with half a surrogate pair.
    pub(crate) fn half_pair() -> Self {
        Self::NotJson {
            pointer: String::new(),
            message: HALF_PAIR.to_owned(),
        }
    }
}

/// A limit on reading a value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ValueLimit {
    Depth,
    Nodes,
    Digits,
}

/// Why text with half a surrogate pair is not read.
pub(crate) const HALF_PAIR: &str = "the text has half a surrogate pair";
