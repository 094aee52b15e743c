//! The calls that test a tool, and what is judged of answers.

#![expect(clippy::unwrap_used, reason = "test code")]

use std::sync::Arc;

use toolsure_mcp::contract::{SchemaStore, ToolContract};
use toolsure_mcp::era::Era;
use toolsure_mcp::testing::{
    Call, CallKind, Code, Judge, Outcome, Pinned, Plan, PlanOptions, smaller,
};
use toolsure_mcp::{OwnedDocument, ReadLimits};

fn tool(input_schema: &str) -> Arc<ToolContract> {
    let text = format!(r#"{{"name": "find", "inputSchema": {input_schema}}}"#);
    Arc::new(ToolContract::read(text.as_bytes(), &SchemaStore::new()).unwrap())
}

fn plan(tool: &ToolContract, pinned: &[(&str, &str)]) -> Plan {
    let pinned = pinned
        .iter()
        .map(|(member, value)| Pinned::new(*member, *value));
    let options = PlanOptions {
        pinned: pinned.collect(),
        ..PlanOptions::default()
    };
    Plan::of(tool, &SchemaStore::new(), &options).unwrap()
}

/// The value of a member in each call that has it.
fn values(plan: &Plan, member: &str) -> Vec<serde_json::Value> {
    let calls = plan.calls.iter();
    let arguments = calls.map(|call| serde_json::from_str::<serde_json::Value>(&call.arguments));
    arguments
        .filter_map(|one| one.unwrap().get(member).cloned())
        .collect()
}

/// Two branches, each with a member that the other has no room for.
const BRANCHES: &str = r#"{"type": "object", "oneOf": [
    {"properties": {"id": {"type": "integer", "maximum": 9}}, "required": ["id"], "additionalProperties": false},
    {"properties": {"name": {"type": "string"}}, "required": ["name"], "additionalProperties": false}],
    "properties": {"id": {}, "name": {}}}"#;

#[test]
fn a_given_value_is_in_each_call_that_has_its_member() {
    let tool = tool(BRANCHES);
    let plan = plan(&tool, &[("id", "7"), ("name", "\"a\"")]);
    let (ids, names) = (values(&plan, "id"), values(&plan, "name"));
    assert!(!ids.is_empty() && ids.iter().all(|id| id == 7), "{ids:?}");
    assert!(
        !names.is_empty() && names.iter().all(|name| name == "a"),
        "{names:?}"
    );
}

#[test]
fn a_given_value_that_the_schema_refuses_leaves_no_call() {
    for (value, is_called) in [("9", true), ("10", false), ("\"x\"", false)] {
        let plan = plan(&tool(BRANCHES), &[("id", value)]);
        assert_eq!(!plan.calls.is_empty(), is_called, "{value}");
        assert!(plan.has_pinned());
        assert!(plan.malformed.is_none() || is_called, "{value}");
    }
}

#[test]
fn a_string_that_is_not_unicode_takes_no_place_of_a_given_value() {
    let tool = tool(
        r#"{"type": "object", "required": ["path", "q"],
            "properties": {"path": {"type": "string"}, "q": {"type": "string"}}}"#,
    );
    let both = plan(&tool, &[("path", "\"/tmp\""), ("q", "\"a\"")]);
    assert_eq!(both.malformed, None);
    let one = plan(&tool, &[("path", "\"/tmp\"")]).malformed.unwrap();
    assert!(one.arguments.contains(r#""path":"/tmp""#), "{one:?}");
    assert!(one.arguments.contains(r"\ud800"), "{one:?}");
}

#[test]
fn a_result_that_cannot_be_read_is_one_finding() {
    let tool = tool(r#"{"type": "object"}"#);
    let plan = plan(&tool, &[]);
    let call = plan.calls.iter().find(|call| call.is_valid()).unwrap();
    for answer in [r#"{"content": 1}"#, r#"{"content": [], "isError": 1}"#] {
        let answer = OwnedDocument::read(answer, &ReadLimits::default()).unwrap();
        let outcome = Outcome::Result(answer.document().root());
        let findings = Judge::new(Era::V2025_11_25).judge(&tool, call, &outcome);
        let codes: Vec<Code> = findings.iter().map(|one| one.code).collect();
        assert_eq!(codes, [Code::ResultShape], "{findings:?}");
    }
}

/// Whoever calls cannot know better arguments: the tool breaks its own output schema.
#[test]
fn a_result_that_the_servers_sdk_refuses_breaks_the_output_schema() {
    let tool = tool(r#"{"type": "object"}"#);
    let text =
        "MCP error -32602: Output validation error: Invalid structured content for tool t: []";
    let answer = serde_json::json!({"content": [{"type": "text", "text": text}], "isError": true});
    let answer = OwnedDocument::read(answer.to_string(), &ReadLimits::default()).unwrap();
    let result = Outcome::Result(answer.document().root());
    for outcome in [result, Outcome::Error(-32602, text)] {
        let valid = Call::valid("{}", "nothing");
        let findings = Judge::new(Era::V2025_11_25).judge(&tool, &valid, &outcome);
        let codes: Vec<Code> = findings.iter().map(|one| one.code).collect();
        assert_eq!(codes, [Code::ResultSchema], "{findings:?}");
    }
}

#[test]
fn a_long_string_is_shortened() {
    let tool =
        tool(r#"{"type": "object", "properties": {"q": {"minLength": 2}}, "required": ["q"]}"#);
    let mut call = Call::valid(
        format!(r#"{{"q":"{}"}}"#, "é".repeat(100_000)),
        "a long string",
    );
    let fails = |call: &Call| call.arguments.chars().count() > 3 + r#"{"q":""}"#.len();
    let mut tries = 0;
    while let Some(next) = smaller(&tool, &call).into_iter().find(|next| {
        tries += 1;
        fails(next)
    }) {
        call = next;
    }
    assert_eq!(call.arguments, r#"{"q":"éééé"}"#);
    assert!(tries < 24, "{tries}");
}

#[test]
fn invalid_calls_name_what_they_break() {
    let plan = plan(&tool(BRANCHES), &[]);
    let broken = plan.calls.iter().filter_map(|call| match &call.kind {
        CallKind::Invalid {
            keyword_location, ..
        } => Some(keyword_location.as_str()),
        _ => None,
    });
    let broken: Vec<&str> = broken.collect();
    assert!(
        broken.iter().any(|one| one.starts_with("/oneOf")),
        "{broken:?}"
    );
}
