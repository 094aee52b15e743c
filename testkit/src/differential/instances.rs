//! Random instances that tend to match a schema.
//!
//! Most values follow the schema (its constants, its properties, one of its branches) and the rest
//! are arbitrary, so that both verdicts are common.

use serde_json::{Map, Value};

use crate::differential::random::Random;
use crate::differential::words::{NAMES, NUMBERS, STRINGS};

/// A random instance for the schema `root`, whose references are looked up in it.
pub fn instance(random: &mut Random, root: &Value) -> Value {
    towards(random, root, root, DEPTH)
}

/// The maximum nesting depth of instances.
const DEPTH: usize = 5;

fn towards(random: &mut Random, root: &Value, schema: &Value, depth: usize) -> Value {
    let Value::Object(members) = schema else {
        return anything(random, depth.min(2));
    };
    if depth == 0 || random.chance(12) {
        return anything(random, depth.min(2));
    }
    if let Some(target) = referenced(root, members)
        && random.chance(80)
    {
        return towards(random, root, target, depth - 1);
    }
    if let Some(value) = members.get("const")
        && random.chance(80)
    {
        return altered(random, value);
    }
    if let Some(Value::Array(values)) = members.get("enum")
        && random.chance(80)
        && let Some(value) = values.get(random.below(values.len()))
    {
        return altered(random, value);
    }
    let branches: Vec<&Value> = branches(members).collect();
    if !branches.is_empty()
        && random.chance(45)
        && let Some(branch) = branches.get(random.below(branches.len()))
    {
        let mut value = towards(random, root, branch, depth - 1);
        merge(random, &mut value, root, members, depth);
        return value;
    }
    match wanted(random, members) {
        "object" => {
            let mut value = Value::Object(Map::new());
            merge(random, &mut value, root, members, depth);
            value
        }
        "array" => array(random, root, members, depth),
        "string" => Value::from(random.pick(&STRINGS)),
        "number" | "integer" => number(random, members),
        "null" => Value::Null,
        "boolean" => Value::Bool(random.chance(50)),
        _ => anything(random, depth.min(2)),
    }
}

fn referenced<'a>(root: &'a Value, members: &Map<String, Value>) -> Option<&'a Value> {
    if members.contains_key("$dynamicRef") || members.contains_key("$recursiveRef") {
        return Some(root);
    }
    let reference = members.get("$ref")?.as_str()?;
    let last = reference.rsplit(['/', '#', ':']).next()?;
    let number = last.trim_start_matches("anchor").trim_start_matches('d');
    let definitions = root.get("$defs").or_else(|| root.get("definitions"));
    if number.is_empty() {
        Some(root)
    } else {
        definitions?.get(format!("d{number}"))
    }
}

fn branches(members: &Map<String, Value>) -> impl Iterator<Item = &Value> {
    let lists = ["allOf", "anyOf", "oneOf"]
        .into_iter()
        .filter_map(|key| members.get(key));
    let single = ["if", "then", "else", "not"]
        .into_iter()
        .filter_map(|key| members.get(key));
    lists.filter_map(Value::as_array).flatten().chain(single)
}

/// The type to generate: a declared one, or else the type that a random keyword applies to.
fn wanted(random: &mut Random, members: &Map<String, Value>) -> &'static str {
    let declared = match members.get("type") {
        Some(Value::String(name)) => Some(name.as_str()),
        Some(Value::Array(names)) => names.get(random.below(names.len())).and_then(Value::as_str),
        _ => None,
    };
    let known = |name: &str| {
        [
            "null", "boolean", "integer", "number", "string", "array", "object",
        ]
        .into_iter()
        .find(|known| *known == name)
    };
    if let Some(name) = declared.and_then(known) {
        return name;
    }
    let spoken: Vec<&'static str> = members.keys().filter_map(|key| speaks_of(key)).collect();
    spoken
        .get(random.below(spoken.len()))
        .copied()
        .unwrap_or("")
}

fn speaks_of(keyword: &str) -> Option<&'static str> {
    Some(match keyword {
        "properties"
        | "patternProperties"
        | "additionalProperties"
        | "required"
        | "propertyNames"
        | "dependencies"
        | "dependentRequired"
        | "dependentSchemas"
        | "minProperties"
        | "maxProperties"
        | "unevaluatedProperties" => "object",
        "items" | "prefixItems" | "additionalItems" | "contains" | "minContains"
        | "maxContains" | "uniqueItems" | "minItems" | "maxItems" | "unevaluatedItems" => "array",
        "minLength" | "maxLength" | "pattern" => "string",
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" => "number",
        _ => return None,
    })
}

