//! The ways to damage a plan: an index out of range, a missing row, an operation of the wrong kind,
//! a divisor of 0. None of them makes another valid schema.
//!
//! Plans and their rows are taken apart field by field, so that a new field does not compile until
//! it is damaged here, or left out by name.

use std::collections::BTreeSet;

use toolsure_json::NodeId;

use super::random::Random;
use crate::int::to_usize;
use crate::model::PatternId;
use crate::plan::{
    ArrayPlan, Candidate, Condition, Contains, Dependent, EnumPlan, Key, Leaf, Literal, NONE,
    NameTable, Names, NodeIx, NodeSummary, NumberLiteral, ObjectPlan, Op, Plan, PlanNode, Run,
    Select, Slot, Union,
};

/// Damages a plan at one place, or at all places of one kind. Returns the kind of the place.
pub(super) fn damage(plan: &mut Plan, random: &mut Random) -> &'static str {
    if random.below(8) == 0 {
        return shorten(plan, random);
    }
    let mut changes = Changes::default();
    changes.of_plan(plan);
    choose(changes, random)
}

/// Damages the operand of one operation, or the operation. Returns the kind of the place.
pub(super) fn damage_op(op: &mut Op, random: &mut Random) -> &'static str {
    let mut changes = Changes::default();
    changes.of_op(op);
    choose(changes, random)
}

/// Makes one of the changes, or all of one kind. Each kind of place is as likely as the others,
/// however often it occurs.
fn choose(changes: Changes<'_>, random: &mut Random) -> &'static str {
    let kinds: BTreeSet<&'static str> = changes.0.iter().map(|(kind, _)| *kind).collect();
    let kinds: Vec<&'static str> = kinds.into_iter().collect();
    let chosen = random.choice(&kinds);
    let same = changes.0.into_iter().filter(|(kind, _)| kind == chosen);
    let mut same: Vec<_> = same.map(|(_, change)| change).collect();
    if random.below(2) == 0 {
        let one = same.swap_remove(random.below(same.len()));
        same = vec![one];
    }
    same.into_iter().for_each(|change| change(random));
    chosen
}

/// Leaves a random number of rows in a random table.
fn shorten(plan: &mut Plan, random: &mut Random) -> &'static str {
    let table = random.below(12);
    let mut left = |count: usize| random.below(count.max(1));
    match table {
        0 => plan.nodes.truncate(left(plan.nodes.len())),
        1 => plan.ops.truncate(left(plan.ops.len())),
        2 => plan.objects.truncate(left(plan.objects.len())),
        3 => plan.arrays.truncate(left(plan.arrays.len())),
        4 => plan.unions.truncate(left(plan.unions.len())),
        5 => plan.conditions.truncate(left(plan.conditions.len())),
        6 => plan.enums.truncate(left(plan.enums.len())),
        7 => plan.numbers.truncate(left(plan.numbers.len())),
        8 => plan.literals.truncate(left(plan.literals.len())),
        9 => plan.patterns.truncate(left(plan.patterns.len())),
        10 => plan.docs.truncate(left(plan.docs.len())),
        _ => plan.by_kind.truncate(left(plan.by_kind.len())),
    }
    "length of a table"
}

type Change<'p> = Box<dyn FnOnce(&mut Random) + 'p>;

/// The changes that a plan has places for, each with the kind of its place.
#[derive(Default)]
struct Changes<'p>(Vec<(&'static str, Change<'p>)>);

impl<'p> Changes<'p> {
    fn add(&mut self, kind: &'static str, change: impl FnOnce(&mut Random) + 'p) {
        self.0.push((kind, Box::new(change)));
    }

    /// Makes an index refer to no node.
    fn node(&mut self, kind: &'static str, ix: &'p mut NodeIx) {
        self.add(kind, |_| *ix = NodeIx::NOWHERE);
    }

    /// Makes a summary refer to no node and no row.
    fn summary(&mut self, kind: &'static str, summary: &'p mut NodeSummary) {
        self.add(kind, |_| {
            summary.node = NodeIx::NOWHERE;
            summary.index = NOWHERE;
        });
    }

    /// Makes a row refer to no value: its document or its position there is missing.
    fn literal(&mut self, kind: &'static str, literal: &'p mut Literal) {
        self.add(kind, |random| match random.below(2) {
            0 => literal.doc = NOWHERE,
            _ => literal.node = NodeId::from_index(to_usize(NOWHERE)),
        });
    }

