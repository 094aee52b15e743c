//! Where a setting comes from, and what of it a problem may show.

use std::ops::Range;

/// Where a setting comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// These bytes of the configuration file, and how much of their line may be shown.
    File(Range<usize>, Shows),
    /// An environment variable, by name.
    Variable(String),
    /// The command line, by the flag as written.
    Flag(String),
    /// No single setting, but the configuration as a whole.
    Whole,
}

/// How much of its line a problem in the file shows. Other text on the line may be a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shows {
    /// The bytes are a key or the name of a table, and are shown.
    Key,
    /// The bytes are a value and are shown with their key.
    Value,
    /// Only the key is shown, because the bytes may hold a secret or are not understood.
    NoValue,
}

/// Maximum characters of an untrusted text in the message of a problem.
pub(super) const SHOWN: usize = 60;
