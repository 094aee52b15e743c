//! All array keywords of a subschema.

use std::ops::ControlFlow;

use smallvec::SmallVec;
use toolsure_json::{Kind, Node, hash_bytes};

use super::{Answer, Machine, NO, YES, internal_error};
use crate::plan::{ArrayPlan, Contains, Inspection, NameTable, NodeIx, NodeSummary};
use crate::price;

impl<'p, 'i, N: Node<'i>> Machine<'p, '_, N> {
    /// Evaluates the array keywords.
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
    fn alike(&mut self, target: &'p NodeSummary, items: N::Items, count: usize) -> Answer {
        self.spend(price::visits(count))?;
        if target.inspection == Inspection::Type {
            for item in items {
                if !self.admits(target.types, item, item.kind())? {
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

    /// Array keywords when there are others than `items` and the length bounds. Keeps few locals,
    /// because the functions it calls recurse.
    #[inline(never)]
    fn uneven(&mut self, array: &'p ArrayPlan, value: N, count: usize) -> Answer {
        if !self.by_place(array, value, count)? {
            return NO;
        }
        match &array.contains {
            Some(contains) if !self.contains(contains, value, count)? => NO,
            _ if array.unique && count > 1 => self.unique(array, value),
            _ => YES,
        }
    }

    /// Items that must match the subschema of their position.
    #[inline(never)]
    fn by_place(&mut self, array: &'p ArrayPlan, value: N, count: usize) -> Answer {
        let looked_at = array.looked_at(count);
        self.spend(price::visits(looked_at))?;
        for (target, item) in array.targets().zip(value.items()).take(looked_at) {
            if !self.child(target, item)? {
                return NO;
            }
        }
        YES
    }

    #[inline(never)]
    fn unique(&mut self, array: &'p ArrayPlan, value: N) -> Answer {
        if let Some(key) = &array.key
            && self.differ_by_key(key, value)?
        {
            return YES;
        }
        ControlFlow::Continue(toolsure_json::first_duplicate(value, self)?.is_none())
    }

    /// Whether all items are objects that differ in one string. The items have been walked, so the
    /// search among their members is already paid for.
    fn differ_by_key(&mut self, key: &NameTable, value: N) -> Answer {
        let Some(name) = key.known_name(0) else {
            return internal_error();
        };
        let mut hashes = SmallVec::new();
        for item in value.items() {
            self.spend(price::key(name, ""))?;
            if item.kind() != Kind::Object {
                return NO;
            }
            let text = match item.member_hashed(name, || key.hash(0)) {
                Some(member) if member.kind() == Kind::String => member.string(),
                _ => return NO,
            };
            self.spend_text(text)?;
            hashes.push(hash_bytes(text.as_bytes()));
        }
        ControlFlow::Continue(all_differ(&mut hashes))
    }

    /// Evaluates one child against one subschema.
    #[inline(always)]
    pub(super) fn child(&mut self, target: &'p NodeSummary, value: N) -> Answer {
        let kind = value.kind();
        if !self.admits(target.types, value, kind)? {
            return NO;
        }
        if target.inspection == Inspection::Type {
            return YES;
        }
        let mut target = target;
        if target.inspection == Inspection::ByKind {
            target = self.plan.of_kind(target, kind);
            if !self.admits(target.types, value, kind)? {
                return NO;
            }
        }
        match target.inspection {
            Inspection::Type => YES,
            Inspection::Value => self.leaf(self.plan.node(target.node), value, kind),
            Inspection::Object if kind != Kind::Object => YES,
            Inspection::Array | Inspection::Items if kind != Kind::Array => YES,
            Inspection::Object
            | Inspection::Array
            | Inspection::Items
            | Inspection::ByKind
            | Inspection::Further => self.further(target, value),
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

/// Whether all hashes are different.
pub(super) fn all_differ(hashes: &mut SmallVec<[u64; HASHES]>) -> bool {
    hashes.sort_unstable();
    hashes.windows(2).all(|pair| pair.first() != pair.last())
}

/// Up to this many items are compared without a heap allocation.
pub(super) const HASHES: usize = 16;
