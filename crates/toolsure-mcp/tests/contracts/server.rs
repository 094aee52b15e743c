//! A server that publishes tools.

use crate::support::{at, call, code, json, listing, promising, result, same, told, tool, tools};
use toolsure_mcp::check::Checker;
use toolsure_mcp::contract::{Engine, HostSchema, HostVerdict, SchemaStore, Validator};
use toolsure_mcp::era::Era;
use toolsure_mcp::project::{Projection, TextFallback};
use toolsure_mcp::publish::{ToolDefinition, publish};

/// Arguments that are not an object are malformed, and absent arguments count as `{}`.
#[test]
fn arguments_are_an_object_or_absent() {
    let set = tools(&[&tool("t", r#"{"type":"object","maxProperties":1}"#, None)]);
    for malformed in ["null", "[]", "1", "\"{}\"", "true"] {
        let decision = call(&set, "t", malformed);
        let refusal = decision.refusal().unwrap();
        assert_eq!(refusal.fault.code(), "call-malformed", "{malformed}");
        for era in Era::ALL {
            let answer = refusal.answer(era, "\"a\"");
            assert_eq!(at(json(&answer).document(), "/error/code"), Some("-32602"));
            assert_eq!(at(json(&answer).document(), "/id"), Some("\"a\""));
        }
    }
    let absent = br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t"}}"#;
    assert_eq!(
        code(&Checker::new().check_call_message(&set, absent)),
        "pass"
    );
    let needs = tools(&[&tool("t", r#"{"type":"object","required":["q"]}"#, None)]);
    assert_eq!(
        code(&Checker::new().check_call_message(&needs, absent)),
        "arguments-invalid"
    );
    for (message, expected) in [
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call"}"#,
            "call-malformed",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[]}"#,
            "call-malformed",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}"#,
            "call-malformed",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":5}}"#,
            "call-malformed",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#,
            "message-malformed",
        ),
        (
            r#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"t"}}"#,
            "message-malformed",
        ),
        ("[]", "message-malformed"),
        ("{", "message-json"),
        (
            r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"tools/call"}"#,
            "message-json",
        ),
    ] {
        assert_eq!(
            code(&Checker::new().check_call_message(&set, message.as_bytes())),
            expected,
            "{message}"
        );
    }
}

/// Wrong arguments are answered with an error result whose text names the place and the mistake. An
/// unknown tool, and any reader before 2025-11-25, gets -32602.
#[test]
fn wrong_arguments_are_answered_so_that_a_model_can_mend_them() {
    let input = r#"{"type":"object","properties":{"orders":{"type":"array","items":{"type":"object","properties":{"id":{"type":"integer"},"qty":{"type":"integer","minimum":1}},"required":["id","qty"]}}}}"#;
    let set = tools(&[&tool("nested", input, None)]);
    let decision = call(&set, "nested", r#"{"orders":[{"id":1,"qty":1},{"id":2}]}"#);
    let refusal = decision.refusal().unwrap();
    assert_eq!(
        refusal.text(),
        "invalid arguments for tool `nested`:\n- /orders/1: missing property `qty`"
    );
    assert_eq!(refusal.report.as_ref().unwrap().findings.len(), 1);
    for era in [Era::V2025_11_25, Era::V2026_07_28] {
        let answer = refusal.answer(era, "4");
        let answer = json(&answer);
        let result = |pointer: &str| at(answer.document(), pointer).map(str::to_owned);
        assert_eq!(result("/result/isError").unwrap(), "true");
        assert_eq!(result("/result/content/0/type").unwrap(), "\"text\"");
        assert_eq!(result("/result/structuredContent"), None);
        let tag = era.is_modern().then(|| "\"complete\"".to_owned());
        assert_eq!(result("/result/resultType"), tag);
    }
    // Before SEP-1303 it was a protocol error.
    for era in [Era::V2024_11_05, Era::V2025_03_26, Era::V2025_06_18] {
        assert_eq!(
            at(json(&refusal.answer(era, "4")).document(), "/error/code"),
            Some("-32602")
        );
    }
    let decision = call(&set, "nope", "{}");
    let refusal = decision.refusal().unwrap();
    assert_eq!(refusal.text(), "unknown tool: nope");
    for era in Era::ALL {
        assert_eq!(
            at(json(&refusal.answer(era, "4")).document(), "/error/code"),
            Some("-32602")
        );
    }
}

/// The text of a refusal has at most 2,048 bytes, whatever the size of the mistake.
#[test]
fn texts_are_bounded() {
    let long = "a".repeat(5_000);
    let name = "n".repeat(3_000);
    let input = r#"{"type":"object","properties":{"orders":{"items":{"type":"object","properties":{"id":{"type":"integer"}},"required":["id"],"additionalProperties":false}}},"patternProperties":{"^p":{"type":"integer"}},"additionalProperties":false}"#;
    let set = tools(&[&tool(&name, input, None), &tool("t", input, None)]);
    let wrong: Vec<String> = (0..1_000)
        .map(|n| format!(r#"{{"id":"{n}","colour{n}":1}}"#))
        .collect();
    let members: Vec<String> = (0..1_000)
        .map(|n| format!("\"p\u{202e}{long}{n}\":\"\u{1F600}\\u0000\""))
        .collect();
    for arguments in [
        format!(r#"{{"orders":[{}]}}"#, wrong.join(",")),
        format!("{{{}}}", members.join(",")),
        format!("{{\"{long}\":\"{long}\"}}"),
    ] {
        for tool in ["t", name.as_str()] {
            let decision = call(&set, tool, &arguments);
            let refusal = decision.refusal().unwrap();
            assert_eq!(refusal.fault.code(), "arguments-invalid");
            assert!(refusal.text().len() <= 2_048, "{}", refusal.text().len());
            // Findings are left out whole.
            assert!(!refusal.text().ends_with('…'), "{refusal}");
            assert!(!refusal.text().contains('\u{202e}'));
            assert!(refusal.answer(Era::V2026_07_28, "1").len() < 4_096);
        }
    }
    let unknown = call(&set, &long, "{}");
    assert!(unknown.refusal().unwrap().text().len() < 200);
    let items: Vec<String> = (0..20_000).map(|_| "\"x\"".to_owned()).collect();
    let many = promising(r#"{"items":{"type":"integer"}}"#);
    let sent = format!(r#"{{"structuredContent":[{}]}}"#, items.join(","));
    let decision = result(&many, Era::V2026_07_28, &sent);
    assert!(decision.refusal().unwrap().text().len() <= 2_048);
    let denied = promising(&format!(r##"{{"$ref":"https://{long}.invalid/"}}"##));
    let decision = result(&denied, Era::V2026_07_28, &sent);
    assert!(decision.refusal().unwrap().text().len() <= 2_048);
    let talkative = Engine::new(Talkative);
    let decision = Checker::new().engine(talkative).check_call_message(
        &set,
        br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t"}}"#,
    );
    let text = decision.refusal().unwrap().text();
    assert!(text.len() <= 2_048 && text.ends_with('…'), "{text}");
}

/// A host's engine that gives many and long reasons.
struct Talkative;

impl Validator for Talkative {
    fn compile(&self, _schema: &str) -> Result<Box<dyn HostSchema>, String> {
        Ok(Box::new(Talkative))
    }
}

impl HostSchema for Talkative {
    fn check(&self, _instance: &str) -> HostVerdict {
        HostVerdict::Invalid(vec!["é".repeat(5_000); 1_000])
    }
}

/// A result that breaks its output schema becomes an error result that names tool and fault.
#[test]
fn a_result_that_breaks_the_promise_becomes_an_error_that_names_the_tool() {
    let tool = promising(r#"{"type":"array","items":{"type":"number"}}"#);
    for (sent, text) in [
        (
            r#"{"content":[],"structuredContent":["x"]}"#,
            "invalid result of tool `t`: `structuredContent` does not match its output schema:\n- /0: expected number, found string `\"x\"`",
        ),
        (
            r#"{"content":[]}"#,
            "tool `t` has an output schema but its result has no `structuredContent`",
        ),
    ] {
        let decision = result(&tool, Era::V2026_07_28, sent);
        let refusal = decision.refusal().unwrap();
        assert_eq!(refusal.text(), text);
        for era in Era::ALL {
            let answer = json(&refusal.answer(era, "1"));
            assert_eq!(
                at(answer.document(), "/result/isError"),
                Some("true"),
                "{era}"
            );
            let said = at(answer.document(), "/result/content/0/text").unwrap();
            assert!(same(said, &format!("{text:?}")), "{era}: {said}");
            assert_eq!(at(answer.document(), "/result/structuredContent"), None);
        }
    }
}

/// Structured content gets a text block with its JSON always, if it is not an object, or never.
#[test]
fn structured_content_gets_a_text_block_unless_the_author_wrote_one() {
    let text_of = |fallback: TextFallback, sent: &str| {
        let document = json(sent);
        let told = Projection::to(Era::V2026_07_28)
            .text(fallback)
            .result(None, Era::V2026_07_28, document.document().root())
            .unwrap();
        let told = json(&told.text);
        at(told.document(), "/content").map(str::to_owned)
    };
    let object = r#"{"content":[],"structuredContent":{"b": 1.50, "a": "x  y"}}"#;
    let array = r#"{"content":[{"type":"image","data":"","mimeType":"image/png"}],"structuredContent":[ 1 ]}"#;
    let image = r#"{"type":"image","data":"","mimeType":"image/png"}"#;
    let block = r#"[{"type":"text","text":"{\"b\":1.50,\"a\":\"x  y\"}"}]"#;
    assert_eq!(text_of(TextFallback::Always, object).unwrap(), block);
    assert_eq!(text_of(TextFallback::NonObject, object).unwrap(), "[]");
    assert_eq!(text_of(TextFallback::Never, object).unwrap(), "[]");
    let added = format!(r#"[{image},{{"type":"text","text":"[1]"}}]"#);
    assert_eq!(text_of(TextFallback::Always, array).unwrap(), added);
    assert_eq!(text_of(TextFallback::NonObject, array).unwrap(), added);
    assert_eq!(
        text_of(TextFallback::Never, array).unwrap(),
        format!("[{image}]")
    );
    assert_eq!(
        text_of(TextFallback::Always, r#"{"structuredContent":null}"#).unwrap(),
        r#"[{"type":"text","text":"null"}]"#
    );
    assert_eq!(text_of(TextFallback::Always, "{}"), None);
    // Whatever the author's own text says, and wherever it stands, nothing is added to it.
    for mine in [
        r#"[{"type":"text","text":"mine"}]"#.to_owned(),
        r#"[{"type":"text","text":""}]"#.to_owned(),
        format!(r#"[{image},{{"text":"mine","type":"text"}}]"#),
    ] {
        for value in ["[1]", "0", "null", r#"{"a":1}"#] {
            let sent = format!(r#"{{"structuredContent":{value},"content":{mine}}}"#);
            for fallback in [
                TextFallback::Always,
                TextFallback::NonObject,
                TextFallback::Never,
            ] {
                let text = text_of(fallback, &sent);
                assert_eq!(text.as_ref(), Some(&mine), "{fallback:?} {value}");
            }
        }
    }
}

/// Beside `"type": "object"` the root of an input schema may have every keyword of JSON Schema
/// 2020-12, and each counts.
#[test]
fn an_input_schema_may_have_every_keyword_beside_its_type() {
    let a = r#"{"a":1}"#;
    let b = r#"{"b":1}"#;
    for (keywords, good, bad) in [
        (
            r#""oneOf":[{"required":["a"]},{"required":["b"]}]"#,
            a,
            r#"{"a":1,"b":1}"#,
        ),
        (
            r#""anyOf":[{"required":["a"]},{"required":["b"]}]"#,
            b,
            "{}",
        ),
        (r#""allOf":[{"required":["a"]},{"maxProperties":1}]"#, a, b),
        (r#""not":{"required":["a"]}"#, b, a),
        (r#""if":{"required":["a"]},"then":{"required":["c"]}"#, b, a),
        (r#""if":{"required":["a"]},"else":{"required":["c"]}"#, a, b),
        (
            r##""$ref":"#/$defs/x","$defs":{"x":{"required":["a"]}}"##,
            a,
            b,
        ),
        (
            r##""$ref":"#x","$defs":{"x":{"$anchor":"x","required":["a"]}}"##,
            a,
            b,
        ),
        (
            r##""$dynamicRef":"#x","$defs":{"x":{"$dynamicAnchor":"x","required":["a"]}}"##,
            a,
            b,
        ),
        (r#""dependentRequired":{"a":["c"]}"#, b, a),
        (r#""dependentSchemas":{"a":{"required":["c"]}}"#, b, a),
        (r#""propertyNames":{"pattern":"^a"}"#, a, b),
        (r#""patternProperties":{"^a":{"type":"string"}}"#, b, a),
        (
            r#""properties":{"a":{}},"unevaluatedProperties":false"#,
            a,
            b,
        ),
        (
            r#""properties":{"a":{}},"additionalProperties":false"#,
            a,
            b,
        ),
        (r#""minProperties":1"#, a, "{}"),
        (r#""const":{"a":1}"#, a, b),
        (r#""enum":[{"a":1}]"#, a, b),
        (
            r#""properties":{"a":{"prefixItems":[{"type":"null"}]}}"#,
            a,
            r#"{"a":[1]}"#,
        ),
        (
            r#""properties":{"a":{"contains":{"type":"null"}}}"#,
            a,
            r#"{"a":[1]}"#,
        ),
    ] {
        let set = tools(&[&tool(
            "t",
            &format!(r#"{{"type":"object",{keywords}}}"#),
            None,
        )]);
        assert_eq!(code(&call(&set, "t", good)), "pass", "{keywords} {good}");
        assert_eq!(
            code(&call(&set, "t", bad)),
            "arguments-invalid",
            "{keywords} {bad}"
        );
    }
}

/// A definition that can never work is refused with its name and the reason, and the others are
/// published.
#[test]
fn what_can_never_work_is_refused_at_start_up_by_name() {
    let store = SchemaStore::new();
    let with = |name: &str, input: &str| ToolDefinition::new(name).input(input);
    let (set, refused) = publish(
        [
            with("good", r#"{"type":"object"}"#)
                .description("a \"good\" one")
                .title("Good"),
            with("array", r#"{"type":"array"}"#),
            with("typeless", "{}"),
            with(
                "pattern",
                r#"{"type":"object","properties":{"a":{"pattern":"("}}}"#,
            ),
            with("good", r#"{"type":"object"}"#),
            with("bad name", r#"{"type":"object"}"#),
            with("json", "{"),
            with("output", r#"{"type":"object"}"#).output(r##"{"$ref":"https://x.invalid/"}"##),
            with("last", r#"{"type":"object"}"#).member("annotations", r#"{"readOnlyHint":true}"#),
        ],
        &store,
    );
    let names: Vec<&str> = set.tools().map(|tool| tool.name()).collect();
    assert_eq!(names, ["good", "last"]);
    let reasons: Vec<String> = refused.iter().map(ToString::to_string).collect();
    assert_eq!(
        reasons,
        [
            r#"tool `array`: the root of `inputSchema` must have `"type": "object"`, found `"array"`"#,
            r#"tool `typeless`: the root of `inputSchema` must have `"type": "object"`, found no `type`"#,
            "tool `pattern` has an invalid inputSchema: unclosed group at byte 0 of the pattern: `(` (at /properties/a/pattern)",
            "tool `good`: another tool before it has the same name",
            "tool `bad name`: the name has a ` `, which is not one of A-Z, a-z, 0-9, `_`, `.` and `-`",
            "tool `json`: expected `,` or `}`, found the end of the text at byte 31",
            "tool `output` has an invalid outputSchema: `$ref` to `https://x.invalid/` is denied: it is neither in this document nor registered (at /$ref); move the target into this document under `$defs`; nothing is ever fetched",
        ]
    );
}

/// A tool is listed byte for byte as it was written, and a result keeps the bytes after `content`.
#[test]
fn schemas_are_published_as_they_were_written() {
    let written = r##"{ "name": "w",  "inputSchema": {"type": "object", "$schema": "https://json-schema.org/draft/2020-12/schema",
        "z": 1, "a": 12345678901234567890123, "if": {"properties": {"n": {"multipleOf": 0.10}}}, "then": {"$ref": "#anchor"},
        "$defs": {"x": {"$anchor": "anchor", "x-vendor": [1.0,  2e2]}} } }"##;
    let listing = listing(&[written]);
    for era in [Era::V2025_06_18, Era::V2025_11_25, Era::V2026_07_28] {
        let text = Projection::to(era).list(&listing).text;
        assert!(text.contains(written), "{era}: {text}");
    }
    let sent = r#"{"content": [ ],  "structuredContent" : {"n": 1.10, "e": 1E2, "big": 12345678901234567890123}, "_meta": {"v": [ 1 ]}, "vendor": null, "isError": false}"#;
    let told = told(Era::V2025_11_25, None, sent);
    let tail = sent.split_once(']').unwrap().1;
    assert!(told.text.ends_with(tail), "{}", told.text);
}
