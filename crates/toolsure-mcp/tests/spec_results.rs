//! Results and lists in which anything is wrong are valid by the protocol's own schema of their
//! version after the repair, and keep what they say.
//!
//! The cases are made from the schema: one value that has all members of each definition, and from
//! it, for each member and element at any depth, a value of every other kind, none at all, and a
//! member that no version has. `spec_schema.rs` says where the schemas come from.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a panic is how a test fails"
)]

#[path = "support/protocol.rs"]
mod protocol;

use protocol::{check, definition, definitions, has_definition};
use serde_json::{Map, Value, json};
use toolsure_json::{OwnedDocument, ReadLimits};
use toolsure_mcp::clients::{RepairedResult, repair_result, repair_tool_result};
use toolsure_mcp::era::{Era, Structured};

type Definitions = Map<String, Value>;

/// The values of a schema with all their members: one for each alternative somewhere in it.
fn full(schema: &Value, name: &str, all: &Definitions) -> Vec<Value> {
    if let Some(reference) = schema["$ref"].as_str() {
        let name = reference.rsplit('/').next().unwrap();
        return full(&all[name], name, all);
    }
    if let Some(value) = schema.get("const") {
        return vec![value.clone()];
    }
    if let Some(values) = schema["enum"].as_array() {
        return values.clone();
    }
    if let Some(alternatives) = schema["anyOf"].as_array() {
        let values = alternatives.iter().flat_map(|one| full(one, name, all));
        return values.collect();
    }
    let kind = match &schema["type"] {
        Value::Array(kinds) => kinds[0].as_str(),
        kind => kind.as_str(),
    };
    match kind {
        Some("object") => objects(schema, all),
        Some("array") => vec![Value::Array(full(&schema["items"], name, all))],
        Some("string") => vec![json!(match (name, schema["format"].as_str()) {
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
    let Some(properties) = schema["properties"].as_object() else {
        return vec![json!({"own": 1})];
    };
    let members: Vec<(&String, Vec<Value>)> = properties
        .iter()
        .map(|(name, schema)| (name, full(schema, name, all)))
        .collect();
    let most = members.iter().map(|(_, values)| values.len()).max();
    let one = |at: usize| {
        let pick = |values: &[Value]| values[at.min(values.len() - 1)].clone();
        let members = members.iter();
        members
            .map(|(name, values)| ((*name).clone(), pick(values)))
            .collect()
    };
    (0..most.unwrap_or(1))
        .map(|at| Value::Object(one(at)))
        .collect()
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

/// The values that differ from a correct one in one place.
fn wrong(correct: &Value) -> Vec<(String, Value)> {
    let mut all = Vec::new();
    let mut found = Vec::new();
    places(correct, "", &mut found);
    for place in found {
        let (outer, name) = place.rsplit_once('/').unwrap();
        let name = name.replace("~1", "/").replace("~0", "~");
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
            *value.pointer_mut(&place).unwrap() = other;
            all.push((place.clone(), value));
        }
        let mut value = correct.clone();
        match value.pointer_mut(outer).unwrap() {
            Value::Object(members) => {
                members.remove(&name);
            }
            Value::Array(items) => {
                items.remove(name.parse().unwrap());
            }
            _ => {}
        }
        all.push((place.clone(), value.clone()));
        if let Some(members) = value.pointer_mut(outer).unwrap().as_object_mut() {
            members.insert("x-unknown".to_owned(), json!(null));
            all.push((place, value));
        }
    }
    all
}

fn repaired(
    value: &Value,
    repair: impl Fn(toolsure_json::View<'_>) -> Option<RepairedResult>,
) -> (String, Vec<String>) {
    let text = value.to_string();
    let document = OwnedDocument::read(text.as_str(), &ReadLimits::default()).unwrap();
    match repair(document.document().root()) {
        Some(repaired) => {
            let changes = repaired.changes.iter().map(ToString::to_string).collect();
            (repaired.edits.apply(&text), changes)
        }
        None => (text, Vec::new()),
    }
}

#[toolsure_needs::needs("$TOOLSURE_MCP_SCHEMAS")]
#[test]
fn a_result_in_which_anything_is_wrong_is_valid_and_says_the_same() {
    let mut checked = 0;
    for era in Era::ALL {
        let Some(schema) = definition(era, "CallToolResult") else {
            continue;
        };
        let all = definitions(era).unwrap();
        let mut correct = full(&all["CallToolResult"], "", &all).remove(0);
        if era.has_result_types() {
            correct["resultType"] = json!("complete");
        }
        check(&schema, &correct.to_string(), era.version());
        let (text, changes) = repaired(&correct, |it| repair_tool_result(era, it));
        assert!(changes.is_empty(), "{changes:?} {text}");
        for (place, value) in wrong(&correct) {
            // The projection decides on structured content, by the tool's contract, and an unknown
            // type of result is refused.
            let is_value = place.starts_with("/structuredContent");
            if is_value && era.structured() != Structured::Any
                || place == "/resultType" && value["resultType"].is_string()
            {
                continue;
            }
            let what = format!("{era} {place}: {value}");
            let (text, changes) = repaired(&value, |it| repair_tool_result(era, it));
            let mut after: Value = serde_json::from_str(&text).unwrap();
            // The guard adds an absent `content` by itself.
            let members = after.as_object_mut().unwrap();
            members.entry("content").or_insert_with(|| json!([]));
            check(&schema, &after.to_string(), &what);
            let before = value.to_string();
            let changed = text != before;
            assert_eq!(changed, !changes.is_empty(), "{what}: {changes:?}");
            if value["content"].to_string().contains(WORDS) {
                let said = after["content"].to_string();
                assert!(said.contains(WORDS), "{what}: {said}");
            }
            let text_of = |value: &Value| value["content"][0]["text"].clone();
            if place != "/content" && !place.starts_with("/content/0") {
                assert_eq!(text_of(&after), text_of(&correct), "{what}");
            }
            checked += 1;
        }
    }
    assert!(checked > 3_000, "{checked}");
}

#[toolsure_needs::needs("$TOOLSURE_MCP_SCHEMAS")]
#[test]
fn a_list_in_which_anything_is_wrong_is_valid_and_keeps_its_other_entries() {
    let mut checked = 0;
    for era in Era::ALL {
        for (method, name, member) in [
            ("prompts/list", "ListPromptsResult", "prompts"),
            ("resources/list", "ListResourcesResult", "resources"),
            (
                "resources/templates/list",
                "ListResourceTemplatesResult",
                "resourceTemplates",
            ),
            ("prompts/get", "GetPromptResult", "messages"),
            ("resources/read", "ReadResourceResult", "contents"),
            ("completion/complete", "CompleteResult", ""),
        ] {
            if !has_definition(era, name) {
                continue;
            }
            let Some(schema) = definition(era, name) else {
                continue;
            };
            let all = definitions(era).unwrap();
            let mut correct = full(&all[name], "", &all).remove(0);
            if era.has_result_types() {
                correct["resultType"] = json!("complete");
            }
            check(&schema, &correct.to_string(), name);
            let (text, changes) = repaired(&correct, |it| repair_result(method, era, it));
            assert!(changes.is_empty(), "{changes:?} {text}");
            let last = correct[member].as_array().map_or(0, Vec::len) + 1;
            if let Some(entries) = correct[member].as_array_mut() {
                entries.push(entries[0].clone());
            }
            for (place, value) in wrong(&correct) {
                let is_tag = place == "/resultType" && value["resultType"].is_string();
                if place.starts_with("/completion") || is_tag {
                    continue;
                }
                let what = format!("{era} {name} {place}: {value}");
                let (text, changes) = repaired(&value, |it| repair_result(method, era, it));
                check(&schema, &text, &what);
                let after: Value = serde_json::from_str(&text).unwrap();
                let before = value.to_string();
                let changed = text != before;
                assert_eq!(changed, !changes.is_empty(), "{what}: {changes:?}");
                if place.starts_with(&format!("/{member}/0")) {
                    let kept = after[member].as_array().unwrap();
                    assert!(kept.len() + 1 >= last, "{what}: {text}");
                    assert_eq!(kept.last(), correct[member].as_array().unwrap().last());
                }
                checked += 1;
            }
        }
    }
    assert!(checked > 3_000, "{checked}");
}

const WORDS: &str = "the words";

/// A result may need as many changes as it has values; what is said about them is bounded.
#[test]
fn the_changes_that_are_kept_are_bounded() {
    for (of, block) in [
        ("content", "null"),
        ("content", r#"{"type":"text","text":1}"#),
    ] {
        let text = format!(r#"{{"{of}":[{}]}}"#, vec![block; 10_000].join(","));
        let result = OwnedDocument::read(&*text, &Default::default()).unwrap();
        let repaired = repair_tool_result(Era::V2025_11_25, result.document().root()).unwrap();
        assert_eq!(
            (repaired.changes.len(), repaired.further),
            (64, 10_000 - 64)
        );
    }
}
