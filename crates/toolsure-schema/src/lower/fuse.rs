//! Fuses nodes that apply to the same value.
//!
//! A node that applies others unconditionally (`allOf`, `$ref` with sibling keywords) takes over
//! their operations, and all their walks over members or items become one
//! ([`merge`]). `unevaluatedProperties` is such a walk as well if the names it leaves
//! out are fixed.
//!
//! Fused nodes remain for the other nodes that apply them. The size of the plan bounds what fusion
//! may add. The memo is marked afterwards, so that its bound is that of the plan as it is executed.

use foldhash::{HashSet, HashSetExt as _};

use super::merge;
use super::pairs::Pairs;
use crate::int::{to_u16, to_u32, to_usize};
use crate::plan::{NONE, NodeIx, Op, Plan, PlanNode, Run, Traits};

/// Fuses every node that can be reached from the root.
pub(super) fn fuse(plan: &mut Plan) {
    if !plan.ops.iter().any(|op| matches!(op, Op::Apply(_))) {
        return;
    }
    let names: usize = plan.objects.iter().map(|object| object.names.len()).sum();
    let mut fusion = Fusion {
        room: plan.nodes.len() + names + LEAST_ROOM,
        seen: vec![false; plan.nodes.len()],
        pairs: Pairs::new(plan),
    };
    let mut waiting = vec![fusion.pairs.plan.root];
    while let Some(ix) = waiting.pop() {
        if fusion.is_new(ix) {
            fusion.node(ix);
            fusion.pairs.plan.children(ix, &mut waiting);
        }
    }
    pack(plan);
}

struct Fusion<'p> {
    pairs: Pairs<'p>,
    /// The number of names, patterns, dependencies and items that merged walks may still add.
    room: usize,
    seen: Vec<bool>,
}

/// Nodes that are fused into one, and their walks.
struct Parts {
    /// The node itself first.
    nodes: Vec<NodeIx>,
    /// The number of operations of all nodes.
    ops: usize,
    objects: Vec<usize>,
    arrays: Vec<usize>,
    /// Whether a walk that runs in the tail is among them.
    tail: bool,
}

