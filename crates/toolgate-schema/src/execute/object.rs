//! All object keywords of a subschema, in one walk over the members.

use std::ops::ControlFlow;

use smallvec::SmallVec;
use toolgate_json::{Key as _, Kind, Node};

use super::{Answer, Machine, NO, Stop, YES};
use crate::int::{to_usize, units};
use crate::plan::{Dependent, NameTable, NodeIx, ObjectPlan, Reach, Target, Walk};

/// A member whose subschema looks further than the value itself.
#[derive(Debug, Clone, Copy)]
pub(super) struct Deferred<N> {
    /// The order of its name; [`UNORDERED`] for members the schema does not name.
    order: u32,
    target: Target,
    value: N,
}

impl<'p, 'i, N: Node<'i>> Machine<'p, '_, N> {
    /// Keywords about objects.
    pub(super) fn object(&mut self, object: &'p ObjectPlan, value: N) -> Answer {
        let count = value.len();
        if count < object.min || count > object.max {
            return NO;
        }
        self.spend(units(count))?;
        let floor = self.deferred.len();
        let mut first = None;
        let matched = match object.walk(count) {
            Walk::Values => self.values(object, value, &mut first)?,
            Walk::Names => self.sought_members(object, value, &mut first)?,
            Walk::Members if N::SORTED && object.names.is_short() => {
                self.sorted_members(object, value, &mut first)?
            }
            Walk::Members => self.named_members(object, value, &mut first)?,
            Walk::Patterns => self.members(object, value, &mut first)?,
        };
        if !matched {
            self.deferred.truncate(floor);
            return NO;
        }
        if let Some(first) = first {
            let matched = if self.deferred.len() == floor {
                self.further(first.target, first.value)?
            } else {
                self.deferred.push(first);
                let matched = self.deferred_members(floor)?;
                self.deferred.truncate(floor);
                matched
            };
            if !matched {
                return NO;
            }
        }
        if object.dependents.is_empty() {
            YES
        } else {
            self.dependents(object, value)
        }
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
    fn values(
        &mut self,
        object: &'p ObjectPlan,
        value: N,
        first: &mut Option<Deferred<N>>,
    ) -> Answer {
        let Some(rest) = &object.additional else {
            return YES;
        };
        let mut matched = true;
        for (_, member) in value.members() {
            matched &= self.member(UNORDERED, rest, member, first)?;
        }
        ControlFlow::Continue(matched)
    }

    /// Looks for each name that the schema has; the others must all be allowed or
    /// all be forbidden.
    #[inline(never)]
    fn sought_members(
        &mut self,
        object: &'p ObjectPlan,
        value: N,
        first: &mut Option<Deferred<N>>,
    ) -> Answer {
        let mut matched = true;
        let mut left = value.len();
        for (slot, known) in object.slots.iter().enumerate() {
            match self.look_up(&object.names, slot, value)? {
                Some(member) => {
                    left -= 1;
                    matched &= self.member(known.order, &known.target, member, first)?;
                }
                None => matched &= !known.required,
            }
        }
        ControlFlow::Continue(matched && (left == 0 || object.is_open()))
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
        first: &mut Option<Deferred<N>>,
        mut find: impl FnMut(&[u8], N::Key) -> Option<usize>,
    ) -> Answer {
        let rest = object.additional.as_ref().unwrap_or(&Target::TRUE);
        let mut matched = true;
        let mut required = 0;
        for (key, member) in value.members() {
            let name = key.bytes();
            self.spend_bytes(name.len())?;
            let slot = find(name, key).and_then(|slot| object.slots.get(slot));
            let (order, target) = match slot {
                Some(known) => {
                    required += u32::from(known.required);
                    (known.order, &known.target)
                }
                None => (UNORDERED, rest),
            };
            matched &= self.member(order, target, member, first)?;
        }
        ControlFlow::Continue(matched && required == object.required)
    }

    /// The walk that looks names up by their hash.
    #[inline(never)]
    fn named_members(
        &mut self,
        object: &'p ObjectPlan,
        value: N,
        first: &mut Option<Deferred<N>>,
    ) -> Answer {
        let names = &object.names;
        self.walk(object, value, first, |name, key| {
            names.find(name, |ends| key.hash_of(ends))
        })
    }

    /// The walk beside the names of the schema, which are sorted as the members are.
    #[inline(never)]
    fn sorted_members(
        &mut self,
        object: &'p ObjectPlan,
        value: N,
        first: &mut Option<Deferred<N>>,
    ) -> Answer {
        let names = &object.names;
        let mut from = 0;
        self.walk(object, value, first, |name, _| {
            names.find_next(&mut from, name)
        })
    }

    /// The same walk for objects with keywords that look at every name.
    #[inline(never)]
    fn members(
        &mut self,
        object: &'p ObjectPlan,
        value: N,
        first: &mut Option<Deferred<N>>,
    ) -> Answer {
        let mut matched = true;
        let mut required = 0;
        for (key, member) in value.members() {
            let name = key.bytes();
            self.spend_bytes(name.len())?;
            let mut covered = false;
            let slot = object.names.find(name, |ends| key.hash_of(ends));
            if let Some(slot) = slot
                && let Some(known) = object.slots.get(slot)
            {
                required += u32::from(known.required);
                covered = known.declared;
                if covered {
                    matched &= self.member(known.order, &known.target, member, first)?;
                }
            }
            for (pattern, target) in &object.patterns {
                if self.matches(*pattern, key.text())? {
                    covered = true;
                    matched &= self.member(UNORDERED, target, member, first)?;
                }
            }
            if !covered && let Some(rest) = &object.additional {
                matched &= self.member(UNORDERED, rest, member, first)?;
            }
            if let Some(names) = object.property_names {
                matched &= self.property_name(names, key)?;
            }
        }
        ControlFlow::Continue(matched && required == object.required)
    }

    /// One member against one subschema: now if that is cheap, later if not.
    #[inline(always)]
    fn member(
        &mut self,
        order: u32,
        target: &Target,
        value: N,
        first: &mut Option<Deferred<N>>,
    ) -> Answer {
        let kind = value.kind();
        if !target.types.admits(value, kind) {
            return NO;
        }
        if target.reach == Reach::Type {
            return YES;
        }
        match target.reach {
            Reach::Type => YES,
            Reach::Value => self.leaf(self.plan.node(target.node), value, kind),
            Reach::Object if kind != Kind::Object => YES,
            Reach::Array if kind != Kind::Array => YES,
            Reach::Object | Reach::Array | Reach::Further => {
                let member = Deferred {
                    order,
                    target: *target,
                    value,
                };
                match first {
                    None => *first = Some(member),
                    Some(_) => self.deferred.push(member),
                }
                YES
            }
        }
    }

    /// A value of an admitted type against a subschema that looks at its children.
    #[inline]
    pub(super) fn further(&mut self, target: Target, value: N) -> Answer {
        if target.reach == Reach::Further {
            return self.enter(target.node, value);
        }
        if self.depth >= self.allowance.depth {
            return self.too_deep();
        }
        self.spend(1)?;
        self.depth += 1;
        let plan = self.plan;
        let index = to_usize(target.index);
        let matched = match target.reach {
            Reach::Object => match plan.objects.get(index) {
                Some(object) => self.object(object, value)?,
                None => true,
            },
            _ => match plan.arrays.get(index) {
                Some(array) => self.array(array, value)?,
                None => true,
            },
        };
        self.depth -= 1;
        ControlFlow::Continue(matched)
    }

    /// The members that were put off: those the schema names in its order up to
    /// the first that fails, then all of the others.
    #[inline(never)]
    fn deferred_members(&mut self, floor: usize) -> Answer {
        let end = self.deferred.len();
        if let Some(waiting) = self.deferred.get_mut(floor..) {
            waiting.sort_unstable_by_key(|member| member.order);
        }
        let mut matched = true;
        for at in floor..end {
            let Some(member) = self.deferred.get(at).copied() else {
                break;
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

    /// A member's name as a string instance of its own.
    #[inline(never)]
    fn property_name(&mut self, schema: NodeIx, key: N::Key) -> Answer {
        // The name is evaluated by a machine of its own on the same purse, since
        // it is no node of the instance.
        let mut names = Machine {
            plan: self.plan,
            fuel: self.fuel,
            depth: self.depth,
            allowance: self.allowance,
            memo: &mut *self.memo,
            seen: &mut *self.seen,
            collections: self.collections,
            collecting: self.collecting,
            deferred: SmallVec::new(),
        };
        let answer = names.evaluate(
            schema,
            Name {
                text: key.text(),
                identity: key.identity(),
            },
        );
        let (fuel, collections) = (names.fuel, names.collections);
        self.fuel = fuel;
        self.collections = collections;
        answer
    }

    /// What the presence of one name demands.
    fn dependent(&mut self, object: &ObjectPlan, dependent: &Dependent, value: N) -> Answer {
        self.spend(1 + units(dependent.required.len()))?;
        if !self.has(object, dependent.trigger, value)? {
            return YES;
        }
        for required in &dependent.required {
            if !self.has(object, *required, value)? {
                return NO;
            }
        }
        match dependent.schema {
            Some(schema) => self.evaluate(schema, value),
            None => YES,
        }
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

    /// The object's member that a slot of a table names.
    pub(super) fn look_up(
        &mut self,
        names: &NameTable,
        slot: usize,
        value: N,
    ) -> ControlFlow<Stop, Option<N>> {
        self.spend(units(value.len()) / MEMBERS_PER_UNIT)?;
        let name = names.name(slot);
        self.spend_text(name)?;
        ControlFlow::Continue(value.member_hashed(name, || names.hash(slot)))
    }
}

/// The name of a member as a string to be checked.
#[derive(Debug, Clone, Copy)]
struct Name<'i> {
    text: &'i str,
    identity: usize,
}

impl<'i> toolgate_json::Key<'i> for Name<'i> {
    fn text(self) -> &'i str {
        self.text
    }

    fn hash(self) -> u32 {
        toolgate_json::key_hash(self.text)
    }

    fn identity(self) -> usize {
        self.identity
    }
}

impl<'i> Node<'i> for Name<'i> {
    type Key = Self;
    type Items = std::iter::Empty<Self>;
    type Members = std::iter::Empty<(Self, Self)>;

    fn kind(self) -> Kind {
        Kind::String
    }

    fn boolean(self) -> bool {
        false
    }

    fn number(self) -> toolgate_json::Number<'i> {
        toolgate_json::Number::from_i64(0)
    }

    fn string(self) -> &'i str {
        self.text
    }

    fn len(self) -> usize {
        0
    }

    fn items(self) -> Self::Items {
        std::iter::empty()
    }

    fn members(self) -> Self::Members {
        std::iter::empty()
    }

    fn item(self, _: usize) -> Option<Self> {
        None
    }

    fn member(self, _: &str) -> Option<Self> {
        None
    }

    fn identity(self) -> usize {
        self.identity
    }
}

/// As many members as may wait at once without an allocation.
pub(super) const WAITING: usize = 8;
/// The order of members that the schema does not name.
const UNORDERED: u32 = u32::MAX;
/// Members that one unit of fuel searches for a name.
const MEMBERS_PER_UNIT: u64 = 8;
