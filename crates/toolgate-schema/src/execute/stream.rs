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
use toolgate_json::{
    Key as _, Kind, NameEnds, Node as _, PAIRED, Scalar, Stream, first_equal_scalars,
};

use super::object::price_of_search;
use super::{Allowance, Machine, Scratch, price_of_text};
use crate::int::{to_usize, units};
use crate::plan::{ArrayPlan, NodeIx, ObjectPlan, Op, Plan, Reach, Run, Target};

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
        Kind::Array => matches!(target.reach, Reach::Array | Reach::Items),
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
            _ => matches!(target.reach, Reach::Array | Reach::Items),
        };
        if !is_walk || !target.types.has_kind(kind) {
            if kind == Kind::Object && target.reach == Reach::Further {
                return self.union(target);
            }
            return self.whole(&[target]);
        }
        self.below(target, kind)
    }

    /// Walks the object that is next by the branch of a union that its first member
    /// chooses; without such a branch the object is judged as a whole.
    #[inline(never)]
    fn union(&mut self, target: &'p Target) -> Option<()> {
        let Some((object, name, text)) = self.chosen(target) else {
            return self.whole(&[target]);
        };
        // One level for the union, and one for its branch.
        self.enter()?;
        self.enter()?;
        let count = self.object(object)?;
        self.machine.depth -= 2;
        self.pay(price_of_search(count, name).checked_add(price_of_text(text))?)
    }

    /// The branch that an object's first member chooses, the member's name, and the
    /// length of its text; the other branches do not match.
    fn chosen(&mut self, target: &Target) -> Option<(&'p ObjectPlan, &'p str, usize)> {
        let plan = self.machine.plan;
        let node = plan.node(target.node);
        if node.traits.memo || node.present != Run::Any.bit() {
            return None;
        }
        let [Op::AnyOf(union) | Op::OneOf(union)] = plan.run(node, Run::Any) else {
            return None;
        };
        let select = plan.unions.get(to_usize(*union))?.select.as_ref()?;
        let name = select.name.name(0);
        let member = self.stream.first_member(name)?;
        let [branch] = select.branches(member) else {
            return None;
        };
        let branch = plan.target(*branch);
        if branch.reach != Reach::Object || !branch.types.has_kind(Kind::Object) {
            return None;
        }
        let object = plan.objects.get(to_usize(branch.index))?;
        let walked = object.is_plain() && object.dependents.is_empty();
        walked.then_some((object, name, member.string().len()))
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
            if array.contains.is_some() {
                return self.whole(&[target]);
            }
            if array.unique {
                let before = (self.stream.mark(), self.machine.fuel);
                if self.unique(array).is_some() {
                    return Some(());
                }
                (_, self.machine.fuel) = before;
                self.stream.reset(before.0);
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

    /// Walks an object whose names settle what its members must match. Answers how many
    /// it has.
    #[inline(always)]
    fn object(&mut self, object: &'p ObjectPlan) -> Option<usize> {
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
        self.pay(units(count).checked_add(walk)?)?;
        Some(count)
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
        self.pay(units(looked_at(array, count)))
    }

    /// The same for a few scalars that must all be different, if that is what is next.
    #[inline(never)]
    fn unique(&mut self, array: &'p ArrayPlan) -> Option<()> {
        let rest = array.rest.as_ref().unwrap_or(&Target::TRUE);
        if self.machine.depth >= self.machine.allowance.depth {
            return None;
        }
        let mut items: SmallVec<[Scalar<'s>; PAIRED]> = SmallVec::new();
        let mut more = self.stream.open(Kind::Array)?;
        while more {
            let item = self.stream.scalar()?;
            let target = array.prefix.get(items.len()).unwrap_or(rest);
            if items.len() == PAIRED
                || self.machine.child(target, item) != ControlFlow::Continue(true)
            {
                return None;
            }
            items.push(item);
            more = self.stream.after(Kind::Array)?;
        }
        let count = items.len();
        if count < array.min || count > array.max {
            return None;
        }
        self.pay(1 + units(looked_at(array, count)))?;
        if count < 2 {
            return Some(());
        }
        let same = first_equal_scalars(|| items.iter().copied(), &mut self.machine);
        matches!(same, ControlFlow::Continue(None)).then_some(())
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

/// How many of so many items a subschema looks at.
pub(super) fn looked_at(array: &ArrayPlan, count: usize) -> usize {
    let is_free = array.rest.is_none_or(|rest| rest.node == NodeIx::TRUE);
    if is_free {
        count.min(array.prefix.len())
    } else {
        count
    }
}
