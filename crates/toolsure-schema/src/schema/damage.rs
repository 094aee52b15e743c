//! Tests with programs that were damaged on purpose, the optimised and the plain one: an index out
//! of range, or a row of the wrong kind, never leads to a verdict that differs from the intact
//! program's, nor to a report that claims to be complete and differs.

mod change;
mod random;

use std::collections::BTreeMap;
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

use toolsure_json::{DuplicateKeys, Node as _, OwnedDocument, ReadLimits, Reader, View};

use crate::compiler::Compiler;
use crate::dialect::{Dialect, Keyword};
use crate::execute::{Allowance, Exhausted, Scratch, run, run_stream};
use crate::explain::kind::FindingKind;
use crate::explain::sink::{EvaluationLocation, Full, Sink};
use crate::explain::{Evaluation, Program};
use crate::limits::Limits;
use crate::lower::{lower, plain};
use crate::model::{Form, Model};
use crate::options::{Content, Formats};
use crate::plan::{NodeIx, Op, PlainPlan, Plan};
use random::Random;

/// Uses the cases of all keywords in all dialects, and some for rare kinds of rows.
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
    let texts = files.iter().map(|file| fs::read(file).expect("a file"));
    for text in texts.chain(std::iter::repeat_n(CASES.into(), 24)) {
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
                .content(Content::Assert)
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
                let name = schema.raw();
                compared(&model, &instances, &mut random, name, &mut seen);
            }
            for _ in 0..PLAIN_ROUNDS {
                let name = schema.raw();
                let models = || compiler.parser().parse_document(text.clone());
                let (Ok(intact), Ok(damaged)) = (models(), models()) else {
                    continue;
                };
                let models = (intact, damaged);
                compared_plainly(models, &instances, &mut random, name, &mut seen_plainly);
            }
        }
    }
    seen.prove(&[]);
    // Nothing begins there: the explanation asks about the root.
    seen_plainly.prove(&["start"]);
}

