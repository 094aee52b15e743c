//! What the compiler makes of a schema, as listings: closed sets, merged walks,
//! skipped references, and a memo only where paths can meet.

use toolsure_schema::{Compiler, Formats};

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
"#,
    );
}

#[test]
fn references_are_skipped() {
    lists(
        r##"{"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"allOf": [{"$ref": "#/$defs/c"}]}, "c": {"type": "null"}}}"##,
        r#"
root null
"#,
    );
}

#[test]
fn patterns_that_accept_anything_matter_beside_a_closed_set_only() {
    let schema = |rest: &str| {
        format!(
            r#"{{"properties": {{"a": {{"type": "null"}}}}, "patternProperties": {{"^x-": {{}}}}, "additionalProperties": {rest}}}"#
        )
    };
    lists(
        &schema("{}"),
        r#"
root 2
2
    object; "a" null; rest 0
"#,
    );
    lists(
        &schema("false"),
        r#"
root 2
2
    object; "a" null; /^x-/ 0; rest 1
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
    object <= 2; "b" 0; "a" string; rest 1
3
    object; "a" string
"#,
    );
    lists(
        r#"{"anyOf": [{"properties": {"a": true}}, {"required": ["b"]}], "unevaluatedProperties": false}"#,
        r#"
root 2
2
    any of 3 4 by names ["b"]
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
    object; "x" string
"#,
    );
    // Both branches lead to it for the same value.
    lists(
        r##"{"anyOf": [{"minProperties": 1, "not": {"$ref": "#/$defs/u"}}, {"not": {"$ref": "#/$defs/u"}}], "$defs": {"u": {"properties": {"x": {"type": "string"}}}}}"##,
        r#"
root 2
2
    any of 3 4
3
    object >= 1
    not 5
4
    not 5
5 memo
    object; "x" string
"#,
    );
}

/// What `allOf` and `$ref` apply to a value becomes one walk over its members, in which
/// each keyword still minds the names beside it alone.
#[test]
fn walks_over_one_object_become_one() {
    lists(
        r##"{"allOf": [{"$ref": "#/$defs/u", "minProperties": 1}, {"$ref": "#/$defs/u", "maxProperties": 2}], "$defs": {"u": {"properties": {"x": {"type": "string"}}}}}"##,
        r#"
root 2
2
    object >= 1 <= 2; "x" string
3
    object >= 1
    apply 5
4
    object <= 2
    apply 5
5
    object; "x" string
"#,
    );
    lists(
        r#"{"allOf": [{"properties": {"a": {"minLength": 1}}, "additionalProperties": {"type": "string"}}, {"properties": {"a": {"maxLength": 2}, "b": {"enum": ["x"]}}, "required": ["c"]}]}"#,
        r#"
root 2
2
    object >= 1; "a" 8; "b" 6; "c" required; rest string
3
    object; "a" 7; rest string
4
    object >= 1; "a" 5; "b" 6; "c" required
5
    length <= 2
6 string
    enum "x"
7
    length >= 1
8
    length >= 1
    length <= 2
"#,
    );
    // A pattern in one, and members that another leaves to no name: they stay two.
    lists(
        r#"{"patternProperties": {"^a": {"type": "integer"}}, "allOf": [{"additionalProperties": {"type": "string"}}]}"#,
        r#"
root 2
2
    object; /^a/ integer
    apply 3
3
    object; rest string
"#,
    );
    // Below the member that both name, the two are one again, and refer to themselves.
    lists(
        r##"{"allOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/b"}], "$defs": {"a": {"properties": {"x": {"$ref": "#/$defs/a"}}}, "b": {"required": ["y"], "properties": {"x": {"$ref": "#/$defs/b"}}}}}"##,
        r#"
root 2
2
    object >= 1; "x" 5; "y" required
3
    object; "x" 3
4
    object >= 1; "y" required; "x" 4
5
    object >= 1; "x" 5; "y" required
"#,
    );
    // A leaf and a reference are a leaf.
    lists(
        r##"{"properties": {"s": {"$ref": "#/$defs/s", "maxLength": 3}}, "$defs": {"s": {"type": "string", "minLength": 1}}}"##,
        r#"
root 2
2
    object; "s" 3
3 string
    length <= 3
    length >= 1
4 string
    length >= 1
"#,
    );
}

/// A member's constant chooses a branch, be it a string or an integer, so that none is
/// looked at twice and what they share needs no memo.
#[test]
fn a_constant_chooses_a_branch() {
    lists(
        r##"{"$ref": "#/$defs/v", "$defs": {"v": {"type": "object", "oneOf": [{"properties": {"v": {"const": 1}, "x": {"$ref": "#/$defs/v"}}, "required": ["v"]}, {"properties": {"v": {"enum": [2, "two"]}, "x": {"$ref": "#/$defs/v"}}, "required": ["v"]}]}}}"##,
        r#"
root 2
2 object
    one of 3 4 by "v"
3
    object >= 1; "v" required 6; "x" 2
4
    object >= 1; "v" required 5; "x" 2
5 string|number
    enum 2 "two"
6 number
    const 1
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
    object <= 1; "children" 4; rest 1
3
    object; "children" 4
4
    array; rest 2
"#,
    );
}
