//! The sixteen scenarios of the TypeScript SDK's `jsonschema` tests, under
//! their ids. A server's handler value goes out through a projection, and comes
//! in through a result check against what was listed.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::sync::Arc;

use crate::support::{at, call, code, json, listing, promising, result, same, told, tool, tools};
use toolsure_mcp::check::Checker;
use toolsure_mcp::contract::{SchemaStore, ToolContract};
use toolsure_mcp::era::Era;
use toolsure_mcp::project::Projection;

const INPUT: &str = r#"{"type":"object"}"#;
const OLD: Era = Era::V2025_11_25;
const NEW: Era = Era::V2026_07_28;

/// The output schema as a reader sees it.
fn listed(reader: Era, output: &str) -> String {
    let listing = listing(&[&tool("t", INPUT, Some(output))]);
    let told = Projection::to(reader).list(&listing);
    let document = json(&told.text);
    at(document.document(), "/result/tools/0/outputSchema")
        .unwrap()
        .to_owned()
}

/// What a reader gets for a value, and whether its own check of it, against what
/// it was listed, passes.
fn received(reader: Era, output: Option<&str>, value: &str, content: &str) -> String {
    let natural = output.map(promising);
    let sent = format!(r#"{{"content":{content},"structuredContent":{value}}}"#);
    let told = told(reader, natural.as_deref(), &sent);
    if let Some(output) = output {
        let seen = promising(&listed(reader, output));
        assert_eq!(
            code(&result(&seen, reader, &told.text)),
            "pass",
            "{}",
            told.text
        );
    }
    told.text
}

fn part(text: &str, pointer: &str) -> Option<String> {
    at(json(text).document(), pointer).map(str::to_owned)
}

#[test]
fn client_jsonschema_same_document_ref_ok() {
    let output = r##"{"type":"object","properties":{"point":{"$ref":"#/$defs/Point"}},"$defs":{"Point":{"type":"object","properties":{"x":{"type":"number"}}}}}"##;
    for era in [Era::V2025_06_18, OLD, NEW] {
        assert_eq!(listed(era, output), output);
        let text = received(era, Some(output), r#"{"point":{"x":1,"y":2}}"#, "[]");
        assert_eq!(
            part(&text, "/structuredContent").unwrap(),
            r#"{"point":{"x":1,"y":2}}"#
        );
    }
}

#[test]
fn client_jsonschema_unsupported_dialect_graceful() {
    let output = r#"{"$schema":"https://example.invalid/json-schema/v99/schema","type":"object"}"#;
    for era in [Era::V2025_06_18, OLD, NEW] {
        assert_eq!(listed(era, output), output);
    }
    let set = tools(&[&tool("t", INPUT, Some(output))]);
    let decision = call(&set, "t", "{}");
    let refusal = decision.refusal().unwrap();
    assert_eq!(refusal.fault.rpc_code(), -32602);
    assert!(
        refusal
            .text()
            .contains("invalid outputSchema: unsupported dialect"),
        "{refusal}"
    );
}

#[test]
fn client_jsonschema_bad_schema_isolates_tool() {
    let set = tools(&[
        &tool("good", INPUT, Some(r#"{"type":"object"}"#)),
        &tool(
            "bad",
            INPUT,
            Some(r#"{"type":"object","properties":{"a":{"$ref":"http://127.0.0.1:9/s.json"}}}"#),
        ),
        &tool("plain", INPUT, None),
    ]);
    assert_eq!(set.len(), 3);
    assert_eq!(code(&call(&set, "good", "{}")), "pass");
    let decision = call(&set, "bad", "{}");
    let refusal = decision.refusal().unwrap();
    assert_eq!(refusal.fault.rpc_code(), -32602);
    let said =
        "tool `bad` has an invalid outputSchema: `$ref` to `http://127.0.0.1:9/s.json` is denied";
    assert!(refusal.text().starts_with(said), "{refusal}");
}

#[test]
fn client_jsonschema_non_object_output() {
    let output = r#"{"type":"array","items":{"type":"number"}}"#;
    assert_eq!(listed(NEW, output), output);
    let text = received(NEW, Some(output), "[1,2,3]", "[]");
    assert_eq!(part(&text, "/structuredContent").unwrap(), "[1,2,3]");
}

#[test]
fn client_jsonschema_2020_12_prefix_items() {
    let output = r#"{"type":"array","prefixItems":[{"type":"number"},{"type":"string"}]}"#;
    let decision = result(
        &promising(output),
        NEW,
        r#"{"content":[],"structuredContent":["x",1]}"#,
    );
    let refusal = decision.refusal().unwrap();
    // The call has happened, so it is not "invalid params".
    assert_eq!(refusal.fault.rpc_code(), -31_602);
    assert!(refusal.text().contains("output schema"), "{refusal}");
}

#[test]
fn client_jsonschema_dialect_default_is_2020_12() {
    let output = r#"{"type":"object","properties":{"p":{"prefixItems":[{"type":"number"}]}}}"#;
    let decision = result(
        &promising(output),
        NEW,
        r#"{"content":[],"structuredContent":{"p":["x"]}}"#,
    );
    assert_eq!(code(&decision), "result-invalid");
}

/// `0`, `false`, `""`, `null` and `[]` are validated like other values.
#[test]
fn client_jsonschema_falsy_structured_content_validated() {
    for (schema, value) in [
        ("integer", "0"),
        ("boolean", "false"),
        ("string", "\"\""),
        ("null", "null"),
        ("array", "[]"),
    ] {
        let tool = promising(&format!(r#"{{"type":"{schema}"}}"#));
        let sent = format!(r#"{{"content":[],"structuredContent":{value}}}"#);
        assert_eq!(code(&result(&tool, NEW, &sent)), "pass");
        let other = promising(r#"{"type":"object"}"#);
        assert_eq!(code(&result(&other, NEW, &sent)), "result-invalid");
    }
}

/// An array gets a text block with its JSON, unless the author wrote a text block.
#[test]
fn server_jsonschema_array_structured_content_textfallback() {
    let output = r#"{"type":"array"}"#;
    let text = received(NEW, Some(output), "[1, 2, 3]", "[]");
    assert_eq!(
        part(&text, "/content").unwrap(),
        r#"[{"type":"text","text":"[1,2,3]"}]"#
    );
    let mine = r#"[{"type":"text","text":"mine"}]"#;
    let text = received(NEW, Some(output), "[1, 2, 3]", mine);
    assert_eq!(part(&text, "/content").unwrap(), mine);
    assert_eq!(part(&text, "/structuredContent").unwrap(), "[1, 2, 3]");
}

#[test]
fn server_jsonschema_primitive_structured_content() {
    let text = received(NEW, Some(r#"{"type":"number"}"#), "0", "[]");
    assert_eq!(part(&text, "/structuredContent").unwrap(), "0");
    assert_eq!(part(&text, "/content/0/text").unwrap(), "\"0\"");
}

const UNION: &str =
    r#"{"anyOf":[{"type":"object","properties":{"a":{"type":"number"}}},{"type":"string"}]}"#;

#[test]
fn server_jsonschema_union_output_natural() {
    assert_eq!(listed(NEW, UNION), UNION);
    let text = received(NEW, Some(UNION), r#"{"a":1}"#, "[]");
    assert_eq!(part(&text, "/structuredContent").unwrap(), r#"{"a":1}"#);
    let text = received(NEW, Some(UNION), "\"x\"", "[]");
    assert_eq!(part(&text, "/structuredContent").unwrap(), "\"x\"");
    assert_eq!(part(&text, "/content/0/text").unwrap(), r#""\"x\"""#);
}

/// An older reader sees an array schema as the member `result` of an object schema.
#[test]
fn v2025_jsonschema_non_object_output_wrapped() {
    let output = r#"{"type":"array","items":{"type":"number"}}"#;
    assert!(same(
        &listed(OLD, output),
        r#"{"type":"object","properties":{"result":{"type":"array","items":{"type":"number"}}},"required":["result"]}"#
    ));
}

/// An older reader gets an array as `{"result": …}`, and the text has the array itself.
#[test]
fn v2025_jsonschema_non_object_structured_content_wrapped() {
    let output = r#"{"type":"array","items":{"type":"number"}}"#;
    let text = received(OLD, Some(output), "[1,2,3]", "[]");
    assert_eq!(
        part(&text, "/structuredContent").unwrap(),
        r#"{"result":[1,2,3]}"#
    );
    assert_eq!(part(&text, "/content/0/text").unwrap(), "\"[1,2,3]\"");
}

/// If the schema allows other values than objects, objects are wrapped, too.
#[test]
fn v2025_jsonschema_wrap_follows_schema_not_value() {
    let text = received(OLD, Some(UNION), r#"{"a":1}"#, "[]");
    assert_eq!(
        part(&text, "/structuredContent").unwrap(),
        r#"{"result":{"a":1}}"#
    );
    let text = received(OLD, Some(UNION), "\"x\"", "[]");
    assert_eq!(
        part(&text, "/structuredContent").unwrap(),
        r#"{"result":"x"}"#
    );
    assert_eq!(part(&text, "/content/0/text").unwrap(), r#""\"x\"""#);
}

/// Without an output schema an array is wrapped, and an object is not.
#[test]
fn v2025_jsonschema_schemaless_non_object_sc_wrapped() {
    let text = received(OLD, None, "[1,2,3]", "[]");
    assert_eq!(
        part(&text, "/structuredContent").unwrap(),
        r#"{"result":[1,2,3]}"#
    );
    assert_eq!(part(&text, "/content/0/text").unwrap(), "\"[1,2,3]\"");
    let text = received(OLD, None, r#"{"a":1}"#, "[]");
    assert_eq!(part(&text, "/structuredContent").unwrap(), r#"{"a":1}"#);
}

/// In the wrapped schema, `#` leads to the new place of the root, and values are checked by it.
#[test]
fn v2025_jsonschema_ref_rewrite_on_wrap() {
    let output = r##"{"type":"array","items":{"anyOf":[{"type":"number"},{"$ref":"#"}]}}"##;
    let wrapped = listed(OLD, output);
    assert_eq!(
        part(&wrapped, "/properties/result/items/anyOf/1/$ref").unwrap(),
        "\"#/properties/result\""
    );
    let text = received(OLD, Some(output), "[1,[2,3]]", "[]");
    assert_eq!(
        part(&text, "/structuredContent").unwrap(),
        r#"{"result":[1,[2,3]]}"#
    );
    let seen = promising(&wrapped);
    let wrong = r#"{"content":[],"structuredContent":{"result":[1,["x"]]}}"#;
    assert_eq!(code(&result(&seen, OLD, wrong)), "result-invalid");
}

/// References are rewritten in subschemas, not in data, and not below a root `$id`.
#[test]
fn v2025_jsonschema_ref_rewrite_scope() {
    let output = r##"{"type":"array","$defs":{"X":{"type":"number"}},"items":{"anyOf":[
        {"$dynamicRef":"#/$defs/X"}, {"$ref":"#/$defs/X"},
        {"const":{"$ref":"#/$defs/X"}}, {"enum":[{"$ref":"#/$defs/X"}]},
        {"default":{"$ref":"#/$defs/X"}, "examples":[{"$ref":"#/$defs/X"}]},
        {"type":"object","properties":{"default":{"$ref":"#/$defs/X"},"$ref":{"type":"string"}}}
    ]}}"##;
    let wrapped = listed(OLD, output);
    let moved = "\"#/properties/result/$defs/X\"";
    let kept = "\"#/$defs/X\"";
    for (pointer, expected) in [
        ("0/$dynamicRef", moved),
        ("1/$ref", moved),
        ("2/const/$ref", kept),
        ("3/enum/0/$ref", kept),
        ("4/default/$ref", kept),
        ("4/examples/0/$ref", kept),
        ("5/properties/default/$ref", moved),
    ] {
        let place = format!("/properties/result/items/anyOf/{pointer}");
        assert_eq!(part(&wrapped, &place).unwrap(), expected, "{pointer}");
    }
    // A root `$id` disables the rewrite: the schema is embedded unchanged.
    let own = r##"{"$id":"https://x.invalid/s","type":"array","items":{"$ref":"#/$defs/X"},"$defs":{"X":{}}}"##;
    assert_eq!(part(&listed(OLD, own), "/properties/result").unwrap(), own);
}

/// The related ids of the SDK's `tools` tests: `output-schema` `validate`, `missing-structured`,
/// `skip-on-error`, `server-validate`, and `input-validation`.
#[test]
fn client_output_schema_validate_missing_structured_skip_on_error() {
    let tool =
        promising(r#"{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}"#);
    for era in [Era::V2025_06_18, OLD, NEW] {
        let check = |text: &str| code(&result(&tool, era, text));
        assert_eq!(
            check(r#"{"content":[],"structuredContent":{"n":"x"}}"#),
            "result-invalid"
        );
        assert_eq!(check(r#"{"content":[]}"#), "result-missing");
        assert_eq!(check(r#"{"content":[],"isError":true}"#), "pass");
        assert_eq!(
            check(r#"{"content":[],"isError":true,"structuredContent":5}"#),
            "pass"
        );
    }
    let decision = result(
        &tool,
        NEW,
        r#"{"content":[],"structuredContent":{"n":"x"}}"#,
    );
    let answer = decision.refusal().unwrap().answer(NEW, "9");
    assert_eq!(part(&answer, "/result/isError").unwrap(), "true");
    assert_eq!(part(&answer, "/result/structuredContent"), None);
    assert!(
        answer.contains("tool `t`") && answer.contains("output schema"),
        "{answer}"
    );
    let cold = Arc::new(ToolContract::read(tool.text().as_bytes(), &SchemaStore::new()).unwrap());
    assert!(
        Checker::new()
            .check_arguments_bytes(&cold, b"[]")
            .refusal()
            .is_some()
    );
}
