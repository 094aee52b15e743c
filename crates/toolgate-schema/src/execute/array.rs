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
        if !self.items(array, value, count)? {
            return NO;
        }
        if let Some(contains) = array.contains
            && !self.contains(contains, value, count)?
        {
            return NO;
        }
        if array.unique && count > 1 {
            return ControlFlow::Continue(toolgate_json::first_duplicate(value, self)?.is_none());
        }
        YES
    }

    #[inline(always)]
    fn items(&mut self, array: &'p ArrayPlan, value: N, count: usize) -> Answer {
        let rest = array.rest.as_ref().unwrap_or(&Target::TRUE);
        let looked_at = if rest.node == NodeIx::TRUE {
            count.min(array.prefix.len())
        } else {
            count
        };
        if looked_at == 0 {
            return YES;
        }
        self.spend(units(looked_at))?;
        let mut items = value.items();
        if !array.prefix.is_empty() {
            for (target, item) in array.prefix.iter().zip(&mut items) {
                if !self.child(target, item)? {
                    return NO;
                }
            }
            if looked_at <= array.prefix.len() {
                return YES;
            }
        }
        if rest.reach == Reach::Type {
            for item in items {
                if !rest.types.admits(item, item.kind()) {
                    return NO;
                }
            }
            return YES;
        }
        for item in items {
            if !self.child(rest, item)? {
                return NO;
            }
        }
        YES
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
            Reach::Array if kind != Kind::Array => YES,
            _ => self.further(target, value),
        }
    }

    fn contains(&mut self, contains: Contains, value: N, count: usize) -> Answer {
        let Contains {
            schema, min, max, ..
        } = contains;
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
