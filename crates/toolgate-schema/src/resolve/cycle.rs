//! Refuses rings of references that never consume the instance.

use crate::error::{CompileError, CompileErrorKind};
use crate::outline::{Outline, SubId};

/// Finds a subschema that leads back to itself in place (`$ref`, `allOf`,
/// `anyOf`, `oneOf`, `not`, `if`, `dependentSchemas`): applying it would never
/// end. Rings through dynamic references depend on the dynamic scope; `lower`
/// finds those.
///
/// # Errors
///
/// `CyclicRef`, with the ring.
pub(crate) fn refuse(outline: &Outline) -> Result<(), CompileError> {
    if outline.targets.is_empty() {
        // Only a reference leads back up.
        return Ok(());
    }
    let mut state = vec![State::New; outline.subs.len()];
    for start in 0..outline.subs.len() {
        if state.get(start) != Some(&State::New) {
            continue;
        }
        // The path from `start`: each subschema with its neighbours still to visit.
        let mut path: Vec<(SubId, Vec<SubId>)> = Vec::new();
        enter(outline, SubId::new(start), &mut state, &mut path);
        while let Some((sub, waiting)) = path.last_mut() {
            let Some(next) = waiting.pop() else {
                let done = *sub;
                set(&mut state, done, State::Done);
                path.pop();
                continue;
            };
            match state.get(next.index()) {
                Some(State::New) => enter(outline, next, &mut state, &mut path),
                Some(State::Open) => return Err(ring(outline, next, &path)),
                _ => {}
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

fn enter(outline: &Outline, id: SubId, state: &mut [State], path: &mut Vec<(SubId, Vec<SubId>)>) {
    set(state, id, State::Open);
    path.push((id, outline.statically_in_place(outline.sub(id))));
}

fn set(state: &mut [State], id: SubId, new: State) {
    if let Some(slot) = state.get_mut(id.index()) {
        *slot = new;
    }
}

fn ring(outline: &Outline, start: SubId, path: &[(SubId, Vec<SubId>)]) -> CompileError {
    let ring = path
        .iter()
        .skip_while(|(id, _)| *id != start)
        .take(LONGEST)
        .map(|(id, _)| {
            let sub = outline.sub(*id);
            let pointer = outline.place(sub.doc, sub.node).pointer;
            format!("#{pointer}")
        })
        .collect();
    let sub = outline.sub(start);
    CompileError::new(
        CompileErrorKind::CyclicRef { ring },
        outline.place(sub.doc, sub.node),
    )
}

/// How many places of a ring an error names.
const LONGEST: usize = 8;
