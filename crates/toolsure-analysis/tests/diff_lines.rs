//! Each line of a comparison is right by itself: pairs of small schemas as generators write them, and the
//! engine as the judge of each class and each counterexample.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "helpers of tests fail by panicking"
)]

use serde_json::{Map, Value, json};
use toolsure_analysis::diff::{Category, Change, Class, Differ};
use toolsure_schema::{Compiler, Finding, FindingKind, Formats, Schema, Workspace};
use toolsure_testkit::differential::random::Random;

fn compile(schema: &Value) -> Schema {
    let compiler = Compiler::new().formats(Formats::Assert);
    compiler.compile(schema.to_string().as_bytes()).unwrap()
}

fn passes(schema: &Schema, instance: &Value) -> bool {
    let verdict = schema.check(&mut Workspace::new(), instance.to_string().as_bytes());
    verdict.unwrap().is_valid()
}

fn findings(schema: &Schema, instance: &Value) -> Vec<Finding> {
    let report = schema.explain(&mut Workspace::new(), instance.to_string().as_bytes());
    report.unwrap().findings
}

fn pick<'v>(random: &mut Random, all: &[&'v str]) -> &'v str {
    all[random.below(all.len())]
}

/// A schema of one value, as generators write them.
fn value_schema(random: &mut Random, depth: usize) -> Value {
    let kinds = if depth == 0 { 6 } else { 10 };
    match random.below(kinds) {
        0 => json!({"type": "string"}),
        1 => {
            json!({"type": "string", "pattern": pick(random, &["^[a-c]+$", "^[a-d]*$", "^a", "^.+$"])})
        }
        2 => {
            let mut schema = json!({"type": "integer"});
            let bounds = [
                ("minimum", json!(0)),
                ("minimum", json!(1)),
                ("exclusiveMinimum", json!(0)),
                ("minimum", json!(-9_007_199_254_740_991_i64)),
                ("maximum", json!(9_007_199_254_740_991_i64)),
                ("exclusiveMaximum", json!(10)),
                ("multipleOf", json!(2)),
            ];
            for _ in 0..random.below(3) {
                let (keyword, bound) = bounds[random.below(bounds.len())].clone();
                schema[keyword] = bound;
            }
            schema
        }
        3 => json!({"type": [pick(random, &["string", "integer", "number"]), "null"]}),
        4 => json!({"enum": [pick(random, &["x", "y"]), pick(random, &["y", "z"]), 1]}),
        5 => {
            json!({"type": "string", "minLength": random.below(3), "maxLength": 3 + random.below(2)})
        }
        6 => json!({"type": "array", "items": value_schema(random, depth - 1)}),
        7 => {
            let inner = value_schema(random, depth - 1);
            json!({"anyOf": [inner, {"type": "null"}]})
        }
        8 => {
            let branch = |random: &mut Random, tag: &str| {
                let mut schema = object_schema(random, depth - 1);
                schema["properties"]["k"] = json!({"const": tag});
                schema["required"] = json!(["k"]);
                schema
            };
            let mut branches = vec![branch(random, "x")];
            if random.chance(60) {
                branches.push(branch(random, "y"));
            }
            json!({pick(random, &["anyOf", "oneOf"]): branches})
        }
        _ => object_schema(random, depth - 1),
    }
}

fn object_schema(random: &mut Random, depth: usize) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for name in ["a", "b", "c"] {
        if random.chance(60) {
            properties.insert(name.to_owned(), value_schema(random, depth));
            if random.chance(30) {
                required.push(name);
            }
        }
    }
    let mut schema = json!({"type": "object", "properties": properties, "required": required});
    match random.below(4) {
        0 => schema["additionalProperties"] = json!(false),
        1 => schema["additionalProperties"] = json!(true),
        _ => {}
    }
    schema
}

