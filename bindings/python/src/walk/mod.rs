//! Python values as the engine sees JSON: walked where the schema looks, and nowhere else.
//!
//! The engine's [`Node`](toolgate_json::Node) cannot fail, and a Python value can: it may hold a set, a NaN,
//! half a surrogate pair, or itself. A walk that meets something of that kind notes it, and what the engine
//! then answers is not used: [`Tape`](crate::tape::Tape) reads the whole value and says what is wrong with it.
//! A walk takes no references of its own to what it meets ([`borrowed`]), and runs no code of Python's: it looks at
//! the objects of exact types and their subclasses as these types lay them out, and looks up exact strings in dicts
//! whose names are exact strings.

mod borrowed;
mod names;
mod node;

use std::cell::Cell;

use pyo3::prelude::*;
use toolgate_json::ReadLimits;
use toolgate_schema::{AnyNode, Schema, Verdict, Workspace};

use borrowed::{Object, PausedCollector};
pub(crate) use names::Names;
use node::WalkNode;

/// Whether a Python value matches a schema; `None` if the tape must judge it.
pub(crate) fn check(
    schema: &Schema,
    workspace: &mut Workspace,
    value: &Bound<'_, PyAny>,
    limits: &ReadLimits,
    names: &Names,
) -> Option<Verdict> {
    let paused = PausedCollector::new(value.py());
    let walk = Walk {
        left: Cell::new(limits.nodes),
        depth: u32::try_from(limits.depth).unwrap_or(u32::MAX),
        odd: Cell::new(false),
        paused: &paused,
        names,
    };
    #[expect(
        unsafe_code,
        reason = "this is where no code of Python's may run until the engine has answered"
    )]
    // SAFETY: the engine knows nothing of Python, and what a node calls runs no code of Python's.
    let root = unsafe { Object::root(value, &paused) };
    let verdict = schema.check(workspace, AnyNode(WalkNode::new(&walk, root, 0)));
    (!walk.odd.get()).then_some(verdict)
}

/// One check of one Python value.
struct Walk<'py, 'n> {
    /// How many more values and names may be met.
    left: Cell<usize>,
    /// How deep containers may stand in each other.
    depth: u32,
    /// Whether something was met that is for the tape to judge.
    odd: Cell<bool>,
    paused: &'n PausedCollector<'py>,
    names: &'n Names,
}

impl Walk<'_, '_> {
    /// Notes what the tape must judge.
    #[cold]
    fn refuse(&self) {
        self.odd.set(true);
    }

    /// Counts a value or a name that was met.
    #[inline]
    fn meet(&self) {
        match self.left.get().checked_sub(1) {
            Some(left) => self.left.set(left),
            None => self.refuse(),
        }
    }
}
