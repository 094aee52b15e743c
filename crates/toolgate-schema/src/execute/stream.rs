//! Judging a text while it is read.
//!
//! Objects and arrays that plain walks decide are judged member by member and leave
//! nothing behind; whatever looks further reads its value onto the tape and runs the
//! machine there. All that this can say is that a text is well-formed and valid, and
//! what that cost. On anything else it gives up, and the text is read and judged as a
//! whole: so faults, failures and exhausted purses have one definition, and a verdict
//! does not depend on which way it was reached.
//!
//! Where everything is valid nothing is left out, so the price is a sum that no order
//! of members changes: the same as the machine's. That of a walk is known when it is
//! over, and paid then; until it is, the work is that of reading, which the bounds on
//! the text bound.

use std::ops::ControlFlow;

use smallvec::SmallVec;
use toolgate_json::{Key as _, Kind, NameEnds, Scalar, Stream};

use super::{Allowance, Machine, Scratch, price_of_text};
use crate::int::{to_usize, units};
use crate::plan::{ArrayPlan, NodeIx, ObjectPlan, Plan, Reach, Target};

/// The fuel that a text took, if it is well-formed and valid and the way of judging
/// while reading could tell; otherwise nothing is known of it.
pub(crate) fn run(
    plan: &Plan,
    stream: Stream<'_, '_>,
    allowance: Allowance,
    scratch: &mut Scratch,
) -> Option<u64> {
    let kind = stream.kind()?;
    let target = plan.of_kind(&plan.start, kind);
    let is_walk = match kind {
        Kind::Object => target.reach == Reach::Object,
        Kind::Array => target.reach == Reach::Array,
        _ => false,
    };
    if !is_walk || !target.types.has_kind(kind) {
        return None;
    }
    let mut pass = Pass {
        stream,
        machine: Machine::new(plan, allowance, scratch),
    };
    pass.below(target, kind)?;
    pass.stream.finish()?;
    Some(allowance.fuel - pass.machine.fuel)
}

struct Pass<'p, 'w, 'r, 's> {
    stream: Stream<'r, 's>,
    /// Holds the purse, and judges what is neither array nor object.
    machine: Machine<'p, 'w, Scalar<'s>>,
}

impl<'p, 's> Pass<'p, '_, '_, 's> {
    /// Passes the next value, which must match.
    #[inline(always)]
    fn value(&mut self, target: &'p Target) -> Option<()> {
        let kind = self.stream.kind()?;
        match kind {
            Kind::Array | Kind::Object => self.container(target, kind),
            Kind::String if target.reach == Reach::Type => {
                if !target.types.has_kind(kind) {
                    return None;
                }
                match self.stream.string() {
                    Some(()) => Some(()),
                    None => self.whole(&[target]),
                }
            }
            Kind::Boolean | Kind::Null if target.reach == Reach::Type => {
                if !target.types.has_kind(kind) {
                    return None;
                }
                self.stream.word()
            }
            _ => self.scalar(target),
        }
    }

    /// Passes the next value, which is neither array nor object.
    #[inline(never)]
    fn scalar(&mut self, target: &'p Target) -> Option<()> {
        let Some(scalar) = self.stream.scalar() else {
            return self.whole(&[target]);
        };
        let answer = self.machine.child(target, scalar);
        (answer == ControlFlow::Continue(true)).then_some(())
    }

    /// Passes the array or object that is next.
    #[inline(never)]
    fn container(&mut self, target: &'p Target, kind: Kind) -> Option<()> {
        if !target.types.has_kind(kind) {
            return None;
        }
        if target.reach == Reach::Type {
            return self.stream.skip();
        }
        let target = self.machine.plan.of_kind(target, kind);
        let is_walk = match kind {
            Kind::Object => target.reach == Reach::Object,
            _ => target.reach == Reach::Array,
        };
        if !is_walk || !target.types.has_kind(kind) {
            return self.whole(&[target]);
        }
        self.below(target, kind)
    }

    /// Walks the array or object that is next.
    #[inline(always)]
    fn below(&mut self, target: &'p Target, kind: Kind) -> Option<()> {
        let plan = self.machine.plan;
        if kind == Kind::Object {
            let object = plan.objects.get(to_usize(target.index))?;
            if !object.dependents.is_empty() {
                return self.whole(&[target]);
            }
            self.enter()?;
            if object.is_plain() {
                self.object(object)?;
            } else {
                self.object_by_patterns(object)?;
            }
        } else {
            let array = plan.arrays.get(to_usize(target.index))?;
            if array.contains.is_some() || array.unique {
                return self.whole(&[target]);
            }
            self.enter()?;
            self.array(array)?;
        }
        self.machine.depth -= 1;
        Some(())
    }

