//! Unions that one member or the names that are there tell apart, and conditions that test them:
//! the branches that are left out change no verdict.

use toolsure_schema::{Schema, Verdict, Workspace};

/// Schemas, what their listing must say, and instances that match and do not.
const CASES: &[(&str, &str, &[&str], &[&str])] = &[
    (
        r#"{"oneOf": [
            {"properties": {"kind": {"const": "a"}, "v": {"type": "integer"}}, "required": ["kind"]},
            {"properties": {"kind": {"enum": ["b", "c"]}, "v": {"type": "string"}}, "required": ["kind"]},
            {"properties": {"kind": {"enum": ["c", 1]}, "v": {"maxLength": 2}}}
        ]}"#,
        "one of 3 4 5 by \"kind\"",
        &[
            r#"{"kind": "a", "v": 1}"#,
            r#"{"v": "x", "kind": "b"}"#,
            r#"{"kind": "c", "v": "long"}"#,
            r#"{"kind": "c", "v": 2}"#,
            r#"{"kind": 1, "v": "x"}"#,
            r#"{"v": "x"}"#,
            r#"{}"#,
        ],
        &[
            r#"{"kind": "a", "v": "x"}"#,
            r#"{"kind": "c", "v": "x"}"#,
            r#"{"kind": "d"}"#,
            r#"{"kind": 1, "v": "long"}"#,
            r#"{"kind": null}"#,
            r#"{"v": "long"}"#,
            "3",
            "[]",
        ],
    ),
    (
        r##"{"anyOf": [{"$ref": "#/$defs/a"}, {"required": ["w"], "allOf": [{"$ref": "#/$defs/b"}]}, {"type": "array"}],
            "$defs": {
                "kind": {"type": "string"},
                "a": {"allOf": [{"properties": {"type": {"const": "A"}}}], "properties": {"type": {"$ref": "#/$defs/kind"}, "v": {"type": "null"}}},
                "b": {"properties": {"type": {"const": "B"}}, "required": ["type"]}}}"##,
        "any of 3 4 array by \"type\"",
        &[
            r#"{"type": "A", "v": null}"#,
            r#"{"v": null}"#,
            r#"{"type": "B", "w": 1}"#,
            "[1]",
        ],
        &[
            r#"{"type": "A", "v": 1}"#,
            r#"{"type": "B"}"#,
            r#"{"type": "B", "v": null}"#,
            r#"{"type": "C", "w": 1}"#,
            r#"{"w": 1, "v": 1}"#,
            r#"{"type": 3, "w": 1}"#,
        ],
    ),
    (
        r#"{"allOf": [
            {"if": {"properties": {"k": {"const": "x"}}, "required": ["k"]}, "then": {"required": ["x"]}},
            {"if": {"properties": {"k": {"const": "y"}}, "required": ["k"]}, "then": {"required": ["y"]}},
            {"if": {"properties": {"k": {"const": "z"}}}, "then": {"required": ["z"]}},
            {"minProperties": 1}
        ]}"#,
        "by \"k\"",
        &[
            r#"{"k": "x", "x": 1}"#,
            r#"{"k": "y", "y": 1}"#,
            r#"{"z": 1}"#,
            r#"{"k": "other"}"#,
            r#"{"k": 1}"#,
            "1",
            r#""x""#,
        ],
        &[
            r#"{"k": "x"}"#,
            r#"{"k": "y", "x": 1}"#,
            r#"{"k": "z"}"#,
            r#"{"a": 1}"#,
            r#"{}"#,
        ],
    ),
    (
        r#"{"anyOf": [
            {"properties": {"k": {"const": "x"}, "a": true}, "required": ["k"]},
            {"properties": {"k": {"const": "y"}, "b": true}, "required": ["k"]},
            {"properties": {"c": {"type": "string"}}}
        ], "unevaluatedProperties": false}"#,
        "by \"k\"",
        &[
            r#"{"k": "x", "a": 1}"#,
            r#"{"b": 1, "k": "y", "c": "s"}"#,
            r#"{"c": "s"}"#,
        ],
        &[
            r#"{"k": "x", "b": 1}"#,
            r#"{"k": "z", "c": "s"}"#,
            r#"{"c": 1, "k": "z"}"#,
            r#"{"a": 1}"#,
        ],
    ),
    // Names that branches require, in all cases or in some, or do not allow.
    (
        r#"{"oneOf": [
            {"type": "object", "required": ["a"]},
            {"type": "object", "oneOf": [{"required": ["b", "c"]}, {"required": ["d"], "properties": {"d": {"type": "null"}}}]},
            {"type": "object", "properties": {"e": true}, "additionalProperties": false},
            {"type": "string"}
        ]}"#,
        "by names",
        &[
            r#"{"a": 1}"#,
            r#"{"c": 1, "b": 1}"#,
            r#"{"d": null, "x": 1}"#,
            r#"{"e": 1}"#,
            "{}",
            r#""s""#,
        ],
        &[
            r#"{"a": 1, "d": null}"#,
            r#"{"b": 1}"#,
            r#"{"d": 1}"#,
            r#"{"b": 1, "c": 1, "d": null}"#,
            r#"{"e": 1, "x": 1}"#,
            "1",
        ],
    ),
    // Branches behind branches, one of them for every value but those of a list.
    (
        r##"{"$ref": "#/$defs/any", "$defs": {
            "any": {"oneOf": [{"$ref": "#/$defs/logic"}, {"$ref": "#/$defs/call"}, {"type": "object", "required": ["property"]}, {"type": "number"}]},
            "logic": {"type": "object", "oneOf": [
                {"required": ["op"], "properties": {"op": {"enum": ["and", "or"]}, "args": {"items": {"$ref": "#/$defs/any"}}}},
                {"required": ["op"], "properties": {"op": {"const": "not"}, "args": {"maxItems": 1, "items": {"$ref": "#/$defs/any"}}}}]},
            "call": {"type": "object", "required": ["op"], "properties": {"op": {"type": "string", "not": {"enum": ["and", "or", "not"]}}}}}}"##,
        "by \"op\" by names",
        &[
            "1",
            r#"{"op": "and", "args": [1, {"property": "x"}]}"#,
            r#"{"args": [{"op": "f"}], "op": "not"}"#,
            r#"{"property": 1}"#,
        ],
        &[
            r#"{"op": "not", "args": [1, 2]}"#,
            r#"{"op": "and", "property": 1}"#,
            r#"{"op": 3}"#,
            r#"{"op": "or", "args": ["x"]}"#,
            r#"{"op": "f", "property": 1}"#,
            "{}",
        ],
    ),
    // Conditions one behind the other become one row for each value.
    (
        r#"{"if": {"properties": {"v": {"enum": [1, true]}}}, "then": {"required": ["a"]},
            "else": {"if": {"required": ["v"], "properties": {"v": {"type": "null"}}}, "then": {"required": ["b"]},
                "else": {"if": {"properties": {"v": {"not": {"const": "x"}}}}, "then": {"required": ["c"]}, "else": false}}}"#,
        "by \"v\"",
        &[
            "3",
            r#"{"a": 1}"#,
            r#"{"v": 1.0, "a": 1}"#,
            r#"{"v": true, "a": 1}"#,
            r#"{"v": null, "b": 1}"#,
            r#"{"v": false, "c": 1}"#,
            r#"{"v": [1], "c": 1}"#,
            r#"{"v": 1.5, "c": 1}"#,
        ],
        &[
            "{}",
            r#"{"v": 1, "b": 1}"#,
            r#"{"v": null, "a": 1, "c": 1}"#,
            r#"{"v": "x", "a": 1, "b": 1, "c": 1}"#,
            r#"{"v": "y", "a": 1, "b": 1}"#,
        ],
    ),
    // Conditions and `not` that ask for names.
    (
        r#"{"if": {"required": ["a", "b"]}, "then": {"type": "object", "required": ["c"]}, "else": {"maxProperties": 2},
            "not": {"type": "object", "required": ["x", "y"]}}"#,
        "by names",
        &[
            r#"{"a": 1, "b": 1, "c": 1}"#,
            r#"{"a": 1, "x": 1}"#,
            r#"{"y": 1}"#,
        ],
        &[
            r#"{"a": 1, "b": 1}"#,
            r#"{"a": 1, "x": 1, "z": 1}"#,
            r#"{"x": 1, "y": 1}"#,
            "4",
        ],
    ),
];

#[test]
fn the_verdict_is_that_of_all_branches() {
    for (text, listed, valid, invalid) in CASES {
        let schema = Schema::compile(text.as_bytes()).expect("a schema");
        let listing = schema.listing();
        assert!(listing.contains(listed), "{listing}");
        let mut workspace = Workspace::new();
        for (instances, expected) in [(valid, Verdict::Valid), (invalid, Verdict::Invalid)] {
            for instance in *instances {
                let verdict = schema.check(&mut workspace, instance.as_bytes());
                assert_eq!(verdict, Ok(expected), "{instance} against {text}");
                let value: serde_json::Value = serde_json::from_str(instance).expect("JSON");
                let verdict = schema.check(&mut workspace, &value);
                assert_eq!(verdict, expected, "{instance} against {text}");
            }
        }
    }
}
