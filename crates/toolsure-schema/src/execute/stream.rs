//! Validates a JSON text while it is read.
//!
//! Objects and arrays that walks over members and items decide are checked member by member and
//! leave nothing on the tape. If a subschema needs more than that, its value is read onto the tape and the machine
//! evaluates it there. The only answer that this gives is that a text is well-formed and valid,
//! with the fuel it took. In all other cases it gives up, and the text is read and checked as a
//! whole. So faults, failures and exhausted fuel have one definition, and the verdict does not
//! depend on the method.
//!
//! If everything is valid nothing is skipped, so the price is a sum that does not depend on the
//! order of members: the same as the machine's. The price of a walk is known and paid when the walk
//! is over; until then the work is that of reading, which the limits on the text bound.

use std::ops::ControlFlow;

use smallvec::SmallVec;
use toolsure_json::{Key as _, Kind, PAIRED, Scalar, Stream, first_equal_scalars, hash_bytes};

use super::array::all_differ;
use super::lookahead::Lookahead;
use super::pass::Pass;
use super::{Allowance, Machine, Scratch, YES};
use crate::int::to_usize;
use crate::plan::{ArrayPlan, Inspection, NodeIx, NodeSummary, ObjectPlan, Op, Plan, Run};
use crate::price;

/// The fuel that a text took, if it is well-formed and valid and could be decided while reading;
/// `None` says nothing about the text.
pub(crate) fn run(
    plan: &Plan,
    stream: Stream<'_, '_>,
    allowance: Allowance,
    scratch: &mut Scratch,
) -> Option<u64> {
    let kind = stream.kind()?;
    let target = plan.of_kind(&plan.start, kind);
    if !matches!(kind, Kind::Array | Kind::Object) || !target.types.has_kind(kind) {
        return None;
    }
    let mut pass = Pass {
        stream,
        machine: Machine::new(plan, allowance, scratch),
        lookahead: Lookahead::new(),
    };
    pass.root(target, kind)?;
    pass.stream.finish()?;
    Some(allowance.fuel - pass.machine.fuel)
}

impl<'p, 's> Pass<'p, '_, '_, 's> {
    /// Passes the outermost array or object.
    fn root(&mut self, target: &'p NodeSummary, kind: Kind) -> Option<()> {
        match (target.inspection, kind) {
            (Inspection::Object, Kind::Object)
            | (Inspection::Array | Inspection::Items, Kind::Array) => self.below(target, kind),
            // If the subschema needs more than one walk, the machine evaluates the whole root.
            (Inspection::Further, _) => self.further(self.machine.plan.root, kind)?.then_some(()),
            _ => None,
        }
    }

