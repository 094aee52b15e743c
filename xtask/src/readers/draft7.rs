//! Output schemas made of the keywords of 2020-12 that ajv's class for draft 7, as the first TypeScript
//! SDK sets it up, reads differently: each alone and each pair, also inside other keywords. With each
//! stand the values that our engine accepts.

use serde_json::{Map, Value, json};
use toolsure_schema::{Compiler, Dialect, Verdict, Workspace};
use toolsure_testkit::differential::instances::instance;
use toolsure_testkit::differential::random::Random;

use super::trial::{Need, Trial, numbered};

/// The trials, in listings that are not too long.
///
/// # Errors
///
/// One line if a text of this file is not JSON.
pub(super) fn trials(seed: u64) -> Result<Vec<Vec<Trial>>, String> {
    let mut random = Random::new(seed);
    let keywords: Vec<Value> = KEYWORDS
        .iter()
        .map(|text| serde_json::from_str(text).map_err(|e| format!("{text}: {e}")))
        .collect::<Result<_, String>>()?;
    let values: Value = serde_json::from_str(VALUES).map_err(|e| format!("VALUES: {e}"))?;
    let values = values.as_array().cloned().unwrap_or_default();
    let mut trials = Vec::new();
    for (index, first) in keywords.iter().enumerate() {
        for way in 0..WAYS {
            let other = random.below(keywords.len());
            let other = keywords.get(other).unwrap_or(first);
            trials.extend(trial(&mut random, &inside(way, first, other), &values));
        }
        for second in keywords.iter().skip(index + 1) {
            let Some(both) = joined(first, second) else {
                continue;
            };
            let way = random.below(WAYS);
            let other = random.below(keywords.len());
            let other = keywords.get(other).unwrap_or(first);
            trials.extend(trial(&mut random, &inside(0, &both, other), &values));
            trials.extend(trial(&mut random, &inside(way, &both, other), &values));
        }
    }
    let mut listings = Vec::new();
    while !trials.is_empty() {
        let rest = trials.split_off(trials.len().min(LISTING));
        listings.push(numbered(std::mem::replace(&mut trials, rest)));
    }
    Ok(listings)
}

/// Two schemas in one; `None` if both have a keyword.
fn joined(first: &Value, second: &Value) -> Option<Value> {
    let mut both: Map<String, Value> = first.as_object()?.clone();
    for (name, value) in second.as_object()? {
        if both.insert(name.clone(), value.clone()).is_some() {
            return None;
        }
    }
    Some(Value::Object(both))
}

/// A schema inside another one.
fn inside(way: usize, schema: &Value, other: &Value) -> Value {
    match way {
        1 => json!({ "not": schema }),
        2 => json!({ "anyOf": [schema, { "type": "null" }] }),
        3 => json!({ "oneOf": [schema, other] }),
        4 => json!({ "if": schema, "then": other, "else": { "type": ["object", "string"] } }),
        5 => json!({ "allOf": [schema, other] }),
        6 => json!({ "items": schema, "additionalProperties": schema }),
        7 => json!({ "not": { "anyOf": [{ "not": schema }, other] } }),
        8 => {
            json!({ "type": ["array", "object"], "allOf": [schema], "unevaluatedItems": false, "unevaluatedProperties": false })
        }
        _ => schema.clone(),
    }
}

/// A tool with the schema for a property of its output, and the outputs that our engine accepts.
fn trial(random: &mut Random, schema: &Value, values: &[Value]) -> Option<Trial> {
    let definitions: Value = serde_json::from_str(DEFINITIONS).ok()?;
    let root = json!({ "type": "object", "properties": { "p": schema }, "$defs": definitions });
    let text = root.to_string();
    let compiler = Compiler::new().dialect(Dialect::Draft202012);
    let compiled = compiler.compile(text.as_bytes()).ok()?;
    let mut workspace = Workspace::new();
    let made = (0..MADE).map(|_| instance(random, schema));
    let outputs = values.iter().cloned().chain(made);
    let outputs = outputs.map(|value| json!({ "p": value }).to_string());
    let accepted: Vec<String> = outputs
        .filter(|output| {
            let verdict = compiled.check(&mut workspace, output.as_bytes());
            verdict.is_ok_and(|verdict| verdict == Verdict::Valid)
        })
        .collect();
    Some(Trial {
        name: String::new(),
        what: schema.to_string(),
        case: json!({ "tool": { "outputSchema": root } }),
        call: json!(accepted),
        need: Need::Text,
        breaks: false,
        place: None,
    })
}

