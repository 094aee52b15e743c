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
    // The path to the current subschema: each with the number of subschemas that waited before its
    // neighbours did.
    let mut path: Vec<(SubschemaId, usize)> = Vec::new();
    let mut waiting: Vec<SubschemaId> = Vec::new();
    for start in 0..model.subs.len() {
        if state.get(start) != Some(&State::New) {
            continue;
        }
        waiting.push(SubschemaId::new(start));
        while let Some(next) = waiting.pop() {
            match state.get(next.index()) {
                Some(State::New) => {
                    set(&mut state, next, State::Open)?;
                    path.push((next, waiting.len()));
                    let sub = model.sub(next)?;
                    model.each_in_place(sub, false, |one| waiting.push(one))?;
                }
                Some(State::Open) => return Err(cycle(model, next, &path)),
                Some(State::Done) => {}
                None => return Err(Dangling.into()),
            }
            // Those whose neighbours have all been visited.
            while let Some((done, _)) = path.pop_if(|(_, before)| *before == waiting.len()) {
                set(&mut state, done, State::Done)?;
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

fn set(state: &mut [State], id: SubschemaId, new: State) -> Result<(), Dangling> {
    *state.get_mut(id.index()).ok_or(Dangling)? = new;
    Ok(())
}

fn cycle(model: &Model, start: SubschemaId, path: &[(SubschemaId, usize)]) -> CompileError {
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
