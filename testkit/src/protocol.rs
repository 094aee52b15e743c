//! Messages made from the protocol's own JSON Schema: correct ones with all members, and all that
//! differ from them in one place.
//!
//! `.ci/protocol-schemas.mjs` writes the schemas; `TOOLSURE_MCP_SCHEMAS` names their folder.

use std::path::Path;

use serde_json::{Map, Value, json};

/// Definitions by name.
pub type Definitions = Map<String, Value>;

/// A value that differs from a correct one in one place.
#[derive(Clone, Debug)]
pub struct Wrong {
    /// The JSON Pointer to the place.
    pub place: String,
    /// The whole value.
    pub value: Value,
}

/// The text of the schema of a protocol version in a folder.
#[must_use]
pub fn text(folder: &Path, version: &str) -> Option<String> {
    std::fs::read_to_string(folder.join(version).join("schema.json")).ok()
}

/// The name of the member with a schema's definitions.
#[must_use]
pub fn shelf(schema: &Value) -> &'static str {
    match schema.get("$defs") {
        Some(_) => "$defs",
        None => "definitions",
    }
}

/// The definitions of a schema.
#[must_use]
pub fn definitions(schema: &str) -> Option<Definitions> {
    let mut schema: Value = serde_json::from_str(schema).ok()?;
    let shelf = shelf(&schema);
    match schema.get_mut(shelf)?.take() {
        Value::Object(definitions) => Some(definitions),
        _ => None,
    }
}

/// A correct value of a definition with all its members.
#[must_use]
pub fn correct(name: &str, all: &Definitions) -> Option<Value> {
    alternatives(name, all).into_iter().next()
}

/// Correct values of a definition with all their members: one for each alternative somewhere in it.
#[must_use]
pub fn alternatives(name: &str, all: &Definitions) -> Vec<Value> {
    let schema = all.get(name);
    schema.map_or_else(Vec::new, |schema| full(schema, name, all))
}

/// The values of a schema with all their members: one for each alternative somewhere in it.
fn full(schema: &Value, name: &str, all: &Definitions) -> Vec<Value> {
    let text = |member: &str| schema.get(member).and_then(Value::as_str);
    let list = |member: &str| schema.get(member).and_then(Value::as_array);
    if let Some(reference) = text("$ref") {
        let name = reference.rsplit('/').next().unwrap_or_default();
        return full(all.get(name).unwrap_or(&Value::Null), name, all);
    }
    if let Some(value) = schema.get("const") {
        return vec![value.clone()];
    }
    if let Some(values) = list("enum") {
        return values.clone();
    }
    if let Some(alternatives) = list("anyOf") {
        let values = alternatives.iter().flat_map(|one| full(one, name, all));
        return values.collect();
    }
    let kind = match schema.get("type") {
        Some(Value::Array(kinds)) => kinds.first().and_then(Value::as_str),
        kind => kind.and_then(Value::as_str),
    };
    match kind {
        Some("object") => objects(schema, all),
        Some("array") => {
            let items = schema.get("items").unwrap_or(&Value::Null);
            vec![Value::Array(full(items, name, all))]
        }
        Some("string") => vec![json!(match (name, text("format")) {
            ("lastModified", _) => "2026-11-27T18:00:00Z",
            (_, Some("uri")) => "https://x.test/a",
            (_, Some("uri-template")) => "https://x.test/{a}",
            (_, Some("byte")) => "AAAA",
            _ => WORDS,
        })],
        Some("integer" | "number") => vec![json!(1)],
        Some("boolean") => vec![json!(false)],
        _ => vec![json!({"any": [1]})],
    }
}

fn objects(schema: &Value, all: &Definitions) -> Vec<Value> {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
        return vec![json!({"own": 1})];
    };
    let members: Vec<(&String, Vec<Value>)> = properties
        .iter()
        .map(|(name, schema)| (name, full(schema, name, all)))
        .collect();
    let most = members.iter().map(|(_, values)| values.len()).max();
    let one = |at: usize| {
        let members = members.iter().filter_map(|(name, values)| {
            let value = values.get(at).or_else(|| values.last())?;
            Some(((*name).clone(), value.clone()))
        });
        Value::Object(members.collect())
    };
    (0..most.unwrap_or(1)).map(one).collect()
}

/// The values that differ from a correct one in one place: there is a value of every other kind, a
/// number (also with a fraction of zero) or a text that may be out of range, none at all, or a member of no version in its place.
#[must_use]
pub fn wrong(correct: &Value) -> Vec<Wrong> {
    let mut all = Vec::new();
    let mut found = Vec::new();
    places(correct, "", &mut found);
    for place in found {
        for other in [
            json!(null),
            json!(5),
            json!(-1),
            json!(1.5),
            json!("x"),
            json!("false"),
            json!(true),
            json!([]),
            json!({}),
            json!([5, null]),
            json!({"a": null}),
        ] {
            let mut value = correct.clone();
            if let Some(at) = value.pointer_mut(&place) {
                *at = other;
            }
            let place = place.clone();
            all.push(Wrong { place, value });
        }
        let mut value = correct.clone();
        if let Some(at) = value.pointer_mut(&place).filter(|at| at.is_number()) {
            *at = json!(5.0);
            let place = place.clone();
            all.push(Wrong { place, value });
        }
        let (outer, name) = place.rsplit_once('/').unwrap_or_default();
        let name = name.replace("~1", "/").replace("~0", "~");
        let mut value = correct.clone();
        match value.pointer_mut(outer) {
            Some(Value::Object(members)) => {
                members.remove(&name);
            }
            Some(Value::Array(items)) => {
                items.remove(name.parse().unwrap_or_default());
            }
            _ => {}
        }
        let with = |value: &Value| Wrong {
            place: place.clone(),
            value: value.clone(),
        };
        all.push(with(&value));
        if let Some(members) = value.pointer_mut(outer).and_then(Value::as_object_mut) {
            members.insert(UNKNOWN.to_owned(), json!(null));
            all.push(with(&value));
        }
    }
    all
}

/// The pointers to all values inside one.
fn places(value: &Value, at: &str, found: &mut Vec<String>) {
    let mut inside = |name: &str, value: &Value| {
        let at = format!("{at}/{}", name.replace('~', "~0").replace('/', "~1"));
        found.push(at.clone());
        places(value, &at, found);
    };
    match value {
        Value::Object(members) => members.iter().for_each(|(name, value)| inside(name, value)),
        Value::Array(items) => {
            let items = items.iter().enumerate();
            items.for_each(|(index, value)| inside(&index.to_string(), value));
        }
        _ => {}
    }
}

/// The value of strings in correct messages.
pub const WORDS: &str = "the words";
/// A member of no version.
pub const UNKNOWN: &str = "x-unknown";
