//! Where a value is in a message, for the record. It is written only if there is something to record.

use std::fmt;

use super::change::Change;

/// The way from a message to a value in it.
#[derive(Debug, Clone, Copy)]
pub(super) enum Place<'p> {
    /// The message itself.
    Root,
    /// A member of an object.
    Member(&'p Place<'p>, &'p str),
    /// An element of an array.
    Item(&'p Place<'p>, usize),
}

impl<'p> Place<'p> {
    pub(super) fn member(&'p self, name: &'p str) -> Self {
        Self::Member(self, name)
    }

    pub(super) fn item(&'p self, index: usize) -> Self {
        Self::Item(self, index)
    }
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root => Ok(()),
            Self::Member(Self::Root, name) => f.write_str(name),
            Self::Member(of, name) => write!(f, "{of}.{name}"),
            Self::Item(of, index) => write!(f, "{of}[{index}]"),
        }
    }
}

/// The first changes, and the number of the others: a message may need as many as it has values.
#[derive(Debug, Default)]
pub(super) struct Changes {
    pub(super) first: Vec<Change>,
    pub(super) further: usize,
}

impl Changes {
    pub(super) fn push(&mut self, change: impl FnOnce() -> Change) {
        if self.first.len() < MOST_CHANGES {
            self.first.push(change());
        } else {
            self.further += 1;
        }
    }
}

/// The number of changes that are kept one by one.
pub(super) const MOST_CHANGES: usize = 64;
