//! Lowers conditions, and `not`, to unions that select a branch by the value of one member or by
//! which names are present, so that the tests are not evaluated. Adjacent conditions (`if` a member
//! has this value, `then` that) become one union, and so do conditions nested in `else` or `then`.

use foldhash::HashSet;
use std::cell::Cell;

use super::demand::Demands;
use super::discriminate::{Branch, MOST_NAMES, MOST_ROWS, Rows, candidate, select};
use super::exact::Test;
use crate::int::{to_u16, to_u32, to_usize};
use crate::plan::{
    Candidate, Condition, Constant, Key, NameTable, Names, NodeIx, Op, Plan, PlanNode, Rule, Run,
    Select, Union,
};

/// Makes unions of the conditions that one member decides or that test which names are present, and
/// of other conditions if there are several. `left` is the number of steps left to search for
/// demands.
pub(super) fn decide(plan: &mut Plan, left: &Cell<usize>) {
    let is_condition = |op: &Op| matches!(op, Op::If(_) | Op::Not(_));
    if !plan.ops.iter().any(is_condition) {
        return;
    }
    // The members that a test evaluates must be found again.
    let collects = |op: &Op| matches!(op, Op::UnevaluatedItems(_) | Op::UnevaluatedProperties(_));
    let collects = plan.ops.iter().any(collects);
    let mut taken = vec![false; plan.nodes.len()];
    if !collects {
        // Adjacent conditions first, so that each does not become a union of its own.
        for index in 0..plan.nodes.len() {
            let applied =
                |op: &&Op| matches!(op, Op::Apply(_)) && condition_of(plan, **op).is_some();
            let any = plan.run(plan.node(NodeIx::new(index)), Run::Any);
            if any.iter().filter(applied).count() > 1 {
                decide_conditions(plan, index, left, &mut taken);
            }
        }
    }
    // The node of a consequence comes after the node of its condition.
    for index in (0..plan.nodes.len()).rev() {
        if !collects && taken.get(index) == Some(&false) {
            decide_conditions(plan, index, left, &mut taken);
        }
        gather_conditions(plan, index, left);
    }
}

/// Makes unions of the conditions that a node applies and one member decides, one union for each
/// such member. Records in `taken` the nodes that are no longer applied.
fn decide_conditions(plan: &mut Plan, index: usize, left: &Cell<usize>, taken: &mut [bool]) {
    let node = *plan.node(NodeIx::new(index));
    if !node.has(Run::Any.bit()) {
        return;
    }
    let demands = Demands::new(plan, left);
    let mut groups: Vec<(&str, Vec<Decided<'_>>)> = Vec::new();
    let decided = |op: &Op| match condition_of(plan, *op) {
        Some(condition) => Some(Decided::new(demands.test(condition.test)?, condition)),
        None => Decided::taken_in(plan, *op),
    };
    let mut ops = Vec::new();
    let mut unions = Vec::new();
    for op in plan.run(&node, Run::Any) {
        let Some(decided) = decided(op) else {
            match condition_of(plan, *op).and_then(|one| union_by_names(&demands, one)) {
                Some(union) => unions.push(union),
                None => ops.push(*op),
            }
            continue;
        };
        match groups
            .iter_mut()
            .find(|(name, _)| *name == decided.test.name)
        {
            Some((_, group)) if is_affordable(group, &decided) => group.push(decided),
            Some(_) => {
                ops.push(*op);
                continue;
            }
            None => groups.push((decided.test.name, vec![decided])),
        }
        if let Op::Apply(target) = op
            && let Some(taken) = taken.get_mut(target.index())
        {
            *taken = true;
        }
    }
    if groups.is_empty() && unions.is_empty() {
        return;
    }
    let decided = groups
        .iter()
        .map(|(name, group)| union_of(plan, name, group));
    unions.extend(decided);
    for union in unions {
        ops.push(Op::AllOf(to_u32(plan.unions.len())));
        plan.unions.push(union);
    }
    replace_any(plan, index, node, &ops);
}

/// A condition that the value of one member decides.
struct Decided<'p> {
    test: Test<'p>,
    condition: Condition,
    /// How many values of the member are listed.
    values: usize,
}

impl<'p> Decided<'p> {
    fn new(test: Test<'p>, condition: Condition) -> Self {
        let values = test.demand.values.len();
        Self {
            test,
            condition,
            values,
        }
    }

    /// Whether it adds a branch only for the values in its list.
    fn is_rare(&self) -> bool {
        !self.test.demand.negated && self.condition.otherwise == NodeIx::TRUE
    }

