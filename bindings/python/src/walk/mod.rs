//! Python values as JSON for the engine: a walk reads only the parts that the schema looks at.
//!
//! The engine's [`Node`](toolgate_json::Node) cannot fail, but a Python value can: it may contain a
//! set, a NaN, half a surrogate pair, or itself. A walk that finds such a value records this, and
//! the engine's answer is not used: [`Tape`](crate::tape::Tape) reads the whole value and reports
//! the error. A walk takes no references to the objects ([`borrowed`]), and runs no Python code: it
//! reads instances of the built-in types and their subclasses with the functions of the built-in
//! types, and looks up exact strings only in dicts whose names are all exact strings.

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

/// Whether a Python value matches a schema; `None` if the tape must decide.
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
    // SAFETY: the engine does not know Python, and no function that a node calls runs Python code.
    let root = unsafe { Object::root(value, &paused) };
    let verdict = schema.check(workspace, AnyNode(WalkNode::new(&walk, root, 0)));
    (!walk.odd.get()).then_some(verdict)
}

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
