//! Which subschemas apply to which members of an object: what `properties`,
//! `patternProperties`, `additionalProperties` and `propertyNames` say together.

use std::ops::ControlFlow;

use toolgate_json::{Key as _, Node};

use super::{Machine, Stop};
use crate::outline::PatternId;
use crate::plan::{NodeIx, ObjectPlan, Slot, Target};

impl<'p, 'i, N: Node<'i>> Machine<'p, '_, N> {
    /// Goes through the members, and for each through what applies to it: `properties` by
    /// its name, each of `patternProperties` that its name matches, where none of these
    /// covers it `additionalProperties`, and `propertyNames`. Counts the required names.
    #[inline(always)]
    pub(super) fn covered(
        &mut self,
        object: &'p ObjectPlan,
        value: N,
        apply: &mut impl Apply<'p, 'i, N>,
    ) -> ControlFlow<Stop, u32> {
        let mut required = 0;
        for (at, (key, member)) in value.members().enumerate() {
            let name = key.bytes();
            self.spend_bytes(name.len())?;
            let mut covered = false;
            let mut clear = false;
            if let Some(known) = object.names.find(name, |ends| key.hash_of(ends)) {
                required += u32::from(known.required);
                covered = known.declared;
                clear = known.clear;
                if covered {
                    apply.apply(self, By::Name(known), at, (key, member))?;
                }
            }
            if !clear {
                for (pattern, target) in &object.patterns {
                    if self.matches(*pattern, key.text())? {
                        covered = true;
                        apply.apply(self, By::Pattern(*pattern, target), at, (key, member))?;
                    }
                }
            }
            if !covered && let Some(rest) = &object.additional {
                apply.apply(self, By::Rest(rest), at, (key, member))?;
            }
            if let Some(names) = object.property_names {
                apply.apply(self, By::PropertyNames(names), at, (key, member))?;
            }
        }
        ControlFlow::Continue(required)
    }
}

/// What applies a subschema to a member.
pub(super) enum By<'p> {
    /// `properties`.
    Name(&'p Slot),
    /// One of `patternProperties`.
    Pattern(PatternId, &'p Target),
    /// `additionalProperties`.
    Rest(&'p Target),
    /// `propertyNames`, to the name.
    PropertyNames(NodeIx),
}

/// What is done with the subschemas that apply to members.
pub(super) trait Apply<'p, 'i, N: Node<'i>> {
    fn apply(
        &mut self,
        machine: &mut Machine<'p, '_, N>,
        by: By<'p>,
        at: usize,
        member: (N::Key, N),
    ) -> ControlFlow<Stop>;
}

impl<'p, 'i, N, F> Apply<'p, 'i, N> for F
where
    N: Node<'i>,
    F: FnMut(By<'p>, usize, (N::Key, N)),
{
    fn apply(
        &mut self,
        _: &mut Machine<'p, '_, N>,
        by: By<'p>,
        at: usize,
        member: (N::Key, N),
    ) -> ControlFlow<Stop> {
        self(by, at, member);
        ControlFlow::Continue(())
    }
}