    /// A node that is applied and consists of such a union alone: the node is the consequence for
    /// every value of the member.
    fn taken_in(plan: &'p Plan, op: Op) -> Option<Self> {
        let Op::Apply(target) = op else {
            return None;
        };
        let (key, _) = decided_by(plan, target)?;
        Some(Self {
            test: Test::passed(key.name.name(0)),
            condition: Condition {
                test: NodeIx::TRUE,
                then: target,
                otherwise: target,
            },
            values: key.constants().count(),
        })
    }
}

/// The member that selects what a node applies, if the node does nothing else, and the branches for
/// values that are not objects.
fn decided_by(plan: &Plan, ix: NodeIx) -> Option<(&Key, &[NodeIx])> {
    let node = plan.node(ix);
    let [Op::AllOf(union)] = plan.all_ops(node) else {
        return None;
    };
    let select = plan.unions.get(to_usize(*union))?.select.as_ref()?;
    let key = select.key.as_ref()?;
    let alone = node.types.is_all() && select.names.is_none();
    let few = key.constants().take(MOST_VALUES + 1).count() <= MOST_VALUES;
    Some((key, &**select.others.as_ref()?)).filter(|_| alone && few)
}

/// Whether the table rows of some conditions and one more are worth their memory.
fn is_affordable(group: &[Decided<'_>], another: &Decided<'_>) -> bool {
    let frequent = group.iter().filter(|one| !one.is_rare()).count();
    let frequent = frequent + usize::from(!another.is_rare());
    let values = group.iter().map(|one| one.values).sum::<usize>() + another.values;
    frequent == 0 || values.saturating_mul(frequent) <= MOST_ROWS
}

/// The condition of an operation, directly or as the only operation of the node that it applies.
/// `not` also counts as a condition.
fn condition_of(plan: &Plan, op: Op) -> Option<Condition> {
    match op {
        Op::If(condition) => plan.conditions.get(to_usize(condition)).copied(),
        Op::Not(test) => Some(Condition {
            test,
            then: NodeIx::FALSE,
            otherwise: NodeIx::TRUE,
        }),
        Op::Apply(target) => match plan.all_ops(plan.node(target)) {
            [op @ (Op::If(_) | Op::Not(_))] if plan.node(target).types.is_all() => {
                condition_of(plan, *op)
            }
            _ => None,
        },
        _ => None,
    }
}

/// The union for a condition that tests whether some names are present.
fn union_by_names(demands: &Demands<'_>, condition: Condition) -> Option<Union> {
    let names = demands.names_alone(condition.test)?;
    let of_others = demands.of_others(condition.test)?;
    if names.is_empty() || names.len() > MOST_NAMES {
        return None;
    }
    let bits = (0..).map(|bit| 1_u64.checked_shl(bit).unwrap_or(0));
    let count = to_u16(names.len());
    let table = NameTable::new(names.into_iter().zip(bits));
    let required = table.data().fold(0, |all, bit| all | bit);
    let there = Rule {
        required,
        forbidden: 0,
    };
    let missing = table.data().map(|bit| Rule {
        required: 0,
        forbidden: *bit,
    });
    let rules = std::iter::once(there).chain(missing).collect();
    let (then, otherwise) = (condition.then, condition.otherwise);
    let all = [(then, (0, 1)), (otherwise, (1, count + 1))]
        .map(|(node, rules)| Candidate { node, rules });
    let asks = |node: &NodeIx| *node != NodeIx::TRUE;
    let others = if of_others { then } else { otherwise };
    Some(Union {
        branches: [then, otherwise].into_iter().filter(asks).collect(),
        select: Some(Box::new(Select {
            key: None,
            all: all.into_iter().filter(|one| asks(&one.node)).collect(),
            names: Some(Names {
                table,
                rules,
                decide: true,
            }),
            others: Some([others].into_iter().filter(asks).collect()),
        })),
    })
}

/// The union for conditions on the value of one member. If a consequence consists of another such
/// union on the same member, its branches are included.
fn union_of(plan: &Plan, name: &str, group: &[Decided<'_>]) -> Union {
    let next = |one: &Decided<'_>, holds: bool| match holds {
        true => one.condition.then,
        false => one.condition.otherwise,
    };
    let inner = |ix: NodeIx| {
        let inner = decided_by(plan, ix);
        inner.filter(|(key, _)| key.name.name(0) == name)
    };
    let add = |list: &mut Vec<Candidate>, one: Candidate| {
        if one.node != NodeIx::TRUE && !list.contains(&one) {
            list.push(one);
        }
    };
    let list = |holds: &dyn Fn(&Test<'_>) -> bool, of: &dyn Fn(&Key) -> &[Candidate]| {
        let mut list = Vec::new();
        for one in group {
            let next = next(one, holds(&one.test));
            match inner(next) {
                Some((key, _)) => of(key).iter().for_each(|branch| add(&mut list, *branch)),
                None => add(&mut list, candidate(next)),
            }
        }
        list.into_boxed_slice()
    };
    let mut others: Vec<NodeIx> = Vec::new();
    // A node that several conditions apply is evaluated once; otherwise nested unions would double
    // the list with each level.
    let mut listed = HashSet::from_iter([NodeIx::TRUE]);
    for one in group {
        let next = next(one, one.test.of_others);
        match inner(next) {
            Some((_, inner)) => others.extend(inner.iter().filter(|ix| listed.insert(**ix))),
            None => others.extend(Some(next).filter(|ix| listed.insert(*ix))),
        }
    }
    let followed = group
        .iter()
        .flat_map(|one| [one.condition.then, one.condition.otherwise]);
    let keys: Vec<&Key> = followed.filter_map(inner).map(|(key, _)| key).collect();
    let own = group.iter().flat_map(|one| &one.test.demand.values);
    let theirs = keys.iter().flat_map(|key| key.constants());
    let mut rows = Rows::of(own.copied().chain(theirs));
    for one in group {
        let mut add = |value: Constant<'_>, list: &mut Vec<Candidate>| {
            let next = next(one, one.test.demand.admits(Some(value)));
            match inner(next) {
                Some((key, _)) => key.row(value).iter().for_each(|branch| add(list, *branch)),
                None => add(list, candidate(next)),
            }
        };
        if one.is_rare() {
            rows.each_of(&one.test.demand.values, &mut add);
        } else {
            rows.each(&mut add);
        }
    }
    let key = rows.key(
        name,
        list(&|test| test.demand.admits(None), &|key| &key.rest),
        list(&|test| test.demand.unlike, &|key| &key.unlike),
        list(&|test| !test.required, &|key| &key.absent),
    );
    let mut branches: Vec<NodeIx> = key.choices().flatten().map(|one| one.node).collect();
    branches.extend(&others);
    branches.sort_unstable();
    branches.dedup();
    Union {
        branches: branches.into(),
        select: Some(Box::new(Select {
            key: Some(key),
            all: Box::default(),
            names: None,
            others: Some(others.into()),
        })),
    }
}

