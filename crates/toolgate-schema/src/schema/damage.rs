//! Tests with programs that were damaged on purpose, the optimised and the plain one: an index out
//! of range, or a row of the wrong kind, never leads to a verdict that differs from the intact
//! program's.

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

use toolgate_json::{DuplicateKeys, Node as _, OwnedDocument, ReadLimits};

use crate::compiler::Compiler;
use crate::dialect::{Dialect, Keyword};
use crate::execute::{Allowance, Exhausted, Scratch, run};
use crate::explain::{Evaluation, Program};
use crate::limits::Limits;
use crate::lower::{lower, plain};
use crate::model::{Form, Model};
use crate::options::Formats;
use crate::plan::{Leaf, NodeIx, NodeSummary, Op, Plan, Run};

/// Uses the suite's own cases, which contain every keyword in every dialect.
#[test]
fn damage_never_gives_another_verdict() {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testkit/cases");
    let mut files: Vec<_> = fs::read_dir(cases)
        .expect("the folder of cases")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    files.sort();
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut seen = Seen::default();
    let mut seen_plainly = Seen::default();
    for file in files {
        let text = fs::read(&file).expect("a file");
        // Some cases test duplicate names, or depth.
        let limits = ReadLimits {
            duplicate_keys: DuplicateKeys::KeepLast,
            depth: 1_000,
            ..ReadLimits::default()
        };
        let cases = OwnedDocument::read(text, &limits).expect("JSON");
        for case in cases.document().root().items() {
            let (Some(schema), Some(tests)) = (case.member("schema"), case.member("tests")) else {
                continue;
            };
            let dialect = case
                .member("dialect")
                .and_then(|name| Dialect::from_name(name.string()));
            let compiler = Compiler::new()
                .formats(Formats::AssertWithNumbers)
                .default_dialect(dialect.unwrap_or_default());
            let Ok(text) = OwnedDocument::read(schema.raw(), &ReadLimits::default()) else {
                continue;
            };
            let Ok(model) = compiler.parser().parse_assertions(text.clone()) else {
                continue;
            };
            let instances: Vec<_> = tests
                .items()
                .filter_map(|test| test.member("data"))
                .collect();
            for _ in 0..ROUNDS {
                let name = format!("{}: {}", file.display(), schema.raw());
                seen.add(compared(&model, &instances, &mut random, &name));
            }
            for _ in 0..PLAIN_ROUNDS {
                let name = format!("{}: {}", file.display(), schema.raw());
                let models = || compiler.parser().parse_document(text.clone());
                let (Ok(intact), Ok(damaged)) = (models(), models()) else {
                    continue;
                };
                let models = (intact, damaged);
                seen_plainly.add(compared_plainly(models, &instances, &mut random, &name));
            }
        }
    }
    // The test proves nothing unless enough damage was hit.
    assert!(seen.internal > 2_000 && seen.same > 2_000, "{seen:?}");
    let seen = seen_plainly;
    assert!(seen.internal > 500 && seen.same > 500, "plain: {seen:?}");
}

#[derive(Debug, Default)]
struct Seen {
    internal: usize,
    same: usize,
}

impl Seen {
    fn add(&mut self, other: Self) {
        self.internal += other.internal;
        self.same += other.same;
    }
}

