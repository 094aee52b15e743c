//! Results and lists in which anything is wrong are valid by the protocol's own schema of their
//! version after the repair, and keep what they say.
//!
//! The cases are made from the schema (`toolsure_testkit::protocol`); `spec_schema.rs` says where the
//! schemas come from.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

use crate::support::protocol::{check, definition, definitions, has_definition};
use serde_json::{Value, json};
use toolsure_json::{OwnedDocument, ReadLimits};
use toolsure_mcp::clients::{RepairedResult, repair_result, repair_tool_result};
use toolsure_mcp::era::{Era, Structured};
use toolsure_mcp::message::bad_form;
use toolsure_testkit::protocol::{WORDS, Wrong, alternatives, correct, wrong};

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
        let mut correct = correct("CallToolResult", &all).unwrap();
        if era.has_result_types() {
            correct["resultType"] = json!("complete");
        }
        check(&schema, &correct.to_string(), era.version());
        let (text, changes) = repaired(&correct, |it| repair_tool_result(era, it));
        assert!(changes.is_empty(), "{changes:?} {text}");
        for Wrong { place, value } in wrong(&correct) {
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
            let mut correct = correct(name, &all).unwrap();
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
            for Wrong { place, value } in wrong(&correct) {
                let what = format!("{era} {name} {place}: {value}");
                let (text, changes) = repaired(&value, |it| repair_result(method, era, it));
                check(&schema, &text, &what);
                let after: Value = serde_json::from_str(&text).unwrap();
                let is_tag = place == "/resultType" && value["resultType"].is_string();
                if is_tag && has_other_results(method) {
                    // What nobody knows is left as it is, and clients refuse it.
                    assert_eq!(after["resultType"], value["resultType"], "{what}");
                } else if era.has_result_types() {
                    assert_eq!(after["resultType"], "complete", "{what}");
                }
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

/// What the protocol's own schema of a form allows is allowed, and what it does not allow is not, apart
/// from bounds that are not integers before 2026-07-28, and `default` before 2025-11-25 gave it types.
#[toolsure_needs::needs("$TOOLSURE_MCP_SCHEMAS")]
#[test]
fn forms_are_those_of_the_protocol() {
    let mut counts = [0_u32; 2];
    for era in [Era::V2025_11_25, Era::V2026_07_28] {
        let all = definitions(era).unwrap();
        let primitive = definition(era, "PrimitiveSchemaDefinition").unwrap();
        let mut workspace = toolsure_schema::Workspace::new();
        for field in alternatives("PrimitiveSchemaDefinition", &all) {
            for Wrong {
                place,
                value: field,
            } in wrong(&field)
            {
                let text = field.to_string();
                let allowed = primitive.check(&mut workspace, text.as_bytes()).unwrap();
                let form = json!({"type": "object", "properties": {"a": field}}).to_string();
                let form = OwnedDocument::read(form, &ReadLimits::default()).unwrap();
                let found = bad_form(form.document().root());
                let is_bound = ["/minimum", "/maximum", "/default"].contains(&place.as_str());
                if !(is_bound && era == Era::V2025_11_25) || allowed.is_valid() {
                    assert_eq!(
                        found.is_none(),
                        allowed.is_valid(),
                        "{place} of {text}: {found:?}"
                    );
                }
                counts[usize::from(allowed.is_valid())] += 1;
            }
        }
    }
    assert!(counts.iter().all(|count| *count > 300), "{counts:?}");
}

/// Whether a method has results of other kinds than complete ones.
fn has_other_results(method: &str) -> bool {
    !method.ends_with("/list")
}
