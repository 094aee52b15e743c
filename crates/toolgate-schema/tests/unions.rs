//! Unions that one member tells apart, and conditions that test one: the branches
//! that are left out change no verdict.

use toolgate_schema::{Schema, Verdict, Workspace};

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
