//! The nodes that stand for two nodes which both must match.

use foldhash::{HashMap, HashMapExt as _};

use crate::int::to_u32;
use crate::plan::{NodeIx, Op, Plan, PlanNode, Run, Traits};

/// A plan during fusion, and the pairs of its nodes.
pub(super) struct Pairs<'p> {
    pub(super) plan: &'p mut Plan,
    /// The node for two nodes that both must match.
    nodes: HashMap<(NodeIx, NodeIx), NodeIx>,
    /// The nodes as they were before fusion, in the same order.
    before: Vec<PlanNode>,
}

impl<'p> Pairs<'p> {
    /// No pairs yet.
    pub(super) fn new(plan: &'p mut Plan) -> Self {
        Self {
            nodes: HashMap::new(),
            before: plan.nodes.clone(),
            plan,
        }
    }

    /// A node as it was before fusion. What is fused into others is always this: a fused node has
    /// the operations of others already, and taking them over again, level by level, would double
    /// them each time.
    pub(super) fn original(&self, ix: NodeIx) -> &PlanNode {
        let before = self.before.get(ix.index());
        before.unwrap_or_else(|| self.plan.node(ix))
    }

    /// A node that a value matches if it matches both `a` and `b`.
    pub(super) fn both(&mut self, a: NodeIx, b: NodeIx) -> NodeIx {
        if a == b || b == NodeIx::TRUE {
            return a;
        }
        if a == NodeIx::TRUE {
            return b;
        }
        let (left, right) = (self.plan.node(a), self.plan.node(b));
        let types = left.types.intersection(right.types);
        if types.is_empty() {
            return NodeIx::FALSE;
        }
        if left.traits.types_only && types == right.types {
            return b;
        }
        if right.traits.types_only && types == left.types {
            return a;
        }
        if left.traits.types_only && right.traits.types_only {
            return NodeIx::of_types(types);
        }
        let key = (a.min(b), a.max(b));
        if let Some(known) = self.nodes.get(&key) {
            return *known;
        }
        let ix = NodeIx::new(self.plan.nodes.len());
        let pair = PlanNode {
            traits: Traits::default(),
            present: Run::Any.bit(),
            start: to_u32(self.plan.ops.len()),
            ends: Run::ALL.map(|run| {
                if run.position() < Run::Any.position() {
                    0
                } else {
                    2
                }
            }),
            ..PlanNode::of_types(types)
        };
        self.plan.nodes.push(pair);
        self.before.push(pair);
        self.plan.ops.extend([Op::Apply(a), Op::Apply(b)]);
        self.nodes.insert(key, ix);
        ix
    }
}
