//! Finds subschemas that one member, or the presence of names, decides for every object: they
//! require nothing else.

use super::demand::{Demand, Demands, kept};
use crate::int::to_usize;
use crate::model::TypeSet;
use crate::plan::{Constant, NodeIx, Op};

impl<'p> Demands<'p> {
    /// The names that must be present, if a node requires nothing else of an object.
    pub(super) fn names_alone(&self, ix: NodeIx) -> Option<Vec<&'p str>> {
        let object = self.object(self.plan.node(ix))?;
        let alone = self.asks_for_names(ix);
        alone.then(|| object.names.names().collect())
    }

    /// Whether a node only requires of objects that some names are present.
    pub(super) fn asks_for_names(&self, ix: NodeIx) -> bool {
        let node = self.plan.node(ix);
        let object = match self.plan.all_ops(node) {
            [Op::Object(_)] if node.types.contains(TypeSet::OBJECT) => self.object(node),
            _ => None,
        };
        object.is_some_and(|object| {
            object.names_decide()
                && object.additional.is_none()
                && object.dependents.is_empty()
                && object.min <= to_usize(object.required)
                && object.max == usize::MAX
                && object
                    .names
                    .data()
                    .all(|slot| slot.required && !slot.declared)
        })
    }

    /// The member that alone decides whether an object matches a node, and the values with which it
    /// does.
    pub(super) fn test(&self, ix: NodeIx) -> Option<Test<'p>> {
        let node = self.plan.node(ix);
        let [Op::Object(_)] = self.plan.all_ops(node) else {
            return None;
        };
        let object = self.object(node)?;
        let mut names = object.names.data().zip(object.names.names());
        let (slot, name) = names.next()?;
        let only = names.next().is_none()
            && object.names_decide()
            && object.is_open()
            && object.dependents.is_empty()
            && object.min <= usize::from(slot.required)
            && object.max == usize::MAX;
        let demand = match slot.declared && slot.target.node != NodeIx::TRUE {
            true => self
                .words(slot.target.node)
                .or_else(|| self.values_of(slot.target.node)),
            false => Some(Demand::anything()),
        };
        Some(Test {
            name,
            demand: demand.filter(|demand| only && demand.exact)?,
            required: slot.required,
            of_others: self.of_others(ix)?,
        })
    }

    /// Whether values that are not objects match a node, if its types alone decide that.
    pub(super) fn of_others(&self, ix: NodeIx) -> Option<bool> {
        match self.plan.node(ix).types {
            types if types.is_all() => Some(true),
            TypeSet::OBJECT => Some(false),
            _ => None,
        }
    }

    /// The values that a node accepts, if it only asks for `null` or a boolean.
    fn words(&self, ix: NodeIx) -> Option<Demand<'p>> {
        let node = self.plan.node(ix);
        let types = node.types;
        let few = TypeSet::NULL.union(TypeSet::BOOLEAN);
        let words = [Constant::Null, Constant::True, Constant::False];
        (node.traits.types_only && few.contains(types)).then(|| Demand {
            values: kept(&words, |word| word.is_of(types)),
            negated: false,
            unlike: false,
            exact: true,
        })
    }
}

/// A member that alone decides whether an object matches.
#[derive(Debug)]
pub(super) struct Test<'p> {
    pub(super) name: &'p str,
    /// The values that match.
    pub(super) demand: Demand<'p>,
    /// Whether an object without the member fails.
    pub(super) required: bool,
    /// Whether values that are not objects match.
    pub(super) of_others: bool,
}

impl<'p> Test<'p> {
    /// A test of a member that every value passes.
    pub(super) fn passed(name: &'p str) -> Self {
        Self {
            name,
            demand: Demand::anything(),
            required: false,
            of_others: true,
        }
    }
}
