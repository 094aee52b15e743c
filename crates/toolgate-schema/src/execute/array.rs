//! All array keywords of a subschema.

use std::ops::ControlFlow;

use toolgate_json::{Kind, Node};

use super::{Answer, Machine, NO, YES};
use crate::int::units;
use crate::plan::{ArrayPlan, Contains, NodeIx, Reach, Target};

impl<'p, 'i, N: Node<'i>> Machine<'p, '_, N> {
    /// Keywords about arrays.
    #[inline]
    pub(super) fn array(&mut self, array: &'p ArrayPlan, value: N) -> Answer {
        let count = value.len();
        if count < array.min || count > array.max {
            return NO;
        }
        if !array.is_even {
            return self.uneven(array, value, count);
        }
        match &array.rest {
            Some(rest) if rest.node != NodeIx::TRUE => self.alike(rest, value.items(), count),
            _ => YES,
        }
    }

    /// Items that must all match one subschema.
    #[inline(always)]
    fn alike(&mut self, target: &'p Target, items: N::Items, count: usize) -> Answer {
        self.spend(units(count))?;
        if target.reach == Reach::Type {
            for item in items {
                if !target.types.admits(item, item.kind()) {
                    return NO;
                }
            }
            return YES;
        }
        for item in items {
            if !self.child(target, item)? {
                return NO;
            }
        }
        YES
    }

    /// Keywords about arrays where there are others than `items` and bounds. Holds
    /// little itself, since what it calls recurses.
    #[inline(never)]
    fn uneven(&mut self, array: &'p ArrayPlan, value: N, count: usize) -> Answer {
        if !self.by_place(array, value, count)? {
            return NO;
        }
        match &array.contains {
            Some(contains) if !self.contains(contains, value, count)? => NO,
            _ if array.unique && count > 1 => self.unique(value),
            _ => YES,
        }
    }

    /// Items that must match the subschema of their place.
    #[inline(never)]
    fn by_place(&mut self, array: &'p ArrayPlan, value: N, count: usize) -> Answer {
        let rest = array.rest.as_ref().unwrap_or(&Target::TRUE);
        let looked_at = if rest.node == NodeIx::TRUE {
            count.min(array.prefix.len())
        } else {
            count
        };
        self.spend(units(looked_at))?;
        let targets = array.prefix.iter().chain(std::iter::repeat(rest));
        for (target, item) in targets.zip(value.items()).take(looked_at) {
            if !self.child(target, item)? {
                return NO;
            }
        }
        YES
    }

    #[inline(never)]
    fn unique(&mut self, value: N) -> Answer {
        ControlFlow::Continue(toolgate_json::first_duplicate(value, self)?.is_none())
    }

    /// A child whose turn it is, against one subschema.
    #[inline(always)]
    pub(super) fn child(&mut self, target: &'p Target, value: N) -> Answer {
        let kind = value.kind();
        if !target.types.admits(value, kind) {
            return NO;
        }
        if target.reach == Reach::Type {
            return YES;
        }
        let mut target = target;
        if target.reach == Reach::ByKind {
            target = self.plan.of_kind(target, kind);
            if !target.types.admits(value, kind) {
                return NO;
            }
        }
        match target.reach {
            Reach::Type => YES,
            Reach::Value => self.leaf(self.plan.node(target.node), value, kind),
            Reach::Object if kind != Kind::Object => YES,
            Reach::Array | Reach::Items if kind != Kind::Array => YES,
            _ => self.further(target, value),
        }
    }

    #[inline(never)]
    fn contains(&mut self, contains: &Contains, value: N, count: usize) -> Answer {
        let Contains {
            schema, min, max, ..
        } = *contains;
        if schema == NodeIx::TRUE {
            return ControlFlow::Continue(min <= count && count <= max);
        }
        if min > count {
            return NO;
        }
        if min == 0 && max >= count {
            return YES;
        }
        let mut matched = 0;
        for item in value.items() {
            if self.evaluate(schema, item)? {
                matched += 1;
                if matched > max {
                    return NO;
                }
                if matched >= min && max >= count {
                    return YES;
                }
            }
        }
        ControlFlow::Continue(matched >= min)
    }
}
