//! Python values as JSON for the engine.
//!
//! A walk reads only the parts of a value that the schema looks at, and copies nothing. The engine's
//! [`Node`](toolsure_json::Node) cannot fail, but a Python value can: it may contain a set, a NaN,
//! half a surrogate pair, or itself. A walk that finds such a value records this, and the engine's
//! answer is not used. A [`Survey`] then reads the whole value: it finds out what is wrong, or
//! prepares what a walk cannot read by itself (integers beyond 64 bits, names that are not exact
//! strings), and the engine is asked again.
//!
//! Neither takes references to the objects ([`borrowed`]), and neither runs Python code: they read
//! instances of the built-in types and their subclasses with the functions of the built-in types,
//! and look up exact strings only in dicts whose names are all exact strings.

mod borrowed;
mod form;
mod names;
mod node;
mod refusal;
mod run;
mod survey;

use std::cell::Cell;

use borrowed::{Object, PausedCollector};
use form::{Form, is_long_integer};
use names::Names;
use node::WalkNode;
pub(crate) use refusal::{Refusal, ValueLimit};
pub(crate) use run::{check, json_text};
use survey::Survey;

/// The state of one reading of a Python value.
struct Walk<'py, 'n> {
    /// How many more values and names may be read.
    left: Cell<usize>,
    /// The maximum nesting depth of containers.
    depth: u32,
    /// Whether the walk found a value that it cannot read.
    odd: Cell<bool>,
    paused: &'n PausedCollector<'py>,
    names: &'n Names,
    /// The survey of the value, if there was one. It has checked the limits.
    survey: Option<&'n Survey>,
}

impl Walk<'_, '_> {
    /// Records that the walk cannot read the value.
    #[cold]
    fn refuse(&self) {
        self.odd.set(true);
    }

    /// The form of a value that is not read at once.
    #[cold]
    fn odd_form<const WHOLE: bool>(&self, object: Object<'_, '_>) -> Form {
        if WHOLE && is_long_integer(object) {
            return Form::LongInteger;
        }
        self.refuse();
        Form::Null
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
