//! Fills in what a plan knows only once all of its nodes are finished: summaries, walks, lookahead.

use toolsure_json::Kind;

use super::lookahead::nodes_with_lookahead;
use super::summary::{KINDS, place};
use super::{Inspection, NONE, NameTable, NodeIx, NodeSummary, ObjectPlan, Op, Plan, Run, Traits};
use crate::int::{to_u32, to_usize};
use crate::model::TypeSet;

impl NodeSummary {
    /// The first member in schema order that a walk over an object requires and that may be a
    /// string.
    fn key(&self, plan: &Plan) -> Option<Box<NameTable>> {
        if self.inspection != Inspection::Object {
            return None;
        }
        let names = &plan.objects.get(to_usize(self.index))?.names;
        let required = names.data().zip(names.names()).filter(|(slot, _)| {
            slot.required && slot.declared && slot.target.types.intersects(TypeSet::STRING)
        });
        let (_, name) = required.min_by_key(|(slot, _)| slot.order)?;
        Some(Box::new(NameTable::of([name])))
    }
}

impl Plan {
    /// The summary of a finished node.
    pub(crate) fn summary(&self, ix: NodeIx) -> NodeSummary {
        let node = *self.node(ix);
        let (inspection, index) = match node.traits {
            Traits {
                types_only: true, ..
            } => (Inspection::Type, NONE),
            Traits { leaf: true, .. } => (Inspection::Value, NONE),
            Traits { memo: true, .. } => (Inspection::Further, NONE),
            _ if node.present == Run::Object.bit() => (Inspection::Object, node.object),
            _ if node.present == Run::Array.bit() => (self.inspection_of(node.array), node.array),
            _ => (Inspection::Further, NONE),
        };
        NodeSummary {
            node: ix,
            types: node.types,
            inspection,
            index,
        }
    }

    /// The part of a value that a walk over items inspects.
    fn inspection_of(&self, array: u32) -> Inspection {
        let array = self.arrays.get(to_usize(array));
        let is_leaf = |rest: &NodeSummary| self.node(rest.node).traits.leaf;
        match array {
            Some(array) if array.is_even && array.rest.as_ref().is_none_or(is_leaf) => {
                Inspection::Items
            }
            _ => Inspection::Array,
        }
    }

    /// Finds the names that no pattern of their object matches, if that takes little work.
    fn match_names(&self, object: &mut ObjectPlan) {
        if object.patterns.is_empty()
            || object.patterns.len().saturating_mul(object.names.len()) > MATCHES
        {
            return;
        }
        let mut clear = vec![false; object.names.len()];
        for (name, clear) in object.names.names().zip(&mut clear) {
            *clear = object.patterns.iter().all(|(pattern, _)| {
                let mut fuel = MATCH_FUEL;
                let pattern = self.patterns.get(pattern.index());
                pattern.and_then(|pattern| pattern.matches(name, &mut fuel)) == Some(false)
            });
        }
        for (slot, clear) in object.names.data_mut().zip(clear) {
            slot.clear = clear;
        }
    }

    /// The same, with a row for each kind if some kind needs less than the whole node.
    fn summary_by_kind(&mut self, ix: NodeIx, rows: &mut Vec<Option<NodeSummary>>) -> NodeSummary {
        if ix == NodeIx::NOWHERE {
            return NodeSummary::DANGLING;
        }
        let own = self.summary(ix);
        if own.inspection != Inspection::Further {
            return own;
        }
        if rows.is_empty() {
            rows.resize(self.nodes.len(), None);
        }
        if let Some(Some(known)) = rows.get(ix.index()) {
            return *known;
        }
        let row = KINDS.map(|kind| self.for_kind(ix, kind, STEPS));
        let helps = row.iter().any(|one| {
            let whole = one.node == ix && one.inspection == Inspection::Further;
            !whole && one.node != NodeIx::FALSE
        });
        let target = if helps {
            self.by_kind.push(row);
            NodeSummary {
                inspection: Inspection::ByKind,
                index: to_u32(self.by_kind.len() - 1),
                ..own
            }
        } else {
            own
        };
        if let Some(known) = rows.get_mut(ix.index()) {
            *known = Some(target);
        }
        target
    }

