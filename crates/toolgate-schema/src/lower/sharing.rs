//! Finds the nodes that paths through the schema can reach twice at one instance location; only
//! their verdicts are remembered during a check.
//!
//! A location can only be visited twice below a fork: a node that applies two subschemas to the
//! same value. If some node can be reached from two branches of a fork, the first such node on each
//! path is entered by two edges; that is the one to remember. The analysis does not compare
//! instance locations along the paths, so it may remember more than necessary.

use std::collections::HashSet;

use crate::int::to_usize;
use crate::model::TypeSet;
use crate::plan::{NodeIx, Op, Plan, PlanNode};

/// Sets the memo trait of every node that needs it, `revisited` ones included.
pub(super) fn mark(plan: &mut Plan, revisited: &HashSet<NodeIx>, refers: bool) {
    let mut memo = Vec::new();
    // Without references and `allOf` every node except leaves is used in one place.
    if refers && has_shared(plan) {
        memo = Graph::new(plan).find();
    }
    memo.resize(plan.nodes.len(), false);
    for ix in revisited {
        if let Some(memo) = memo.get_mut(ix.index()) {
            *memo = true;
        }
    }
    for (node, memo) in plan.nodes.iter_mut().zip(memo) {
        node.traits.memo |= memo && !node.traits.leaf;
    }
}

/// Whether some node that is not a leaf is used in two places.
fn has_shared(plan: &Plan) -> bool {
    let mut used = vec![false; plan.nodes.len()];
    let mut again = |ix: NodeIx| match used.get_mut(ix.index()) {
        Some(used) if !plan.node(ix).traits.leaf => std::mem::replace(used, true),
        _ => false,
    };
    let unions = plan
        .unions
        .iter()
        .flat_map(|union| union.branches.iter().copied());
    let conditions = plan
        .conditions
        .iter()
        .flat_map(|c| [c.test, c.then, c.otherwise]);
    let ops = plan.ops.iter().filter_map(|op| match op {
        Op::Apply(ix) | Op::Not(ix) | Op::UnevaluatedItems(ix) | Op::UnevaluatedProperties(ix) => {
            Some(*ix)
        }
        _ => None,
    });
    let objects = plan.objects.iter().flat_map(|object| {
        let slots = object.names.data().map(|slot| slot.target.node);
        let patterns = object.patterns.iter().map(|(_, one)| one.node);
        let dependents = object.dependents.iter().filter_map(|one| one.schema);
        let additional = object.additional.map(|rest| rest.node);
        let others = additional.into_iter().chain(object.property_names);
        slots.chain(patterns).chain(dependents).chain(others)
    });
    let arrays = plan.arrays.iter().flat_map(|array| {
        let contains = array.contains.iter().map(|contains| contains.schema);
        let items = array.prefix.iter().chain(&array.rest);
        items.map(|item| item.node).chain(contains)
    });
    let mut all = unions
        .chain(conditions)
        .chain(ops)
        .chain(objects)
        .chain(arrays);
    all.any(&mut again)
}

struct Graph {
    /// Every subschema that each node applies, in place or to children.
    edges: Vec<Vec<NodeIx>>,
    /// The edges of each node in groups: only edges of different groups may apply to the same
    /// value. A node with fewer than two groups is not a fork.
    branches: Vec<Vec<Vec<NodeIx>>>,
    entries: Vec<u32>,
    leaf: Vec<bool>,
}

impl Graph {
    fn new(plan: &Plan) -> Self {
        let count = plan.nodes.len();
        let mut graph = Self {
            edges: Vec::with_capacity(count),
            branches: Vec::with_capacity(count),
            entries: vec![0; count],
            leaf: plan.nodes.iter().map(|node| node.traits.leaf).collect(),
        };
        for index in 0..count {
            let branches = branches(plan, NodeIx::new(index), &graph.leaf);
            let edges: Vec<NodeIx> = branches.iter().flatten().copied().collect();
            for edge in &edges {
                if let Some(entries) = graph.entries.get_mut(edge.index()) {
                    *entries += 1;
                }
            }
            graph.edges.push(edges);
            graph.branches.push(branches);
        }
        graph
    }

    fn is_shared(&self, ix: NodeIx) -> bool {
        self.entries
            .get(ix.index())
            .is_some_and(|entries| *entries > 1)
    }

