//! All object keywords of a subschema, in one walk over the members.

use std::ops::ControlFlow;

use toolgate_json::{Key as _, Kind, Node};

use super::{Answer, Machine, NO, Stop, YES, internal_error, price_of_text};
use crate::int::{to_usize, units};
use crate::plan::{Dependent, Inspection, NameTable, NodeSummary, ObjectPlan, Slot, Walk};
use crate::price;

/// A member whose subschema looks further than the value itself.
#[derive(Debug)]
pub(super) struct Deferred<'p, N> {
    /// The order of its name; [`UNORDERED`] for members the schema does not name.
    order: u32,
    target: &'p NodeSummary,
    value: N,
}

impl<N: Copy> Clone for Deferred<'_, N> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<N: Copy> Copy for Deferred<'_, N> {}

/// The members of one object that wait: the first here, all others on the
/// machine's list, since most objects have no second one.
struct Waiting<'p, N> {
    first: Option<Deferred<'p, N>>,
    others: usize,
}

impl<'p, 'i, N: Node<'i>> Machine<'p, '_, N> {
    /// Keywords about objects.
    #[inline(always)]
    pub(super) fn object(&mut self, object: &'p ObjectPlan, value: N) -> Answer {
        let count = value.len();
        if count < object.min || count > object.max {
            return NO;
        }
        self.spend(units(count))?;
        match object.walk_of(count) {
            Walk::Values => self.values(object, value),
            Walk::Names => self.sought_members(object, value),
            Walk::Members if N::SORTED && object.names.is_short() => {
                self.sorted_members(object, value)
            }
            Walk::Members => self.named_members(object, value),
            Walk::Patterns => self.members(object, value),
        }
    }

    /// Whether what is left of an object matches: the members that wait, and what
    /// the presence of some names demands. `matched` says whether the walk did.
    #[inline(always)]
    fn rest_of_object(
        &mut self,
        object: &'p ObjectPlan,
        value: N,
        matched: bool,
        waiting: Waiting<'p, N>,
    ) -> Answer {
        if let Some(first) = waiting.first {
            if waiting.others > 0 {
                if !self.deferred_members(first, waiting.others, matched)? {
                    return NO;
                }
            } else if !matched || !self.further(first.target, first.value)? {
                return NO;
            }
        } else if !matched {
            return NO;
        }
        if object.dependents.is_empty() {
            return YES;
        }
        self.dependents(object, value)
    }

    /// What the presence of some names demands.
    #[inline(never)]
    fn dependents(&mut self, object: &'p ObjectPlan, value: N) -> Answer {
        for dependent in &object.dependents {
            if !self.dependent(object, dependent, value)? {
                return NO;
            }
        }
        YES
    }

    /// Looks at every member once, where their names make no difference.
    #[inline(never)]
    fn values(&mut self, object: &'p ObjectPlan, value: N) -> Answer {
        let mut matched = true;
        let mut waiting = Waiting::none();
        if let Some(rest) = &object.additional {
            for (_, member) in value.members() {
                matched &= self.member(None, rest, member, &mut waiting)?;
            }
        }
        self.rest_of_object(object, value, matched, waiting)
    }

    /// Looks for each name that the schema has; the others must all be allowed or
    /// all be forbidden.
    #[inline(never)]
    fn sought_members(&mut self, object: &'p ObjectPlan, value: N) -> Answer {
        let mut matched = true;
        let mut waiting = Waiting::none();
        let mut left = value.len();
        for (slot, known) in object.names.data().enumerate() {
            match self.look_up(&object.names, slot, value)? {
                Some(member) => {
                    left -= 1;
                    matched &= self.member(Some(known), &known.target, member, &mut waiting)?;
                }
                None => matched &= !known.required,
            }
        }
        matched &= left == 0 || object.is_open();
        self.rest_of_object(object, value, matched, waiting)
    }

    /// Looks at every member once and finds what the schema says of its name.
    /// Cheap subschemas are settled on the way, without stopping at the first that
    /// fails, so that the price does not depend on the members' order; costly ones
    /// are put off.
    #[inline(always)]
    fn walk(
        &mut self,
        object: &'p ObjectPlan,
        value: N,
        mut find: impl FnMut(&[u8], N::Key) -> Option<&'p Slot>,
    ) -> Answer {
        let rest = object.additional.as_ref().unwrap_or(&NodeSummary::TRUE);
        let mut matched = true;
        let mut required = 0;
        let mut waiting = Waiting::none();
        for (key, member) in value.members() {
            let name = key.bytes();
            if name.len() >= price::TEXT_PER_UNIT {
                self.spend_bytes(name.len())?;
            }
            let known = find(name, key);
            let target = match known {
                Some(known) => {
                    required += u32::from(known.required);
                    &known.target
                }
                None => rest,
            };
            matched &= self.member(known, target, member, &mut waiting)?;
        }
        matched &= required == object.required;
        self.rest_of_object(object, value, matched, waiting)
    }

    /// The walk that looks names up by their hash.
    #[inline(never)]
    fn named_members(&mut self, object: &'p ObjectPlan, value: N) -> Answer {
        let names = &object.names;
        self.walk(object, value, |name, key| {
            names.find(name, |ends| key.hash_of(ends))
        })
    }

    /// The walk beside the names of the schema, which are sorted as the members are.
    #[inline(never)]
    fn sorted_members(&mut self, object: &'p ObjectPlan, value: N) -> Answer {
        let mut along = object.names.along();
        self.walk(object, value, |name, _| along.find(name))
    }

    /// The same walk for objects with keywords that look at every name.
    #[inline(never)]
    fn members(&mut self, object: &'p ObjectPlan, value: N) -> Answer {
        let mut matched = true;
        let mut required = 0;
        let mut waiting = Waiting::none();
        for (key, member) in value.members() {
            let name = key.bytes();
            self.spend_bytes(name.len())?;
            let mut covered = false;
            let mut clear = false;
            if let Some(known) = object.names.find(name, |ends| key.hash_of(ends)) {
                required += u32::from(known.required);
                covered = known.declared;
                clear = known.clear;
                if covered {
                    matched &= self.member(Some(known), &known.target, member, &mut waiting)?;
                }
            }
            if !clear {
                for (pattern, target) in &object.patterns {
                    if self.matches(*pattern, key.text())? {
                        covered = true;
                        matched &= self.member(None, target, member, &mut waiting)?;
                    }
                }
            }
            if !covered && let Some(rest) = &object.additional {
                matched &= self.member(None, rest, member, &mut waiting)?;
            }
            if let Some(names) = object.property_names {
                matched &= self.property_name(names, key)?;
            }
        }
        matched &= required == object.required;
        self.rest_of_object(object, value, matched, waiting)
    }

    /// One member against one subschema: now if that is cheap, later if not. `known`
    /// is what the schema says of its name.
    #[inline(always)]
    fn member(
        &mut self,
        known: Option<&Slot>,
        target: &'p NodeSummary,
        value: N,
        waiting: &mut Waiting<'p, N>,
    ) -> Answer {
        let kind = value.kind();
        if !target.types.admits(value, kind) {
            return NO;
        }
        if target.inspection == Inspection::Type {
            return YES;
        }
        self.look_into(known, target, value, waiting)
    }

    /// A member of an admitted type where the type does not decide.
    #[inline(never)]
    fn look_into(
        &mut self,
        known: Option<&Slot>,
        mut target: &'p NodeSummary,
        value: N,
        waiting: &mut Waiting<'p, N>,
    ) -> Answer {
        let kind = value.kind();
        if target.inspection == Inspection::ByKind {
            target = self.plan.of_kind(target, kind);
            if !target.types.admits(value, kind) {
                return NO;
            }
        }
        match target.inspection {
            Inspection::Type => return YES,
            Inspection::Value => return self.leaf(self.plan.node(target.node), value, kind),
            Inspection::Object if kind != Kind::Object => return YES,
            Inspection::Array | Inspection::Items if kind != Kind::Array => return YES,
            Inspection::Items => return self.items(target, value),
            _ => {}
        }
        let member = Deferred {
            order: known.map_or(UNORDERED, |known| known.order),
            target,
            value,
        };
        if waiting.first.is_none() {
            waiting.first = Some(member);
        } else {
            waiting.others += 1;
            self.deferred.push(member);
        }
        YES
    }

    /// An array whose items are checked without looking inside them: never deep, so its turn
    /// may come at once.
    #[inline(never)]
    fn items(&mut self, target: &'p NodeSummary, value: N) -> Answer {
        self.spend(1)?;
        match self.plan.arrays.get(to_usize(target.index)) {
            Some(array) => self.array(array, value),
            None => internal_error(),
        }
    }

    /// A value of an admitted type against a subschema that looks at its children.
    pub(super) fn further(&mut self, target: &'p NodeSummary, value: N) -> Answer {
        if !matches!(
            target.inspection,
            Inspection::Object | Inspection::Array | Inspection::Items
        ) {
            return self.enter(target.node, value);
        }
        if self.depth >= self.allowance.depth {
            return self.too_deep();
        }
        self.spend(1)?;
        self.depth += 1;
        let plan = self.plan;
        let index = to_usize(target.index);
        let matched = match target.inspection {
            Inspection::Object => match plan.objects.get(index) {
                Some(object) => self.object(object, value)?,
                None => return internal_error(),
            },
            _ => match plan.arrays.get(index) {
                Some(array) => self.array(array, value)?,
                None => return internal_error(),
            },
        };
        self.depth -= 1;
        ControlFlow::Continue(matched)
    }

    /// The members that were put off, if the walk matched: those the schema names in
    /// its order up to the first that fails, then all of the others.
    #[inline(never)]
    fn deferred_members(&mut self, first: Deferred<'p, N>, others: usize, matched: bool) -> Answer {
        let floor = self.deferred.len() - others;
        if !matched {
            self.deferred.truncate(floor);
            return NO;
        }
        self.deferred.push(first);
        let matched = self.in_order(floor)?;
        self.deferred.truncate(floor);
        ControlFlow::Continue(matched)
    }

    /// The members from `floor` on.
    #[inline(always)]
    fn in_order(&mut self, floor: usize) -> Answer {
        let end = self.deferred.len();
        let Some(waiting) = self.deferred.get_mut(floor..) else {
            return internal_error();
        };
        waiting.sort_unstable_by_key(|member| member.order);
        let mut matched = true;
        for at in floor..end {
            let Some(member) = self.deferred.get(at).copied() else {
                return internal_error();
            };
            let ordered = member.order != UNORDERED;
            if ordered && !matched {
                break;
            }
            if !self.further(member.target, member.value)? {
                if ordered {
                    return NO;
                }
                matched = false;
            }
        }
        ControlFlow::Continue(matched)
    }

    /// What the presence of one name demands.
    fn dependent(&mut self, object: &ObjectPlan, dependent: &Dependent, value: N) -> Answer {
        match self.triggered(object, dependent, value)? {
            Triggered::No => YES,
            Triggered::NamesMissing => NO,
            Triggered::Yes => match dependent.schema {
                Some(schema) => self.evaluate(schema, value),
                None => YES,
            },
        }
    }

    /// Whether a name is there, and with it all names that it demands.
    #[inline(always)]
    pub(super) fn triggered(
        &mut self,
        object: &ObjectPlan,
        dependent: &Dependent,
        value: N,
    ) -> ControlFlow<Stop, Triggered> {
        self.spend(1 + units(dependent.required.len()))?;
        if !self.has(object, dependent.trigger, value)? {
            return ControlFlow::Continue(Triggered::No);
        }
        for required in &dependent.required {
            if !self.has(object, *required, value)? {
                return ControlFlow::Continue(Triggered::NamesMissing);
            }
        }
        ControlFlow::Continue(Triggered::Yes)
    }

    /// Whether the object has the member that a slot names.
    pub(super) fn has(
        &mut self,
        object: &ObjectPlan,
        slot: u32,
        value: N,
    ) -> ControlFlow<Stop, bool> {
        let found = self.look_up(&object.names, to_usize(slot), value)?;
        ControlFlow::Continue(found.is_some())
    }

    /// What an object of so many members costs beyond them, where its plan is plain;
    /// `text` is the price of looking at their names.
    #[inline]
    pub(super) fn price_of_walk(&self, object: &ObjectPlan, count: usize, text: u64) -> u64 {
        match object.walk_of(count) {
            Walk::Values => 0,
            Walk::Names => {
                let names = object.names.names();
                let prices = names.map(|name| price_of_search(count, name));
                prices.fold(0, u64::saturating_add)
            }
            Walk::Members | Walk::Patterns => text,
        }
    }

    /// Which names of a table an object has, as their bits.
    pub(super) fn present(&mut self, names: &NameTable<u64>, value: N) -> ControlFlow<Stop, u64> {
        let mut present = 0;
        if names.are_sought() {
            self.spend(1)?;
            for (slot, bit) in names.data().enumerate() {
                if self.look_up(names, slot, value)?.is_some() {
                    present |= bit;
                }
            }
            return ControlFlow::Continue(present);
        }
        self.spend(units(value.len()))?;
        for (key, _) in value.members() {
            let name = key.bytes();
            self.spend_bytes(name.len())?;
            present |= names
                .find(name, |ends| key.hash_of(ends))
                .copied()
                .unwrap_or(0);
        }
        ControlFlow::Continue(present)
    }

    /// The object's member that a slot of a table names.
    pub(super) fn look_up<T>(
        &mut self,
        names: &NameTable<T>,
        slot: usize,
        value: N,
    ) -> ControlFlow<Stop, Option<N>> {
        let Some(name) = names.known_name(slot) else {
            return internal_error();
        };
        self.spend(price_of_search(value.len(), name))?;
        ControlFlow::Continue(value.member_hashed(name, || names.hash(slot)))
    }
}

/// What the presence of a name comes to.
pub(super) enum Triggered {
    /// It is not there.
    No,
    /// A name that it demands is not there.
    NamesMissing,
    /// Its subschema is to be applied, if it has one.
    Yes,
}

impl<N> Waiting<'_, N> {
    fn none() -> Self {
        Self {
            first: None,
            others: 0,
        }
    }
}

/// As many members as may wait at once, in all the objects that are open, without
/// an allocation.
pub(super) const WAITING: usize = 64;
/// What looking for a name among so many members costs.
pub(super) fn price_of_search(count: usize, name: &str) -> u64 {
    units(count) / price::MEMBERS_PER_UNIT + price_of_text(name.len())
}

/// The order of members that the schema does not name.
const UNORDERED: u32 = u32::MAX;
