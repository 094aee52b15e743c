//! The state of one reading of a Python value.

use std::cell::Cell;

use super::borrowed::{Object, PausedCollector};
use super::form::{Form, is_long_integer};
use super::names::Names;
use super::survey::Survey;

/// The state of one reading of a Python value.
pub(super) struct Walk<'py, 'n> {
    /// How many more values and names may be read.
    pub(super) left: Cell<usize>,
    /// The maximum nesting depth of containers.
    pub(super) depth: u32,
    /// Whether the walk found a value that it cannot read.
    pub(super) odd: Cell<bool>,
    pub(super) paused: &'n PausedCollector<'py>,
    pub(super) names: &'n Names,
    /// The survey of the value, if there was one. It has checked the limits.
    pub(super) survey: Option<&'n Survey>,
}

impl Walk<'_, '_> {
    /// Records that the walk cannot read the value.
    #[cold]
    pub(super) fn refuse(&self) {
        self.odd.set(true);
    }

    /// The form of a value that is not read at once.
    #[cold]
    pub(super) fn odd_form<const WHOLE: bool>(&self, object: Object<'_, '_>) -> Form {
        if WHOLE && is_long_integer(object) {
            return Form::LongInteger;
        }
        self.refuse();
        Form::Null
    }

    /// Counts a value or a name against the limit.
    #[inline]
    pub(super) fn meet(&self) {
        match self.left.get().checked_sub(1) {
            Some(left) => self.left.set(left),
            None => self.refuse(),
        }
    }
}
