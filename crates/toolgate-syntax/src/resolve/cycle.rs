//! Refuses cycles of references that never consume the instance.

use crate::error::{CompileError, CompileErrorKind};
use crate::model::{Dangling, Model, SubschemaId};

/// Finds a subschema that leads back to itself in place (`$ref`, `allOf`, `anyOf`, `oneOf`, `not`,
/// `if`, `dependentSchemas`): applying it would never end. Cycles through dynamic references depend
/// on the dynamic scope; `lower` finds those.
///
/// # Errors
///
/// `CyclicRef`, with the cycle.
pub(crate) fn refuse(model: &Model) -> Result<(), CompileError> {
    if model.targets.is_empty() {
        // Without references there is no cycle.
        return Ok(());
    }
    let mut state = vec![State::New; model.subs.len()];
    for start in 0..model.subs.len() {
        if state.get(start) != Some(&State::New) {
            continue;
        }
        // The path from `start`: each subschema with its neighbours still to visit.
        let mut path: Vec<(SubschemaId, Vec<SubschemaId>)> = Vec::new();
        enter(model, SubschemaId::new(start), &mut state, &mut path)?;
        while let Some((sub, waiting)) = path.last_mut() {
            let Some(next) = waiting.pop() else {
                let done = *sub;
                set(&mut state, done, State::Done)?;
                path.pop();
                continue;
            };
            match state.get(next.index()) {
                Some(State::New) => enter(model, next, &mut state, &mut path)?,
                Some(State::Open) => return Err(cycle(model, next, &path)),
                Some(State::Done) => {}
                None => return Err(Dangling.into()),
            }
        }
    }
    Ok(())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    Open,
    Done,
}

fn enter(
    model: &Model,
    id: SubschemaId,
    state: &mut [State],
    path: &mut Vec<(SubschemaId, Vec<SubschemaId>)>,
) -> Result<(), Dangling> {
    set(state, id, State::Open)?;
    path.push((id, model.statically_in_place(model.sub(id)?)?));
    Ok(())
}

fn set(state: &mut [State], id: SubschemaId, new: State) -> Result<(), Dangling> {
    *state.get_mut(id.index()).ok_or(Dangling)? = new;
    Ok(())
}

fn cycle(
    model: &Model,
    start: SubschemaId,
    path: &[(SubschemaId, Vec<SubschemaId>)],
) -> CompileError {
    let cycle = path
        .iter()
        .skip_while(|(id, _)| *id != start)
        .take(LONGEST)
        .map(|(id, _)| format!("#{}", model.location(*id).pointer))
        .collect();
    CompileError::new(CompileErrorKind::CyclicRef { cycle }, model.location(start))
}

/// How many locations of a cycle an error lists.
const LONGEST: usize = 8;