    /// Passes the next value, which must match.
    #[inline(always)]
    pub(super) fn value(&mut self, target: &'p NodeSummary) -> Option<()> {
        let kind = self.stream.kind()?;
        match kind {
            Kind::Array | Kind::Object => self.container(target, kind),
            Kind::String if target.inspection == Inspection::Type => {
                if !target.types.has_kind(kind) {
                    return None;
                }
                self.stream.string()
            }
            Kind::Boolean | Kind::Null if target.inspection == Inspection::Type => {
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
    fn scalar(&mut self, target: &'p NodeSummary) -> Option<()> {
        let Some(scalar) = self.stream.scalar() else {
            return self.whole_of(target);
        };
        let answer = self.machine.child(target, scalar);
        (answer == ControlFlow::Continue(true)).then_some(())
    }

    /// Passes the next array or object.
    #[inline(never)]
    fn container(&mut self, target: &'p NodeSummary, kind: Kind) -> Option<()> {
        if !target.types.has_kind(kind) {
            return None;
        }
        if target.inspection == Inspection::Type {
            return self.stream.skip();
        }
        let target = self.machine.plan.of_kind(target, kind);
        if !target.types.has_kind(kind) {
            return None;
        }
        match (target.inspection, kind) {
            (Inspection::Object, Kind::Object)
            | (Inspection::Array | Inspection::Items, Kind::Array) => self.below(target, kind),
            (Inspection::Further, _) => match self.further(target.node, kind)? {
                true => Some(()),
                false => self.whole_of(target),
            },
            _ => self.whole_of(target),
        }
    }

    /// Passes the next array or object by a node that needs more than one walk, or that the machine
    /// remembers. Returns whether it could do so; if not, the position does not change.
    fn further(&mut self, ix: NodeIx, kind: Kind) -> Option<bool> {
        if kind == Kind::Object {
            return match self.remembered_walk(ix)? {
                true => Some(true),
                false => self.resolved(ix),
            };
        }
        let (fuel, depth) = (self.machine.fuel, self.machine.depth);
        let array = self.array_walk(ix);
        match array {
            Some(array) => self.array(array)?,
            None => self.machine.fuel = fuel,
        }
        self.machine.depth = depth;
        Some(array.is_some())
    }

    /// The same for an object, by a node that is one walk and that the machine remembers.
    fn remembered_walk(&mut self, ix: NodeIx) -> Option<bool> {
        let plan = self.machine.plan;
        let node = plan.node(ix);
        let is_walk = node.traits.memo && node.present == Run::Object.bit();
        let Some(object) = plan.objects.get(to_usize(node.object)).filter(|_| is_walk) else {
            return Some(false);
        };
        if !object.dependents.is_empty() {
            return Some(false);
        }
        self.pay(price::RECALL + price::MEMO)?;
        self.enter()?;
        self.walk(object)?;
        self.machine.depth -= 1;
        Some(true)
    }

    /// The one walk that a node needs for arrays, with the price of reaching it paid; `None` if it
    /// may need more than that.
    fn array_walk(&mut self, mut ix: NodeIx) -> Option<&'p ArrayPlan> {
        let plan = self.machine.plan;
        for _ in 0..STEPS {
            let node = plan.node(ix);
            if !node.types.has_kind(Kind::Array) || node.has(Run::Head.bit() | Run::Tail.bit()) {
                return None;
            }
            if node.traits.memo {
                self.pay(price::RECALL + price::MEMO)?;
            }
            self.enter()?;
            if !node.has(Run::Any.bit()) {
                let array = plan.arrays.get(to_usize(node.array))?;
                return (array.contains.is_none() && !array.unique).then_some(array);
            }
            if node.has(Run::Array.bit()) {
                return None;
            }
            let [op] = *plan.run_of(node, Run::Any)? else {
                return None;
            };
            ix = match op {
                Op::Apply(target) => target,
                Op::AnyOf(union) | Op::OneOf(union) => {
                    let branches = plan.unions.get(to_usize(union))?.of_others();
                    self.only(branches, Kind::Array, matches!(op, Op::AnyOf(_)))?
                }
                Op::Leaf(_)
                | Op::Array(_)
                | Op::Object(_)
                | Op::AllOf(_)
                | Op::Not(_)
                | Op::If(_)
                | Op::UnevaluatedItems(_)
                | Op::UnevaluatedProperties(_) => return None,
            };
        }
        None
    }

    /// Reads the next value and lets the machine evaluate it.
    #[inline(never)]
    fn whole_of(&mut self, target: &'p NodeSummary) -> Option<()> {
        self.whole(&[(target, self.machine.depth)])
    }

    /// Walks the next array or object.
    #[inline(always)]
    fn below(&mut self, target: &'p NodeSummary, kind: Kind) -> Option<()> {
        let plan = self.machine.plan;
        if kind == Kind::Object {
            let object = plan.objects.get(to_usize(target.index))?;
            if !object.dependents.is_empty() {
                return self.whole_of(target);
            }
            self.enter()?;
            self.walk(object)?;
        } else {
            let array = plan.arrays.get(to_usize(target.index))?;
            if array.contains.is_some() {
                return self.whole_of(target);
            }
            if array.unique {
                return self.distinct_items(array, target);
            }
            self.enter()?;
            self.array(array)?;
        }
        self.machine.depth -= 1;
        Some(())
    }

    /// Walks an object.
    #[inline(always)]
    fn walk(&mut self, object: &'p ObjectPlan) -> Option<()> {
        if object.names_decide() {
            self.object(object).map(|_| ())
        } else {
            self.object_by_patterns(object)
        }
    }

    /// Pays for a subschema that inspects children, and goes one level down.
    #[inline(always)]
    fn enter(&mut self) -> Option<()> {
        if self.machine.depth >= self.machine.allowance.depth {
            return None;
        }
        self.machine.depth += 1;
        self.pay(price::VISIT)
    }

    #[inline(always)]
    pub(super) fn pay(&mut self, price: u64) -> Option<()> {
        self.machine.spend(price).continue_value()
    }

    /// Walks an object whose names decide which subschemas its members must match. Returns the
    /// number of members and the price of reading their names.
    #[inline(always)]
    fn object(&mut self, object: &'p ObjectPlan) -> Option<(usize, u64)> {
        self.object_by(
            object,
            #[inline(always)]
            |pass, _| Some(pass.stream.key()?.bytes()),
        )
    }

    /// The same with a function that passes the key of the member at a position.
    #[inline(always)]
    pub(super) fn object_by(
        &mut self,
        object: &'p ObjectPlan,
        key: impl Fn(&mut Self, usize) -> Option<&'s [u8]>,
    ) -> Option<(usize, u64)> {
        let rest = object.additional.as_ref().unwrap_or(&NodeSummary::TRUE);
        let floor = self.stream.names();
        let (mut count, mut required, mut text) = (0, 0, 0);
        // The names in the schema that were met, as far as they fit in one word.
        let mut met = 0_u64;
        let mut more = self.stream.open(Kind::Object)?;
        while more {
            let name = key(self, count)?;
            text += price::text(name.len());
            let known = object.names.find(name, |ends| ends.hash(name));
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
        self.pay(price::visits(count).checked_add(walk)?)?;
        Some((count, text))
    }

    /// The same for objects with keywords that inspect every name.
    #[inline(never)]
    fn object_by_patterns(&mut self, object: &'p ObjectPlan) -> Option<()> {
        let (floor, depth) = (self.stream.names(), self.machine.depth);
        let (mut count, mut required) = (0, 0);
        let mut more = self.stream.open(Kind::Object)?;
        while more {
            let key = self.stream.key()?;
            let (name, hash) = (key.bytes(), key.hash());
            self.stream.note_hash(hash);
            self.pay(price::text(name.len()))?;
            let known = object.names.find(name, |_| hash);
            required += u32::from(known.is_some_and(|known| known.required));
            let declared = known.filter(|known| known.declared);
            let mut first = declared.map(|known| &known.target);
            let mut others: SmallVec<[(&NodeSummary, u32); 4]> = SmallVec::new();
            if !known.is_some_and(|known| known.clear) {
                for (pattern, target) in &object.patterns {
                    match self.machine.matches(*pattern, key.text()) {
                        ControlFlow::Continue(true) if first.is_none() => first = Some(target),
                        ControlFlow::Continue(true) => others.push((target, depth)),
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
            let first = first.unwrap_or(&NodeSummary::TRUE);
            if others.is_empty() {
                self.value(first)?;
            } else {
                others.push((first, depth));
                self.whole(&others)?;
            }
            count += 1;
            more = self.stream.after(Kind::Object)?;
        }
        self.stream.distinct(floor)?;
        if count < object.min || count > object.max || required != object.required {
            return None;
        }
        self.pay(price::visits(count))
    }

    #[inline(always)]
    fn array(&mut self, array: &'p ArrayPlan) -> Option<()> {
        let rest = array.rest.as_ref().unwrap_or(&NodeSummary::TRUE);
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
        self.pay(price::visits(array.looked_at(count)))
    }

    /// Walks the next array, whose items must be unique; falls back to the tape if that cannot be
    /// decided while reading.
    #[inline(never)]
    fn distinct_items(&mut self, array: &'p ArrayPlan, target: &'p NodeSummary) -> Option<()> {
        let (mark, fuel, depth) = (self.stream.mark(), self.machine.fuel, self.machine.depth);
        let (start, floor) = (self.stream.at(), self.lookahead.members.len());
        let differ = match &array.key {
            Some(key) => self.differ_by_key(array, key.known_name(0)?),
            None => self.unique(array),
        };
        if differ.is_some() {
            return Some(());
        }
        self.spend_ahead(self.stream.at() - start)?;
        self.lookahead.forget(floor);
        (self.machine.fuel, self.machine.depth) = (fuel, depth);
        self.stream.reset(mark);
        self.whole_of(target)
    }

    /// The same for items that differ in one string.
    fn differ_by_key(&mut self, array: &'p ArrayPlan, name: &'p str) -> Option<()> {
        let item = array.rest.as_ref()?;
        self.enter()?;
        let mut hashes = SmallVec::new();
        let mut price = 0;
        let floor = self.lookahead.members.len();
        let mut more = self.stream.open(Kind::Array)?;
        while more {
            let text = self.text_ahead(name)?;
            price += price::key(name, text);
            hashes.push(hash_bytes(text.as_bytes()));
            self.value(item)?;
            self.lookahead.forget(floor);
            more = self.stream.after(Kind::Array)?;
        }
        let count = hashes.len();
        if count < array.min || count > array.max || !all_differ(&mut hashes) {
            return None;
        }
        let price = if count > 1 { price } else { 0 };
        self.pay(price::visits(array.looked_at(count)).checked_add(price)?)?;
        self.machine.depth -= 1;
        Some(())
    }

    /// The same for a few scalars, or a single item of any kind, if the next array holds nothing
    /// else.
    fn unique(&mut self, array: &'p ArrayPlan) -> Option<()> {
        let rest = array.rest.as_ref().unwrap_or(&NodeSummary::TRUE);
        self.enter()?;
        let mut items: SmallVec<[Scalar<'s>; PAIRED]> = SmallVec::new();
        let mut count = 0;
        let mut more = self.stream.open(Kind::Array)?;
        while more {
            let target = array.prefix.get(count).unwrap_or(rest);
            match self.stream.scalar() {
                Some(item) if items.len() < PAIRED => {
                    if self.machine.child(target, item) != YES {
                        return None;
                    }
                    items.push(item);
                }
                None if count == 0 => self.value(target)?,
                _ => return None,
            }
            count += 1;
            more = self.stream.after(Kind::Array)?;
            if more && items.len() < count {
                return None;
            }
        }
        if count < array.min || count > array.max {
            return None;
        }
        self.pay(price::visits(array.looked_at(count)))?;
        if count > 1 {
            let same = first_equal_scalars(|| items.iter().copied(), &mut self.machine);
            if !matches!(same, ControlFlow::Continue(None)) {
                return None;
            }
        }
        self.machine.depth -= 1;
        Some(())
    }

    /// Reads the next value and lets the machine evaluate it against each target, at the depth of
    /// its subschema.
    #[inline(never)]
    pub(super) fn whole(&mut self, targets: &[(&'p NodeSummary, u32)]) -> Option<()> {
        // The identities of values that were read earlier are reused.
        self.machine.memo.clear();
        let value = self.stream.value()?;
        let mut machine = self.machine.lent();
        let matched = targets.iter().all(|(target, depth)| {
            machine.depth = *depth;
            machine.child(target, value) == ControlFlow::Continue(true)
        });
        let (fuel, collections) = (machine.fuel, machine.collections);
        self.machine.fuel = fuel;
        self.machine.collections = collections;
        matched.then_some(())
    }
}

/// Maximum number of subschemas, each applied by the one before, that are followed to find an
/// array's walk.
const STEPS: usize = 8;
