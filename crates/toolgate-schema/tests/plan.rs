//! What the compiler makes of a schema, as listings: closed sets, merged walks,
//! skipped references, and a memo only where paths can meet.

use toolgate_schema::{Compiler, Formats};

#[track_caller]
fn lists(schema: &str, expected: &str) {
    let compiled = Compiler::new()
        .formats(Formats::Assert)
        .compile(schema.as_bytes());
    let listing = compiled.map_or_else(|error| error.to_string(), |schema| schema.listing());
    assert_eq!(listing.trim_end(), expected.trim(), "\n{listing}");
}

#[test]
fn a_tool_schema() {
    lists(
        r#"{
            "type": "object",
            "properties": {
                "city": {"type": "string", "minLength": 1, "description": "where"},
                "units": {"enum": ["metric", "imperial"]},
                "days": {"type": "integer", "minimum": 1, "maximum": 14},
                "note": {"anyOf": [{"type": "string"}, {"type": "null"}]}
            },
            "required": ["city"],
            "additionalProperties": false
        }"#,
        r#"
root 2
2 object
    object >= 1 <= 4; "city" required 3; "units" 4; "days" 5; "note" 6; rest 1
3 string
    length >= 1
4 string
    enum "imperial" "metric"
5 integer
    >= 1
    <= 14
6 null|string
7 string
8 null
"#,
    );
}

#[test]
fn references_are_skipped() {
    lists(
        r##"{"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"allOf": [{"$ref": "#/$defs/c"}]}, "c": {"type": "null"}}}"##,
        r#"
root 2
2 null
"#,
    );
}

#[test]
fn unevaluated_properties_become_a_closed_set() {
    lists(
        r#"{"properties": {"a": true}, "unevaluatedProperties": false}"#,
        r#"
root 2
2
    object <= 1; "a" 0; rest 1
"#,
    );
    lists(
        r#"{"allOf": [{"properties": {"a": {"type": "string"}}}], "properties": {"b": true}, "unevaluatedProperties": false}"#,
        r#"
root 2
2
    object; "b" 0
    apply 3
    object; "a" 0; "b" 0; rest 1
3
    object; "a" 4
4 string
"#,
    );
    lists(
        r#"{"anyOf": [{"properties": {"a": true}}, {"required": ["b"]}], "unevaluatedProperties": false}"#,
        r#"
root 2
2
    any of 3 4
    unevaluated properties 1
3 memo
    object; "a" 0
4 memo
    object >= 1; "b" required
"#,
    );
}

#[test]
fn a_memo_only_where_paths_meet() {
    // Two members lead to one definition, but never for the same value.
    lists(
        r##"{"properties": {"a": {"$ref": "#/$defs/u"}, "b": {"$ref": "#/$defs/u"}}, "$defs": {"u": {"properties": {"x": {"type": "string"}}}}}"##,
        r#"
root 2
2
    object; "a" 3; "b" 3
3
    object; "x" 4
4 string
"#,
    );
    // Both branches lead to it for the same value.
    lists(
        r##"{"allOf": [{"$ref": "#/$defs/u", "minProperties": 1}, {"$ref": "#/$defs/u", "maxProperties": 2}], "$defs": {"u": {"properties": {"x": {"type": "string"}}}}}"##,
        r#"
root 2
2
    apply 3
    apply 4
3
    object >= 1
    apply 5
4
    object <= 2
    apply 5
5 memo
    object; "x" 6
6 string
"#,
    );
}

#[test]
fn one_node_for_each_dynamic_scope() {
    lists(
        r##"{
        "$id": "http://example.test/strict-tree", "$dynamicAnchor": "node",
        "$ref": "tree", "unevaluatedProperties": false,
        "$defs": {"tree": {"$id": "tree", "$dynamicAnchor": "node", "properties": {"children": {"items": {"$dynamicRef": "#node"}}}}}
    }"##,
        r#"
root 2
2
    apply 3
    object; "children" 0; rest 1
3
    object; "children" 4
4
    array; rest 2
"#,
    );
}