    fn of_plan(&mut self, plan: &'p mut Plan) {
        let divisors = divisors(plan);
        let Plan {
            nodes,
            ops,
            objects,
            arrays,
            unions,
            conditions,
            enums,
            numbers,
            literals,
            patterns: _,
            docs: _,
            root,
            start,
            by_kind,
        } = plan;
        nodes.iter_mut().for_each(|node| self.of_node(node));
        ops.iter_mut().for_each(|op| self.of_op(op));
        objects.iter_mut().for_each(|one| self.of_object(one));
        arrays.iter_mut().for_each(|one| self.of_array(one));
        unions.iter_mut().for_each(|one| self.of_union(one));
        for Condition {
            test,
            then,
            otherwise,
        } in conditions
        {
            self.node("if", test);
            self.node("then", then);
            self.node("else", otherwise);
        }
        enums.iter_mut().for_each(|one| self.of_enum(one));
        for (at, number) in numbers.iter_mut().enumerate() {
            match number {
                NumberLiteral::Other(literal) => self.literal("number", literal),
                NumberLiteral::Integer(divisor) if divisors.contains(&at) => {
                    self.add("divisor", |_| *divisor = 0);
                }
                // Any other bound makes another schema.
                NumberLiteral::Integer(_) => {}
            }
        }
        for literal in literals {
            self.literal("literal", literal);
        }
        self.node("root", root);
        self.summary("start", start);
        for row in by_kind.iter_mut().flatten() {
            self.summary("row by kind", row);
        }
    }

    fn of_node(&mut self, node: &'p mut PlanNode) {
        let (members, items) = (node.has(Run::Object.bit()), node.has(Run::Array.bit()));
        let PlanNode {
            types: _,
            traits: _,
            present: _,
            object,
            array,
            start,
            ends,
        } = node;
        for (kind, index, is_there) in [
            ("node: walk over members", object, members),
            ("node: walk over items", array, items),
        ] {
            if is_there {
                self.add(kind, |random| *index = *random.choice(&[NONE, NOWHERE]));
            }
        }
        self.add("node: start", |_| *start = start.saturating_add(1 << 20));
        for end in ends {
            self.add("node: end of a run", |_| *end = u16::MAX);
        }
    }

    /// Each operation loses what its operand refers to, or is of a kind that its run never has.
    fn of_op(&mut self, op: &'p mut Op) {
        let (kind, astray) = match *op {
            Op::Leaf(leaf) => {
                let (kind, astray) = astray_leaf(leaf);
                (kind, astray.map(Op::Leaf))
            }
            Op::Array(_) => ("op: items", Some(Op::Array(NOWHERE))),
            Op::Object(_) => ("op: members", Some(Op::Object(NOWHERE))),
            Op::Apply(_) => ("op: $ref", Some(Op::Apply(NodeIx::NOWHERE))),
            Op::AllOf(_) => ("op: allOf", Some(Op::AllOf(NOWHERE))),
            Op::AnyOf(_) => ("op: anyOf", Some(Op::AnyOf(NOWHERE))),
            Op::OneOf(_) => ("op: oneOf", Some(Op::OneOf(NOWHERE))),
            Op::Not(_) => ("op: not", Some(Op::Not(NodeIx::NOWHERE))),
            Op::If(_) => ("op: if", Some(Op::If(NOWHERE))),
            Op::UnevaluatedItems(_) => {
                let astray = Op::UnevaluatedItems(NodeIx::NOWHERE);
                ("op: unevaluatedItems", Some(astray))
            }
            Op::UnevaluatedProperties(_) => {
                let astray = Op::UnevaluatedProperties(NodeIx::NOWHERE);
                ("op: unevaluatedProperties", Some(astray))
            }
        };
        let foreign = match op {
            Op::Leaf(_) => Op::Not(NodeIx::TRUE),
            _ => Op::Leaf(Leaf::Const(NOWHERE)),
        };
        let astray = astray.unwrap_or(foreign);
        self.add(kind, move |random| *op = *random.choice(&[astray, foreign]));
    }

    fn of_object(&mut self, object: &'p mut ObjectPlan) {
        let ObjectPlan {
            names,
            required: _,
            patterns,
            additional,
            property_names,
            min: _,
            max: _,
            dependents,
            walk: _,
            is_part: _,
        } = object;
        for slot in names.data_mut() {
            let Slot {
                target,
                order: _,
                bit: _,
                clear: _,
                declared: _,
                required: _,
            } = slot;
            self.summary("properties", target);
        }
        for (pattern, target) in patterns.iter_mut() {
            self.add("patternProperties: pattern", |_| *pattern = no_pattern());
            self.summary("patternProperties", target);
        }
        if let Some(target) = additional {
            self.summary("additionalProperties", target);
        }
        if let Some(ix) = property_names {
            self.node("propertyNames", ix);
        }
        for dependent in dependents.iter_mut() {
            let Dependent {
                trigger,
                required,
                schema,
            } = dependent;
            self.add("dependent: trigger", |_| *trigger = NOWHERE);
            for name in required.iter_mut() {
                self.add("dependent: required", |_| *name = NOWHERE);
            }
            if let Some(ix) = schema {
                self.node("dependent: schema", ix);
            }
        }
    }

