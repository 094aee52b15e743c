//! Checks a Python value by walking it.

use std::cell::Cell;

use pyo3::prelude::*;
use toolsure_json::ReadLimits;
use toolsure_schema::{AnyNode, Schema, Verdict, Workspace};

use super::borrowed::{Object, PausedCollector};
use super::node::WalkNode;
use super::{Names, Walk};

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
