//! Evaluates all object keywords of a subschema in one walk over the members.

use std::ops::ControlFlow;

use toolsure_json::{Key as _, Kind, Node};

use super::deferred::{Deferred, UNORDERED};
use super::{Answer, Machine, NO, Stop, YES, internal_error};
use crate::int::to_usize;
use crate::plan::{Dependent, Inspection, NameTable, NodeSummary, ObjectPlan, Slot, Walk};
use crate::price;

/// The deferred members of one object: the first is held here, all others are on the machine's
/// list, because most objects have no second one.
struct Waiting<'p, N> {
    first: Option<Deferred<'p, N>>,
    others: usize,
}

impl<'p, 'i, N: Node<'i>> Machine<'p, '_, N> {
    /// Evaluates the object keywords.
    #[inline(always)]
    pub(super) fn object(&mut self, object: &'p ObjectPlan, value: N) -> Answer {
        let count = value.len();
        if count < object.min || count > object.max {
            return NO;
        }
        self.spend(price::visits(count))?;
        match object.walk_of(count) {
            Walk::Values => self.values(object, value),
            Walk::Names => self.sought_members(object, value),
            Walk::Members if N::SORTED && object.names.is_short() => {
                match count * NAMES_PER_MEMBER <= object.names.len() {
                    true => self.sorted_members::<true>(object, value),
                    false => self.sorted_members::<false>(object, value),
                }
            }
            Walk::Members => self.named_members(object, value),
            Walk::Patterns => self.members(object, value),
        }
    }

    /// Evaluates the rest of an object: the deferred members, and what the presence of certain
    /// names requires. `matched` tells whether the walk matched.
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

    /// Evaluates what the presence of certain names requires.
    #[inline(never)]
    fn dependents(&mut self, object: &'p ObjectPlan, value: N) -> Answer {
        for dependent in &object.dependents {
            if !self.dependent(object, dependent, value)? {
                return NO;
            }
        }
        YES
    }

    /// Visits every member once, if names make no difference.
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

    /// Searches for each name in the schema; all other members must be allowed, or all of them
    /// forbidden.
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
        if left > 0 {
            match object.allows_rest() {
                Some(allowed) => matched &= allowed,
                None => return internal_error(),
            }
        }
        self.rest_of_object(object, value, matched, waiting)
    }

    /// Visits every member once and looks up its name in the schema. Evaluates cheap subschemas at
    /// once, without stopping at the first failure, so that the price does not depend on the order
    /// of members; defers expensive ones.
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

    /// The walk in parallel with the names in the schema, which are sorted like the members.
    #[inline(never)]
    fn sorted_members<const WIDE: bool>(&mut self, object: &'p ObjectPlan, value: N) -> Answer {
        let mut along = object.names.along();
        self.walk(object, value, |name, _| along.find::<WIDE>(name))
    }

    /// The walk for objects with keywords that inspect every name.
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

    /// Evaluates one member against one subschema: now if that is cheap, later if not. `known` is
    /// the schema's entry for its name.
    #[inline(always)]
    fn member(
        &mut self,
        known: Option<&Slot>,
        target: &'p NodeSummary,
        value: N,
        waiting: &mut Waiting<'p, N>,
    ) -> Answer {
        let kind = value.kind();
        if !self.admits(target.types, value, kind)? {
            return NO;
        }
        if target.inspection == Inspection::Type {
            return YES;
        }
        self.look_into(known, target, value, waiting)
    }

    /// Evaluates a member of an admitted type if the type alone does not decide.
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
            if !self.admits(target.types, value, kind)? {
                return NO;
            }
        }
        match target.inspection {
            Inspection::Type => return YES,
            Inspection::Value => return self.leaf(self.plan.node(target.node), value, kind),
            Inspection::Object if kind != Kind::Object => return YES,
            Inspection::Array | Inspection::Items if kind != Kind::Array => return YES,
            Inspection::Items => return self.items(target, value),
            Inspection::Object | Inspection::Array | Inspection::ByKind | Inspection::Further => {}
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

    /// Evaluates an array whose items are checked without looking at their children: it never nests
    /// deeply, so it need not be deferred.
    #[inline(never)]
    fn items(&mut self, target: &'p NodeSummary, value: N) -> Answer {
        self.spend(price::VISIT)?;
        match self.plan.arrays.get(to_usize(target.index)) {
            Some(array) => self.array(array, value),
            None => internal_error(),
        }
    }

    /// Evaluates a value of an admitted type against a subschema that inspects its children.
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
        self.spend(price::VISIT)?;
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

    /// Evaluates the deferred members, if the walk matched: first those that the schema names, in
    /// its order up to the first failure, then all others.
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

    /// Evaluates the deferred members from `floor` on.
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

    /// Evaluates what the presence of one name requires.
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

    /// Whether a name is present, together with all names that it requires.
    #[inline(always)]
    pub(super) fn triggered(
        &mut self,
        object: &ObjectPlan,
        dependent: &Dependent,
        value: N,
    ) -> ControlFlow<Stop, Triggered> {
        self.spend(price::dependent(dependent.required.len()))?;
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

    /// Whether the object has the member with a slot's name.
    pub(super) fn has(
        &mut self,
        object: &ObjectPlan,
        slot: u32,
        value: N,
    ) -> ControlFlow<Stop, bool> {
        let found = self.look_up(&object.names, to_usize(slot), value)?;
        ControlFlow::Continue(found.is_some())
    }

    /// The price of walking an object of `count` members beyond the members themselves, if names
    /// alone decide which subschemas they must match; `text` is the price of reading their names.
    #[inline]
    pub(super) fn price_of_walk(&self, object: &ObjectPlan, count: usize, text: u64) -> u64 {
        match object.walk_of(count) {
            Walk::Values => 0,
            Walk::Names => {
                let names = object.names.names();
                let prices = names.map(|name| price::member(count, name));
                prices.fold(0, u64::saturating_add)
            }
            Walk::Members | Walk::Patterns => text,
        }
    }

    /// The names of a table that an object has, as bits.
    pub(super) fn present(&mut self, names: &NameTable<u64>, value: N) -> ControlFlow<Stop, u64> {
        let mut present = 0;
        if names.are_sought() {
            self.spend(price::SELECT)?;
            for (slot, bit) in names.data().enumerate() {
                if self.look_up(names, slot, value)?.is_some() {
                    present |= bit;
                }
            }
            return ControlFlow::Continue(present);
        }
        self.spend(price::visits(value.len()))?;
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

    /// The object's member with a slot's name.
    pub(super) fn look_up<T>(
        &mut self,
        names: &NameTable<T>,
        slot: usize,
        value: N,
    ) -> ControlFlow<Stop, Option<N>> {
        let Some(name) = names.known_name(slot) else {
            return internal_error();
        };
        self.spend(price::member(value.len(), name))?;
        ControlFlow::Continue(value.member_hashed(name, || names.hash(slot)))
    }
}

/// The result of looking for a name that other requirements depend on.
pub(super) enum Triggered {
    /// The name is absent.
    No,
    /// A name that it requires is absent.
    NamesMissing,
    /// The name is present: its subschema applies, if it has one.
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

/// If the schema has so many names for each member, the walk beside sorted names takes larger steps.
const NAMES_PER_MEMBER: usize = 4;
