//! No verdict of the diff is contradicted by an instance: random edits of
//! schemas, those of the cases and generated ones, instances that the engine
//! judges by both.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::as_conversions,
    reason = "helpers of tests fail by panicking"
)]

#[path = "diff/edits.rs"]
mod edits;

use edits::edit;
use serde_json::{Map, Value, json};
use toolsure_analysis::diff::{Class, Differ};
use toolsure_schema::{Compiler, Formats, Schema, Workspace};
use toolsure_testkit::Dialect;
use toolsure_testkit::differential::instances::instance;
use toolsure_testkit::differential::random::Random;
use toolsure_testkit::differential::schemas::schema;

/// Two versions of a tool, of which one pair of schemas says that calls, or results, still pass.
fn tools(is_output: bool, old: &Value, new: &Value) -> [String; 2] {
    if is_output {
        // Readers must accept what is promised now as they accepted what was promised before.
        return [new, old].map(|schema| {
            let input = json!({"type": "object"});
            json!({"name": "t", "inputSchema": input, "outputSchema": schema}).to_string()
        });
    }
    [old, new].map(|schema| json!({"name": "t", "inputSchema": schema}).to_string())
}

fn compile(schema: &Value) -> Option<Schema> {
    let compiler = Compiler::new().formats(Formats::Assert);
    compiler.compile(schema.to_string().as_bytes()).ok()
}

/// A schema whose in-place keywords feed `unevaluatedProperties` or `unevaluatedItems`.
fn fed(random: &mut Random, depth: usize) -> Value {
    let mut members = Map::new();
    let leaf = |random: &mut Random| {
        [
            json!({}),
            json!(true),
            json!({"type": "string"}),
            json!({"type": "integer"}),
        ][random.below(4)]
        .clone()
    };
    for _ in 0..=random.below(3) {
        let keyword = random.below(13);
        let some = |random: &mut Random, name: &str| {
            let count = random.below(3);
            let names = ["a", "b", "c"];
            let all: Map<String, Value> = (0..count)
                .map(|_| (names[random.below(3)].to_owned(), leaf(random)))
                .collect();
            (name.to_owned(), Value::Object(all))
        };
        let (name, value) = match keyword {
            0..=2 => some(random, "properties"),
            3 => (
                "patternProperties".to_owned(),
                json!({["^a", "^b", "[bc]"][random.below(3)]: leaf(random)}),
            ),
            4 => (
                "prefixItems".to_owned(),
                json!([leaf(random), leaf(random)]),
            ),
            5 => ("prefixItems".to_owned(), json!([leaf(random)])),
            6 => ("contains".to_owned(), leaf(random)),
            7 => ("minContains".to_owned(), json!(random.below(3))),
            8 => (
                "required".to_owned(),
                Value::from(vec![["a", "b", "c"][random.below(3)]]),
            ),
            9 => (
                ["if", "then", "else", "not"][random.below(4)].to_owned(),
                below(random, depth),
            ),
            10 => (
                "dependentSchemas".to_owned(),
                json!({["a", "b"][random.below(2)]: below(random, depth)}),
            ),
            11 => ("additionalProperties".to_owned(), leaf(random)),
            _ => (
                ["allOf", "anyOf", "oneOf"][random.below(3)].to_owned(),
                json!([below(random, depth), below(random, depth)]),
            ),
        };
        members.insert(name, value);
    }
    if random.chance(60) {
        let which = ["unevaluatedProperties", "unevaluatedItems"][random.below(2)];
        let value = if random.chance(70) {
            json!(false)
        } else {
            leaf(random)
        };
        members.insert(which.to_owned(), value);
    }
    Value::Object(members)
}

fn below(random: &mut Random, depth: usize) -> Value {
    match depth.checked_sub(1) {
        Some(depth) if random.chance(15) => {
            let _ = depth;
            json!({"$ref": "#/$defs/d"})
        }
        Some(depth) => fed(random, depth),
        None => json!({"properties": {["a", "b", "c"][random.below(3)]: {}}}),
    }
}

fn fed_root(random: &mut Random) -> Value {
    let mut root = fed(random, 2);
    root["$defs"] = json!({"d": fed(random, 0)});
    root
}

