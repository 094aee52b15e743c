//! Projections of the recorded tools: no sampled instance contradicts what is claimed.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use serde_json::Value;
use toolsure_analysis::project::{Projector, Relation, SchemaProjection, UnmappedArguments};
use toolsure_analysis::readers::{PROJECTED_FOR, reader};
use toolsure_json::{OwnedDocument, ReadLimits, Unmetered, equal};
use toolsure_schema::{Compiler, Formats, Schema, Verdict, Workspace};
use toolsure_testkit::differential::instances::instance;
use toolsure_testkit::differential::random::Random;
use toolsure_testkit::providers::read_nullable;
use toolsure_testkit::recorded::{Recorded, recorded};

/// A value without the members that no keyword declares, unless a keyword says that there may be others.
fn declared(root: &Value, text: &str) -> String {
    let value: Value = serde_json::from_str(text).unwrap();
    value_as_sent(root, &[root], &value, true, false).to_string()
}

/// A value with null for each absent member whose default null is.
fn completed(root: &Value, text: &str) -> String {
    let value: Value = serde_json::from_str(text).unwrap();
    value_as_sent(root, &[root], &value, false, true).to_string()
}

fn value_as_sent(
    root: &Value,
    schemas: &[&Value],
    value: &Value,
    strip: bool,
    fill: bool,
) -> Value {
    let all = in_place(root, schemas);
    let has = |keyword: &str| {
        all.iter()
            .filter_map(|one| one.get(keyword))
            .collect::<Vec<_>>()
    };
    match value {
        Value::Object(members) => {
            let own = |name: &str| -> Vec<&Value> {
                let own = has("properties");
                own.into_iter().filter_map(|all| all.get(name)).collect()
            };
            let rest: Vec<&Value> = ["additionalProperties", "unevaluatedProperties"]
                .iter()
                .flat_map(|keyword| has(keyword))
                .filter(|rest| **rest != Value::Bool(false))
                .collect();
            let required = has("required");
            let is_required = |name: &str| {
                let mut all = required.iter().filter_map(|list| list.as_array()).flatten();
                all.any(|one| one == name)
            };
            let closed = (!has("properties").is_empty() || schemas == [root]) && rest.is_empty();
            let mut sent = serde_json::Map::new();
            for (name, member) in members {
                let known = !own(name).is_empty() || is_required(name);
                if strip && closed && !known {
                    continue;
                }
                let mut below = own(name);
                below.extend(&rest);
                let patterns = has("patternProperties");
                below.extend(
                    patterns
                        .iter()
                        .filter_map(|all| all.as_object())
                        .flat_map(|all| all.values()),
                );
                sent.insert(
                    name.clone(),
                    value_as_sent(root, &below, member, strip, fill),
                );
            }
            let properties = has("properties");
            let named = properties
                .iter()
                .filter_map(|all| all.as_object())
                .flatten();
            for (name, schema) in named.filter(|_| fill) {
                if schema.get("default") == Some(&Value::Null) {
                    sent.entry(name.clone()).or_insert(Value::Null);
                }
            }
            Value::Object(sent)
        }
        Value::Array(items) => {
            let tuples = has("prefixItems");
            let mut below: Vec<&Value> = tuples
                .iter()
                .filter_map(|all| all.as_array())
                .flatten()
                .collect();
            below.extend(has("items").into_iter().filter(|one| one.is_object()));
            below.extend(
                has("items")
                    .into_iter()
                    .filter_map(Value::as_array)
                    .flatten(),
            );
            below.extend(has("contains"));
            let items = items.iter();
            items
                .map(|item| value_as_sent(root, &below, item, strip, fill))
                .collect()
        }
        other => other.clone(),
    }
}

