//! Old and new protocol versions together, and what the TypeScript SDK 2.4.0 does wrong.

use crate::support::{at, call, code, json, listing, promising, result, told, tool, tools};
use toolsure_json::Node as _;
use toolsure_mcp::catalog::Listing;
use toolsure_mcp::contract::SchemaStore;
use toolsure_mcp::era::Era;
use toolsure_mcp::project::{
    LegacyValues, Lost, OutputPolicy, Projection, ProjectionError, TextFallback,
};
use toolsure_mcp::publish::{ToolDefinition, publish};

const INPUT: &str = r#"{"type":"object"}"#;

fn listed(projection: Projection, output: &str) -> (Option<String>, Vec<Lost>) {
    let told = projection.list(&listing(&[&tool("t", INPUT, Some(output))]));
    let text = json(&told.text);
    let schema = at(text.document(), "/result/tools/0/outputSchema").map(str::to_owned);
    (schema, told.lost)
}

/// What a server of any era says is read by a reader of any era, list and
/// result, and passes the reader's own check.
#[test]
fn the_matrix_of_eras_works() {
    for server in Era::ALL {
        for reader in Era::ALL {
            let members = if server.is_modern() {
                r#""resultType":"complete","ttlMs":5,"cacheScope":"public","#
            } else {
                ""
            };
            let (output, value) = match server {
                Era::V2026_07_28 => (Some(r#"{"type":"array"}"#), Some("[1]")),
                Era::V2025_06_18 | Era::V2025_11_25 => {
                    (Some(r#"{"type":"object"}"#), Some(r#"{"a":1}"#))
                }
                _ => (None, None),
            };
            let text = format!(
                r#"{{"jsonrpc":"2.0","id":1,"result":{{{members}"tools":[{}],"nextCursor":""}}}}"#,
                tool("t", INPUT, output)
            );
            let list = Projection::to(reader).list(&Listing::read(text.as_str()).unwrap());
            let page = json(&list.text);
            let result_of = |pointer: &str| at(page.document(), pointer).map(str::to_owned);
            assert_eq!(result_of("/result/nextCursor").unwrap(), "\"\"");
            let modern = reader.is_modern();
            assert_eq!(
                result_of("/result/resultType"),
                modern.then(|| "\"complete\"".to_owned())
            );
            let kept = if server.is_modern() { "5" } else { "0" };
            assert_eq!(
                result_of("/result/ttlMs"),
                modern.then(|| kept.to_owned()),
                "{server} to {reader}"
            );
            assert_eq!(result_of("/result/cacheScope").is_some(), modern);

            let contract = tools(&[&tool("t", INPUT, output)]);
            let structured = value.map_or_else(String::new, |value| {
                format!(r#","structuredContent":{value}"#)
            });
            let sent = format!(r#"{{{members}"content":[]{structured}}}"#);
            let document = json(&sent);
            let told = Projection::to(reader)
                .result(
                    contract.tool("t").map(|tool| &**tool),
                    server,
                    document.document().root(),
                )
                .unwrap();
            let seen = Listing::read(list.text.as_str()).unwrap();
            assert!(seen.isolated().is_empty());
            let mut set = toolsure_mcp::catalog::ToolSet::new();
            set.add(&seen, &SchemaStore::new()).unwrap();
            assert_eq!(
                code(&result(set.tool("t").unwrap(), reader, &told.text)),
                "pass",
                "{server} to {reader}: {}",
                told.text
            );
            let read = json(&told.text);
            let structured = read.document().root().member("structuredContent");
            match reader {
                Era::V2024_11_05 | Era::V2025_03_26 => assert!(structured.is_none()),
                Era::V2025_06_18 | Era::V2025_11_25 => {
                    assert!(
                        structured.is_none_or(|value| value.kind() == toolsure_json::Kind::Object)
                    );
                }
                Era::V2026_07_28 => assert_eq!(structured.map(|value| value.raw()), value),
            }
        }
    }
}

/// `Drop` leaves out an output schema that is not for objects, and the value, reports both, and
/// sends the value as text.
#[test]
fn drop_leaves_schema_and_value_out_and_says_so_once_a_tool() {
    let drop = Projection::to(Era::V2025_11_25).output(OutputPolicy::Drop);
    let (schema, lost) = listed(drop, r#"{"type":"array"}"#);
    assert_eq!(schema, None);
    assert_eq!(
        lost,
        [Lost::OutputSchema {
            tool: "t".to_owned()
        }]
    );
    assert_eq!(
        listed(drop, r#"{"type":"object"}"#).0.unwrap(),
        r#"{"type":"object"}"#
    );

    let tool = promising(r#"{"type":"array"}"#);
    let document = json(r#"{"content":[],"structuredContent":[1],"_meta":{}}"#);
    let told = drop
        .text(TextFallback::Never)
        .result(Some(&tool), Era::V2026_07_28, document.document().root())
        .unwrap();
    assert_eq!(
        told.text,
        r#"{"content":[{"type":"text","text":"[1]"}],"_meta":{}}"#
    );
    assert_eq!(told.lost, [Lost::StructuredContent]);
}

/// Between two legacy peers a value that is not an object is left out where no schema
/// allows it, and a root that is one of objects requires them.
#[test]
fn legacy_peers_have_objects_only() {
    let modern = Projection::to(Era::V2025_11_25);
    let legacy = modern.from_legacy(LegacyValues::Enforce);
    let kinder = modern.from_legacy(LegacyValues::Project);
    let text = |projection: Projection, tool: Option<&str>| {
        let tool = tool.map(promising);
        let document = json(r#"{"content":[],"structuredContent":[1]}"#);
        let root = document.document().root();
        let told = projection.result(tool.as_deref(), Era::V2025_11_25, root);
        told.unwrap().text
    };
    let left_out = r#"{"content":[{"type":"text","text":"[1]"}]}"#;
    let wrapped =
        r#"{"content":[{"type":"text","text":"[1]"}],"structuredContent":{"result":[1]}}"#;
    let keywords = r#"{"properties":{"a":{}},"required":["a"]}"#;
    for output in [None, Some(keywords), Some(INPUT)] {
        assert_eq!(text(legacy, output), left_out, "{output:?}");
        assert_eq!(text(kinder, output), wrapped, "{output:?}");
        assert_eq!(text(modern, output), wrapped, "{output:?}");
    }
    let array = r#"{"type":"array"}"#;
    for projection in [legacy, kinder, modern] {
        assert_eq!(text(projection, Some(array)), wrapped);
    }
    for (output, required) in [(INPUT, true), (keywords, true), (array, false)] {
        let tool = promising(output);
        assert_eq!(legacy.requires_object(&tool), required, "{output}");
        let others = [kinder, modern, legacy.as_written(), to_modern()];
        assert!(others.iter().all(|other| !other.requires_object(&tool)));
    }
}

/// A reader of this era, with a server that may be as old.
fn from_legacy(reader: Era) -> Projection {
    Projection::to(reader).from_legacy(LegacyValues::Enforce)
}

fn to_modern() -> Projection {
    Projection::to(Era::V2026_07_28).from_legacy(LegacyValues::Enforce)
}

/// No `type` is put on an author's schema; one that allows objects only but
/// does not say so stands, whole, in an object schema, and values stay natural.
#[test]
fn object_shaped_roots_keep_their_values() {
    let union = r##"{"$schema":"https://json-schema.org/draft/2020-12/schema","oneOf":[{"$ref":"#/$defs/a"},{"type":"object","required":["b"]}],"$defs":{"a":{"type":"object","required":["a"]}}}"##;
    let (schema, lost) = listed(Projection::to(Era::V2025_11_25), union);
    assert_eq!(
        schema.unwrap(),
        r##"{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","allOf":[{"oneOf":[{"$ref":"#/allOf/0/$defs/a"},{"type":"object","required":["b"]}],"$defs":{"a":{"type":"object","required":["a"]}}}]}"##
    );
    assert!(matches!(lost.as_slice(), [Lost::Enclosed { .. }]));
    let tool = promising(union);
    let text = told(
        Era::V2025_11_25,
        Some(&tool),
        r#"{"content":[],"structuredContent":{"a":1}}"#,
    )
    .text;
    assert_eq!(
        at(json(&text).document(), "/structuredContent"),
        Some(r#"{"a":1}"#)
    );
    assert_eq!(
        listed(Projection::to(Era::V2026_07_28), union).0.unwrap(),
        union
    );

    let nullable = r#"{"type":["object","null"],"properties":{"a":{}}}"#;
    assert!(
        listed(Projection::to(Era::V2025_11_25), nullable)
            .0
            .unwrap()
            .starts_with(r#"{"type":"object","properties":{"result":"#)
    );
    let typeless = r#"{"properties":{"a":{}},"required":["a"]}"#;
    assert!(
        listed(Projection::to(Era::V2025_11_25), typeless)
            .0
            .unwrap()
            .contains(typeless)
    );
}

/// Which output is wrapped for an older reader depends on the root of the schema alone: an object
/// is wrapped too if the root allows other values. A root without `type` whose keywords apply to
/// objects counts as one of objects if the server may be as old as the reader; then it is listed
/// with `type`, and its values stay as they are.
#[test]
fn the_root_of_a_schema_decides_whether_its_values_are_wrapped() {
    let object = r#"{"a":1}"#;
    let wrapped = r#"{"result":{"a":1}}"#;
    // The schema, and the object as an older reader gets it from a modern server and from a legacy
    // one.
    for (output, modern, legacy) in [
        (r#"{"type":"object"}"#, object, object),
        (
            r##"{"$ref":"#/$defs/a","$defs":{"a":{"type":"object"}}}"##,
            object,
            object,
        ),
        (
            r#"{"anyOf":[{"type":"object"},{"type":"object","required":["b"]}]}"#,
            object,
            object,
        ),
        (
            r#"{"anyOf":[{"type":"object"},{"type":"string"}]}"#,
            wrapped,
            wrapped,
        ),
        (
            r#"{"oneOf":[{"type":"object"},{"type":"object","required":["b"]}]}"#,
            object,
            object,
        ),
        (
            r#"{"oneOf":[{"type":"object"},{"required":["b"]}]}"#,
            wrapped,
            wrapped,
        ),
        (
            r#"{"allOf":[{"minProperties":1},{"type":"object"}]}"#,
            object,
            object,
        ),
        (r#"{"allOf":[{"minProperties":1}]}"#, wrapped, wrapped),
        (r#"{"type":["object","null"]}"#, wrapped, wrapped),
        (r#"{"properties":{"a":{}}}"#, wrapped, object),
        (r#"{"required":["a"]}"#, wrapped, object),
        (r#"{"required":["a"],"minItems":1}"#, wrapped, wrapped),
        (r#"{"required":["a"],"enum":[{"a":1}]}"#, wrapped, wrapped),
        ("{}", wrapped, wrapped),
    ] {
        let tool = promising(output);
        let sent = format!(r#"{{"content":[],"structuredContent":{object}}}"#);
        let document = json(&sent);
        let root = document.document().root();
        for reader in [Era::V2025_06_18, Era::V2025_11_25] {
            for (projection, server, expected) in [
                (Projection::to(reader), Era::V2026_07_28, modern),
                (from_legacy(reader), Era::V2025_11_25, legacy),
            ] {
                let told = projection.result(Some(&tool), server, root).unwrap();
                let text = json(&told.text);
                let value = at(text.document(), "/structuredContent");
                assert_eq!(value, Some(expected), "{server} to {reader}: {output}");
                let (schema, _) = listed(projection, output);
                let schema = json(&schema.unwrap());
                let root = |pointer| at(schema.document(), pointer);
                assert_eq!(root("/type"), Some("\"object\""), "{output}");
                let is_wrapped = root("/properties/result").is_some();
                assert_eq!(is_wrapped, expected == wrapped, "{output}");
            }
        }
    }
    // `type` is all that is added, and the caller is told.
    let keywords = r#"{"required":["a"]}"#;
    let (schema, lost) = listed(from_legacy(Era::V2025_11_25), keywords);
    assert_eq!(schema.unwrap(), r#"{"type":"object","required":["a"]}"#);
    let tool = "t".to_owned();
    assert_eq!(lost, [Lost::Stamped { tool }]);
}

/// Older readers get `{}` and `{"not":{}}` for boolean members of `properties`, at any depth. Data
/// stays as it is.
#[test]
fn boolean_properties_are_written_as_objects_for_older_readers() {
    let input = r#"{"type":"object","properties":{"x":true,"y":false,"deep":{"properties":{"z":true}},"data":{"const":{"properties":{"x":true}}}},"additionalProperties":false}"#;
    let lowered = r#"{"type":"object","properties":{"x":{},"y":{"not":{}},"deep":{"properties":{"z":{}}},"data":{"const":{"properties":{"x":true}}}},"additionalProperties":false}"#;
    let text = tool("t", input, Some(input));
    for era in Era::ALL {
        let told = Projection::to(era).list(&listing(&[&text]));
        assert_eq!(told.text.contains(input), era.is_modern(), "{era}");
        assert_eq!(told.text.contains(lowered), !era.is_modern(), "{era}");
        let counted = |lost: &Lost| matches!(lost, Lost::BooleanProperties { count: 3 | 6, .. });
        assert_eq!(told.lost.iter().any(counted), !era.is_modern());
    }
}

/// Without an output schema, a value that is not an object is wrapped for readers of 2025-06-18 and
/// 2025-11-25. Older readers get it only as text.
#[test]
fn values_without_a_schema_are_wrapped_too_and_the_oldest_get_neither() {
    for value in ["[1]", "0", "null", "false", "\"\""] {
        let sent = format!(r#"{{"content":[],"structuredContent":{value}}}"#);
        for reader in [Era::V2025_06_18, Era::V2025_11_25] {
            let text = told(reader, None, &sent).text;
            let expected = format!(r#"{{"result":{value}}}"#);
            assert_eq!(
                at(json(&text).document(), "/structuredContent"),
                Some(expected.as_str())
            );
        }
        for reader in [Era::V2024_11_05, Era::V2025_03_26] {
            let told = told(reader, None, &sent);
            assert_eq!(at(json(&told.text).document(), "/structuredContent"), None);
            assert_eq!(told.lost, [Lost::StructuredContent]);
            assert!(at(json(&told.text).document(), "/content/0/text").is_some());
        }
    }
    // The oldest get neither schema nor value, although both are objects.
    let (output, sent) = (
        r#"{"type":"object"}"#,
        r#"{"content":[],"structuredContent":{"a":1}}"#,
    );
    for (reader, keeps) in [
        (Era::V2024_11_05, false),
        (Era::V2025_03_26, false),
        (Era::V2025_06_18, true),
        (Era::V2025_11_25, true),
    ] {
        for server in [Projection::to(reader), from_legacy(reader)] {
            let (schema, lost) = listed(server, output);
            assert_eq!(schema.as_deref(), keeps.then_some(output), "{reader}");
            let tool = "t".to_owned();
            let expected = (!keeps).then_some(Lost::OutputSchema { tool });
            assert_eq!(lost, Vec::from_iter(expected), "{reader}");
            let document = json(sent);
            let root = document.document().root();
            let told = server.result(Some(&promising(output)), Era::V2025_11_25, root);
            let told = told.unwrap();
            let text = json(&told.text);
            let value = at(text.document(), "/structuredContent");
            assert_eq!(value, keeps.then_some(r#"{"a":1}"#), "{reader}");
            let expected = (!keeps).then_some(Lost::StructuredContent);
            assert_eq!(told.lost, Vec::from_iter(expected), "{reader}");
        }
    }
    // The value of an error matches neither a wrapped schema nor one of objects, and some readers hold
    // it to the listed one: it is left out, and is the text if its author wrote none.
    let boom = r#"[{"type":"text","text":"boom"}]"#;
    for (output, value, is_error, content, expected) in [
        (
            r#"{"type":"object"}"#,
            "5",
            false,
            "[]",
            Some(r#"{"result":5}"#),
        ),
        (r#"{"type":"object"}"#, "5", true, boom, None),
        (
            r#"{"type":"object"}"#,
            r#"{"a":1}"#,
            true,
            boom,
            Some(r#"{"a":1}"#),
        ),
        (r#"{"type":"array"}"#, r#"{"code":5}"#, true, boom, None),
        (r#"{"type":"array"}"#, "[5]", true, "[]", None),
        (
            r#"{"type":"array"}"#,
            "[5]",
            false,
            "[]",
            Some(r#"{"result":[5]}"#),
        ),
        ("", "[5]", true, boom, None),
    ] {
        let tool = (!output.is_empty()).then(|| promising(output));
        let sent =
            format!(r#"{{"content":{content},"isError":{is_error},"structuredContent":{value}}}"#);
        for reader in [Era::V2025_06_18, Era::V2025_11_25] {
            let text = told(reader, tool.as_deref(), &sent).text;
            let document = json(&text);
            let at = |pointer| at(document.document(), pointer);
            assert_eq!(at("/structuredContent"), expected, "{output} {sent}");
            let text = at("/content/0/text").unwrap_or_default();
            let wanted = if content == boom { "boom" } else { value };
            assert!(
                !is_error || text.contains(wanted),
                "{output} {sent}: {text}"
            );
        }
    }
}

/// A projection refuses a result that the reader's version cannot express, and reports the members
/// and tools that it leaves out.
#[test]
fn what_cannot_be_sent_is_returned() {
    let document = json(r#"{"resultType":"input_required","requestState":"s","vendor": 1}"#);
    let root = document.document().root();
    let refused = Projection::to(Era::V2025_11_25).result(None, Era::V2026_07_28, root);
    let Err(ProjectionError::UnsupportedResult(why)) = refused else {
        unreachable!("{refused:?}")
    };
    assert_eq!(
        why.to_string(),
        "a result of type `input_required` cannot be sent to a reader of 2025-11-25"
    );
    let same = Projection::to(Era::V2026_07_28)
        .result(None, Era::V2026_07_28, root)
        .unwrap();
    assert_eq!(same.text, document.document().source());

    let sent = r#"{"resultType":"complete","content":[],"ttlMs":1}"#;
    let told = told(Era::V2025_11_25, None, sent);
    assert_eq!(told.text, r#"{"content":[]}"#);
    assert_eq!(told.lost, [Lost::Members(vec!["resultType", "ttlMs"])]);
    let isolated = Projection::to(Era::V2025_11_25).list(&listing(&["5", &tool("t", INPUT, None)]));
    assert_eq!(
        isolated.lost[0].to_string(),
        "not listed: tool at index 0: a tool must be an object, found a number"
    );
}

/// An envelope around a result survives.
#[test]
fn a_result_is_told_within_its_message() {
    let message = json(
        r#"{"vendor": [1.0], "result": {"structuredContent": [1], "content": []}, "id": 7, "jsonrpc": "2.0"}"#,
    );
    let result = message.document().at_pointer("/result").unwrap();
    let told = Projection::to(Era::V2025_11_25)
        .result(None, Era::V2026_07_28, result)
        .unwrap();
    assert_eq!(
        told.text,
        r#"{"vendor": [1.0], "result": {"structuredContent": {"result":[1]}, "content": [{"type":"text","text":"[1]"}]}, "id": 7, "jsonrpc": "2.0"}"#
    );
}

/// Schemas above a limit and cyclic references are refused, and a pattern that takes a backtracking
/// engine exponential time still gives a verdict.
#[test]
fn hostile_schemas_are_refused_or_bounded() {
    let wide = format!(r#"{{"anyOf":[{}]}}"#, vec!["{}"; 12_000].join(","));
    let deep = format!("{}{{}}{}", r#"{"allOf":["#.repeat(100), "]}".repeat(100));
    for (schema, said) in [
        (wide.as_str(), "more subschemas than the 10000 allowed"),
        (deep.as_str(), "more schema depth than the 64 allowed"),
        (r##"{"$ref":"#"}"##, "references lead back to their start"),
    ] {
        let set = tools(&[&tool("t", INPUT, Some(schema))]);
        let decision = call(&set, "t", "{}");
        let text = decision.refusal().unwrap().text().to_owned();
        assert!(text.contains(said), "{text}");
    }
    let slow = promising(r#"{"type":"string","pattern":"^(a+)+$"}"#);
    let sent = format!(r#"{{"structuredContent":"{}!"}}"#, "a".repeat(60));
    assert_eq!(
        code(&result(&slow, Era::V2026_07_28, &sent)),
        "result-invalid"
    );
}

/// A tool without an object root breaks nobody's list, and is refused when it is registered.
#[test]
fn a_bad_root_is_one_tools_fault() {
    let set = tools(&[
        &tool("bad", r#"{"type":"array"}"#, None),
        &tool("good", INPUT, None),
    ]);
    assert_eq!((set.len(), set.isolated().len()), (1, 1));
    let (_, refused) = publish(
        [ToolDefinition::new("bad").input(r#"{"type":"array"}"#)],
        &SchemaStore::new(),
    );
    assert_eq!(refused.len(), 1);
}

/// What other SDKs have right: embedded resources, bundled metaschemas, `$ref` in data, an empty
/// `$ref`, `null`, and schemas that do not compile.
#[test]
fn what_peers_have_right() {
    for (output, value, expected) in [
        (
            r##"{"$defs":{"a":{"$id":"item","type":"integer"}},"$ref":"item"}"##,
            "1",
            "pass",
        ),
        (
            r##"{"$ref":"https://json-schema.org/draft/2020-12/schema"}"##,
            "{}",
            "pass",
        ),
        (
            r##"{"const":{"$ref":"https://x.invalid"}}"##,
            r#"{"$ref":"https://x.invalid"}"#,
            "pass",
        ),
        (
            r##"{"type":["object","array"],"items":{"$ref":""}}"##,
            "[[{}]]",
            "pass",
        ),
        (r##"{"type":"null"}"##, "null", "pass"),
        (r##"{"$ref":"rel.json"}"##, "1", "tool-uncompilable"),
        (r##"{"pattern":"("}"##, "1", "tool-uncompilable"),
    ] {
        let sent = format!(r#"{{"content":[],"structuredContent":{value}}}"#);
        assert_eq!(
            code(&result(&promising(output), Era::V2026_07_28, &sent)),
            expected,
            "{output}"
        );
    }
}