const WAYS: usize = 9;
/// The number of random values for each schema.
const MADE: usize = 6;
/// The number of tools in a listing.
const LISTING: usize = 500;
const DEFINITIONS: &str = r##"{"d":{"$anchor":"anchor","properties":{"a":{"type":"string"}},"prefixItems":[{"type":"string"}]},
    "e":{"$dynamicAnchor":"dynamic","type":["object","array","string"]}}"##;
/// Schemas with one keyword, or with keywords that mean something only together.
const KEYWORDS: [&str; 47] = [
    r#"{"prefixItems":[{"type":"string"}]}"#,
    r#"{"prefixItems":[{"type":"string"},{"const":1}]}"#,
    r#"{"prefixItems":[true,false]}"#,
    r#"{"items":false}"#,
    r#"{"items":{"type":"null"}}"#,
    r#"{"items":{"type":"string"}}"#,
    r#"{"contains":{"const":1}}"#,
    r#"{"contains":{"const":1},"minContains":0}"#,
    r#"{"contains":{"type":"string"},"minContains":2}"#,
    r#"{"minContains":0}"#,
    r#"{"maxContains":1}"#,
    r#"{"unevaluatedItems":false}"#,
    r#"{"unevaluatedItems":{"type":"null"}}"#,
    r#"{"unevaluatedProperties":false}"#,
    r#"{"unevaluatedProperties":{"type":"string"}}"#,
    r#"{"dependentRequired":{"a":["b"]}}"#,
    r#"{"dependentSchemas":{"a":{"required":["b"]}}}"#,
    r#"{"dependentSchemas":{"a":false}}"#,
    r#"{"dependencies":{"a":["b"]}}"#,
    r#"{"dependencies":{"a":false}}"#,
    r#"{"additionalItems":false}"#,
    r##"{"$ref":"#/$defs/d"}"##,
    r##"{"$ref":"#anchor"}"##,
    r##"{"$dynamicRef":"#dynamic"}"##,
    r#"{"properties":{"a":{"type":"string"}}}"#,
    // Names that every JavaScript object inherits.
    r#"{"properties":{"toString":{"type":"string"},"valueOf":{"enum":[1]}}}"#,
    r##"{"properties":{"constructor":{"$ref":"#/$defs/d"}}}"##,
    r#"{"dependentRequired":{"hasOwnProperty":["b"]}}"#,
    r#"{"additionalProperties":false}"#,
    r#"{"patternProperties":{"^a":{"type":"string"}}}"#,
    r#"{"maxItems":1}"#,
    r#"{"type":"string"}"#,
    r#"{"type":["array","object"]}"#,
    r#"{"type":"number"}"#,
    r#"{"nullable":true}"#,
    r#"{"nullable":false}"#,
    r#"{"format":"date-time"}"#,
    r#"{"format":"uuid"}"#,
    r#"{"format":"int32"}"#,
    r#"{"format":"no-such-format"}"#,
    r#"{"format":"date","formatMinimum":"2030-01-01"}"#,
    r#"{"multipleOf":0.01}"#,
    r#"{"multipleOf":3}"#,
    r#"{"uniqueItems":true}"#,
    r#"{"enum":[null,1,"a",[1],{"a":"x"}]}"#,
    r#"{"id":"own"}"#,
    r#"{"contentEncoding":"base64","contentMediaType":"application/json","contentSchema":false}"#,
];
const VALUES: &str = r#"[null, true, 0, 1, 2, 3, -1, 0.07, 1.1, 19.99, 4294967296, "", "a", "ab", "2026-11-27", "2026-11-27T18:00:00Z",
    [], [1], ["a"], ["a", 1], ["a", 1, null], ["a", null], [1, 1], [2], ["a", "b"], [1, 2, 3], [[1]], [null], [["a"]], [{"a": "x"}],
    {}, {"a": "x"}, {"a": 1}, {"b": 1}, {"a": "x", "b": 1}, {"ab": "x"}, {"c": {"a": "x"}}, {"c": ["a", 1]}, {"c": null}]"#;