/// Changes one or two parts of a schema, as releases do.
fn edited(random: &mut Random, schema: &Value) -> Value {
    let mut new = schema.clone();
    for _ in 0..=random.below(2) {
        let depth = 1;
        let name = pick(random, &["a", "b", "c"]);
        let properties = new["properties"].as_object_mut().unwrap();
        match random.below(6) {
            0 => {
                properties.remove(name);
                let required = new["required"].as_array_mut().unwrap();
                required.retain(|one| one != name);
            }
            1 if properties.contains_key(name) => {
                let required = new["required"].as_array_mut().unwrap();
                if !required.iter().any(|one| one == name) {
                    required.push(json!(name));
                }
            }
            2 => new["additionalProperties"] = json!(random.chance(50)),
            3 => {
                let dialect = pick(
                    random,
                    &[
                        "http://json-schema.org/draft-07/schema#",
                        "https://json-schema.org/draft/2020-12/schema",
                    ],
                );
                new["$schema"] = json!(dialect);
            }
            4 if properties.contains_key(name) => {
                let inner = properties[name].take();
                properties[name] = json!({"anyOf": [inner, value_schema(random, 0)]});
            }
            _ => {
                properties.insert(name.to_owned(), value_schema(random, depth));
            }
        }
    }
    new
}

/// Values that tell the generated schemas apart.
fn leaves() -> Vec<Value> {
    let texts = ["", "a", "ab", "abcd", "d", "x", "y", "z"].map(|text| json!(text));
    let numbers = [0, 1, 2, 3, 10, -1].map(|number| json!(number));
    let others = [
        json!(null),
        json!(0.5),
        json!([]),
        json!(["a"]),
        json!([1, null]),
        json!({}),
    ];
    texts.into_iter().chain(numbers).chain(others).collect()
}

/// A value of a schema, or nearly so; with the names that it declares alone.
fn instance(random: &mut Random, schema: &Value, leaves: &[Value]) -> Value {
    for keyword in ["anyOf", "oneOf"] {
        if let Some(branches) = schema[keyword].as_array() {
            let branch = &branches[random.below(branches.len())];
            return instance(random, branch, leaves);
        }
    }
    if let Some(properties) = schema["properties"].as_object() {
        let required = schema["required"].as_array().unwrap();
        let mut members = Map::new();
        for (name, inner) in properties {
            if required.iter().any(|one| one == name) || random.chance(50) {
                members.insert(name.clone(), instance(random, inner, leaves));
            }
        }
        return Value::Object(members);
    }
    if schema["type"] == "array" {
        let items = (0..random.below(3)).map(|_| instance(random, &schema["items"], leaves));
        return Value::Array(items.collect());
    }
    if let Some(value) = schema.get("const") {
        return value.clone();
    }
    if let Some(values) = schema["enum"].as_array() {
        return values[random.below(values.len())].clone();
    }
    leaves[random.below(leaves.len())].clone()
}

/// Adds a value and everything inside it.
fn parts(values: &mut Vec<Value>, value: Value) {
    let mut todo = vec![value];
    while let Some(value) = todo.pop() {
        match &value {
            Value::Object(all) => todo.extend(all.values().cloned()),
            Value::Array(all) => todo.extend(all.iter().cloned()),
            _ => {}
        }
        if !values.contains(&value) {
            values.push(value);
        }
    }
}

/// Whether a pointer matches a pattern, or the beginning of one is the other.
fn is_near(pattern: &str, pointer: &str) -> bool {
    let tokens = pattern.split('/').zip(pointer.split('/'));
    tokens
        .into_iter()
        .all(|(one, other)| one == "*" || one == other)
}

/// Whether the value would be accepted with other values at the place of a change.
fn is_mended(after: &Schema, witness: &Value, change: &Change, values: &[Value]) -> bool {
    let place = &change.place;
    let mut places = vec![String::new()];
    let mut todo = vec![(String::new(), witness)];
    while let Some((at, value)) = todo.pop() {
        let inside: Vec<(String, &Value)> = match value {
            Value::Object(all) => all
                .iter()
                .map(|(name, one)| (format!("{at}/{name}"), one))
                .collect(),
            Value::Array(all) => all
                .iter()
                .enumerate()
                .map(|(index, one)| (format!("{at}/{index}"), one))
                .collect(),
            _ => Vec::new(),
        };
        places.extend(inside.iter().map(|(at, _)| at.clone()));
        todo.extend(inside);
    }
    let depth = place.matches('/').count();
    places.retain(|one| one.matches('/').count() == depth && is_near(place, one));
    places.iter().any(|at| {
        let with = |value: &Value| {
            let mut other = witness.clone();
            *other.pointer_mut(at).unwrap() = value.clone();
            other
        };
        let own = witness.pointer(at).unwrap();
        let mut others: Vec<Value> = values.to_vec();
        if let Value::Object(members) = own {
            for name in ["a", "b", "c", "k"] {
                let mut less = members.clone();
                less.remove(name);
                others.push(Value::Object(less));
                for value in values {
                    let mut more = members.clone();
                    more.insert(name.to_owned(), value.clone());
                    others.push(Value::Object(more));
                }
            }
            let declared = ["a", "b", "c", "k"];
            let known = members
                .iter()
                .filter(|(name, _)| declared.contains(&name.as_str()));
            others.push(Value::Object(
                known
                    .map(|(name, one)| (name.clone(), one.clone()))
                    .collect(),
            ));
        }
        others.iter().any(|value| passes(after, &with(value)))
    })
}

