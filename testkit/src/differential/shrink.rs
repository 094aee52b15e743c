//! Shrinks a disagreement until it is small enough to read.

use serde_json::Value;

/// The maximum number of candidates. Then the smallest so far is returned.
const TRIES: usize = 4_000;

/// Shrinks `schema` and `instance` while `still` holds for them.
///
/// Removes members and items, and replaces values by one of their own parts or by `true`, `{}` or
/// `0`, until nothing smaller holds.
pub fn shrink(
    mut schema: Value,
    mut instance: Value,
    mut still: impl FnMut(&Value, &Value) -> bool,
) -> (Value, Value) {
    let mut tries = 0;
    loop {
        let smaller = smaller_values(&schema)
            .into_iter()
            .take(TRIES.saturating_sub(tries))
            .inspect(|_| tries += 1)
            .find(|candidate| still(candidate, &instance));
        if let Some(candidate) = smaller {
            schema = candidate;
            continue;
        }
        let smaller = smaller_values(&instance)
            .into_iter()
            .take(TRIES.saturating_sub(tries))
            .inspect(|_| tries += 1)
            .find(|candidate| still(&schema, candidate));
        match smaller {
            Some(candidate) => instance = candidate,
            None => return (schema, instance),
        }
    }
}

/// All values that are one step smaller than `value`, the largest steps first.
fn smaller_values(value: &Value) -> Vec<Value> {
    let size = weight(value);
    let mut found = Vec::new();
    let mut places = Vec::new();
    pointers(value, &mut String::new(), &mut places);
    for place in &places {
        let Some(part) = value.pointer(place) else {
            continue;
        };
        for replacement in replacements(part) {
            let mut candidate = value.clone();
            if let Some(slot) = candidate.pointer_mut(place) {
                *slot = replacement;
            }
            if weight(&candidate) < size {
                found.push(candidate);
            }
        }
    }
    found.sort_by_key(weight);
    found
}

fn replacements(part: &Value) -> Vec<Value> {
    let mut found = vec![
        Value::Bool(true),
        Value::from(0),
        Value::Object(serde_json::Map::new()),
    ];
    match part {
        Value::Object(members) => {
            found.extend(members.values().cloned());
            for name in members.keys() {
                let mut fewer = members.clone();
                fewer.remove(name);
                found.push(Value::Object(fewer));
            }
        }
        Value::Array(items) => {
            found.extend(items.iter().cloned());
            for at in 0..items.len() {
                let mut fewer = items.clone();
                fewer.remove(at);
                found.push(Value::Array(fewer));
            }
        }
        _ => {}
    }
    found
}

/// The pointers of `value` and all values in it. The recursion is safe because values are shallow.
fn pointers(value: &Value, here: &mut String, found: &mut Vec<String>) {
    found.push(here.clone());
    let length = here.len();
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                here.push('/');
                here.push_str(&name.replace('~', "~0").replace('/', "~1"));
                pointers(member, here, found);
                here.truncate(length);
            }
        }
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                here.push('/');
                here.push_str(&at.to_string());
                pointers(item, here, found);
                here.truncate(length);
            }
        }
        _ => {}
    }
}

/// The size of a value: the sum over its parts and the lengths of texts and numbers.
fn weight(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) => 1,
        Value::Number(number) => 1 + number.to_string().len(),
        Value::String(text) => 2 + text.len(),
        Value::Array(items) => 3 + items.iter().map(weight).sum::<usize>(),
        Value::Object(members) => {
            3 + members
                .iter()
                .map(|(name, member)| 2 + name.len() + weight(member))
                .sum::<usize>()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_what_matters_is_left() {
        let schema = json!({"type": "object", "properties": {"a": {"minimum": 3}, "b": true}});
        let instance = json!({"a": 1, "b": [1, 2, 3]});
        let (schema, instance) = shrink(schema, instance, |schema, instance| {
            schema.pointer("/properties/a/minimum").is_some() && instance.get("a").is_some()
        });
        assert_eq!(schema, json!({"properties": {"a": {"minimum": true}}}));
        assert_eq!(instance, json!({"a": true}));
    }
}