    /// Whether to remember the verdicts of each node.
    fn find(&self) -> Vec<bool> {
        let mut memo = vec![false; self.edges.len()];
        let mut stamps = vec![0_u32; self.edges.len()];
        let mut stamp = 0_u32;
        let mut left = BUDGET;
        let mut waiting: Vec<NodeIx> = Vec::new();
        for branches in self.branches.iter().filter(|branches| branches.len() > 1) {
            let first = stamp + 1;
            for branch in branches {
                stamp += 1;
                waiting.clear();
                waiting.extend(branch);
                while let Some(ix) = waiting.pop() {
                    let Some(mark) = stamps.get_mut(ix.index()) else {
                        continue;
                    };
                    if *mark == stamp {
                        continue;
                    }
                    // Another branch of this fork reached this node: the first node on this path
                    // that is entered by two edges is the one to remember.
                    if *mark >= first && self.is_shared(ix) {
                        if let Some(memo) = memo.get_mut(ix.index()) {
                            *memo = true;
                        }
                        continue;
                    }
                    *mark = stamp;
                    let Some(next) = self.edges.get(ix.index()) else {
                        continue;
                    };
                    left = left.saturating_sub(next.len() + 1);
                    waiting.extend(next);
                }
                if left == 0 {
                    // The graph is too large for a precise search: remember every shared node.
                    let entries = self.entries.iter();
                    return entries.map(|entries| *entries > 1).collect();
                }
            }
        }
        memo
    }
}

/// A node's edges in groups: only edges of different groups may apply to the same value. Leaves are
/// omitted: evaluating one twice costs no more than the reference to it.
fn branches(plan: &Plan, ix: NodeIx, leaf: &[bool]) -> Vec<Vec<NodeIx>> {
    let is_leaf = |ix: &NodeIx| leaf.get(ix.index()).copied().unwrap_or(true);
    let mut groups: Vec<Vec<NodeIx>> = Vec::new();
    let node = plan.node(ix);
    for op in plan.all_ops(node) {
        let mut applied = Vec::new();
        plan.applied_by(*op, &mut applied);
        match *op {
            Op::AnyOf(_) | Op::OneOf(_) if are_apart(plan, &applied) => groups.push(applied),
            Op::AllOf(union) | Op::AnyOf(union) | Op::OneOf(union)
                if are_chosen(plan, node, union) =>
            {
                groups.push(applied);
            }
            _ => groups.extend(applied.into_iter().map(|one| vec![one])),
        }
    }
    for op in plan.all_ops(node) {
        match op {
            Op::Object(object) => {
                let Some(object) = plan.objects.get(to_usize(*object)) else {
                    continue;
                };
                let mut apart: Vec<NodeIx> =
                    object.names.data().map(|slot| slot.target.node).collect();
                apart.extend(object.additional.map(|rest| rest.node));
                groups.push(apart);
                groups.extend(object.patterns.iter().map(|(_, one)| vec![one.node]));
                groups.extend(object.property_names.map(|schema| vec![schema]));
            }
            Op::Array(array) => {
                let Some(array) = plan.arrays.get(to_usize(*array)) else {
                    continue;
                };
                let mut apart: Vec<NodeIx> = array.prefix.iter().map(|item| item.node).collect();
                apart.extend(array.rest.map(|rest| rest.node));
                groups.push(apart);
                groups.extend(array.contains.map(|contains| vec![contains.schema]));
            }
            Op::UnevaluatedItems(schema) | Op::UnevaluatedProperties(schema) => {
                groups.push(vec![*schema]);
            }
            _ => {}
        }
    }
    for group in &mut groups {
        group.retain(|ix| !is_leaf(ix));
    }
    groups.retain(|group| !group.is_empty());
    groups
}

/// Whether the types of the branches are disjoint, so that at most one branch evaluates each value.
fn are_apart(plan: &Plan, branches: &[NodeIx]) -> bool {
    let mut before = TypeSet::NONE;
    branches.iter().all(|branch| {
        let types = plan.node(*branch).types;
        let apart = !types.intersects(before);
        before = before.union(types);
        apart
    })
}

/// Whether a member selects at most one branch for each object, and at most one branch applies to
/// other values.
fn are_chosen(plan: &Plan, node: &PlanNode, union: u32) -> bool {
    let select = plan.unions.get(to_usize(union));
    let select = select.and_then(|union| union.select.as_ref());
    let is_object = |node: &PlanNode| TypeSet::OBJECT.contains(node.types);
    let mut branches = plan.branches(union).iter();
    select.is_some_and(|select| {
        let one = select
            .others
            .as_ref()
            .is_some_and(|others| others.len() < 2);
        select.is_exclusive()
            && (one || is_object(node) || branches.all(|branch| is_object(plan.node(*branch))))
    })
}

/// Maximum number of edges visited before the search becomes imprecise.
const BUDGET: usize = 1_000_000;
