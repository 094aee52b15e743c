//! Passes a Python value to the engine.

use std::cell::Cell;

use pyo3::prelude::*;
use toolsure_json::ReadLimits;

use super::borrowed::{Object, PausedCollector};
use super::survey::Survey;
use super::{Names, Refusal, Walk, WalkNode};

thread_local! {
    /// The names that walks look up.
    static NAMES: Names = const { Names::new() };
}

/// Asks whether a Python value matches, which must not run Python code. Only the parts that the
/// question looks at are read. If the value must be read as a whole first, `question` is asked twice,
/// and the first answer is dropped.
///
/// An object that occurs in two places is one value for the engine. That does not change a verdict,
/// but an explanation would leave out the second place: explain the value as text.
pub(crate) fn ask<'py, T>(
    value: &Bound<'py, PyAny>,
    limits: &ReadLimits,
    mut question: impl for<'a> FnMut(WalkNode<'a, 'py>) -> T,
) -> Result<T, Refusal> {
    let paused = PausedCollector::new(value.py());
    let answer = NAMES.with(|names| {
        let walk = Walk {
            left: Cell::new(limits.nodes),
            depth: u32::try_from(limits.depth).unwrap_or(u32::MAX),
            odd: Cell::new(false),
            paused: &paused,
            names,
            survey: None,
        };
        let answer = question(WalkNode::new(&walk, root(value, &paused), 0));
        (!walk.odd.get()).then_some(answer)
    });
    match answer {
        Some(answer) => Ok(answer),
        None => ask_paused(value, limits, &paused, question),
    }
}

fn ask_paused<'py, T>(
    value: &Bound<'py, PyAny>,
    limits: &ReadLimits,
    paused: &PausedCollector<'py>,
    mut question: impl for<'a> FnMut(WalkNode<'a, 'py>) -> T,
) -> Result<T, Refusal> {
    let survey = Survey::of(root(value, paused), limits, None)?;
    NAMES.with(|names| {
        let walk = Walk {
            left: Cell::new(usize::MAX),
            depth: u32::MAX,
            odd: Cell::new(false),
            paused,
            names,
            survey: Some(&survey),
        };
        let answer = question(WalkNode::new(&walk, root(value, paused), 0));
        if walk.odd.get() {
            // The survey accepts nothing that a walk cannot read.
            toolsure_json::note_contradiction();
            return Err(Refusal::NotJson {
                pointer: String::new(),
                message: "the value cannot be read".to_owned(),
            });
        }
        Ok(answer)
    })
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
