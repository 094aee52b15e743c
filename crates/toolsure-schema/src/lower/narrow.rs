//! Narrows a node's types to what its operations imply, and finds leaves.

use crate::model::TypeSet;
use crate::plan::{NodeIx, Op, Plan, PlanNode, Run};

/// Intersects each node's types with those of the subschemas it applies, so that a value of the
/// wrong type fails at once; drops operations that the types decide; and marks the nodes that never
/// inspect more than the value itself.
pub(super) fn narrow(plan: &mut Plan) {
    for _ in 0..ROUNDS {
        let mut changed = false;
        for index in (0..plan.nodes.len()).rev() {
            let node = *plan.node(NodeIx::new(index));
            let types = narrowed(plan, &node);
            let settled = node.has(Run::Any.bit()) && types_settle(plan, &node);
            if (types != node.types || settled)
                && let Some(slot) = plan.nodes.get_mut(index)
            {
                slot.types = types;
                if settled {
                    slot.present &= !Run::Any.bit();
                    slot.traits.types_only = slot.present == 0;
                }
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    for index in 0..plan.nodes.len() {
        let looks_further = plan.node(NodeIx::new(index)).has(Run::FURTHER);
        if let Some(slot) = plan.nodes.get_mut(index) {
            slot.traits.leaf = !looks_further;
        }
    }
}

/// Whether a node applies nothing but types in place, and its own types now include them: a
/// reference to `{"type": "string"}`, or a union of types (a nullable field). `oneOf` means the
/// same as `anyOf` if no two branches have a type in common.
fn types_settle(plan: &Plan, node: &PlanNode) -> bool {
    let types_only = |ix: &NodeIx| plan.node(*ix).traits.types_only;
    let any = |ix: &NodeIx| types_only(ix) && !plan.node(*ix).types.contains(TypeSet::LEXICAL);
    plan.run(node, Run::Any).iter().all(|op| match op {
        Op::Apply(target) => types_only(target),
        Op::AnyOf(union) => plan.branches(*union).iter().all(any),
        Op::OneOf(union) => {
            let mut seen = TypeSet::NONE;
            plan.branches(*union).iter().all(|branch| {
                let types = plan.node(*branch).types;
                let apart = !seen.intersects(types);
                seen = seen.union(types);
                apart && any(branch)
            })
        }
        _ => false,
    })
}

fn narrowed(plan: &Plan, node: &PlanNode) -> TypeSet {
    let mut types = node.types;
    for op in plan.run(node, Run::Any) {
        match op {
            Op::Apply(target) => types = types.intersection(plan.node(*target).types),
            Op::AnyOf(union) | Op::OneOf(union) => {
                let mut all = TypeSet::NONE;
                for branch in plan.branches(*union) {
                    all = all.union(plan.node(*branch).types);
                }
                // "Written without fraction" is required by one branch, not by the union.
                if !all.contains(TypeSet::LEXICAL) {
                    types = types.intersection(all);
                }
            }
            _ => {}
        }
    }
    types
}

/// Types propagate through at most this many references; correctness does not depend on it.
const ROUNDS: usize = 4;
