//! What a plan knows of objects and arrays, and of the subschemas of their children.

use super::{NONE, NameTable, NodeIx, Plan, Run, Traits};
use crate::outline::{PatternId, TypeSet};

/// A subschema as those see it who apply it to children: enough to settle most
/// values without looking at the node.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Target {
    pub(crate) node: NodeIx,
    /// The node's types.
    pub(crate) types: TypeSet,
    pub(crate) reach: Reach,
    /// What [`Reach::Object`] or [`Reach::Array`] leads to.
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
    /// At more than that, or through other subschemas.
    Further,
}

impl Target {
    /// Lets everything through.
    pub(crate) const TRUE: Self = Self {
        node: NodeIx::TRUE,
        types: TypeSet::ALL,
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
    pub(crate) names: NameTable,
    /// What is known of each name, in the table's order.
    pub(crate) slots: Box<[Slot]>,
    /// How many slots are required.
    pub(crate) required: u32,
    pub(crate) patterns: Box<[(PatternId, Target)]>,
    /// For members that neither a declared name nor a pattern covers; `None` if
    /// the keyword is absent, which leaves them unevaluated.
    pub(crate) additional: Option<Target>,
    pub(crate) property_names: Option<NodeIx>,
    pub(crate) min: usize,
    pub(crate) max: usize,
    pub(crate) dependents: Box<[Dependent]>,
}

impl ObjectPlan {
    /// Whether a member's name settles at once which subschema it must match.
    #[inline]
    pub(crate) fn is_plain(&self) -> bool {
        self.patterns.is_empty() && self.property_names.is_none()
    }

    /// Whether members that the schema does not name may be anything.
    #[inline]
    pub(crate) fn is_open(&self) -> bool {
        self.additional.is_none_or(|rest| rest.node == NodeIx::TRUE)
    }

    /// How to go through an object of so many members.
    #[inline]
    pub(crate) fn walk(&self, count: usize) -> Walk {
        let names = self.names.len();
        if !self.is_plain() {
            Walk::Patterns
        } else if names == 0 {
            Walk::Values
        } else if names <= SOUGHT && names * 2 <= count && self.settles_rest() {
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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Walk {
    /// Every member, its name unseen.
    Values,
    /// Every name of the schema.
    Names,
    /// Every member, looking its name up.
    Members,
    /// Every member, also matching its name.
    Patterns,
}

/// A name that an object keyword mentions.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Slot {
    /// What its member must match. Where no pattern can cover the name, a name
    /// that is not declared has the target of the additional ones.
    pub(crate) target: Target,
    /// Its place among the names as the schema has them: costly members are
    /// taken in this order, since a schema says first what tells things apart.
    pub(crate) order: u32,
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
#[derive(Debug)]
pub(crate) struct ArrayPlan {
    pub(crate) min: usize,
    pub(crate) max: usize,
    pub(crate) prefix: Box<[Target]>,
    /// For items behind the prefix; `None` if the keyword is absent.
    pub(crate) rest: Option<Target>,
    pub(crate) contains: Option<Contains>,
    pub(crate) unique: bool,
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
            _ if node.present == Run::Array.bit() => (Reach::Array, node.array),
            _ => (Reach::Further, NONE),
        };
        Target {
            node: ix,
            types: node.types,
            reach,
            index,
        }
    }

    /// Writes into every target what its node is like, once all are finished.
    pub(crate) fn settle(&mut self) {
        let mut objects = std::mem::take(&mut self.objects);
        for object in &mut objects {
            if object.is_plain()
                && let Some(rest) = object.additional
            {
                for slot in object.slots.iter_mut().filter(|slot| !slot.declared) {
                    slot.target = rest;
                }
            }
            let slots = object.slots.iter_mut().map(|slot| &mut slot.target);
            let patterns = object.patterns.iter_mut().map(|(_, target)| target);
            for target in slots.chain(patterns).chain(&mut object.additional) {
                *target = self.target(target.node);
            }
        }
        self.objects = objects;
        let mut arrays = std::mem::take(&mut self.arrays);
        for array in &mut arrays {
            for target in array.prefix.iter_mut().chain(&mut array.rest) {
                *target = self.target(target.node);
            }
        }
        self.arrays = arrays;
    }
}

/// Up to this many names are looked for in the object, rather than its members in
/// the schema.
const SOUGHT: usize = 4;
