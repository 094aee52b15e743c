//! Reads schemas like model providers that do not follow JSON Schema.

use serde_json::Value;

/// A schema published for Gemini, as Gemini reads it: `nullable` allows null.
#[must_use]
pub fn read_nullable(schema: &Value) -> Value {
    let Value::Object(members) = schema else {
        return schema.clone();
    };
    let mut read = members.clone();
    for (name, value) in &mut read {
        match (name.as_str(), &mut *value) {
            ("properties", Value::Object(map)) => {
                map.values_mut().for_each(|one| *one = read_nullable(one));
            }
            ("anyOf", Value::Array(list)) => {
                list.iter_mut().for_each(|one| *one = read_nullable(one));
            }
            ("items", one) => *one = read_nullable(one),
            _ => {}
        }
    }
    if read.remove("nullable") == Some(Value::Bool(true)) {
        return serde_json::json!({"anyOf": [read, {"type": "null"}]});
    }
    Value::Object(read)
}
