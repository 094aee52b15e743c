//! Instances that a schema refuses, made from ones that it accepts.

use std::collections::BTreeMap;

use serde_json::{Map, Value};
use toolsure_testkit::Dialect;
use toolsure_testkit::differential::random::Random;
use toolsure_testkit::engine::Setup;
use toolsure_testkit::peers::Jsonschema;

/// Breaks each of the first valid instances in one place, and keeps what
/// `jsonschema` then calls invalid. The same for the same schema, always.
#[must_use]
pub fn broken(schema: &str, valid: &[String]) -> Vec<String> {
    let mut random = Random::new(1948);
    let setup = Setup::new(schema, Dialect::Draft202012);
    let parsed = serde_json::from_str(schema).unwrap_or_default();
    let Ok(validator) = Jsonschema::default().validator(&parsed, &setup) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for text in valid.iter().take(INSTANCES) {
        let Ok(value) = serde_json::from_str::<Value>(text) else {
            continue;
        };
        let value = sorted(value);
        let nodes = count(&value);
        for _ in 0..TRIES {
            let mut changed = value.clone();
            alter(&mut changed, &mut random.below(nodes), &mut random);
            if !validator.is_valid(&changed) {
                found.push(sorted(changed).to_string());
                break;
            }
        }
    }
    found
}

/// The same with members in the order of their names, whatever order `serde_json` keeps in this
/// build.
fn sorted(value: Value) -> Value {
    match value {
        Value::Array(items) => items.into_iter().map(sorted).collect(),
        Value::Object(members) => {
            let named: BTreeMap<String, Value> = members.into_iter().collect();
            let named = named.into_iter().map(|(name, value)| (name, sorted(value)));
            Value::Object(named.collect())
        }
        other => other,
    }
}

fn count(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.iter().map(count).sum(),
        Value::Object(members) => members.values().map(count).sum(),
        _ => 0,
    }
}

/// Changes the value that is `left` values further on. Returns whether it reached it.
fn alter(value: &mut Value, left: &mut usize, random: &mut Random) -> bool {
    if let Some(less) = left.checked_sub(1) {
        *left = less;
        return match value {
            Value::Array(items) => items.iter_mut().any(|item| alter(item, left, random)),
            Value::Object(members) => members.values_mut().any(|one| alter(one, left, random)),
            _ => false,
        };
    }
    match value {
        Value::Object(members) if random.chance(60) => change_members(members, random),
        _ => *value = another(value, random),
    }
    true
}

/// Leaves out a member, or adds one that no schema knows.
fn change_members(members: &mut Map<String, Value>, random: &mut Random) {
    let at = random.below(members.len() + 1);
    match members.keys().nth(at).cloned() {
        Some(name) => drop(members.remove(&name)),
        None => drop(members.insert("unknown member".to_owned(), Value::Null)),
    }
}

/// A value of another type.
fn another(value: &Value, random: &mut Random) -> Value {
    let text = Value::String("no such value".to_owned());
    let others = [
        Value::Null,
        Value::Bool(true),
        Value::from(-1.5),
        text.clone(),
        Value::Array(Vec::new()),
        Value::Object(Map::new()),
    ];
    let start = random.below(others.len());
    others
        .iter()
        .cycle()
        .skip(start)
        .take(others.len())
        .find(|other| std::mem::discriminant(*other) != std::mem::discriminant(value))
        .cloned()
        .unwrap_or(text)
}

/// How many instances of a set are broken.
const INSTANCES: usize = 300;
/// How often one is tried before it is left out.
const TRIES: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broken_instances_are_invalid_and_repeat() {
        let schema = r#"{"type":"object","required":["a"],"properties":{"a":{"type":"integer"}}}"#;
        let valid: Vec<String> = (0..20).map(|n| format!(r#"{{"a":{n}}}"#)).collect();
        let first = broken(schema, &valid);
        assert!(first.len() > 10, "{first:?}");
        assert_eq!(first, broken(schema, &valid));
    }
}
