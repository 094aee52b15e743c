//! Python values as JSON for the engine: a walk reads only the parts that the schema looks at.
//!
//! The engine's [`Node`](toolsure_json::Node) cannot fail, but a Python value can: it may contain a
//! set, a NaN, half a surrogate pair, or itself. A walk that finds such a value records this, and
//! the engine's answer is not used: [`Tape`](crate::tape::Tape) reads the whole value and reports
//! the error. A walk takes no references to the objects ([`borrowed`]), and runs no Python code: it
//! reads instances of the built-in types and their subclasses with the functions of the built-in
//! types, and looks up exact strings only in dicts whose names are all exact strings.

mod borrowed;
mod names;
mod node;
mod run;

use std::cell::Cell;

use borrowed::PausedCollector;
pub(crate) use names::Names;
pub(crate) use run::check;

/// The state of one check of a Python value.
struct Walk<'py, 'n> {
    /// How many more values and names may be read.
    left: Cell<usize>,
    /// The maximum nesting depth of containers.
    depth: u32,
    /// Whether the walk found a value that the tape must judge.
    odd: Cell<bool>,
    paused: &'n PausedCollector<'py>,
    names: &'n Names,
}

impl Walk<'_, '_> {
    /// Records that the tape must judge the value.
    #[cold]
    fn refuse(&self) {
        self.odd.set(true);
    }

    /// Counts a value or a name against the limit.
    #[inline]
    fn meet(&self) {
        match self.left.get().checked_sub(1) {
            Some(left) => self.left.set(left),
            None => self.refuse(),
        }
    }
}
