//! Passes a Python value to the engine.

use std::cell::Cell;

use pyo3::prelude::*;
use toolsure_json::ReadLimits;
use toolsure_schema::{AnyNode, Schema, Verdict};

use super::borrowed::{Object, PausedCollector};
use super::names::Names;
use super::node::WalkNode;
use super::refusal::Refusal;
use super::survey::Survey;
use super::walk::Walk;
use crate::workspace::with;

thread_local! {
    /// The names that walks look up.
    static NAMES: Names = const { Names::new() };
}

/// Whether a Python value matches a schema. Only the parts that the schema looks at are read, unless
/// a walk cannot read one: then the whole value is read.
///
/// An object that occurs in two places is one value for the engine. That does not change a verdict,
/// but an explanation would leave out the second place: explain the value as text.
pub(crate) fn check(
    schema: &Schema,
    value: &Bound<'_, PyAny>,
    limits: &ReadLimits,
) -> Result<Verdict, Refusal> {
    let paused = PausedCollector::new(value.py());
    NAMES.with(|names| {
        let walk = Walk {
            left: Cell::new(limits.nodes),
            depth: u32::try_from(limits.depth).unwrap_or(u32::MAX),
            odd: Cell::new(false),
            paused: &paused,
            names,
            survey: None,
        };
        let node = WalkNode::<false>::new(&walk, root(value, &paused), 0);
        // The workspace is lent to the engine alone: refusing a value may run Python code.
        let verdict = with(|workspace| schema.check(workspace, AnyNode(node)));
        if !walk.odd.get() {
            return Ok(verdict);
        }
        check_whole(schema, value, limits, &paused, names)
    })
}

#[cold]
fn check_whole<'py>(
    schema: &Schema,
    value: &Bound<'py, PyAny>,
    limits: &ReadLimits,
    paused: &PausedCollector<'py>,
    names: &Names,
) -> Result<Verdict, Refusal> {
    let survey = Survey::of(root(value, paused), limits, None)?;
    let walk = Walk {
        // The survey has counted.
        left: Cell::new(usize::MAX),
        depth: u32::MAX,
        odd: Cell::new(false),
        paused,
        names,
        survey: Some(&survey),
    };
    let node = WalkNode::<true>::new(&walk, root(value, paused), 0);
    let verdict = with(|workspace| schema.check(workspace, AnyNode(node)));
    if walk.odd.get() {
        // The survey accepts nothing that a walk cannot read.
        toolsure_json::note_contradiction();
        return Err(Refusal::NotJson {
            pointer: String::new(),
            message: "the value cannot be read".to_owned(),
        });
    }
    Ok(verdict)
}

/// Writes a Python value as JSON text.
pub(crate) fn json_text(value: &Bound<'_, PyAny>, limits: &ReadLimits) -> Result<String, Refusal> {
    let paused = PausedCollector::new(value.py());
    let mut text = String::new();
    Survey::of(root(value, &paused), limits, Some(&mut text))?;
    Ok(text)
}

fn root<'a, 'py>(
    value: &'a Bound<'py, PyAny>,
    paused: &'a PausedCollector<'py>,
) -> Object<'a, 'py> {
    #[expect(
        unsafe_code,
        reason = "this is where no code of Python's may run until the engine has answered"
    )]
    // SAFETY: the engine does not know Python, no function that a node calls runs Python code, and
    // neither does a survey, until it has nothing more to read.
    unsafe {
        Object::root(value, paused)
    }
}
