//! What an instance may cost, and what it has cost.

use std::cell::Cell;

use crate::options::Options;

/// The limits of one instance.
pub(crate) struct Budget {
    /// The maximum number of values.
    values: usize,
    /// The values so far.
    made: usize,
    /// The maximum number of bytes.
    pub(super) bytes: usize,
    /// Names that were looked at: work beside the values.
    looked: Cell<usize>,
    /// The maximum of that.
    pub(crate) most_looked: usize,
}

impl Budget {
    pub(super) fn new(options: &Options) -> Self {
        Self {
            values: options.values,
            made: 0,
            bytes: options.bytes,
            looked: Cell::new(0),
            most_looked: options.work,
        }
    }

    /// Counts a value; `None` if there are too many.
    pub(super) fn take_value(&mut self) -> Option<()> {
        self.values_left().checked_sub(1)?;
        self.made = self.made.saturating_add(1);
        Some(())
    }

    /// Values that may still be made.
    pub(super) fn values_left(&self) -> usize {
        self.values.saturating_sub(self.made)
    }

    /// Counts work beside the values.
    pub(super) fn look(&self, names: usize) {
        self.looked.set(self.looked.get().saturating_add(names));
    }

    pub(super) fn has_looked_enough(&self) -> bool {
        self.looked.get() > self.most_looked
    }

    /// The work so far, for an instance of this many bytes.
    pub(super) fn work(&self, written: usize) -> usize {
        let values = self.made.saturating_mul(VALUE);
        let names = self.looked.get();
        values.saturating_add(names).saturating_add(written / 16)
    }
}

/// The work of making a value, in names that are looked at.
const VALUE: usize = 10;