impl Fusion<'_> {
    /// Whether a node is seen for the first time; false if it only asks for types.
    fn is_new(&mut self, ix: NodeIx) -> bool {
        self.seen.resize(self.pairs.plan.nodes.len(), false);
        let seen = self.seen.get_mut(ix.index());
        seen.is_some_and(|seen| !std::mem::replace(seen, true))
    }

    /// Fuses a node with the nodes that it applies.
    fn node(&mut self, ix: NodeIx) {
        let parts = self.parts(ix);
        if parts.nodes.len() < 2 && !parts.tail {
            return;
        }
        let mut node = *self.pairs.original(ix);
        node.object = match *parts.objects.as_slice() {
            [] => NONE,
            [one] => to_u32(one),
            _ => merge::objects(&mut self.pairs, &parts.objects),
        };
        node.array = match *parts.arrays.as_slice() {
            [] => NONE,
            [one] => to_u32(one),
            _ => merge::arrays(&mut self.pairs, &parts.arrays),
        };
        for part in &parts.nodes {
            node.types = node.types.intersection(self.pairs.original(*part).types);
        }
        let mut ops = Vec::new();
        node.present = 0;
        for (end, run) in node.ends.iter_mut().zip(Run::ALL) {
            let before = ops.len();
            match run {
                Run::Object if node.object != NONE => ops.push(Op::Object(node.object)),
                Run::Array if node.array != NONE => ops.push(Op::Array(node.array)),
                Run::Object | Run::Array => {}
                _ => self.gather(&parts, run, &mut ops),
            }
            if ops.len() > before {
                node.present |= run.bit();
            }
            *end = to_u16(ops.len());
        }
        node.traits = Traits {
            types_only: node.present == 0,
            leaf: !node.has(Run::FURTHER),
            memo: false,
            lookahead: false,
        };
        node.start = to_u32(self.pairs.plan.ops.len());
        self.pairs.plan.ops.extend(ops);
        if let Some(slot) = self.pairs.plan.nodes.get_mut(ix.index()) {
            *slot = node;
        }
    }

    /// The operations of one run of all parts, except those that apply another part.
    fn gather(&self, parts: &Parts, run: Run, ops: &mut Vec<Op>) {
        // The parts are few; the other nodes that they apply may be as many as a schema holds.
        let mut applied = HashSet::new();
        for part in &parts.nodes {
            let node = self.pairs.original(*part);
            if !node.has(run.bit()) {
                continue;
            }
            for op in self.pairs.plan.run(node, run) {
                match op {
                    Op::Apply(target) if parts.nodes.contains(target) => continue,
                    Op::Apply(target) if !applied.insert(*target) => continue,
                    Op::Object(_) if parts.tail => continue,
                    _ => {}
                }
                ops.push(*op);
            }
        }
    }

    /// A node with the nodes that it applies, directly or through others, as long as their walks
    /// can be merged.
    fn parts(&mut self, ix: NodeIx) -> Parts {
        let mut parts = Parts {
            nodes: Vec::new(),
            ops: 0,
            objects: Vec::new(),
            arrays: Vec::new(),
            tail: false,
        };
        let mut waiting = vec![ix];
        while let Some(one) = waiting.pop() {
            if !self.take_in(&mut parts, one) {
                continue;
            }
            let node = self.pairs.original(one);
            if node.has(Run::Any.bit()) {
                let applied = self.pairs.plan.run(node, Run::Any).iter().rev();
                waiting.extend(applied.filter_map(|op| match op {
                    Op::Apply(target) => Some(*target),
                    _ => None,
                }));
            }
        }
        let node = self.pairs.original(ix);
        if node.has(Run::Tail.bit())
            && let [Op::Object(index)] = *self.pairs.plan.run(node, Run::Tail)
        {
            parts.objects.push(to_usize(index));
            parts.tail = self.is_affordable(&parts);
            if !parts.tail {
                parts.objects.pop();
            }
        }
        if parts.objects.len() > 1 || parts.arrays.len() > 1 {
            self.room = self.room.saturating_sub(self.price(&parts));
        }
        parts
    }

    /// Adds a node to the parts if that is possible.
    fn take_in(&self, parts: &mut Parts, ix: NodeIx) -> bool {
        let node = self.pairs.original(ix);
        let first = parts.nodes.is_empty();
        let settled = node.types.is_empty() && !first;
        let ops = parts.ops + self.pairs.plan.all_ops(node).len();
        if settled
            || (ops >= PlanNode::MOST_OPS && !first)
            || parts.nodes.len() >= MOST_PARTS
            || parts.nodes.contains(&ix)
            || (node.has(Run::Tail.bit()) && !first)
        {
            return false;
        }
        let (objects, arrays) = (parts.objects.len(), parts.arrays.len());
        if node.has(Run::Object.bit()) {
            parts.objects.push(to_usize(node.object));
        }
        if node.has(Run::Array.bit()) {
            parts.arrays.push(to_usize(node.array));
        }
        if !first && !self.is_affordable(parts) {
            parts.objects.truncate(objects);
            parts.arrays.truncate(arrays);
            return false;
        }
        parts.nodes.push(ix);
        parts.ops = ops;
        true
    }

    /// Whether the walks of the parts can be merged and there is room for that.
    fn is_affordable(&self, parts: &Parts) -> bool {
        self.price(parts) <= self.room
            && merge::objects_agree(self.pairs.plan, &parts.objects)
            && merge::arrays_agree(self.pairs.plan, &parts.arrays)
    }

    /// The number of names, patterns, dependencies and items in all walks.
    fn price(&self, parts: &Parts) -> usize {
        let objects = parts.objects.iter();
        let members = objects.filter_map(|at| self.pairs.plan.objects.get(*at));
        let members = members.map(|object| {
            let required = object.dependents.iter().map(|one| one.required.len() + 1);
            object.names.len() + object.patterns.len() + required.sum::<usize>() + 1
        });
        let arrays = parts.arrays.iter();
        let items = arrays.filter_map(|at| self.pairs.plan.arrays.get(*at));
        members.sum::<usize>() + items.map(|array| array.prefix.len() + 1).sum::<usize>()
    }
}

/// Stores the operations of all nodes contiguously and drops those that no node uses any more.
fn pack(plan: &mut Plan) {
    let mut ops = Vec::with_capacity(plan.ops.len());
    for index in 0..plan.nodes.len() {
        let start = to_u32(ops.len());
        ops.extend_from_slice(plan.all_ops(plan.node(NodeIx::new(index))));
        if let Some(node) = plan.nodes.get_mut(index) {
            node.start = start;
        }
    }
    plan.ops = ops;
}

/// A plan may grow by its own size plus this many names.
const LEAST_ROOM: usize = 64;
/// Maximum number of nodes that are fused into one.
const MOST_PARTS: usize = 32;