/// Simple values, in all combinations that tell the generated schemas apart.
fn small_instances() -> Vec<Value> {
    let values = [json!("x"), json!(1), json!(null)];
    let mut all = vec![json!({}), json!([]), json!("x"), json!(1), json!(null)];
    for one in &values {
        for names in [
            &["a"][..],
            &["b"],
            &["c"],
            &["a", "b"],
            &["a", "c"],
            &["b", "c"],
            &["a", "b", "c"],
            &["d"],
            &["a", "d"],
        ] {
            let members: Map<String, Value> = names
                .iter()
                .map(|name| ((*name).to_owned(), one.clone()))
                .collect();
            all.push(Value::Object(members));
        }
        for other in &values {
            all.push(json!([one, other]));
            all.push(json!([one, other, one]));
            all.push(json!({"a": one, "b": other}));
        }
        all.push(json!([one]));
    }
    all
}

/// Compares a pair and judges the instances, those that callers know of and all; the class of the
/// latter if both schemas compile.
fn hold(old: &Value, new: &Value, instances: &[Value]) -> Option<Class> {
    compile(old)?;
    let mut new_names = Vec::new();
    let mut todo = vec![new];
    while let Some(value) = todo.pop() {
        let properties = value.get("properties").and_then(Value::as_object);
        new_names.extend(
            properties
                .into_iter()
                .flat_map(|all| all.keys().map(String::as_str)),
        );
        let required = value.get("required").and_then(Value::as_array);
        new_names.extend(required.into_iter().flatten().filter_map(Value::as_str));
        todo.extend(value.as_object().into_iter().flat_map(|all| all.values()));
        todo.extend(value.as_array().into_iter().flatten());
    }
    // Arguments are objects, and results are any values.
    let objects = instances.iter().filter(|instance| instance.is_object());
    let objects: Vec<Value> = objects.cloned().collect();
    let known = |instance: &&Value| is_declared((old, &new_names), &[old], instance, true);
    let known: Vec<Value> = objects.iter().filter(known).cloned().collect();
    hold_as((Differ::new(), false), old, new, &known)?;
    hold_as((Differ::new().open(true), false), old, new, &objects)?;
    hold_as((Differ::new(), true), old, new, instances)
}

/// Whether each member of an instance is named where it stands, or other members are allowed for
/// outright and the new schema, which has these names, does not name it. Says no also where a pattern may
/// allow it.
fn is_declared(
    (root, new_names): (&Value, &[&str]),
    schemas: &[&Value],
    instance: &Value,
    at_root: bool,
) -> bool {
    let mut all: Vec<&Value> = Vec::new();
    let mut todo = schemas.to_vec();
    while let Some(schema) = todo.pop() {
        if all.iter().any(|one| std::ptr::eq(*one, schema)) {
            continue;
        }
        all.push(schema);
        let reference = schema.get("$ref").and_then(Value::as_str);
        let target = reference.and_then(|one| root.pointer(one.strip_prefix('#')?));
        todo.extend(target);
        for keyword in ["allOf", "anyOf", "oneOf"] {
            let branches = schema.get(keyword).and_then(Value::as_array);
            todo.extend(branches.into_iter().flatten());
        }
        todo.extend(
            ["if", "then", "else", "not"]
                .iter()
                .filter_map(|one| schema.get(one)),
        );
        for keyword in ["dependentSchemas", "dependencies"] {
            let schemas = schema.get(keyword).and_then(Value::as_object);
            todo.extend(schemas.into_iter().flat_map(|all| all.values()));
        }
    }
    let objects = |keyword: &str| -> Vec<&Map<String, Value>> {
        let values = all.iter().filter_map(|one| one.get(keyword)?.as_object());
        values.collect()
    };
    match instance {
        Value::Object(members) => {
            let rest = ["additionalProperties", "unevaluatedProperties"];
            let rest = rest.map(|keyword| all.iter().filter_map(move |one| one.get(keyword)));
            let others: Vec<&Value> = rest.into_iter().flatten().collect();
            let by_pattern = objects("patternProperties");
            let patterns = by_pattern.iter().flat_map(|all| all.values());
            let properties = objects("properties");
            let is_any = |rest: &&Value| **rest == json!(true) || **rest == json!({});
            let mut open = others.iter().copied().filter(|one| *one != &json!(false));
            let no_more = open.all(|rest| is_any(&rest));
            let unnamed = no_more && !properties.is_empty();
            let free = others.iter().any(|one| **one != json!(false))
                || (properties.is_empty() && !at_root);
            members.iter().all(|(name, value)| {
                let required = all.iter().any(|one| {
                    let names = one.get("required").and_then(Value::as_array);
                    names.is_some_and(|names| names.contains(&json!(name)))
                });
                let own: Vec<&Value> = properties.iter().filter_map(|all| all.get(name)).collect();
                let is_new = unnamed && new_names.contains(&name.as_str());
                let known = required || (free && !is_new) || !own.is_empty();
                let below: Vec<&Value> = own
                    .into_iter()
                    .chain(patterns.clone())
                    .chain(others.clone())
                    .collect();
                known && is_declared((root, new_names), &below, value, false)
            })
        }
        Value::Array(items) => {
            let keywords = [
                "prefixItems",
                "items",
                "additionalItems",
                "contains",
                "unevaluatedItems",
            ];
            let mut below = Vec::new();
            for value in all
                .iter()
                .flat_map(|one| keywords.map(|keyword| one.get(keyword)))
            {
                match value {
                    Some(Value::Array(list)) => below.extend(list),
                    Some(one) => below.push(one),
                    None => {}
                }
            }
            items
                .iter()
                .all(|item| is_declared((root, new_names), &below, item, false))
        }
        _ => true,
    }
}