/// The schemas that may apply to the same value.
fn in_place<'v>(root: &'v Value, schemas: &[&'v Value]) -> Vec<&'v Value> {
    let mut all: Vec<&Value> = Vec::new();
    let mut todo = schemas.to_vec();
    while let Some(schema) = todo.pop() {
        if all.iter().any(|known| std::ptr::eq(*known, schema)) {
            continue;
        }
        all.push(schema);
        let target = schema.get("$ref").and_then(Value::as_str);
        todo.extend(target.and_then(|target| root.pointer(target.strip_prefix('#')?)));
        for keyword in ["allOf", "anyOf", "oneOf", "if", "then", "else"] {
            match schema.get(keyword) {
                Some(Value::Array(branches)) => todo.extend(branches),
                other => todo.extend(other),
            }
        }
    }
    all
}

/// What became of the samples of one profile.
#[derive(Debug, Default)]
struct Tally {
    relations: BTreeMap<&'static str, usize>,
    pairs: usize,
    /// Pairs in which the original accepts and the projection has a form for it, or not.
    expressed: usize,
    narrowed: usize,
    /// Pairs in which the projection accepts and the original, mapped back, does or not.
    accepted: usize,
    widened: usize,
    wrong: Vec<String>,
}

struct Case {
    name: String,
    original: Value,
    compiled: Schema,
    published: Schema,
    plain: Value,
    projection: SchemaProjection,
    instances: Vec<String>,
    open: bool,
}

fn case(recorded: &Recorded, projector: &Projector, is_gemini: bool, open: bool) -> Option<Case> {
    let compiler = Compiler::new().formats(Formats::Assert);
    let compiled = compiler.compile(recorded.schema.as_bytes()).ok()?;
    let projection = projector.project_schema(&recorded.schema).ok()?;
    let mut plain: Value = serde_json::from_str(&projection.text).unwrap();
    if is_gemini {
        plain = read_nullable(&plain);
    }
    let published = compiler.compile(plain.to_string().as_bytes()).unwrap();
    Some(Case {
        name: recorded.name.clone(),
        original: serde_json::from_str(&recorded.schema).unwrap(),
        compiled,
        published,
        plain,
        projection,
        instances: recorded
            .instances
            .iter()
            .map(|(text, _)| text.clone())
            .collect(),
        open,
    })
}

/// `None` for a text that cannot be read.
fn verdict(schema: &Schema, workspace: &mut Workspace, text: &str) -> Option<Verdict> {
    schema.check(workspace, text.as_bytes()).ok()
}

fn read(text: &str) -> OwnedDocument {
    OwnedDocument::read(text, &ReadLimits::default()).unwrap()
}

fn same(one: &str, other: &str) -> bool {
    let (one, other) = (read(one), read(other));
    equal(
        one.document().root(),
        other.document().root(),
        &mut Unmetered,
    ) == ControlFlow::Continue(true)
}

impl Tally {
    /// One instance of each side, held against the claims.
    fn hold(&mut self, case: &Case, workspace: &mut Workspace, original: &str, published: &str) {
        self.pairs += 1;
        let (relation, mapping) = (&case.projection.relation, &case.projection.mapping);
        if verdict(&case.compiled, workspace, original) == Some(Verdict::Valid) {
            let there = mapping.forward(read(original).document().root()).unwrap();
            let back = mapping.back(read(&there).document().root()).unwrap();
            let fits = verdict(&case.published, workspace, &there) == Some(Verdict::Valid);
            let mut again = || {
                !case.open
                    && same(
                        &completed(&case.original, &back),
                        &completed(&case.original, original),
                    )
                    && verdict(&case.compiled, workspace, &back) == Some(Verdict::Valid)
            };
            if fits && (same(&back, original) || again()) {
                self.expressed += 1;
            } else {
                self.narrowed += 1;
                if relation.keeps_all() {
                    self.wrong.push(format!(
                        "{}: called {}: {original} cannot be said ({there}, {back})",
                        case.name,
                        relation.name()
                    ));
                }
            }
        }
        if verdict(&case.published, workspace, published) == Some(Verdict::Valid) {
            let back = match mapping.map_back(read(published).document().root()) {
                Ok(mapped) => mapped.text,
                // It is refused, as an object with a name twice is.
                Err(UnmappedArguments::RepeatedKey { .. }) => return,
                Err(error) => unreachable!("{}: {error}: {published}", case.name),
            };
            if verdict(&case.compiled, workspace, &back) == Some(Verdict::Valid) {
                self.accepted += 1;
            } else {
                self.widened += 1;
                if relation.adds_none() {
                    self.wrong.push(format!(
                        "{}: called {}: {published} is refused as {back}",
                        case.name,
                        relation.name()
                    ));
                }
            }
        }
    }
}

/// Holds `pairs` sampled pairs against the claims of one profile.
fn sample(name: &str, open: bool, recorded: &[Recorded], pairs: usize, seed: u64) -> Tally {
    let projector = Projector::new(reader(name).unwrap()).open(open);
    let mut tally = Tally::default();
    let mut random = Random::new(seed);
    let mut workspace = Workspace::new().fuel(1_000_000);
    let inputs: Vec<&Recorded> = recorded
        .iter()
        .filter(|one| one.name.ends_with("/input"))
        .collect();
    let each = pairs.div_ceil(inputs.len()).max(1);
    // A short run looks at a part of the schemas.
    let every = inputs.len().div_ceil(pairs).max(1);
    for one in inputs.iter().step_by(every) {
        let Some(case) = case(one, &projector, matches!(name, "gemini" | "vertex"), open) else {
            continue;
        };
        *tally
            .relations
            .entry(case.projection.relation.name())
            .or_default() += 1;
        if std::env::var_os("TOOLSURE_SHOW").is_some()
            && case.projection.relation != Relation::Equal
        {
            println!("{}: {:?}", case.name, case.projection.relation);
        }
        witnesses(&case, &mut workspace);
        for at in 0..each {
            let original = match case.instances.get(at) {
                Some(text) => text.clone(),
                None => instance(&mut random, &case.original).to_string(),
            };
            let published = instance(&mut random, &case.plain).to_string();
            let (original, published) = match open {
                true => (original, published),
                false => (
                    declared(&case.original, &original),
                    declared(&case.plain, &published),
                ),
            };
            tally.hold(&case, &mut workspace, &original, &published);
        }
    }
    tally
}

/// A witness proves what it is said to prove.
fn witnesses(case: &Case, workspace: &mut Workspace) {
    let (relation, mapping) = (&case.projection.relation, &case.projection.mapping);
    if let Some(witness) = relation.wider() {
        let back = mapping.back(read(witness).document().root()).unwrap();
        assert_eq!(
            verdict(&case.published, workspace, witness),
            Some(Verdict::Valid),
            "{}: {witness}",
            case.name
        );
        assert_eq!(
            verdict(&case.compiled, workspace, &back),
            Some(Verdict::Invalid),
            "{}: {witness}",
            case.name
        );
    }
    if let Some(witness) = relation.narrower() {
        let there = mapping.forward(read(witness).document().root()).unwrap();
        assert_eq!(
            verdict(&case.compiled, workspace, witness),
            Some(Verdict::Valid),
            "{}: {witness}",
            case.name
        );
        let back = mapping.back(read(&there).document().root()).unwrap();
        let fits = verdict(&case.published, workspace, &there) == Some(Verdict::Valid);
        let again = !case.open
            && fits
            && same(
                &completed(&case.original, &back),
                &completed(&case.original, witness),
            )
            && verdict(&case.compiled, workspace, &back) == Some(Verdict::Valid);
        assert!(
            !fits || !same(&back, witness) && !again,
            "{}: {witness}",
            case.name
        );
    }
    if let Relation::Undecided { why, .. } = relation {
        assert!(!why.is_empty());
    }
}

/// `TOOLSURE_PROJECTION_PAIRS` sets the number of pairs for all profiles together, once with declared
/// members only and once with others.
#[toolsure_needs::needs("corpus/instances")]
#[test]
fn no_sampled_instance_contradicts_a_claim() {
    let pairs = std::env::var("TOOLSURE_PROJECTION_PAIRS");
    let pairs: usize = pairs.map_or(2_700, |text| text.parse().unwrap());
    let only = std::env::var("TOOLSURE_PROFILE").ok();
    let seed: u64 = std::env::var("TOOLSURE_SEED").map_or(0, |text| text.parse().unwrap());
    let recorded = recorded().unwrap();
    let mut wrong = Vec::new();
    let both = PROJECTED_FOR
        .iter()
        .copied()
        .flat_map(|name| [(name, false), (name, true)]);
    for (at, (name, open)) in (0_u64..).zip(both) {
        if only.as_deref().is_some_and(|only| only != name) {
            continue;
        }
        let tally = sample(
            name,
            open,
            &recorded,
            pairs / PROJECTED_FOR.len(),
            seed + at,
        );
        println!(
            "{name}{}: {} pairs, {:?}, expressed {}, not expressed {}, accepted {}, refused {}, contradicted {}",
            if open { " (open)" } else { "" },
            tally.pairs,
            tally.relations,
            tally.expressed,
            tally.narrowed,
            tally.accepted,
            tally.widened,
            tally.wrong.len()
        );
        assert!(tally.expressed > 0 && tally.accepted > 0);
        wrong.extend(tally.wrong.into_iter().map(|one| format!("{name}: {one}")));
    }
    let shown: Vec<&String> = wrong.iter().take(20).collect();
    assert!(
        wrong.is_empty(),
        "{} claims contradicted, such as {shown:#?}",
        wrong.len()
    );
}