    fn of_array(&mut self, array: &'p mut ArrayPlan) {
        let ArrayPlan {
            min: _,
            max: _,
            prefix,
            rest,
            contains,
            unique: _,
            key,
            is_even: _,
        } = array;
        for target in prefix.iter_mut() {
            self.summary("prefixItems", target);
        }
        if let Some(target) = rest {
            self.summary("items", target);
        }
        if let Some(Contains {
            schema,
            min: _,
            max: _,
            evaluates: _,
        }) = contains
        {
            self.node("contains", schema);
        }
        if let Some(key) = key {
            self.add("key of unique items", |_| **key = NameTable::default());
        }
    }

    fn of_union(&mut self, union: &'p mut Union) {
        let Union { branches, select } = union;
        for branch in branches.iter_mut() {
            self.node("branch", branch);
        }
        let Some(select) = select else { return };
        let Select {
            key,
            all,
            names,
            others,
        } = &mut **select;
        self.of_candidates(all);
        if let Some(key) = key {
            let Key {
                name,
                strings,
                integers,
                words,
                rest,
                unlike,
                absent,
            } = key;
            self.add("select: name", |_| *name = NameTable::default());
            strings.data_mut().for_each(|list| self.of_candidates(list));
            for (_, list) in integers.iter_mut() {
                self.of_candidates(list);
            }
            for list in words.iter_mut().flatten() {
                self.of_candidates(list);
            }
            for list in [rest, unlike, absent] {
                self.of_candidates(list);
            }
        }
        if let Some(Names {
            table: _,
            rules,
            decide: _,
        }) = names
        {
            self.add("select: rules", |random| {
                let left = random.below(rules.len().max(1));
                *rules = rules.iter().copied().take(left).collect();
            });
        }
        for branch in others.iter_mut().flatten() {
            self.node("select: branch of others", branch);
        }
    }

    fn of_candidates(&mut self, list: &'p mut [Candidate]) {
        for Candidate { node, rules } in list {
            self.node("select: branch", node);
            if rules.0 < rules.1 {
                self.add("select: range of rules", |random| match random.below(2) {
                    0 => rules.0 = u16::MAX,
                    _ => rules.1 = u16::MAX,
                });
            }
        }
    }

    fn of_enum(&mut self, members: &'p mut EnumPlan) {
        let EnumPlan {
            null: _,
            yes: _,
            no: _,
            strings: _,
            integers: _,
            numbers,
            number_price: _,
            compound,
            most_values: _,
        } = members;
        for literal in numbers.iter_mut() {
            self.literal("enum: number", literal);
        }
        for (_, literal) in compound.iter_mut() {
            self.literal("enum: array or object", literal);
        }
    }
}

/// An operation on a value whose operand refers to nothing; `None` if its operand is no index.
fn astray_leaf(leaf: Leaf) -> (&'static str, Option<Leaf>) {
    let number = NOWHERE;
    match leaf {
        Leaf::Const(_) => ("op: const", Some(Leaf::Const(NOWHERE))),
        Leaf::Enum(_) => ("op: enum", Some(Leaf::Enum(NOWHERE))),
        Leaf::Minimum { exclusive, .. } => {
            ("op: minimum", Some(Leaf::Minimum { number, exclusive }))
        }
        Leaf::Maximum { exclusive, .. } => {
            ("op: maximum", Some(Leaf::Maximum { number, exclusive }))
        }
        Leaf::MultipleOf(_) => ("op: multipleOf", Some(Leaf::MultipleOf(NOWHERE))),
        Leaf::NumberFormat(_) => ("op: format of a number", None),
        Leaf::MinLength(_) => ("op: minLength", None),
        Leaf::MaxLength(_) => ("op: maxLength", None),
        Leaf::Pattern(_) => ("op: pattern", Some(Leaf::Pattern(no_pattern()))),
        Leaf::Format(_) => ("op: format", None),
        Leaf::Content { .. } => ("op: content", None),
    }
}

/// The rows of numbers that only `multipleOf` uses.
fn divisors(plan: &Plan) -> BTreeSet<usize> {
    let leaves = || {
        plan.ops.iter().filter_map(|op| match op {
            Op::Leaf(leaf) => Some(*leaf),
            _ => None,
        })
    };
    let bounds: BTreeSet<u32> = leaves()
        .filter_map(|leaf| match leaf {
            Leaf::Minimum { number, .. } | Leaf::Maximum { number, .. } => Some(number),
            _ => None,
        })
        .collect();
    let divisors = leaves().filter_map(|leaf| match leaf {
        Leaf::MultipleOf(number) if !bounds.contains(&number) => Some(to_usize(number)),
        _ => None,
    });
    divisors.collect()
}

fn no_pattern() -> PatternId {
    PatternId::new(to_usize(NOWHERE))
}

/// An index out of range of every table that does not mean "none".
const NOWHERE: u32 = u32::MAX - 2;
