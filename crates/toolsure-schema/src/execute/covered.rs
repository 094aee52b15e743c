//! Decides which subschemas apply to which members of an object: combines `properties`,
//! `patternProperties`, `additionalProperties` and `propertyNames`.

use std::ops::ControlFlow;

use toolsure_json::{Key as _, Node};

use super::{Machine, Stop};
use crate::plan::{NodeIx, NodeSummary, ObjectPlan, Slot};

impl<'p, 'i, N: Node<'i>> Machine<'p, '_, N> {
    /// Visits each member with each subschema that applies to it: `properties` by its name, each of
    /// `patternProperties` that its name matches, `additionalProperties` if none of these covers
    /// it, and `propertyNames`. [`Self::members`] implements the same rules for verdicts, where a
    /// call for each member would take an eighth more instructions.
    pub(super) fn covered(
        &mut self,
        object: &'p ObjectPlan,
        value: N,
        mut apply: impl FnMut(&mut Self, AppliedBy<'p>, usize, (N::Key, N)) -> ControlFlow<Stop>,
    ) -> ControlFlow<Stop> {
        for (at, (key, member)) in value.members().enumerate() {
            let name = key.bytes();
            self.spend_bytes(name.len())?;
            let mut covered = false;
            let mut clear = false;
            if let Some(known) = object.names.find(name, |ends| key.hash_of(ends)) {
                covered = known.declared;
                clear = known.clear;
                if covered {
                    apply(self, AppliedBy::Name(known), at, (key, member))?;
                }
            }
            if !clear {
                for (index, (pattern, target)) in object.patterns.iter().enumerate() {
                    if self.matches(*pattern, key.text())? {
                        covered = true;
                        apply(self, AppliedBy::Pattern(index, target), at, (key, member))?;
                    }
                }
            }
            if !covered && let Some(rest) = &object.additional {
                apply(self, AppliedBy::Rest(rest), at, (key, member))?;
            }
            if let Some(names) = object.property_names {
                apply(self, AppliedBy::PropertyNames(names), at, (key, member))?;
            }
        }
        ControlFlow::Continue(())
    }
}

/// The keyword that applies a subschema to a member.
pub(super) enum AppliedBy<'p> {
    /// `properties`.
    Name(&'p Slot),
    /// One of `patternProperties`, by its position.
    Pattern(usize, &'p NodeSummary),
    /// `additionalProperties`.
    Rest(&'p NodeSummary),
    /// `propertyNames`, applied to the name.
    PropertyNames(NodeIx),
}