/// Adds members to an object that its schema mentions.
fn merge(
    random: &mut Random,
    value: &mut Value,
    root: &Value,
    schema: &Map<String, Value>,
    depth: usize,
) {
    let Value::Object(members) = value else {
        return;
    };
    if let Some(Value::Object(properties)) = schema.get("properties") {
        for (name, property) in properties {
            if random.chance(70) {
                members.insert(name.clone(), towards(random, root, property, depth - 1));
            }
        }
    }
    let required = schema.get("required").and_then(Value::as_array);
    for name in required.into_iter().flatten().filter_map(Value::as_str) {
        if !members.contains_key(name) && random.chance(85) {
            members.insert(name.to_owned(), anything(random, 1));
        }
    }
    for key in [
        "patternProperties",
        "additionalProperties",
        "unevaluatedProperties",
    ] {
        let Some(schema) = schema.get(key) else {
            continue;
        };
        if random.chance(45) {
            let schema = match (key, schema) {
                ("patternProperties", Value::Object(patterns)) => patterns.values().next(),
                _ => Some(schema),
            };
            let schema = schema.unwrap_or(&Value::Null);
            let value = towards(random, root, schema, depth - 1);
            members.insert(random.pick(&NAMES).to_owned(), value);
        }
    }
    if random.chance(20) {
        members.insert(random.pick(&NAMES).to_owned(), anything(random, 1));
    }
}

fn array(random: &mut Random, root: &Value, schema: &Map<String, Value>, depth: usize) -> Value {
    let mut items = Vec::new();
    let tuple = schema
        .get("prefixItems")
        .or_else(|| schema.get("items"))
        .and_then(Value::as_array);
    for item in tuple.into_iter().flatten() {
        if random.chance(85) {
            items.push(towards(random, root, item, depth - 1));
        }
    }
    let rest: Vec<&Value> = ["items", "additionalItems", "contains", "unevaluatedItems"]
        .into_iter()
        .filter_map(|key| schema.get(key))
        .filter(|schema| !schema.is_array())
        .collect();
    for _ in 0..random.below(4) {
        let item = match rest.get(random.below(rest.len())) {
            Some(schema) => towards(random, root, schema, depth - 1),
            None => anything(random, 1),
        };
        items.push(item);
    }
    if random.chance(15)
        && let Some(first) = items.first().cloned()
    {
        items.push(first);
    }
    Value::Array(items)
}

fn number(random: &mut Random, schema: &Map<String, Value>) -> Value {
    let named = [
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "multipleOf",
    ]
    .into_iter()
    .find_map(|key| schema.get(key).filter(|value| value.is_number()));
    match named {
        Some(value) if random.chance(40) => value.clone(),
        _ => any_number(random),
    }
}

/// The value itself, or a similar one.
fn altered(random: &mut Random, value: &Value) -> Value {
    if random.chance(75) {
        return value.clone();
    }
    match value {
        Value::Number(number) => match number.as_i64() {
            Some(whole) if random.chance(50) => {
                serde_json::from_str(&format!("{whole}.0")).unwrap_or(Value::Null)
            }
            _ => any_number(random),
        },
        Value::String(_) => Value::from(random.pick(&STRINGS)),
        Value::Bool(_) => Value::from(0),
        Value::Null => Value::Bool(false),
        Value::Array(items) => {
            let mut items = items.clone();
            items.push(anything(random, 0));
            Value::Array(items)
        }
        Value::Object(members) => {
            let mut members = members.clone();
            members.insert(random.pick(&NAMES).to_owned(), anything(random, 0));
            Value::Object(members)
        }
    }
}

fn anything(random: &mut Random, depth: usize) -> Value {
    match random.below(if depth == 0 { 6 } else { 10 }) {
        0 => Value::Null,
        1 => Value::Bool(random.chance(50)),
        2 | 3 => any_number(random),
        4 | 5 => Value::from(random.pick(&STRINGS)),
        6 | 7 => (0..random.below(4))
            .map(|_| anything(random, depth - 1))
            .collect(),
        _ => {
            let size = random.below(4);
            let members: Map<String, Value> = (0..size)
                .map(|_| (random.pick(&NAMES).to_owned(), anything(random, depth - 1)))
                .collect();
            Value::Object(members)
        }
    }
}

fn any_number(random: &mut Random) -> Value {
    serde_json::from_str(random.pick(&NUMBERS)).unwrap_or(Value::Null)
}
