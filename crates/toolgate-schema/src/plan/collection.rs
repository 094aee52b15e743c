//! What a plan knows of objects and arrays, and of the subschemas of their children.

use toolgate_json::Kind;

use super::{NONE, NameTable, NodeIx, Op, Plan, Rare, Run, Traits};
use crate::int::{to_u32, to_usize};
use crate::model::{PatternId, TypeSet};

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

/// Everything that walks an object's members, merged into one walk.
#[derive(Debug, Default)]
pub(crate) struct ObjectPlan {
    /// Every name that a keyword mentions.
    pub(crate) names: NameTable<Slot>,
    /// How many slots are required.
    pub(crate) required: u32,
    pub(crate) patterns: Rare<(PatternId, Target)>,
    /// For members that neither a declared name nor a pattern covers; `None` if
    /// the keyword is absent, which leaves them unevaluated.
    pub(crate) additional: Option<Target>,
    pub(crate) property_names: Option<NodeIx>,
    pub(crate) min: usize,
    pub(crate) max: usize,
    pub(crate) dependents: Rare<Dependent>,
    /// How to go through objects of many members; [`Plan::settle`] fills it in.
    pub(crate) walk: Walk,
}

impl ObjectPlan {
    /// Whether a member's name settles at once which subschema it must match.
    #[inline]
    pub(crate) fn is_plain(&self) -> bool {
        self.patterns.is_empty() && self.property_names.is_none()
    }

    /// Counts the required names, and lets the bounds on the count of members say what
    /// follows from the names: objects with too few members, or too many for a closed
    /// set of names, fail before anything is looked at.
    pub(crate) fn bound(&mut self) {
        let required = self.names.data().filter(|slot| slot.required).count();
        self.required = to_u32(required);
        self.min = self.min.max(required);
        let rest = self.additional.map(|rest| rest.node);
        if self.patterns.is_empty() && rest == Some(NodeIx::FALSE) {
            let declared = self.names.data().filter(|slot| slot.declared).count();
            self.max = self.max.min(declared);
        }
    }

    /// Whether members that the schema does not name may be anything.
    #[inline]
    pub(crate) fn is_open(&self) -> bool {
        self.additional.is_none_or(|rest| rest.node == NodeIx::TRUE)
    }

    /// How to go through an object of so many members.
    #[inline(always)]
    pub(crate) fn walk_of(&self, count: usize) -> Walk {
        if self.walk == Walk::Names && self.names.len() * 2 > count {
            Walk::Members
        } else {
            self.walk
        }
    }

    /// How to go through objects of many members.
    fn widest_walk(&self) -> Walk {
        let names = self.names.len();
        if !self.is_plain() {
            Walk::Patterns
        } else if names == 0 {
            Walk::Values
        } else if names <= SOUGHT && self.settles_rest() {
            Walk::Names
        } else {
            Walk::Members
        }
    }

    /// Whether members that the schema does not name are all alike: allowed or not.
    fn settles_rest(&self) -> bool {
        self.is_open()
            || self
                .additional
                .is_some_and(|rest| rest.node == NodeIx::FALSE)
    }
}

/// The ways to go through an object's members.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Walk {
    /// Every member, its name unseen.
    #[default]
    Values,
    /// Every name of the schema.
    Names,
    /// Every member, looking its name up.
    Members,
    /// Every member, also matching its name.
    Patterns,
}

/// A name that an object keyword mentions.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Slot {
    /// What its member must match. Where no pattern can cover the name, a name
    /// that is not declared has the target of the additional ones.
    pub(crate) target: Target,
    /// Its place among the names as the schema has them: costly members are
    /// taken in this order, since a schema says first what tells things apart.
    pub(crate) order: u32,
    /// Its place among the names of the table, for sets of names that were met.
    pub(crate) bit: u32,
    /// No pattern of `patternProperties` matches the name.
    pub(crate) clear: bool,
    /// `properties` has it; otherwise only `required` or a dependency mentions it.
    pub(crate) declared: bool,
    pub(crate) required: bool,
}

/// What the presence of one name brings with it.
#[derive(Debug)]
pub(crate) struct Dependent {
    /// The slot of the name.
    pub(crate) trigger: u32,
    /// Slots that must be present then.
    pub(crate) required: Box<[u32]>,
    /// What the whole object must match then.
    pub(crate) schema: Option<NodeIx>,
}

/// Everything that walks an array's items.
#[derive(Debug, Default)]
pub(crate) struct ArrayPlan {
    pub(crate) min: usize,
    pub(crate) max: usize,
    pub(crate) prefix: Rare<Target>,
    /// For items behind the prefix; `None` if the keyword is absent.
    pub(crate) rest: Option<Target>,
    pub(crate) contains: Option<Contains>,
    pub(crate) unique: bool,
    /// The name of a string that all items require, if they must differ: items in which it
    /// differs do. [`Plan::settle`] fills it in.
    pub(crate) key: Option<Box<NameTable>>,
    /// All there is to look at is each item, by `rest`; [`Plan::settle`] fills it in.
    pub(crate) is_even: bool,
}

impl ArrayPlan {
    /// The subschema of each place, without end.
    pub(crate) fn targets(&self) -> impl Iterator<Item = &Target> {
        let rest = self.rest.as_ref().unwrap_or(&Target::TRUE);
        self.prefix.iter().chain(std::iter::repeat(rest))
    }

    /// How many of so many items have a subschema to match.
    pub(crate) fn looked_at(&self, count: usize) -> usize {
        match &self.rest {
            Some(rest) if rest.node != NodeIx::TRUE => count,
            _ => count.min(self.prefix.len()),
        }
    }
}

/// `contains` and its bounds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Contains {
    pub(crate) schema: NodeIx,
    pub(crate) min: usize,
    pub(crate) max: usize,
    /// Whether the items it matches count as evaluated (2020-12).
    pub(crate) evaluates: bool,
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
/// Up to this many names are looked for in the object, rather than its members in
/// the schema.
const SOUGHT: usize = 4;
