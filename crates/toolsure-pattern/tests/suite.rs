//! The official JSON Schema suite's files about patterns, read from
//! `../shared` beside the workspace; ignored where that is absent.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::path::PathBuf;

use serde_json::Value;
use toolsure_pattern::{Limits, Pattern, is_ecma262};

/// Every assertion of the named file in every dialect; how many there were.
fn each(file: &str, mut check: impl FnMut(&Value, &Value) -> Option<bool>) -> usize {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/suites/json-schema-test-suite/tests");
    let mut checked = 0;
    for draft in ["draft4", "draft6", "draft7", "draft2019-09", "draft2020-12"] {
        let path = root.join(draft).join(file);
        // Not every draft has every file.
        let Ok(text) = std::fs::read_to_string(&path) else {
            continue;
        };
        let groups: Value = serde_json::from_str(&text).unwrap();
        for group in groups.as_array().unwrap() {
            for test in group["tests"].as_array().unwrap() {
                let Some(found) = check(&group["schema"], &test["data"]) else {
                    continue;
                };
                assert_eq!(found, test["valid"] == Value::Bool(true), "{group} {test}");
                checked += 1;
            }
        }
    }
    checked
}

fn matches(pattern: &str, haystack: &str) -> bool {
    let pattern = Pattern::new(pattern, &Limits::default()).unwrap();
    pattern.matches(haystack, &mut 100_000).unwrap()
}

/// `pattern`, and `patternProperties` with `additionalProperties`.
fn check_schema(schema: &Value, data: &Value) -> Option<bool> {
    if let (Some(pattern), Some(text)) = (schema["pattern"].as_str(), data.as_str()) {
        return Some(matches(pattern, text));
    }
    let (patterns, data) = (schema["patternProperties"].as_object()?, data.as_object()?);
    let holds = |name: &str, value: &Value| {
        let mut met = schema["additionalProperties"] != Value::Bool(false);
        for (pattern, schema) in patterns {
            if matches(pattern, name) {
                met = true;
                let ok = match schema["type"].as_str() {
                    Some("integer" | "number") => value.is_number(),
                    Some("string") => value.is_string(),
                    Some("boolean") => value.is_boolean(),
                    Some("null") => value.is_null(),
                    _ => *schema != Value::Bool(false),
                };
                let most = schema["maximum"].as_f64().unwrap_or(f64::MAX);
                if !ok || value.as_f64().is_some_and(|value| value > most) {
                    return false;
                }
            }
        }
        met
    };
    Some(data.iter().all(|(name, value)| holds(name, value)))
}

#[toolsure_needs::needs("suites/json-schema-test-suite")]
#[test]
fn the_suite_passes() {
    let mut checked = 0;
    for file in [
        "pattern.json",
        "patternProperties.json",
        "optional/ecmascript-regex.json",
        "optional/non-bmp-regex.json",
    ] {
        checked += each(file, check_schema);
    }
    for file in [
        "optional/format/regex.json",
        "optional/format/ecmascript-regex.json",
        "optional/ecmascript-regex.json",
    ] {
        checked += each(file, |schema, data| {
            (schema["format"] == "regex").then(|| data.as_str().is_none_or(is_ecma262))
        });
    }
    assert!(checked > 500, "{checked} assertions");
}
