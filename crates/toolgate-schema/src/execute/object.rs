//! All object keywords of a subschema, in one walk over the members.

use std::ops::ControlFlow;

use smallvec::SmallVec;
use toolgate_json::{Key as _, Node};

use super::{Answer, Machine, NO, Stop, YES};
use crate::int::{to_usize, units};
use crate::plan::{Dependent, NodeIx, ObjectPlan};

/// A member whose subschema looks further than the value itself.
#[derive(Debug, Clone, Copy)]
pub(super) struct Deferred<N> {
    /// The slot of its name; [`UNORDERED`] for members the schema does not name.
    order: u32,
    schema: NodeIx,
    value: N,
}

impl<'p, 'i, N: Node<'i>> Machine<'p, '_, N> {
    /// Keywords about objects.
    pub(super) fn object(&mut self, object: &'p ObjectPlan, value: N) -> Answer {
        let count = value.len();
        if count < object.min || count > object.max || count < to_usize(object.required) {
            return NO;
        }
        self.spend(units(count))?;
        let floor = self.deferred.len();
        let matched = self.members(object, value)? && self.deferred_members(floor)?;
        self.deferred.truncate(floor);
        if !matched {
            return NO;
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

    /// Looks at every member once. Cheap subschemas are settled on the way,
    /// without stopping at the first that fails, so that the price does not
    /// depend on the members' order; costly ones are put off.
    #[inline(never)]
    fn members(&mut self, object: &ObjectPlan, value: N) -> Answer {
        let mut matched = true;
        let mut required = 0;
        let mut guess = 0;
        for (key, member) in value.members() {
            let name = key.text();
            self.spend_text(name)?;
            let mut covered = false;
            if let Some(slot) = object.names.find(name, guess, || key.hash()) {
                guess = slot + 1;
                if let Some(slot_plan) = object.slots.get(to_usize(slot)) {
                    required += u32::from(slot_plan.required);
                    covered = slot_plan.declared;
                    matched &= self.member(slot, slot_plan.schema, member)?;
                }
            }
            for (pattern, schema) in &object.patterns {
                if self.matches(*pattern, name)? {
                    covered = true;
                    matched &= self.member(UNORDERED, *schema, member)?;
                }
            }
            if !covered && let Some(rest) = object.additional {
                matched &= self.member(UNORDERED, rest, member)?;
            }
            if let Some(names) = object.property_names {
                matched &= self.property_name(names, key)?;
            }
        }
        ControlFlow::Continue(matched && required == object.required)
    }

    /// One member against one subschema: now if that is cheap, later if not.
    #[inline]
    fn member(&mut self, order: u32, schema: NodeIx, value: N) -> Answer {
        if schema == NodeIx::TRUE {
            return YES;
        }
        self.spend(1)?;
        let node = self.plan.node(schema);
        let kind = value.kind();
        if !node.types.admits(value, kind) {
            return NO;
        }
        if node.traits.plain {
            return YES;
        }
        if node.traits.leaf {
            return self.operate(node, value, kind);
        }
        self.deferred.push(Deferred {
            order,
            schema,
            value,
        });
        YES
    }

    /// The members that were put off: those the schema names in its order up to
    /// the first that fails, then all of the others.
    fn deferred_members(&mut self, floor: usize) -> Answer {
        let end = self.deferred.len();
        if end - floor > 1
            && let Some(waiting) = self.deferred.get_mut(floor..)
            && !waiting.is_sorted_by_key(|member| member.order)
        {
            waiting.sort_unstable_by_key(|member| member.order);
        }
        let mut matched = true;
        for at in floor..end {
            let Some(member) = self.deferred.get(at).copied() else {
                break;
            };
            if !matched && member.order != UNORDERED {
                break;
            }
            let ordered = member.order != UNORDERED;
            if !self.evaluate(member.schema, member.value)? {
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
        self.spend(units(value.len()) / MEMBERS_PER_UNIT)?;
        let name = object.names.name(slot);
        self.spend_text(name)?;
        let found = value.member_hashed(name, object.names.hash(slot));
        ControlFlow::Continue(found.is_some())
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

    fn kind(self) -> toolgate_json::Kind {
        toolgate_json::Kind::String
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