    /// The summary of a node for values of one kind.
    fn for_kind(&self, ix: NodeIx, kind: Kind, steps: u32) -> NodeSummary {
        let node = *self.node(ix);
        let own = self.summary(ix);
        if !node.types.intersects(TypeSet::of_kind(kind)) {
            return NodeSummary::FALSE;
        }
        // A scalar needs no memo entry.
        let is_scalar = !matches!(kind, Kind::Array | Kind::Object);
        if (node.traits.memo && !is_scalar) || own.inspection == Inspection::Type {
            return own;
        }
        let value = match kind {
            Kind::String => Run::Head.bit() | Run::String.bit(),
            Kind::Number => Run::Head.bit() | Run::Number.bit(),
            _ => Run::Head.bit(),
        };
        let (below, inspection, index) = match kind {
            Kind::Array => (Run::Array.bit(), self.inspection_of(node.array), node.array),
            Kind::Object => (Run::Object.bit(), Inspection::Object, node.object),
            _ => (0, Inspection::Type, NONE),
        };
        let around = Run::Any.bit() | Run::Tail.bit();
        match (node.has(value), node.has(below), node.has(around)) {
            (false, false, false) => NodeSummary {
                inspection: Inspection::Type,
                ..own
            },
            (true, false, false) => NodeSummary {
                inspection: Inspection::Value,
                ..own
            },
            (false, true, false) => NodeSummary {
                inspection,
                index,
                ..own
            },
            (false, false, true) if steps > 0 => {
                let Some(only) = self.only_operand(ix, kind) else {
                    return own;
                };
                let inner = self.for_kind(only, kind, steps - 1);
                if node.traits.memo && inner.inspection == Inspection::Further {
                    return own;
                }
                NodeSummary {
                    types: inner.types.intersection(node.types),
                    ..inner
                }
            }
            _ => own,
        }
    }

    /// The only subschema that decides values of one kind, if the node has operations for that kind
    /// in its last two runs alone.
    fn only_operand(&self, ix: NodeIx, kind: Kind) -> Option<NodeIx> {
        let node = self.node(ix);
        if node.has(Run::Tail.bit()) {
            return None;
        }
        let [op] = self.run(node, Run::Any) else {
            return None;
        };
        match *op {
            Op::Apply(target) => Some(target),
            Op::AllOf(index) if kind != Kind::Object => {
                match self.unions.get(to_usize(index))?.of_others() {
                    [] => Some(NodeIx::TRUE),
                    [only] => Some(*only),
                    _ => None,
                }
            }
            Op::AnyOf(index) | Op::OneOf(index) => {
                let union = self.unions.get(to_usize(index))?;
                if kind == Kind::Object && union.select.is_some() {
                    return None;
                }
                let possible = TypeSet::of_kind(kind);
                let mut left = union
                    .branches
                    .iter()
                    .filter(|branch| self.node(**branch).types.intersects(possible));
                match (left.next(), left.next()) {
                    (None, _) => Some(NodeIx::FALSE),
                    (Some(only), None) => Some(*only),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The summary that applies to values of one kind; if its row is missing, one from which no value
    /// gets a verdict.
    #[inline(always)]
    pub(crate) fn of_kind<'p>(&'p self, target: &'p NodeSummary, kind: Kind) -> &'p NodeSummary {
        if target.inspection != Inspection::ByKind {
            return target;
        }
        let row = self.by_kind.get(to_usize(target.index));
        match row.and_then(|row| row.get(place(kind))) {
            Some(own) => own,
            None => &NodeSummary::DANGLING,
        }
    }

    /// Updates every stored summary once all nodes are finished.
    pub(crate) fn settle(&mut self) {
        for array in &mut self.arrays {
            array.is_even = array.prefix.is_empty() && array.contains.is_none() && !array.unique;
        }
        let mut rows = Vec::new();
        let mut objects = std::mem::take(&mut self.objects);
        for object in &mut objects {
            if object.names_decide()
                && let Some(rest) = object.additional
            {
                for slot in object.names.data_mut().filter(|slot| !slot.declared) {
                    slot.target = rest;
                }
            }
            object.walk = object.widest_walk();
            for (bit, slot) in (0..).zip(object.names.data_mut()) {
                slot.bit = bit;
            }
            self.match_names(object);
            let slots = object.names.data_mut().map(|slot| &mut slot.target);
            let patterns = object.patterns.iter_mut().map(|(_, target)| target);
            for target in slots.chain(patterns).chain(&mut object.additional) {
                *target = self.summary_by_kind(target.node, &mut rows);
            }
        }
        self.objects = objects;
        let mut arrays = std::mem::take(&mut self.arrays);
        for array in &mut arrays {
            for target in array.prefix.iter_mut().chain(&mut array.rest) {
                *target = self.summary_by_kind(target.node, &mut rows);
            }
            if array.unique && array.prefix.is_empty() {
                array.key = array.rest.as_ref().and_then(|rest| rest.key(self));
            }
        }
        self.arrays = arrays;
        self.start = self.summary_by_kind(self.root, &mut rows);
    }

    /// Finds the nodes that a check of text can decide with lookahead, once the plan is settled.
    pub(crate) fn find_lookahead(&mut self) {
        let lookahead = nodes_with_lookahead(self);
        for (node, lookahead) in self.nodes.iter_mut().zip(lookahead) {
            node.traits.lookahead = lookahead;
        }
    }
}

/// Maximum number of names matched against patterns for one object at compile time, and the fuel
/// for each match.
const MATCHES: usize = 256;
const MATCH_FUEL: u64 = 1_000;
/// Maximum number of subschemas, each applied by the one before, that are followed for one kind.
const STEPS: u32 = 4;
