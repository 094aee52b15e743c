//! Refuses cycles of references that apply to the same instance, including those closed by a
//! dynamic scope.

use super::lowering::Lowering;
use crate::error::{CompileError, CompileErrorKind};
use crate::model::SubschemaId;
use crate::plan::NodeIx;

impl Lowering<'_> {
    /// Cycles that only a dynamic scope closes are found on the plan itself.
    pub(super) fn refuse_cycles(&self) -> Result<(), CompileError> {
        let mut state = vec![0_u8; self.plan.nodes.len()];
        for start in 0..self.plan.nodes.len() {
            let mut path: Vec<(NodeIx, Vec<NodeIx>)> = Vec::new();
            let mut next = Some(NodeIx::new(start));
            loop {
                if let Some(ix) = next.take() {
                    match state.get_mut(ix.index()) {
                        Some(state @ 0) => {
                            *state = 1;
                            let mut found = Vec::new();
                            self.plan.in_place(ix, &mut found);
                            path.push((ix, found));
                        }
                        Some(1) => {
                            let origin = self.origins.get(ix.index()).copied();
                            return Err(self.cyclic(origin.unwrap_or(self.model.root)));
                        }
                        _ => {}
                    }
                }
                let Some((ix, waiting)) = path.last_mut() else {
                    break;
                };
                next = waiting.pop();
                if next.is_none() {
                    if let Some(state) = state.get_mut(ix.index()) {
                        *state = 2;
                    }
                    path.pop();
                }
            }
        }
        Ok(())
    }

    pub(super) fn cyclic(&self, id: SubschemaId) -> CompileError {
        let place = self.model.location(id);
        let ring = vec![format!("#{}", place.pointer)];
        CompileError::new(CompileErrorKind::CyclicRef { cycle: ring }, place)
    }
}
