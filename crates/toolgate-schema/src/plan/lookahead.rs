//! What a reader of text may know of a value before it has passed it.

use super::{Inspection, NameTable, NodeIx, NodeSummary, Op, Plan, Run};
use crate::int::to_usize;
use crate::model::TypeSet;

impl Plan {
    /// Finds the nodes whose unions come down to one branch each once some members are known.
    pub(super) fn settle_lookahead(&mut self) {
        let mut known = vec![None; self.nodes.len()];
        for index in 0..self.nodes.len() {
            self.allows_lookahead(NodeIx::new(index), DEEPEST_LOOKAHEAD, &mut known);
        }
        for (node, known) in self.nodes.iter_mut().zip(known) {
            node.traits.lookahead = known == Some(true);
        }
    }

    /// Whether what a node asks of objects comes down to walks, each looked for at most so
    /// many applications below it.
    fn allows_lookahead(&self, ix: NodeIx, steps: u32, known: &mut Vec<Option<bool>>) -> bool {
        let node = self.node(ix);
        if node.traits.plain || !node.types.intersects(TypeSet::OBJECT) {
            return true;
        }
        if let Some(Some(known)) = known.get(ix.index()) {
            return *known;
        }
        let Some(below) = steps.checked_sub(1) else {
            return false;
        };
        let leaf = Run::Head.bit() | Run::Number.bit() | Run::String.bit();
        let object = self.objects.get(to_usize(node.object));
        let object = object.is_none_or(|object| object.is_plain() && object.dependents.is_empty());
        let mut branch = |ix: &NodeIx| self.allows_lookahead(*ix, below, known);
        let allows = object
            && !node.has(leaf | Run::Tail.bit())
            && self.run(node, Run::Any).iter().all(|op| match op {
                Op::Apply(target) => branch(target),
                Op::AnyOf(index) | Op::OneOf(index) => {
                    self.unions.get(to_usize(*index)).is_some_and(|union| {
                        union.choices().all(|left| {
                            left.iter().filter(|ix| self.admits_objects(ix)).count() < 2
                        }) && union.branches.iter().all(&mut branch)
                    })
                }
                _ => false,
            });
        if let Some(slot) = known.get_mut(ix.index()) {
            *slot = Some(allows);
        }
        allows
    }

    /// Whether a node admits objects.
    fn admits_objects(&self, ix: &NodeIx) -> bool {
        self.node(*ix).types.intersects(TypeSet::OBJECT)
    }

    /// The first member that a walk over an object requires and that may be a string.
    pub(super) fn key_of(&self, target: &NodeSummary) -> Option<Box<NameTable>> {
        if target.inspection != Inspection::Object {
            return None;
        }
        let names = &self.objects.get(to_usize(target.index))?.names;
        let required = names.data().zip(names.names()).filter(|(slot, _)| {
            slot.required && slot.declared && slot.target.types.intersects(TypeSet::STRING)
        });
        let (_, name) = required.min_by_key(|(slot, _)| slot.order)?;
        Some(Box::new(NameTable::of([name])))
    }
}

/// Subschemas that are applied to one object, one by the other, while it is looked at ahead.
const DEEPEST_LOOKAHEAD: u32 = 8;
