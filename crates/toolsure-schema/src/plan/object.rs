//! The part of a plan that concerns objects, and how a listing shows it.

use std::fmt;
use std::sync::Arc;

use thin_vec::ThinVec;
use toolsure_pattern::Pattern;

use super::bounds::bounds;
use super::{NameTable, NodeIx, NodeSummary};
use crate::int::{to_u32, to_usize};
use crate::model::PatternId;

/// All keywords that walk an object's members, merged into one walk.
#[derive(Debug, Default)]
pub(crate) struct ObjectPlan {
    /// Every name that a keyword mentions.
    pub(crate) names: NameTable<Slot>,
    /// How many slots are required.
    pub(crate) required: u32,
    /// Whether declared names that the instance lacks are not among these.
    pub(crate) is_part: bool,
    pub(crate) patterns: ThinVec<(PatternId, NodeSummary)>,
    /// For members that neither a declared name nor a pattern covers; `None` if the keyword is
    /// absent, and such members then stay unevaluated.
    pub(crate) additional: Option<NodeSummary>,
    pub(crate) property_names: Option<NodeIx>,
    pub(crate) min: usize,
    pub(crate) max: usize,
    pub(crate) dependents: ThinVec<Dependent>,
    /// How to walk objects with many members; [`Plan::settle`](super::Plan::settle) fills it in.
    pub(crate) walk: Walk,
}

impl ObjectPlan {
    /// Whether a member's name alone decides which subschema it must match.
    #[inline]
    pub(crate) fn names_decide(&self) -> bool {
        self.patterns.is_empty() && self.property_names.is_none()
    }

    /// Counts the required names, and tightens the bounds on the number of members accordingly:
    /// objects with too few members, or too many for a closed set of names, fail before any member
    /// is visited.
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

    /// Whether members that the schema does not name may have any value.
    #[inline]
    pub(crate) fn is_open(&self) -> bool {
        self.allows_rest() == Some(true)
    }

    /// Whether members that the schema does not name are all allowed, or all forbidden; `None` if
    /// that depends on their values.
    #[inline]
    pub(crate) fn allows_rest(&self) -> Option<bool> {
        match self.additional.map(|rest| rest.node) {
            None | Some(NodeIx::TRUE) => Some(true),
            Some(NodeIx::FALSE) => Some(false),
            Some(_) => None,
        }
    }

    /// How to walk an object of `count` members.
    #[inline(always)]
    pub(crate) fn walk_of(&self, count: usize) -> Walk {
        if self.walk == Walk::Names && self.names.len() * 2 > count {
            Walk::Members
        } else {
            self.walk
        }
    }

    /// How to walk objects with many members.
    pub(super) fn widest_walk(&self) -> Walk {
        let names = self.names.len();
        if !self.names_decide() {
            Walk::Patterns
        } else if self.is_part {
            Walk::Members
        } else if names == 0 {
            Walk::Values
        } else if self.names.are_sought() && self.allows_rest().is_some() {
            Walk::Names
        } else {
            Walk::Members
        }
    }
}

/// The ways to walk an object's members.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Walk {
    /// Visit every member and ignore its name.
    #[default]
    Values,
    /// Search for every name in the schema.
    Names,
    /// Visit every member and look up its name.
    Members,
    /// Visit every member, look up its name and match it against patterns.
    Patterns,
}

/// A name that an object keyword mentions.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Slot {
    /// The subschema that the member must match. If no pattern can cover the name, a name that is
    /// not declared has the target of `additionalProperties`.
    pub(crate) target: NodeSummary,
    /// Its position among the names in the schema: expensive members are evaluated in this order,
    /// because schemas put the distinguishing members first.
    pub(crate) order: u32,
    /// Its position among the names of the table, for bit sets of names.
    pub(crate) bit: u32,
    /// No pattern of `patternProperties` matches the name.
    pub(crate) clear: bool,
    /// `properties` has it; otherwise only `required` or a dependency mentions it.
    pub(crate) declared: bool,
    pub(crate) required: bool,
}

impl Slot {
    /// A name about which nothing is known, at a position among the names in the schema.
    pub(crate) fn at(order: u32) -> Self {
        Self {
            order,
            ..Self::default()
        }
    }
}

/// What the presence of one name requires.
#[derive(Debug)]
pub(crate) struct Dependent {
    /// The slot of the name.
    pub(crate) trigger: u32,
    /// The slots that must then be present.
    pub(crate) required: Box<[u32]>,
    /// The subschema that the whole object must then match.
    pub(crate) schema: Option<NodeIx>,
}

impl ObjectPlan {
    /// Writes it in a listing of its plan, which has these patterns.
    pub(super) fn list(
        &self,
        patterns: &[Arc<Pattern>],
        f: &mut fmt::Formatter<'_>,
    ) -> fmt::Result {
        write!(f, "object")?;
        bounds(f, self.min, self.max)?;
        let name = |slot: u32| self.names.name(to_usize(slot));
        let mut slots: Vec<_> = self.names.data().zip(self.names.names()).collect();
        slots.sort_by_key(|(slot, _)| slot.order);
        for (slot, name) in slots {
            write!(f, "; {name:?}")?;
            if slot.required {
                write!(f, " required")?;
            }
            if slot.declared {
                write!(f, " {}", slot.target.node)?;
            }
        }
        for (pattern, target) in &self.patterns {
            let text = patterns.get(pattern.index());
            let text = text.map_or("", |pattern| pattern.as_str());
            write!(f, "; /{text}/ {}", target.node)?;
        }
        if let Some(rest) = self.additional {
            write!(f, "; rest {}", rest.node)?;
        }
        if let Some(schema) = self.property_names {
            write!(f, "; names {}", schema)?;
        }
        for dependent in &self.dependents {
            write!(f, "; with {:?}", name(dependent.trigger))?;
            for required in &dependent.required {
                write!(f, " {:?}", name(*required))?;
            }
            if let Some(schema) = dependent.schema {
                write!(f, " {}", schema)?;
            }
        }
        Ok(())
    }
}
