//! Finds the member whose value tells the branches of a union apart, so that an
//! object need not try those that its value rules out: `kind` where each branch
//! has another constant for it, also behind references and `allOf`.
//!
//! Conditions beside each other that test such a member (`if` its value is this,
//! `then` that) are gathered into a union of their own.

use std::collections::HashMap;

use toolgate_json::{Kind, Node as _};

use crate::int::{to_u16, to_u32, to_usize};
use crate::plan::{Leaf, NameTable, NodeIx, Op, Plan, PlanNode, Run, Select, Union};

/// Gives every union its [`Select`] where there is one.
pub(super) fn discriminate(plan: &mut Plan) {
    for index in 0..plan.unions.len() {
        let Some(union) = plan.unions.get(index) else {
            continue;
        };
        let branches: Vec<Branch> = union.branches.iter().map(|ix| (*ix, *ix)).collect();
        let select = select(plan, &branches);
        if let Some(union) = plan.unions.get_mut(index) {
            union.select = select;
        }
    }
    if plan.conditions.len() >= FEWEST_CONDITIONS {
        for index in 0..plan.nodes.len() {
            gather_conditions(plan, index);
        }
    }
}

/// A branch and the node that rules it out by not matching.
type Branch = (NodeIx, NodeIx);

/// Makes a union of the conditions that a node applies, if one member settles them.
fn gather_conditions(plan: &mut Plan, index: usize) {
    let node = *plan.node(NodeIx::new(index));
    if !node.has(Run::Any.bit()) {
        return;
    }
    let tested = |op: &Op| match op {
        Op::Apply(target) => test_of(plan, *target).map(|test| (*target, test)),
        _ => None,
    };
    let conditions: Vec<Branch> = plan
        .run(&node, Run::Any)
        .iter()
        .filter_map(tested)
        .collect();
    if conditions.len() < FEWEST_CONDITIONS {
        return;
    }
    let Some(select) = select(plan, &conditions) else {
        return;
    };
    let union = to_u32(plan.unions.len());
    let start = to_u32(plan.ops.len());
    let mut ops = Vec::new();
    let mut ends = [0; Run::COUNT];
    for (end, run) in ends.iter_mut().zip(Run::ALL) {
        let gathered =
            |op: &Op| matches!(op, Op::Apply(ix) if conditions.iter().any(|(one, _)| one == ix));
        let kept = plan.run(&node, run).iter().filter(|op| !gathered(op));
        ops.extend(kept.copied());
        if run == Run::Any {
            ops.push(Op::AllOf(union));
        }
        *end = to_u16(ops.len());
    }
    plan.ops.extend(ops);
    plan.unions.push(Union {
        branches: conditions.into_iter().map(|(branch, _)| branch).collect(),
        select: Some(select),
    });
    if let Some(slot) = plan.nodes.get_mut(index) {
        *slot = PlanNode {
            start,
            ends,
            ..node
        };
    }
}

/// The test of a node that is a condition without `else` and nothing more.
fn test_of(plan: &Plan, ix: NodeIx) -> Option<NodeIx> {
    let node = plan.node(ix);
    let [Op::If(condition)] = plan.all_ops(node) else {
        return None;
    };
    let condition = plan.conditions.get(to_usize(*condition))?;
    let alone = node.types.is_all() && condition.otherwise == NodeIx::TRUE;
    alone.then_some(condition.test)
}

/// The best member to choose by, if any is worth it.
fn select(plan: &Plan, branches: &[Branch]) -> Option<Box<Select>> {
    let mut names: Vec<&str> = Vec::new();
    for (_, test) in branches.iter().take(BRANCHES_ASKED) {
        names_of(plan, *test, APPLIED, &mut names);
    }
    names.sort_unstable();
    names.dedup();
    let mut best: Option<(usize, &str)> = None;
    for name in names.into_iter().take(NAMES_ASKED) {
        let asks = |branch: &&Branch| demand(plan, branch.1, name, APPLIED).is_some();
        let count = branches.iter().filter(asks).count();
        if count > best.map_or(1, |(most, _)| most) {
            best = Some((count, name));
        }
    }
    let (_, name) = best?;
    let demands: Vec<Option<Demand<'_>>> = branches
        .iter()
        .map(|(_, test)| demand(plan, *test, name, APPLIED))
        .collect();
    let mut slot_of: HashMap<Value<'_>, usize> = HashMap::new();
    let mut values = Vec::new();
    for value in demands.iter().flatten().flat_map(|demand| &demand.values) {
        slot_of.entry(*value).or_insert_with(|| {
            values.push(*value);
            values.len() - 1
        });
    }
    let free = demands.iter().filter(|demand| demand.is_none()).count();
    if values.len().saturating_mul(free + 1) > MOST_ROWS {
        return None;
    }
    let mut chosen: Vec<Vec<NodeIx>> = vec![Vec::new(); values.len()];
    let (mut others, mut unlike, mut absent) = (Vec::new(), Vec::new(), Vec::new());
    for ((branch, test), demand) in branches.iter().zip(&demands) {
        let Some(demand) = demand else {
            chosen.iter_mut().for_each(|list| list.push(*branch));
            others.push(*branch);
            unlike.push(*branch);
            absent.push(*branch);
            continue;
        };
        // Once for each value. The same node may be another branch too, and `oneOf` counts both.
        let slots = demand.values.iter().filter_map(|value| slot_of.get(value));
        let mut slots: Vec<usize> = slots.copied().collect();
        slots.sort_unstable();
        slots.dedup();
        for slot in slots {
            if let Some(list) = chosen.get_mut(slot) {
                list.push(*branch);
            }
        }
        if demand.others {
            unlike.push(*branch);
        }
        if !requires(plan, *test, name, APPLIED) {
            absent.push(*branch);
        }
    }
    let mut strings = Vec::new();
    let mut integers: Vec<(i64, Box<[NodeIx]>)> = Vec::new();
    for (value, list) in values.into_iter().zip(chosen) {
        match value {
            Value::Text(text) => strings.push((text, list.into())),
            Value::Integer(integer) => integers.push((integer, list.into())),
        }
    }
    integers.sort_unstable_by_key(|(integer, _)| *integer);
    Some(Box::new(Select {
        name: NameTable::of([name]),
        values: NameTable::new(strings),
        integers: integers.into(),
        others: others.into(),
        unlike: unlike.into(),
        absent: absent.into(),
    }))
}