    /// Pays for a subschema that looks at children, and goes one level down.
    #[inline(always)]
    fn enter(&mut self) -> Option<()> {
        if self.machine.depth >= self.machine.allowance.depth {
            return None;
        }
        self.machine.depth += 1;
        self.pay(1)
    }

    #[inline(always)]
    fn pay(&mut self, price: u64) -> Option<()> {
        self.machine.spend(price).continue_value()
    }

    #[inline(always)]
    fn object(&mut self, object: &'p ObjectPlan) -> Option<()> {
        let rest = object.additional.as_ref().unwrap_or(&Target::TRUE);
        let floor = self.stream.names();
        let (mut count, mut required, mut text) = (0, 0, 0);
        // Names of the schema that were met, while a word has room for them.
        let mut met = 0_u64;
        let mut more = self.stream.open(Kind::Object)?;
        while more {
            let name = self.stream.key()?.bytes();
            text += price_of_text(name.len());
            let known = object.names.find(name, |ends: NameEnds| ends.hash(name));
            let target = match known {
                Some(known) => {
                    let bit = 1_u64.checked_shl(known.bit).unwrap_or(0);
                    if bit == 0 {
                        self.stream.note(name);
                    } else if met & bit != 0 {
                        return None;
                    }
                    met |= bit;
                    required += u32::from(known.required);
                    &known.target
                }
                None => {
                    self.stream.note(name);
                    rest
                }
            };
            self.value(target)?;
            count += 1;
            more = self.stream.after(Kind::Object)?;
        }
        self.stream.distinct(floor)?;
        if count < object.min || count > object.max || required != object.required {
            return None;
        }
        let walk = self.machine.price_of_walk(object, count, text);
        self.pay(units(count).checked_add(walk)?)
    }

    /// The same for objects with keywords that look at every name.
    #[inline(never)]
    fn object_by_patterns(&mut self, object: &'p ObjectPlan) -> Option<()> {
        let floor = self.stream.names();
        let (mut count, mut required) = (0, 0);
        let mut more = self.stream.open(Kind::Object)?;
        while more {
            let key = self.stream.key()?;
            let name = key.bytes();
            self.stream.note(name);
            self.pay(price_of_text(name.len()))?;
            let known = object.names.find(name, |ends: NameEnds| ends.hash(name));
            required += u32::from(known.is_some_and(|known| known.required));
            let declared = known.filter(|known| known.declared);
            let mut first = declared.map(|known| &known.target);
            let mut others: SmallVec<[&Target; 4]> = SmallVec::new();
            if !known.is_some_and(|known| known.clear) {
                for (pattern, target) in &object.patterns {
                    match self.machine.matches(*pattern, key.text()) {
                        ControlFlow::Continue(true) if first.is_none() => first = Some(target),
                        ControlFlow::Continue(true) => others.push(target),
                        ControlFlow::Continue(false) => {}
                        ControlFlow::Break(_) => return None,
                    }
                }
            }
            if let Some(names) = object.property_names
                && self.machine.property_name(names, key) != ControlFlow::Continue(true)
            {
                return None;
            }
            let first = first.or(object.additional.as_ref());
            let first = first.unwrap_or(&Target::TRUE);
            if others.is_empty() {
                self.value(first)?;
            } else {
                others.push(first);
                self.whole(&others)?;
            }
            count += 1;
            more = self.stream.after(Kind::Object)?;
        }
        self.stream.distinct(floor)?;
        if count < object.min || count > object.max || required != object.required {
            return None;
        }
        self.pay(units(count))
    }

    #[inline(always)]
    fn array(&mut self, array: &'p ArrayPlan) -> Option<()> {
        let rest = array.rest.as_ref().unwrap_or(&Target::TRUE);
        let mut count = 0;
        let mut more = self.stream.open(Kind::Array)?;
        if array.prefix.is_empty() {
            while more {
                self.value(rest)?;
                count += 1;
                more = self.stream.after(Kind::Array)?;
            }
        } else {
            while more {
                self.value(array.prefix.get(count).unwrap_or(rest))?;
                count += 1;
                more = self.stream.after(Kind::Array)?;
            }
        }
        if count < array.min || count > array.max {
            return None;
        }
        let looked_at = if rest.node == NodeIx::TRUE {
            count.min(array.prefix.len())
        } else {
            count
        };
        self.pay(units(looked_at))
    }

    /// Reads the next value and lets the machine judge it by each of some targets.
    #[inline(never)]
    fn whole(&mut self, targets: &[&'p Target]) -> Option<()> {
        // Identities of other values that were read are used again.
        self.machine.memo.clear();
        let value = self.stream.value()?;
        let mut machine = self.machine.lent();
        let matched = targets
            .iter()
            .all(|target| machine.child(target, value) == ControlFlow::Continue(true));
        let (fuel, collections) = (machine.fuel, machine.collections);
        self.machine.fuel = fuel;
        self.machine.collections = collections;
        matched.then_some(())
    }
}