/// How often damage of each kind of place was noticed, and how often the verdict was the same.
#[derive(Debug, Default)]
struct Seen(BTreeMap<&'static str, (usize, usize)>);

impl Seen {
    fn internal(&mut self, kind: &'static str) {
        self.0.entry(kind).or_default().0 += 1;
    }

    fn same(&mut self, kind: &'static str) {
        self.0.entry(kind).or_default().1 += 1;
    }

    /// The test proves nothing unless the damage of each kind was noticed, but for some kinds.
    #[track_caller]
    fn prove(&self, unnoticed: &[&str]) {
        for (kind, (internal, _)) in &self.0 {
            let expected = !unnoticed.contains(kind);
            assert_eq!(*internal > 0, expected, "{kind}: {:#?}", self.0);
        }
    }
}

/// If an operation fails that a keyword's text does not explain, no reason is made up.
#[test]
fn a_failure_without_a_reason_has_no_message() {
    for (schema, instance) in [
        (r#"{"uniqueItems": true}"#, "[0, 1]"),
        (r#"{"required": ["a"]}"#, r#"{"a": 1}"#),
        (
            r#"{"dependentRequired": {"a": ["b"]}}"#,
            r#"{"a": 1, "b": 2}"#,
        ),
    ] {
        let read = |text: &str| OwnedDocument::read(text, &ReadLimits::default()).expect("JSON");
        let compiler = Compiler::new();
        let model = compiler
            .parser()
            .parse_document(read(schema))
            .expect("a schema");
        let mut operations = plain(&model, &Limits::default(), None).expect("a program");
        for keyword in &mut operations.keywords {
            keyword.op = Some(Op::Not(NodeIx::TRUE));
        }
        let program = Program::new(model, operations);
        let (instance, mut found) = (read(instance), Findings::default());
        let instance = instance.document().root();
        let scratch = Scratch::default();
        let complete = Evaluation::new(&program, instance, allowance(), scratch).report(&mut found);
        assert_eq!((complete, found), (false, Findings::default()), "{schema}");
    }
}

/// Damages the optimised program of a model, and compares its verdicts on values and on their texts
/// with those of the intact one.
fn compared(
    model: &Model,
    instances: &[View<'_>],
    random: &mut Random,
    name: &str,
    seen: &mut Seen,
) {
    let limits = Limits::default();
    let (Ok(intact), Ok(mut plan)) = (lower(model, &limits), lower(model, &limits)) else {
        return;
    };
    let kind = change::damage(&mut plan, random);
    for instance in instances {
        let expected = verdict(&intact, *instance);
        let said = || format!("{kind}: {name}, {}", instance.raw());
        match verdict(&plan, *instance) {
            ControlFlow::Break(Exhausted::Internal) => seen.internal(kind),
            found => {
                assert_eq!(found, expected, "{}", said());
                seen.same(kind);
            }
        }
        if passes(&plan, *instance) {
            assert_eq!(expected, ControlFlow::Continue(true), "text, {}", said());
        }
    }
}

fn verdict(plan: &Plan, instance: View<'_>) -> ControlFlow<Exhausted, bool> {
    run(plan, instance, allowance(), &mut Scratch::default()).0
}

/// Whether the text of a value is found valid while it is read.
fn passes(plan: &Plan, instance: View<'_>) -> bool {
    let mut reader = Reader::new();
    let limits = ReadLimits::default();
    match reader.stream(instance.raw().as_bytes(), &limits) {
        Ok(Some(text)) => run_stream(plan, text, allowance(), &mut Scratch::default()).is_some(),
        _ => false,
    }
}

fn allowance() -> Allowance {
    let limits = Limits::default();
    Allowance {
        fuel: limits.fuel,
        depth: limits.evaluation_depth,
    }
}

/// The same for the plain program, its reports, and its model.
fn compared_plainly(
    (intact, mut model): (Model, Model),
    instances: &[View<'_>],
    random: &mut Random,
    name: &str,
    seen: &mut Seen,
) {
    let limits = Limits::default();
    let Ok(whole) = plain(&intact, &limits, None) else {
        return;
    };
    let cut = (random.below(3) == 0).then(|| damage_model(&mut model, random));
    if cut.is_some() {
        lowered((&intact, &model), instances, name, seen);
    }
    let mut program = match plain(&model, &limits, None) {
        Ok(program) => program,
        Err(error) => {
            assert_eq!(error.code(), "internal", "{cut:?}: {name}");
            return seen.internal(MODEL);
        }
    };
    let kind = match (cut, random.below(4)) {
        (Some(kind), _) => kind,
        (None, 0) => damage_keywords(&mut program, random),
        (None, _) => change::damage(&mut program.plan, random),
    };
    let (intact, damaged) = (Program::new(intact, whole), Program::new(model, program));
    for instance in instances {
        let said = || format!("plain, {kind}: {name}, {}", instance.raw());
        let of = |program| Evaluation::new(program, *instance, allowance(), Scratch::default());
        let expected = of(&intact).decide();
        match of(&damaged).decide() {
            Err(Exhausted::Internal) => seen.internal(kind),
            found => {
                assert_eq!(found, expected, "{}", said());
                seen.same(kind);
            }
        }
        let (mut expected, mut found) = (Findings::default(), Findings::default());
        let whole = of(&intact).report(&mut expected);
        match of(&damaged).report(&mut found) {
            true => assert!(whole && found == expected, "{}: {found:?}", said()),
            false if whole => seen.internal(kind),
            false => {}
        }
    }
}

/// What a report says, with all locations.
#[derive(Debug, Default, PartialEq)]
struct Findings(Vec<(String, String, FindingKind)>);

impl Sink for Findings {
    const EVERYTHING: bool = true;

    fn finding(&mut self, spot: EvaluationLocation<'_>, kind: FindingKind) -> ControlFlow<Full> {
        self.0.push((spot.path().0, spot.instance(), kind));
        ControlFlow::Continue(())
    }
}

/// Drops keywords, or damages the operation of one.
fn damage_keywords(program: &mut PlainPlan, random: &mut Random) -> &'static str {
    let at = random.below(program.keywords.len().max(1));
    if random.below(2) == 0 {
        program.keywords = program.keywords.iter().copied().take(at).collect();
        return "keywords";
    }
    if let Some(op) = program.keywords.get_mut(at).and_then(|one| one.op.as_mut()) {
        change::damage_op(op, random);
    }
    "keyword"
}

/// A damaged model is refused, or its plan gives the verdicts of the intact model.
fn lowered(
    (intact, damaged): (&Model, &Model),
    instances: &[View<'_>],
    name: &str,
    seen: &mut Seen,
) {
    let limits = Limits::default();
    let (intact, damaged) = match (lower(intact, &limits), lower(damaged, &limits)) {
        (Ok(intact), Ok(damaged)) => (intact, damaged),
        (Ok(_), Err(error)) => {
            assert_eq!(error.code(), "internal", "{name}");
            return seen.internal(MODEL);
        }
        (Err(_), _) => return,
    };
    for instance in instances {
        match verdict(&damaged, *instance) {
            ControlFlow::Break(Exhausted::Internal) => seen.internal(MODEL),
            found => {
                let expected = verdict(&intact, *instance);
                assert_eq!(found, expected, "lowered, {name}, {}", instance.raw());
                seen.same(MODEL);
            }
        }
    }
}

/// Truncates one table of a model, or gives one entry the form of another keyword.
fn damage_model(model: &mut Model, random: &mut Random) -> &'static str {
    let table = random.below(7);
    if table == 6 {
        let at = random.below(model.entries.len().max(1));
        let entry = model.entries.get_mut(at);
        // `uniqueItems` has this form.
        if let Some(entry) = entry.filter(|entry| entry.keyword != Keyword::UniqueItems) {
            entry.form = Form::Flag(true);
        }
        return MODEL;
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
    MODEL
}

/// Schemas whose plans have kinds of rows that other cases lack.
const CASES: &str = r##"[
    {
        "schema": {"uniqueItems": true, "items": {"required": ["id"], "type": "object", "properties": {"id": {"type": "string"}}}},
        "tests": [{"data": [{"id": "a"}, {"id": "b"}]}, {"data": [{"id": "a"}, {"id": "a"}]}]
    },
    {
        "schema": {"enum": [1.5, 2.5e-3, 1e400, "a", [1]]},
        "tests": [{"data": 1.5}, {"data": 1e400}, {"data": 2.5}, {"data": [1]}, {"data": "b"}]
    },
    {
        "schema": {"allOf": [{"patternProperties": {"^a": {"minLength": 2}}}, {"patternProperties": {"^b": {"minimum": 2}}}]},
        "tests": [{"data": {"a": "", "b": 3}}, {"data": {"a": "abc", "b": 3}}, {"data": {"a": "abc", "b": 1}}, {"data": 1}]
    },
    {
        "schema": {"properties": {"a": {"anyOf": [
            {"type": "object", "properties": {"b": {"minimum": 1}}},
            {"type": "array", "items": {"maxLength": 1}},
            {"type": "string", "minLength": 1}
        ]}}},
        "tests": [
            {"data": {"a": {"b": 0}}}, {"data": {"a": {"b": 1}}}, {"data": {"a": ["ab"]}}, {"data": {"a": ["a"]}},
            {"data": {"a": ""}}, {"data": {"a": "a"}}, {"data": {"a": 1}}, {"data": {}}
        ]
    },
    {
        "schema": {"$ref": "#/$defs/a", "minimum": 1, "$defs": {"a": {"type": "integer"}}},
        "tests": [{"data": 0}, {"data": 1}, {"data": 1.5}, {"data": "a"}]
    },
    {
        "dialect": "draft-07",
        "schema": {"contentEncoding": "base64", "contentMediaType": "application/json"},
        "tests": [{"data": "e30="}, {"data": "!"}, {"data": 1}]
    }
]"##;
/// The kind of all damage to a model.
const MODEL: &str = "model";
/// How many times each case is damaged.
const ROUNDS: usize = 12;
/// The same for the plain program, whose model is read again each time.
const PLAIN_ROUNDS: usize = 6;