/// What a member must be for a node to match.
struct Demand<'p> {
    /// The strings and integers it may be.
    values: Vec<Value<'p>>,
    /// Whether it may be anything else.
    others: bool,
}

/// A value to choose by.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Value<'p> {
    Text(&'p str),
    Integer(i64),
}

/// What a node, or one that it applies, demands of a member by a list of values.
fn demand<'p>(plan: &'p Plan, ix: NodeIx, name: &str, depth: u32) -> Option<Demand<'p>> {
    let node = plan.node(ix);
    let own = plan.objects.get(to_usize(node.object)).and_then(|object| {
        let slot = object.names.find_text(name);
        let slot = slot.filter(|slot| slot.declared)?;
        values(plan, slot.target.node)
    });
    own.or_else(|| {
        let mut applied = applied(plan, node, depth);
        applied.find_map(|target| demand(plan, target, name, depth - 1))
    })
}

/// The values that a node accepts, if its constants are all that it accepts.
fn values(plan: &Plan, ix: NodeIx) -> Option<Demand<'_>> {
    let node = plan.node(ix);
    let (values, others) = match plan.run(node, Run::Head).first()? {
        Op::Leaf(Leaf::Const(index)) => {
            let literal = plan.literal_at(*index)?;
            let value = match literal.kind() {
                Kind::String => Value::Text(literal.string()),
                Kind::Number => Value::Integer(literal.number().as_i64()?),
                _ => return None,
            };
            (vec![value], false)
        }
        Op::Leaf(Leaf::Enum(index)) => {
            let members = plan.enums.get(to_usize(*index))?;
            let strings = members.strings.names().map(Value::Text);
            let integers = members.integers.iter().copied().map(Value::Integer);
            let others = members.null || members.yes || members.no;
            let others = others || !members.numbers.is_empty() || !members.compound.is_empty();
            (
                strings.chain(integers).take(VALUES_ASKED + 1).collect(),
                others,
            )
        }
        _ => return None,
    };
    (values.len() <= VALUES_ASKED).then_some(Demand { values, others })
}

/// Whether a node, or one that it applies, requires a member.
fn requires(plan: &Plan, ix: NodeIx, name: &str, depth: u32) -> bool {
    let node = plan.node(ix);
    let own = plan
        .objects
        .get(to_usize(node.object))
        .is_some_and(|object| {
            let slot = object.names.find_text(name);
            slot.is_some_and(|slot| slot.required)
        });
    own || applied(plan, node, depth).any(|target| requires(plan, target, name, depth - 1))
}

/// The members that a node, or one that it applies, demands to be one of some values.
fn names_of<'p>(plan: &'p Plan, ix: NodeIx, depth: u32, names: &mut Vec<&'p str>) {
    let node = plan.node(ix);
    if let Some(object) = plan.objects.get(to_usize(node.object)) {
        for (slot, name) in object.names.data().zip(object.names.names()) {
            if slot.declared && values(plan, slot.target.node).is_some() {
                names.push(name);
            }
        }
    }
    for target in applied(plan, node, depth) {
        names_of(plan, target, depth - 1, names);
    }
}

/// The first few nodes that a node applies without a condition.
fn applied<'p>(
    plan: &'p Plan,
    node: &'p PlanNode,
    depth: u32,
) -> impl Iterator<Item = NodeIx> + 'p {
    let most = if depth == 0 { 0 } else { APPLIED_ASKED };
    let ops = plan.run(node, Run::Any).iter().take(most);
    ops.filter_map(|op| match op {
        Op::Apply(target) => Some(*target),
        _ => None,
    })
}

/// Fewer conditions are not worth a union.
const FEWEST_CONDITIONS: usize = 3;
/// So many branches are asked for the names of members to choose by.
const BRANCHES_ASKED: usize = 4;
/// So many names are tried.
const NAMES_ASKED: usize = 16;
/// A member with more values to choose from is none to choose by.
const VALUES_ASKED: usize = 64;
/// So many steps of application are followed, and so many nodes at each.
const APPLIED: u32 = 3;
const APPLIED_ASKED: usize = 4;
/// Lists longer than this in sum are not made.
const MOST_ROWS: usize = 4096;
