//! What a model is told about the mistakes that models make.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

use toolsure_schema::{Compiler, Formats, Workspace};

fn told(schema: &str, instance: &str) -> String {
    let compiler = Compiler::new().formats(Formats::AssertWithNumbers);
    let schema = compiler.compile(schema.as_bytes()).unwrap();
    let report = schema
        .explain(&mut Workspace::new(), instance.as_bytes())
        .unwrap();
    assert!(report.complete, "{report:?}");
    report.summary().to_string()
}

fn check(schema: &str, table: &[(&str, &str)]) {
    let mut wrong = String::new();
    for (instance, expected) in table {
        let found = told(schema, instance);
        if found != *expected {
            wrong.push_str(&format!(
                "{instance}\n  found    {found:?}\n  expected {expected:?}\n"
            ));
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

const SEARCH: &str = r#"{
    "type": "object",
    "properties": {
        "query": {"type": "string", "minLength": 1, "maxLength": 20},
        "path": {"type": "string", "pattern": "^/"},
        "limit": {"type": "integer", "minimum": 1, "maximum": 100},
        "ratio": {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
        "step": {"type": "integer", "multipleOf": 5},
        "order": {"enum": ["ascending", "descending"]},
        "when": {"type": "string", "format": "date"},
        "tags": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 3, "uniqueItems": true},
        "dry_run": {"type": "boolean"},
        "level": {"enum": [1, 2, 3]},
        "mode": {"const": "fast"},
        "user": {"type": "object", "required": ["id", "name"], "properties": {"id": {"type": "integer"}, "name": {"type": "string"}}},
        "labels": {"type": "object", "propertyNames": {"pattern": "^[a-z]+$"}, "additionalProperties": {"type": "string"}, "maxProperties": 2},
        "filter": {"type": ["string", "null"]}
    },
    "required": ["query"],
    "additionalProperties": false,
    "dependentRequired": {"order": ["limit"]}
}"#;

#[test]
fn arguments_of_one_shape() {
    check(
        SEARCH,
        &[
            (r#"{"query": "a"}"#, ""),
            (
                r#"{"query": "a", "limit": "12"}"#,
                r#"/limit: expected integer, found string `"12"`"#,
            ),
            (
                r#"{"query": "a", "limit": 1.5}"#,
                "/limit: expected integer, found number `1.5`",
            ),
            (
                r#"{"query": "a", "limit": 0}"#,
                "/limit: expected at least 1, found number `0`",
            ),
            (
                r#"{"query": "a", "limit": 101}"#,
                "/limit: expected at most 100, found number `101`",
            ),
            (
                r#"{"query": "a", "limit": null}"#,
                "/limit: expected integer, found null",
            ),
            (
                r#"{"query": "a", "ratio": 0}"#,
                "/ratio: expected above 0, found number `0`",
            ),
            (
                r#"{"query": "a", "ratio": 1}"#,
                "/ratio: expected below 1, found number `1`",
            ),
            (
                r#"{"query": "a", "step": 7}"#,
                "/step: expected a multiple of 5, found number `7`",
            ),
            (r#"{}"#, "missing property `query`"),
            (
                r#"{"qurey": "a"}"#,
                "unexpected property `qurey`, did you mean `query`?\nmissing property `query`",
            ),
            (
                r#"{"query": ""}"#,
                "/query: expected at least 1 character, found 0 in string `\"\"`",
            ),
            (
                r#"{"query": "aaaaaaaaaaaaaaaaaaaaa"}"#,
                "/query: expected at most 20 characters, found 21 in string `\"aaaaaaaaaaaaaaaaaaaaa\"`",
            ),
            (
                r#"{"query": ["a"]}"#,
                r#"/query: expected string, found array `["a"]`"#,
            ),
            (
                r#"{"query": {"text": "a"}}"#,
                r#"/query: expected string, found object `{"text":"a"}`"#,
            ),
            (
                r#"{"query": "a", "path": "b"}"#,
                r#"/path: expected a match of pattern `^/`, found string `"b"`"#,
            ),
            (
                r#"{"query": "a", "limit": 1, "order": "asc"}"#,
                r#"/order: must be one of "ascending", "descending", found string `"asc"`"#,
            ),
            (
                r#"{"query": "a", "limit": 1, "order": "Ascending"}"#,
                r#"/order: must be one of "ascending", "descending", found string `"Ascending"`, did you mean "ascending"?"#,
            ),
            (
                r#"{"query": "a", "limit": 1, "order": "decending"}"#,
                r#"/order: must be one of "ascending", "descending", found string `"decending"`, did you mean "descending"?"#,
            ),
            (
                r#"{"query": "a", "order": "ascending"}"#,
                "missing property `limit`, needed beside `order`",
            ),
            (
                r#"{"query": "a", "when": "tomorrow"}"#,
                r#"/when: expected format date, found string `"tomorrow"`"#,
            ),
            (
                r#"{"query": "a", "tags": "a,b"}"#,
                r#"/tags: expected array, found string `"a,b"`"#,
            ),
            (
                r#"{"query": "a", "tags": "[\"a\"]"}"#,
                r#"/tags: expected array, found string `"[\"a\"]"`"#,
            ),
            (
                r#"{"query": "a", "tags": []}"#,
                "/tags: expected at least 1 item, found 0",
            ),
            (
                r#"{"query": "a", "tags": ["a", "b", "c", "d"]}"#,
                "/tags: expected at most 3 items, found 4",
            ),
            (
                r#"{"query": "a", "tags": ["a", "b", "a"]}"#,
                "/tags: expected distinct items, found items 0 and 2 equal",
            ),
            (
                r#"{"query": "a", "tags": ["a", 2]}"#,
                "/tags/1: expected string, found number `2`",
            ),
            (
                r#"{"query": "a", "dry_run": "true"}"#,
                r#"/dry_run: expected boolean, found string `"true"`"#,
            ),
            (
                r#"{"query": "a", "level": "2"}"#,
                r#"/level: must be one of 1, 2, 3, found string `"2"`, did you mean 2?"#,
            ),
            (
                r#"{"query": "a", "mode": "slow"}"#,
                r#"/mode: must be "fast", found string `"slow"`"#,
            ),
            (
                r#"{"query": "a", "user": {}}"#,
                "/user: missing properties `id`, `name`",
            ),
            (
                r#"{"query": "a", "user": "bob"}"#,
                r#"/user: expected object, found string `"bob"`"#,
            ),
            (
                r#"{"query": "a", "labels": {"A": "b"}}"#,
                "/labels: property name `A`: expected a match of pattern `^[a-z]+$`, found string `\"A\"`",
            ),
            (
                r#"{"query": "a", "labels": {"a": 1}}"#,
                "/labels/a: expected string, found number `1`",
            ),
            (
                r#"{"query": "a", "labels": {"a": "", "b": "", "c": ""}}"#,
                "/labels: expected at most 2 properties, found 3",
            ),
            (
                r#"{"query": "a", "filter": 5}"#,
                "/filter: expected null or string, found number `5`",
            ),
            (r#"{"query": "a", "q": "a"}"#, "unexpected property `q`"),
            (r#"[]"#, "expected object, found array `[]`"),
            (
                r#""{\"query\": \"a\"}""#,
                r#"expected object, found string `"{\"query\": \"a\"}"`"#,
            ),
            (
                r#"{"arguments": {"query": "a"}}"#,
                "unexpected property `arguments`\nmissing property `query`",
            ),
            (
                r#"{"query": 1, "limit": 0, "dryrun": true}"#,
                "/query: expected string, found number `1`\nunexpected property `dryrun`, did you mean `dry_run`?\n/limit: expected at least 1, found number `0`",
            ),
        ],
    );
}

const UNION: &str = r##"{
    "type": "object",
    "properties": {
        "action": {"oneOf": [
            {"type": "object", "properties": {"kind": {"const": "move"}, "to": {"type": "string"}}, "required": ["kind", "to"], "additionalProperties": false},
            {"type": "object", "properties": {"kind": {"const": "delete"}, "force": {"type": "boolean"}}, "required": ["kind"], "additionalProperties": false},
            {"$ref": "#/$defs/copy"}
        ]},
        "id": {"anyOf": [{"type": "integer"}, {"type": "string", "pattern": "^[0-9]+$"}]},
        "maybe": {"anyOf": [{"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]}, {"type": "null"}]},
        "shape": {"anyOf": [
            {"required": ["radius"], "properties": {"radius": {"type": "number"}}},
            {"required": ["width", "height"], "properties": {"width": {"type": "number"}, "height": {"type": "number"}}}
        ]},
        "size": {"anyOf": [{"enum": ["s", "m"]}, {"type": "number"}]},
        "both": {"oneOf": [{"type": "number"}, {"type": "integer"}]},
        "not": {"not": {"enum": ["root", "admin"]}}
    },
    "$defs": {"copy": {"type": "object", "properties": {"kind": {"enum": ["copy"]}, "from": {"type": "string"}}, "required": ["kind", "from"]}}
}"##;

#[test]
fn unions_tell_of_the_branch_that_was_meant() {
    check(
        UNION,
        &[
            (
                r#"{"action": {"kind": "move"}}"#,
                "/action: missing property `to`",
            ),
            (
                r#"{"action": {"kind": "delete", "force": "yes"}}"#,
                r#"/action/force: expected boolean, found string `"yes"`"#,
            ),
            (
                r#"{"action": {"kind": "copy", "from": 1}}"#,
                "/action/from: expected string, found number `1`",
            ),
            (
                r#"{"action": {"kind": "mvoe", "to": "a"}}"#,
                r#"/action: `kind` must be one of "move", "delete", "copy", found string `"mvoe"`, did you mean "move"?"#,
            ),
            (
                r#"{"action": {"kind": "move", "to": "a", "forse": true}}"#,
                "/action: unexpected property `forse`",
            ),
            (
                r#"{"action": "move"}"#,
                r#"/action: expected object, found string `"move"`"#,
            ),
            (
                r#"{"id": 1.5}"#,
                "/id: expected integer or string, found number `1.5`",
            ),
            (
                r#"{"id": "x1"}"#,
                r#"/id: expected a match of pattern `^[0-9]+$`, found string `"x1"`"#,
            ),
            (
                r#"{"maybe": {"x": "1"}}"#,
                r#"/maybe/x: expected integer, found string `"1"`"#,
            ),
            (
                r#"{"maybe": "none"}"#,
                r#"/maybe: expected object or null, found string `"none"`"#,
            ),
            (
                r#"{"shape": {"width": 1}}"#,
                "/shape: missing property `height`",
            ),
            (
                r#"{"shape": {"width": 1, "height": "2"}}"#,
                r#"/shape/height: expected number, found string `"2"`"#,
            ),
            (
                r#"{"size": "l"}"#,
                r#"/size: expected number, or one of "s", "m", found string `"l"`"#,
            ),
            (
                r#"{"both": 1}"#,
                "/both: expected to match exactly one branch, matches 0 and 1",
            ),
            (
                r#"{"not": "root"}"#,
                r#"/not: found string `"root"`, which `not` forbids"#,
            ),
        ],
    );
}

/// However large the input, the text stays small and on as many lines.
#[test]
fn the_text_is_bounded() {
    let long = "x".repeat(100_000);
    let many: Vec<String> = (0..5_000)
        .map(|n| format!("\"{n}{long:.300}\": \"\\n{n}\""))
        .collect();
    let instance = format!("{{{}}}", many.join(","));
    let schema = r#"{"additionalProperties": {"type": "integer"}, "maxProperties": 1}"#;
    let schema = Compiler::new().compile(schema.as_bytes()).unwrap();
    let report = schema
        .explain(&mut Workspace::new(), instance.as_bytes())
        .unwrap();
    let text = report.summary().to_string();
    assert!(!report.complete);
    assert!(text.len() < 2_100, "{}", text.len());
    assert!(text.lines().count() <= 11);
    assert!(text.ends_with("more"), "{text}");
    assert!(
        report
            .findings
            .iter()
            .all(|finding| finding.to_string().len() < 1_000)
    );
}

/// The optimised program needs one level for each object here, the plain one four: a fault
/// below more levels than one evaluation may nest is found all the same.
#[test]
fn a_fault_below_many_subschemas_is_found() {
    let schema = r##"{"$ref": "#/$defs/n", "$defs": {
        "n": {"minProperties": 0, "allOf": [{"minProperties": 0, "allOf": [{"minProperties": 0, "$ref": "#/$defs/m"}]}]},
        "m": {"properties": {"x": {"$ref": "#/$defs/n"}, "y": {"type": "integer"}}}}}"##;
    let schema = Compiler::new().compile(schema.as_bytes()).unwrap();
    for levels in [10, 100, 120] {
        let instance = format!(
            "{}{{\"y\":null}}{}",
            "{\"x\":".repeat(levels),
            "}".repeat(levels)
        );
        let report = schema
            .explain(&mut Workspace::new(), instance.as_bytes())
            .unwrap();
        let [finding] = report.findings.as_slice() else {
            unreachable!("{levels}: {report:?}")
        };
        assert_eq!(
            finding.instance_location(),
            format!("{}/y", "/x".repeat(levels))
        );
        assert!(report.complete, "{levels}");
    }
}
