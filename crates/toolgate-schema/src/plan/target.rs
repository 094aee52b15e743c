//! Subschemas as those see them who apply them to children.

use toolgate_json::Kind;

use super::{NONE, NodeIx, ObjectPlan, Op, Plan, Run, Traits};
use crate::int::{to_u32, to_usize};
use crate::model::TypeSet;

/// A subschema as those see it who apply it to children: enough to settle most
/// values without looking at the node.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Target {
    pub(crate) node: NodeIx,
    /// The node's types.
    pub(crate) types: TypeSet,
    pub(crate) reach: Reach,
    /// What [`Reach::Object`], [`Reach::Array`], [`Reach::Items`] or [`Reach::ByKind`] leads to.
    pub(crate) index: u32,
}

/// How far a node looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// At the value's type.
    Type,
    /// At the value alone.
    Value,
    /// At the members of an object, in one walk; of all else at the type.
    Object,
    /// At the items of an array, in one walk; of all else at the type.
    Array,
    /// The same where nothing below the items is looked at.
    Items,
    /// At what the row of [`Plan::by_kind`] says for the value's kind.
    ByKind,
    /// At more than that, or through other subschemas.
    Further,
}

/// A subschema as it looks to values of each kind: of a union whose branches have
/// different types, one branch is left.
pub(crate) type ByKind = [Target; KINDS.len()];

const KINDS: [Kind; 6] = [
    Kind::Null,
    Kind::Boolean,
    Kind::Number,
    Kind::String,
    Kind::Array,
    Kind::Object,
];

/// A kind's place in [`ByKind`].
#[inline(always)]
const fn place(kind: Kind) -> usize {
    match kind {
        Kind::Null => 0,
        Kind::Boolean => 1,
        Kind::Number => 2,
        Kind::String => 3,
        Kind::Array => 4,
        Kind::Object => 5,
    }
}

impl Default for Target {
    fn default() -> Self {
        Self::TRUE
    }
}

impl Target {
    /// Lets everything through.
    pub(crate) const TRUE: Self = Self {
        node: NodeIx::TRUE,
        types: TypeSet::ALL,
        reach: Reach::Type,
        index: NONE,
    };

    /// Lets nothing through.
    const FALSE: Self = Self {
        node: NodeIx::FALSE,
        types: TypeSet::NONE,
        reach: Reach::Type,
        index: NONE,
    };

    /// A node that may not be finished; [`Plan::settle`] fills in what it is like.
    pub(crate) const fn open(node: NodeIx) -> Self {
        Self {
            node,
            types: TypeSet::ALL,
            reach: Reach::Further,
            index: NONE,
        }
    }
}

impl Plan {
    /// A finished node as those see it who apply it to children.
    pub(crate) fn target(&self, ix: NodeIx) -> Target {
        let node = *self.node(ix);
        let (reach, index) = match node.traits {
            Traits { plain: true, .. } => (Reach::Type, NONE),
            Traits { leaf: true, .. } => (Reach::Value, NONE),
            Traits { memo: true, .. } => (Reach::Further, NONE),
            _ if node.present == Run::Object.bit() => (Reach::Object, node.object),
            _ if node.present == Run::Array.bit() => (self.reach_of(node.array), node.array),
            _ => (Reach::Further, NONE),
        };
        Target {
            node: ix,
            types: node.types,
            reach,
            index,
        }
    }

    /// How far a walk over items looks.
    fn reach_of(&self, array: u32) -> Reach {
        let array = self.arrays.get(to_usize(array));
        let is_leaf = |rest: &Target| self.node(rest.node).traits.leaf;
        match array {
            Some(array) if array.is_even && array.rest.as_ref().is_none_or(is_leaf) => Reach::Items,
            _ => Reach::Array,
        }
    }

    /// Finds the names that no pattern of their object matches, where that takes
    /// little.
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

    /// The same with a row for each kind where that is less than all of the node.
    fn target_by_kind(&mut self, ix: NodeIx, rows: &mut Vec<Option<Target>>) -> Target {
        let own = self.target(ix);
        if own.reach != Reach::Further || self.node(ix).traits.memo {
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
            let whole = one.node == ix && one.reach == Reach::Further;
            !whole && one.node != NodeIx::FALSE
        });
        let target = if helps {
            self.by_kind.push(row);
            Target {
                reach: Reach::ByKind,
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

    /// What of a node concerns values of one kind.
    fn for_kind(&self, ix: NodeIx, kind: Kind, steps: u32) -> Target {
        let node = *self.node(ix);
        let own = self.target(ix);
        if !node.types.intersects(TypeSet::of_kind(kind)) {
            return Target::FALSE;
        }
        if node.traits.memo || own.reach == Reach::Type {
            return own;
        }
        let value = match kind {
            Kind::String => Run::Head.bit() | Run::String.bit(),
            Kind::Number => Run::Head.bit() | Run::Number.bit(),
            _ => Run::Head.bit(),
        };
        let (below, reach, index) = match kind {
            Kind::Array => (Run::Array.bit(), self.reach_of(node.array), node.array),
            Kind::Object => (Run::Object.bit(), Reach::Object, node.object),
            _ => (0, Reach::Type, NONE),
        };
        let around = Run::Any.bit() | Run::Tail.bit();
        match (node.has(value), node.has(below), node.has(around)) {
            (false, false, false) => Target {
                reach: Reach::Type,
                ..own
            },
            (true, false, false) => Target {
                reach: Reach::Value,
                ..own
            },
            (false, true, false) => Target {
                reach,
                index,
                ..own
            },
            (false, false, true) if steps > 0 => {
                let Some(only) = self.only_operand(ix, kind) else {
                    return own;
                };
                let inner = self.for_kind(only, kind, steps - 1);
                Target {
                    types: inner.types.intersection(node.types),
                    ..inner
                }
            }
            _ => own,
        }
    }

    /// The one subschema that a node comes down to for values of a kind that only
    /// its last two runs concern, if there is one.
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

    /// What a target means to a value of a kind.
    #[inline(always)]
    pub(crate) fn of_kind<'p>(&'p self, target: &'p Target, kind: Kind) -> &'p Target {
        if target.reach != Reach::ByKind {
            return target;
        }
        let row = self.by_kind.get(to_usize(target.index));
        row.and_then(|row| row.get(place(kind))).unwrap_or(target)
    }

    /// Writes into every target what its node is like, once all are finished.
    pub(crate) fn settle(&mut self) {
        for array in &mut self.arrays {
            array.is_even = array.prefix.is_empty() && array.contains.is_none() && !array.unique;
        }
        let mut rows = Vec::new();
        let mut objects = std::mem::take(&mut self.objects);
        for object in &mut objects {
            if object.is_plain()
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
                *target = self.target_by_kind(target.node, &mut rows);
            }
        }
        self.objects = objects;
        let mut arrays = std::mem::take(&mut self.arrays);
        for array in &mut arrays {
            for target in array.prefix.iter_mut().chain(&mut array.rest) {
                *target = self.target_by_kind(target.node, &mut rows);
            }
            if array.unique && array.prefix.is_empty() {
                array.key = array.rest.as_ref().and_then(|rest| self.key_of(rest));
            }
        }
        self.arrays = arrays;
        self.start = self.target_by_kind(self.root, &mut rows);
        self.settle_ahead();
    }
}

/// Matches of a name by a pattern that are tried for one object when it is compiled,
/// and what each may take.
const MATCHES: usize = 256;
const MATCH_FUEL: u64 = 1_000;
/// Subschemas that are looked through for what concerns one kind.
const STEPS: u32 = 4;