/// The same, as one way to compare has it.
fn hold_as(
    (differ, is_output): (Differ, bool),
    old: &Value,
    new: &Value,
    instances: &[Value],
) -> Option<Class> {
    let (before, after) = (compile(old)?, compile(new)?);
    let [earlier, later] = tools(is_output, old, new);
    let report = differ.diff([earlier.as_str()], [later.as_str()]);
    let mut workspace = Workspace::new();
    let mut passes = |schema: &Schema, text: &str| {
        let verdict = schema.check(&mut workspace, text.as_bytes());
        verdict.unwrap().is_valid()
    };
    for change in report.tools.iter().flat_map(|tool| &tool.changes) {
        let Some(witness) = &change.witness else {
            continue;
        };
        assert_eq!(change.class, Class::Breaking);
        assert!(is_output || witness.starts_with('{'), "{witness}");
        assert!(
            passes(&before, witness) && !passes(&after, witness),
            "{old}\n{new}\n{witness} proves nothing"
        );
    }
    let class = report.class().unwrap_or(Class::Compatible);
    if class <= Class::Warning {
        for instance in instances {
            let text = instance.to_string();
            assert!(
                !passes(&before, &text) || passes(&after, &text),
                "called compatible:\n{old}\n{new}\n{text}\n{:#?}",
                report.tools
            );
        }
    }
    let said = report.tools.iter().flat_map(|tool| &tool.changes);
    let mut places: Vec<_> = said
        .map(|one| (one.side as u8, &one.place, &one.message))
        .collect();
    let told = places.len();
    places.sort_unstable();
    places.dedup();
    assert_eq!(
        told,
        places.len(),
        "{old}\n{new}\ntells a change twice: {:#?}",
        report.tools
    );
    Some(class)
}

fn run(seed: u64, rounds: usize, make: impl Fn(&mut Random) -> Value) -> [usize; 4] {
    let mut random = Random::new(seed);
    let small = small_instances();
    let donors: Vec<Value> = (0..40).map(|_| make(&mut random)).collect();
    let mut classes = [0; 4];
    for _ in 0..rounds {
        let old = make(&mut random);
        let mut new = old.clone();
        for _ in 0..=random.below(2) {
            edit(&mut random, &mut new, &donors);
        }
        let mut instances = small.clone();
        for root in [&old, &new] {
            instances.extend((0..30).map(|_| instance(&mut random, root)));
        }
        if let Some(class) = hold(&old, &new, &instances) {
            classes[class as usize] += 1;
        }
    }
    classes
}

#[test]
fn edits_beside_unevaluated_keywords_are_never_called_compatible_against_an_instance() {
    let classes = run(1, 1_000, fed_root);
    let [compatible, _, unknown, breaking] = classes;
    assert!(
        [compatible, unknown, breaking]
            .iter()
            .all(|count| *count > 20),
        "{classes:?}"
    );
}

#[test]
fn edits_of_generated_schemas_of_all_dialects_are_never_called_compatible_against_an_instance() {
    for (at, dialect) in [
        Dialect::Draft4,
        Dialect::Draft6,
        Dialect::Draft7,
        Dialect::Draft201909,
        Dialect::Draft202012,
    ]
    .into_iter()
    .enumerate()
    {
        let classes = run(100 + at as u64, 150, |random| {
            let mut made = schema(random, dialect);
            if let Value::Object(members) = &mut made {
                members.insert("$schema".to_owned(), json!(dialect.uri()));
            }
            made
        });
        assert!(classes[0] > 5, "{classes:?}");
    }
}

#[test]
fn edits_of_the_cases_are_never_called_compatible_against_an_instance() {
    let pairs: Value = serde_json::from_str(include_str!("diff/pairs.json")).unwrap();
    let schemas: Vec<Value> = pairs
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|pair| [pair["old"].clone(), pair["new"].clone()])
        .collect();
    run(7, 600, |random| {
        schemas[random.below(schemas.len())].clone()
    });
}
