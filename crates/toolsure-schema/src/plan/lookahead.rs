//! Finds the nodes for which looking ahead in the JSON text can replace evaluation on the tape.

use super::{Left, NodeIx, Op, Plan, PlanNode, Run, Union};
use crate::int::to_usize;
use crate::model::TypeSet;

/// Tells for each node whether its unions may be reduced to one branch each once some members are
/// known.
pub(super) fn nodes_with_lookahead(plan: &Plan) -> Vec<bool> {
    let known = vec![None; plan.nodes.len()];
    let mut search = LookaheadSearch { plan, known };
    for index in 0..plan.nodes.len() {
        search.allows(NodeIx::new(index), DEEPEST_LOOKAHEAD);
    }
    let known = search.known.into_iter();
    known.map(|known| known == Some(true)).collect()
}

/// The nodes whose answer is known, while the others are examined.
struct LookaheadSearch<'p> {
    plan: &'p Plan,
    known: Vec<Option<bool>>,
}

impl LookaheadSearch<'_> {
    /// Whether a node needs nothing but walks over objects, following at most `steps` applications
    /// below it.
    fn allows(&mut self, ix: NodeIx, steps: u32) -> bool {
        let plan = self.plan;
        let node = plan.node(ix);
        if node.traits.types_only || !node.types.intersects(TypeSet::OBJECT) {
            return true;
        }
        if let Some(Some(known)) = self.known.get(ix.index()) {
            return *known;
        }
        let Some(below) = steps.checked_sub(1) else {
            return false;
        };
        let leaf = Run::Head.bit() | Run::Number.bit() | Run::String.bit();
        let object = plan.objects.get(to_usize(node.object));
        let names = object.map(|object| &object.names);
        let object =
            object.is_none_or(|object| object.names_decide() && object.dependents.is_empty());
        let admits_objects = |ix: &NodeIx| plan.node(*ix).types.intersects(TypeSet::OBJECT);
        let allows = object
            && !node.has(leaf | Run::Tail.bit())
            && plan.run(node, Run::Any).iter().all(|op| match op {
                Op::Apply(target) => self.allows(*target, below),
                Op::AllOf(index) => plan.unions.get(to_usize(*index)).is_some_and(|union| {
                    // Looking for a member that may be absent reads to the end of each object.
                    let key = union.select.as_ref().and_then(|one| one.key.as_ref());
                    let slot = key.and_then(|key| names?.find_text(key.name.name(0)));
                    slot.is_some_and(|slot| slot.required)
                        && union.branches.iter().all(|ix| self.allows(*ix, below))
                }),
                Op::AnyOf(index) | Op::OneOf(index) => {
                    plan.unions.get(to_usize(*index)).is_some_and(|union| {
                        let names = union.select.as_ref().is_some_and(|one| one.names.is_some());
                        let few = |left: Left<'_>| left.filter(admits_objects).count() < 2;
                        let likely = matches!(op, Op::AnyOf(_)) && first_is_likely(plan, union);
                        (names || likely || union.choices().any(few))
                            && union.branches.iter().any(|ix| self.allows(*ix, below))
                    })
                }
                _ => false,
            });
        if let Some(slot) = self.known.get_mut(ix.index()) {
            *slot = Some(allows);
        }
        allows
    }
}

/// Whether almost every object that matches some branch matches the first one that objects can match: that branch is a walk
/// that requires no member, allows all others, and inspects only members that no other branch inspects.
fn first_is_likely(plan: &Plan, union: &Union) -> bool {
    let branches = union.branches.iter().map(|ix| plan.node(*ix));
    let mut branches = branches.filter(|node| node.types.intersects(TypeSet::OBJECT));
    let walk = |node: &PlanNode| plan.objects.get(to_usize(node.object));
    let first = branches
        .next()
        .filter(|node| node.present == Run::Object.bit());
    let Some(object) = first.and_then(walk) else {
        return false;
    };
    object.is_open()
        && object.names_decide()
        && object.min == 0
        && object.max == usize::MAX
        && union.branches.len() <= MOST_BRANCHES
        && object.names.len() <= MOST_NAMES
        && branches.all(|node| {
            let other = walk(node).map(|other| &other.names);
            let mut names = object.names.names();
            other.is_some_and(|other| names.all(|name| other.find_text(name).is_none()))
        })
}

/// Maximum numbers of branches, and of names of the first one, that are compared with each other.
const MOST_BRANCHES: usize = 16;
const MOST_NAMES: usize = 64;
/// Maximum number of subschemas, each applied by the one before, that are followed for one object.
const DEEPEST_LOOKAHEAD: u32 = 16;
