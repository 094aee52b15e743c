//! Random edits of schemas.

use serde_json::{Value, json};
use toolsure_testkit::differential::random::Random;

/// Takes out, doubles or moves one member or item somewhere below.
pub(crate) fn edit(random: &mut Random, value: &mut Value, donors: &[Value]) {
    match value {
        Value::Object(members) if !members.is_empty() => {
            let names: Vec<String> = members.keys().cloned().collect();
            let name = names[random.below(names.len())].clone();
            match random.below(6) {
                0 => {
                    members.remove(&name);
                }
                1 => {
                    if let Some(Value::Object(donor)) = donors.get(random.below(donors.len())) {
                        let chosen = donor.iter().nth(random.below(donor.len().max(1)));
                        members.extend(chosen.map(|(key, value)| (key.clone(), value.clone())));
                    }
                }
                _ => edit(random, &mut members[&name], donors),
            }
        }
        Value::Array(items) if !items.is_empty() => {
            let at = random.below(items.len());
            match random.below(5) {
                0 => {
                    items.remove(at);
                }
                1 => items.push(items[at].clone()),
                _ => edit(random, &mut items[at], donors),
            }
        }
        Value::Number(number) => {
            let near = number.as_i64().unwrap_or(1) + [-1, 1, 2][random.below(3)];
            *value = json!(near.max(0));
        }
        Value::Bool(flag) => *flag = !*flag,
        _ => {}
    }
}