#[test]
fn each_counterexample_proves_its_own_line_and_no_compatible_pair_has_one() {
    let pairs = std::env::var("TOOLSURE_DIFF_PAIRS");
    let pairs: usize = pairs.map_or(3_000, |text| text.parse().unwrap());
    let mut random = Random::new(35);
    let leaves = leaves();
    let tool = |schema: &Value| json!({"name": "t", "inputSchema": schema}).to_string();
    let (mut compatible, mut breaking, mut proved, mut unknown, mut judged) = (0, 0, 0, 0, 0);
    let mut wrong = Vec::new();
    for _ in 0..pairs {
        let old = object_schema(&mut random, 2);
        let new = edited(&mut random, &old);
        let (before, after) = (compile(&old), compile(&new));
        let report = Differ::new().diff([tool(&old).as_str()], [tool(&new).as_str()]);
        let changes: Vec<&Change> = report.tools.iter().flat_map(|tool| &tool.changes).collect();
        let mut say = |what: String| wrong.push(format!("{what}\n{old}\n{new}\n{changes:#?}"));
        let mut shown: Vec<(&str, usize)> = Vec::new();
        for change in &changes {
            let Some(text) = &change.witness else {
                continue;
            };
            proved += 1;
            let witness: Value = serde_json::from_str(text).unwrap();
            if !witness.is_object() || !passes(&before, &witness) || passes(&after, &witness) {
                say(format!("{text} proves nothing"));
                continue;
            }
            let mut values = leaves.clone();
            for _ in 0..200 {
                parts(&mut values, instance(&mut random, &new, &leaves));
            }
            let found = findings(&after, &witness);
            match shown.iter_mut().find(|(other, _)| other == text) {
                Some((_, lines)) => *lines += 1,
                None => shown.push((text, 1)),
            }
            let lines = shown
                .iter()
                .find(|(other, _)| other == text)
                .map_or(1, |one| one.1);
            let count = |one: &Finding| match &one.kind {
                FindingKind::Required { missing, .. } => missing.len(),
                _ => 1,
            };
            let refusals: usize = found.iter().map(count).sum();
            if lines > refusals {
                say(format!("{text} is beside more lines than it proves"));
            }
            let mut near = found
                .iter()
                .filter(|one| is_near(&change.place, one.instance_location()));
            if near.next().is_none()
                || (refusals == 1 && !is_mended(&after, &witness, change, &values))
            {
                say(format!(
                    "{text} proves another line than `{}`",
                    change.message
                ));
            }
        }
        match report.class() {
            Some(Class::Breaking) => breaking += 1,
            Some(Class::Unknown) => unknown += 1,
            _ => {
                compatible += 1;
                assert!(
                    changes
                        .iter()
                        .all(|one| one.kind.category() != Category::Tool)
                );
                for _ in 0..40 {
                    let value = instance(&mut random, &old, &leaves);
                    if passes(&before, &value) {
                        judged += 1;
                        if !passes(&after, &value) {
                            say(format!("{value} is refused now"));
                        }
                    }
                }
            }
        }
    }
    println!(
        "{pairs} pairs: compatible {compatible} ({judged} instances), breaking {breaking} ({proved} proofs), unknown {unknown}"
    );
    let first: Vec<&String> = wrong.iter().take(4).collect();
    assert!(
        wrong.is_empty(),
        "{} wrong: {}",
        wrong.len(),
        first
            .into_iter()
            .fold(String::new(), |all, one| all + "\n" + one)
    );
    assert!(
        compatible > pairs / 5 && breaking > pairs / 5 && judged > pairs && proved > breaking / 2
    );
}