fn compared(
    model: &Model,
    instances: &[toolgate_json::View<'_>],
    random: &mut Random,
    name: &str,
) -> Seen {
    let mut seen = Seen::default();
    let limits = Limits::default();
    let (Ok(intact), Ok(mut plan)) = (lower(model, &limits), lower(model, &limits)) else {
        return seen;
    };
    let damage = damage(&mut plan, random);
    let allowance = Allowance {
        fuel: limits.fuel,
        depth: limits.evaluation_depth,
    };
    let mut scratch = Scratch::default();
    for instance in instances {
        let (expected, _) = run(&intact, *instance, allowance, &mut scratch);
        let (found, _) = run(&plan, *instance, allowance, &mut scratch);
        match found {
            ControlFlow::Break(Exhausted::Internal) => seen.internal += 1,
            _ => {
                assert_eq!(found, expected, "{damage}: {name}, {}", instance.raw());
                seen.same += 1;
            }
        }
    }
    seen
}

/// The same for the plain program.
fn compared_plainly(
    (intact, mut model): (Model, Model),
    instances: &[toolgate_json::View<'_>],
    random: &mut Random,
    name: &str,
) -> Seen {
    let mut seen = Seen::default();
    let limits = Limits::default();
    let Ok(whole) = plain(&intact, &limits) else {
        return seen;
    };
    let cut = (random.below(3) == 0).then(|| damage_model(&mut model, random));
    if let Some(damage) = &cut {
        seen.add(lowered(
            (&intact, &model),
            instances,
            &format!("{damage}: {name}"),
        ));
    }
    let mut operations = match plain(&model, &limits) {
        Ok(operations) => operations,
        Err(error) => {
            assert_eq!(error.code(), "internal", "{cut:?}: {name}");
            seen.internal += 1;
            return seen;
        }
    };
    let damage = match cut {
        Some(damage) => damage,
        None if random.below(4) == 0 => {
            let left = random.below(operations.keywords.len().max(1));
            operations.keywords = operations.keywords.iter().copied().take(left).collect();
            format!("{left} keywords left")
        }
        None => damage(&mut operations.plan, random),
    };
    let (intact, damaged) = (Program::new(intact, whole), Program::new(model, operations));
    let allowance = Allowance {
        fuel: limits.fuel,
        depth: limits.evaluation_depth,
    };
    for instance in instances {
        let expected = Evaluation::new(&intact, *instance, allowance, Scratch::default()).decide();
        let found = Evaluation::new(&damaged, *instance, allowance, Scratch::default()).decide();
        match found {
            Err(Exhausted::Internal) => seen.internal += 1,
            _ => {
                assert_eq!(
                    found,
                    expected,
                    "plain, {damage}: {name}, {}",
                    instance.raw()
                );
                seen.same += 1;
            }
        }
    }
    seen
}

/// A damaged model is refused, or its plan gives the verdicts of the intact model.
fn lowered(
    (intact, damaged): (&Model, &Model),
    instances: &[toolgate_json::View<'_>],
    name: &str,
) -> Seen {
    let mut seen = Seen::default();
    let limits = Limits::default();
    let (intact, damaged) = match (lower(intact, &limits), lower(damaged, &limits)) {
        (Ok(intact), Ok(damaged)) => (intact, damaged),
        (Ok(_), Err(error)) => {
            assert_eq!(error.code(), "internal", "{name}");
            seen.internal += 1;
            return seen;
        }
        (Err(_), _) => return seen,
    };
    let allowance = Allowance {
        fuel: limits.fuel,
        depth: limits.evaluation_depth,
    };
    let mut scratch = Scratch::default();
    for instance in instances {
        let (expected, _) = run(&intact, *instance, allowance, &mut scratch);
        let (found, _) = run(&damaged, *instance, allowance, &mut scratch);
        match found {
            ControlFlow::Break(Exhausted::Internal) => seen.internal += 1,
            _ => {
                assert_eq!(found, expected, "lowered, {name}, {}", instance.raw());
                seen.same += 1;
            }
        }
    }
    seen
}

/// Truncates one table of a model, or gives one entry the form of another keyword.
fn damage_model(model: &mut Model, random: &mut Random) -> String {
    let table = random.below(7);
    if table == 6 {
        let at = random.below(model.entries.len().max(1));
        let entry = model.entries.get_mut(at);
        // `uniqueItems` has this form.
        if let Some(entry) = entry.filter(|entry| entry.keyword != Keyword::UniqueItems) {
            entry.form = Form::Flag(true);
        }
        return format!("entry {at} of the model has the form of another keyword");
    }
    let count = match table {
        0 => model.docs.len(),
        1 => model.resources.len(),
        2 => model.subs.len(),
        3 => model.entries.len(),
        4 => model.patterns.len(),
        _ => model.targets.len(),
    };
    let left = random.below(count.max(1));
    match table {
        0 => model.docs.truncate(left),
        1 => model.resources.truncate(left),
        2 => model.subs.truncate(left),
        3 => model.entries.truncate(left),
        4 => model.patterns.truncate(left),
        _ => model.targets.truncate(left),
    }
    format!("{left} rows left in table {table} of the model")
}

/// Damages a plan in one way that no compilation produces, and describes it.
fn damage(plan: &mut Plan, random: &mut Random) -> String {
    let shorter = |count: usize, random: &mut Random| random.below(count.max(1));
    match random.below(20) {
        0 => {
            let left = shorter(plan.nodes.len(), random);
            plan.nodes.truncate(left);
            format!("{left} nodes left")
        }
        1 => {
            let left = shorter(plan.ops.len(), random);
            plan.ops.truncate(left);
            format!("{left} operations left")
        }
        2 => {
            let left = shorter(plan.objects.len(), random);
            plan.objects.truncate(left);
            format!("{left} objects left")
        }
        3 => {
            let left = shorter(plan.arrays.len(), random);
            plan.arrays.truncate(left);
            format!("{left} arrays left")
        }
        4 => {
            plan.unions.truncate(0);
            plan.conditions.truncate(0);
            "no unions and conditions left".to_owned()
        }
        5 => {
            plan.enums.truncate(0);
            "no enums left".to_owned()
        }
        6 => {
            plan.numbers.truncate(0);
            "no numbers left".to_owned()
        }
        7 => {
            plan.literals.truncate(0);
            "no literals left".to_owned()
        }
        8 => {
            plan.patterns.truncate(0);
            "no patterns left".to_owned()
        }
        9 => {
            plan.docs.truncate(0);
            "no documents left".to_owned()
        }
        10 => {
            plan.by_kind.truncate(0);
            "no rows by kind left".to_owned()
        }
        11 | 12 => {
            let at = random.below(plan.nodes.len().max(1));
            if let Some(node) = plan.nodes.get_mut(at) {
                if random.below(2) == 0 {
                    node.start = node.start.saturating_add(1 << 20);
                } else {
                    node.object = node.object.min(NOWHERE);
                    node.array = node.array.min(NOWHERE);
                    if node.object < NOWHERE {
                        node.object = NOWHERE;
                    }
                    if node.array < NOWHERE {
                        node.array = NOWHERE;
                    }
                }
            }
            format!("node {at}")
        }
        13 | 14 => {
            let at = random.below(plan.objects.len().max(1));
            if let Some(object) = plan.objects.get_mut(at) {
                for slot in object.names.data_mut() {
                    lead_astray(&mut slot.target);
                }
                for (_, target) in object.patterns.iter_mut() {
                    lead_astray(target);
                }
                for dependent in object.dependents.iter_mut() {
                    dependent.trigger = NOWHERE;
                }
            }
            format!("the targets of object {at}")
        }
        15 => {
            let at = random.below(plan.arrays.len().max(1));
            if let Some(array) = plan.arrays.get_mut(at) {
                for target in array.prefix.iter_mut().chain(&mut array.rest) {
                    lead_astray(target);
                }
                if let Some(contains) = &mut array.contains {
                    contains.schema = NodeIx::new(1 << 30);
                }
            }
            format!("the targets of array {at}")
        }
        _ => {
            let at = random.below(plan.ops.len().max(1));
            if let Some(op) = plan.ops.get_mut(at) {
                *op = match *op {
                    Op::Leaf(Leaf::Const(_)) => Op::Leaf(Leaf::Const(NOWHERE)),
                    Op::Leaf(Leaf::Enum(_)) => Op::Leaf(Leaf::Enum(NOWHERE)),
                    Op::Leaf(Leaf::Minimum { exclusive, .. }) => Op::Leaf(Leaf::Minimum {
                        number: NOWHERE,
                        exclusive,
                    }),
                    Op::Leaf(Leaf::Maximum { exclusive, .. }) => Op::Leaf(Leaf::Maximum {
                        number: NOWHERE,
                        exclusive,
                    }),
                    Op::Leaf(Leaf::MultipleOf(_)) => Op::Leaf(Leaf::MultipleOf(NOWHERE)),
                    Op::Apply(_) => Op::Apply(NodeIx::new(1 << 30)),
                    Op::AllOf(_) => Op::AllOf(NOWHERE),
                    Op::AnyOf(_) => Op::AnyOf(NOWHERE),
                    Op::OneOf(_) => Op::OneOf(NOWHERE),
                    Op::Not(_) => Op::Not(NodeIx::new(1 << 30)),
                    Op::If(_) => Op::If(NOWHERE),
                    // Put an operation into a run that it does not belong to.
                    Op::Leaf(leaf) if leaf.run() == Run::String => Op::If(NOWHERE),
                    other => other,
                };
            }
            format!("operation {at}")
        }
    }
}

/// Makes a target refer to a missing node and a missing table row.
fn lead_astray(target: &mut NodeSummary) {
    if target.node.index() < 1 << 30 {
        target.node = NodeIx::new(1 << 30);
        target.index = NOWHERE;
    }
}

/// An index out of range of every table that does not mean "none".
const NOWHERE: u32 = u32::MAX - 2;
/// How many times each case is damaged.
const ROUNDS: usize = 12;
/// The same for the plain program, whose model is read again each time.
const PLAIN_ROUNDS: usize = 6;

struct Random(u64);

impl Random {
    fn below(&mut self, count: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        let count = u64::try_from(count).unwrap_or(1);
        usize::try_from(self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) % count).unwrap_or(0)
    }
}
