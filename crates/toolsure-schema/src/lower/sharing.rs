//! Finds the nodes that paths through the schema can reach twice at one instance location; only
//! their verdicts are remembered during a check.
//!
//! A location can only be visited twice below a fork: a node that applies two subschemas to the
//! same value. The nodes to remember are those that two branches of a fork can reach and that are
//! entered by two edges; the others are visited once for each visit of the one before. The analysis
//! does not compare instance locations along the paths, so it may remember more than necessary.

use foldhash::HashSet;

use crate::int::{to_u32, to_usize};
use crate::model::TypeSet;
use crate::plan::{NodeIx, Op, Plan, PlanNode};

/// Sets the memo trait of every node that needs it, `revisited` ones included.
pub(super) fn mark(plan: &mut Plan, revisited: &HashSet<NodeIx>, refers: bool) {
    let mut memo = Vec::new();
    // Without references and `allOf` every node except leaves is used in one place.
    if refers {
        let graph = Graph::new(plan);
        if graph.entries.iter().any(|entries| *entries > 1) {
            memo = graph.find();
        }
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

/// Every subschema that each node applies, in place or to children, without leaves: most take no
/// longer than a look at the memory of verdicts.
struct Graph {
    edges: Vec<NodeIx>,
    /// The edges of each node are in groups: only edges of different groups may apply to the same
    /// value. Has the start of each group in `edges`, and the end of the last.
    groups: Vec<u32>,
    /// The first group and the first edge of each node, then the number of both.
    nodes: Vec<(u32, u32)>,
    /// How many edges lead to each node.
    entries: Vec<u32>,
}

impl Graph {
    fn new(plan: &Plan) -> Self {
        let count = plan.nodes.len();
        let mut graph = Self {
            edges: Vec::with_capacity(count),
            groups: Vec::with_capacity(count + 1),
            nodes: Vec::with_capacity(count + 1),
            entries: vec![0; count],
        };
        graph.groups.push(0);
        graph.nodes.push((0, 0));
        let mut applied = Vec::new();
        for node in &plan.nodes {
            graph.add(plan, node, &mut applied);
            let ends = (to_u32(graph.groups.len() - 1), to_u32(graph.edges.len()));
            graph.nodes.push(ends);
        }
        for edge in &graph.edges {
            if let Some(entries) = graph.entries.get_mut(edge.index()) {
                *entries += 1;
            }
        }
        graph
    }

    /// Adds the edges of a node.
    fn add(&mut self, plan: &Plan, node: &PlanNode, applied: &mut Vec<NodeIx>) {
        for op in plan.all_ops(node) {
            applied.clear();
            plan.applied_by(*op, applied);
            let at_most_one = match *op {
                Op::AnyOf(union) | Op::OneOf(union) => {
                    are_apart(plan, applied) || are_chosen(plan, node, union)
                }
                Op::AllOf(union) => are_chosen(plan, node, union),
                Op::Leaf(_)
                | Op::Array(_)
                | Op::Object(_)
                | Op::Apply(_)
                | Op::Not(_)
                | Op::If(_)
                | Op::UnevaluatedItems(_)
                | Op::UnevaluatedProperties(_) => false,
            };
            match at_most_one {
                true => self.group(plan, applied.iter().copied()),
                false => applied.iter().for_each(|one| self.group(plan, [*one])),
            }
        }
        for op in plan.all_ops(node) {
            match op {
                Op::Object(object) => {
                    let Some(object) = plan.objects.get(to_usize(*object)) else {
                        continue;
                    };
                    let names = object.names.data().map(|slot| slot.target.node);
                    self.group(plan, names.chain(object.additional.map(|rest| rest.node)));
                    for (_, one) in &object.patterns {
                        self.group(plan, [one.node]);
                    }
                    self.group(plan, object.property_names);
                }
                Op::Array(array) => {
                    let Some(array) = plan.arrays.get(to_usize(*array)) else {
                        continue;
                    };
                    let items = array.prefix.iter().chain(&array.rest);
                    self.group(plan, items.map(|item| item.node));
                    self.group(plan, array.contains.map(|contains| contains.schema));
                }
                Op::UnevaluatedItems(rest) | Op::UnevaluatedProperties(rest) => {
                    self.group(plan, [*rest]);
                }
                // They apply none, or in place.
                Op::Leaf(_)
                | Op::Apply(_)
                | Op::AllOf(_)
                | Op::AnyOf(_)
                | Op::OneOf(_)
                | Op::Not(_)
                | Op::If(_) => {}
            }
        }
    }

    /// Adds a group of edges, without those to leaves.
    fn group(&mut self, plan: &Plan, edges: impl IntoIterator<Item = NodeIx>) {
        let before = self.edges.len();
        let inner = |ix: &NodeIx| {
            let node = plan.nodes.get(ix.index());
            node.is_some_and(|node| !node.traits.leaf)
        };
        self.edges.extend(edges.into_iter().filter(inner));
        if self.edges.len() > before {
            self.groups.push(to_u32(self.edges.len()));
        }
    }

    /// The starts of the groups of each node, and the end of the last.
    fn groups_by_node(&self) -> impl Iterator<Item = &[u32]> {
        self.nodes.windows(2).map(|bounds| match bounds {
            [(start, _), (end, _)] => {
                let range = to_usize(*start)..=to_usize(*end);
                self.groups.get(range).unwrap_or_default()
            }
            _ => &[],
        })
    }

    /// The edges between two positions.
    fn between(&self, start: u32, end: u32) -> &[NodeIx] {
        let range = to_usize(start)..to_usize(end);
        self.edges.get(range).unwrap_or_default()
    }

    /// The edges of a node.
    fn edges_of(&self, ix: NodeIx) -> &[NodeIx] {
        let bounds = self.nodes.get(ix.index()..ix.index() + 2);
        match bounds {
            Some([(_, start), (_, end)]) => self.between(*start, *end),
            _ => &[],
        }
    }

    fn is_shared(&self, ix: NodeIx) -> bool {
        self.entries
            .get(ix.index())
            .is_some_and(|entries| *entries > 1)
    }

    /// Whether to remember the verdicts of each node.
    fn find(&self) -> Vec<bool> {
        let mut memo = vec![false; self.entries.len()];
        let mut stamps = vec![0_u32; self.entries.len()];
        let mut stamp = 0_u32;
        let mut left = BUDGET;
        let mut waiting: Vec<NodeIx> = Vec::new();
        let forks = self.groups_by_node().filter(|groups| groups.len() > 2);
        for groups in forks {
            let first = stamp + 1;
            for bounds in groups.windows(2) {
                let [start, end] = bounds else {
                    continue;
                };
                stamp += 1;
                waiting.clear();
                waiting.extend(self.between(*start, *end));
                while let Some(ix) = waiting.pop() {
                    let Some(mark) = stamps.get_mut(ix.index()) else {
                        continue;
                    };
                    if *mark == stamp {
                        continue;
                    }
                    // Another branch of this fork reached this node. The search goes on behind it:
                    // that branch may have reached it at another place of the instance.
                    if *mark >= first
                        && self.is_shared(ix)
                        && let Some(memo) = memo.get_mut(ix.index())
                    {
                        *memo = true;
                    }
                    *mark = stamp;
                    let next = self.edges_of(ix);
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