/// Replaces the operations of a node that concern values of any kind.
fn replace_any(plan: &mut Plan, index: usize, node: PlanNode, any: &[Op]) {
    let start = to_u32(plan.ops.len());
    let mut ops: Vec<Op> = Vec::new();
    let mut ends = [0; Run::COUNT];
    for (end, run) in ends.iter_mut().zip(Run::ALL) {
        match run {
            Run::Any => ops.extend(any),
            _ => ops.extend(plan.run(&node, run)),
        }
        *end = to_u16(ops.len());
    }
    plan.ops.extend(ops);
    if let Some(slot) = plan.nodes.get_mut(index) {
        *slot = PlanNode {
            start,
            ends,
            ..node
        };
    }
}

/// Makes a union of the conditions that a node applies, if the value of one member rules out some
/// of them.
fn gather_conditions(plan: &mut Plan, index: usize, left: &Cell<usize>) {
    let node = *plan.node(NodeIx::new(index));
    if !node.has(Run::Any.bit()) {
        return;
    }
    let tested = |op: &Op| match op {
        Op::Apply(target) => {
            let condition = condition_of(plan, *op)?;
            let kept = condition.otherwise == NodeIx::TRUE && condition.then != NodeIx::FALSE;
            kept.then_some((*target, condition.test))
        }
        _ => None,
    };
    let any = plan.run(&node, Run::Any);
    let conditions: Vec<Branch> = any.iter().filter_map(tested).collect();
    if conditions.len() < FEWEST_CONDITIONS {
        return;
    }
    let Some(select) = select(&Demands::new(plan, left), &conditions) else {
        return;
    };
    let branches: Box<[NodeIx]> = conditions.into_iter().map(|(branch, _)| branch).collect();
    let gathered = |op: &Op| matches!(op, Op::Apply(ix) if branches.contains(ix));
    let mut ops: Vec<Op> = any.iter().filter(|op| !gathered(op)).copied().collect();
    ops.push(Op::AllOf(to_u32(plan.unions.len())));
    plan.unions.push(Union {
        branches,
        select: Some(select),
    });
    replace_any(plan, index, node, &ops);
}

/// A union needs at least this many conditions if it only rules them out.
const FEWEST_CONDITIONS: usize = 3;
/// A union with more values is not merged into another.
const MOST_VALUES: usize = 64;
