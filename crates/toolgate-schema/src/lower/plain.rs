//! The operations of the plain program: one for each keyword that asserts something of a
//! value by itself. The code that drafts them is that of the plan; nothing is merged, fused
//! or left out.

use super::{Draft, Lowering, literals};
use crate::error::{CompileError, CompileErrorKind, Place};
use crate::limits::Limits;
use crate::outline::{Entry, Form, Outline, Shape, Sub, SubId, TypeSet};
use crate::plan::{Assertions, Lost, NodeIx};

/// Lowers each assertion of an outline to a node of its own.
///
/// # Errors
///
/// A document that is not there.
pub(crate) fn plain(outline: &Outline, limits: &Limits) -> Result<Assertions, CompileError> {
    let mut work = Lowering::new(outline, limits);
    work.plain = true;
    let mut nodes = vec![NodeIx::TRUE; outline.entries.len()];
    for (id, sub) in outline.subs.iter().enumerate() {
        let Shape::Entries { start, .. } = sub.shape else {
            continue;
        };
        let slots = nodes.iter_mut().skip(crate::int::to_usize(start));
        for (entry, slot) in outline.entries(*sub)?.iter().zip(slots) {
            if is_assertion(entry) {
                *slot = work.assertion(SubId::new(id), *sub, entry)?;
            }
        }
    }
    let mut plan = work.plan;
    plan.settle();
    literals::gather(&mut plan)
        .map_err(|Lost| CompileError::new(CompileErrorKind::Internal, Place::default()))?;
    plan.shrink();
    Ok(Assertions {
        plan,
        nodes: nodes.into(),
    })
}

impl Lowering<'_> {
    /// The node of one keyword.
    fn assertion(&mut self, id: SubId, sub: Sub, entry: &Entry) -> Result<NodeIx, CompileError> {
        let mut draft = Draft {
            types: None,
            ops: std::mem::take(&mut self.draft),
        };
        let scope = super::ScopeId::EMPTY;
        let only = std::slice::from_ref(entry);
        self.leaf(id, sub, entry, &mut draft)?;
        self.object(id, sub, scope, only, &mut draft)?;
        self.array(id, sub, scope, only, &mut draft)?;
        if draft.ops.is_empty() {
            self.draft = draft.ops;
            return Ok(NodeIx::plain(draft.types.unwrap_or(TypeSet::ALL)));
        }
        let node = self.pack(draft);
        let ix = NodeIx::new(self.plan.nodes.len());
        self.plan.nodes.push(node);
        Ok(ix)
    }
}

/// Whether a keyword asserts something of a value by itself. `minContains` and
/// `maxContains` count what `contains` matched.
fn is_assertion(entry: &Entry) -> bool {
    match &entry.form {
        Form::Literal
        | Form::Bound { .. }
        | Form::Count(_)
        | Form::Flag(_)
        | Form::Types(_)
        | Form::Pattern(_)
        | Form::Format(_)
        | Form::Content(_)
        | Form::Dependencies(_) => true,
        Form::Annotation
        | Form::One(_)
        | Form::List(_)
        | Form::Map(_)
        | Form::Patterns(_)
        | Form::Reference(_) => false,
    }
}
