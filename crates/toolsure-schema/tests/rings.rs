//! Only rings of references that would never end are refused.

#![expect(clippy::expect_used, reason = "a panic is how a test fails")]

use toolsure_schema::{Schema, Verdict, Workspace};

#[track_caller]
fn verdicts(schema: &str, expected: &[(&str, Verdict)]) {
    let schema = Schema::compile(schema.as_bytes()).expect("a schema");
    let mut workspace = Workspace::new();
    for (instance, verdict) in expected {
        let found = schema.check(&mut workspace, instance.as_bytes());
        assert_eq!(found.ok(), Some(*verdict), "{instance}");
    }
}

/// Without `if` neither is ever evaluated (2020-12 core §10.2.2.2 and §10.2.2.3).
#[test]
fn then_and_else_without_if_close_no_ring() {
    for keyword in ["then", "else"] {
        verdicts(
            &format!("{{\"{keyword}\":{{\"$ref\":\"#\"}}}}"),
            &[("1", Verdict::Valid)],
        );
    }
    let refused = Schema::compile(br##"{"if": true, "then": {"$ref": "#"}}"##).err();
    assert_eq!(refused.map(|error| error.code()), Some("cyclic-ref"));
}

/// From the root `#node` always leads to the root, never back to `base` (2020-12
/// core §8.2.3.2).
#[test]
fn dynamic_references_close_a_ring_only_in_their_scope() {
    let schema = r##"{
        "$id": "http://example.test/root", "$dynamicAnchor": "node", "type": "object",
        "properties": {"x": {"$ref": "base"}},
        "$defs": {"base": {"$id": "base", "$dynamicAnchor": "node",
            "anyOf": [{"$dynamicRef": "#node"}, {"type": "null"}]}}
    }"##;
    verdicts(
        schema,
        &[
            (r#"{"x": {}}"#, Verdict::Valid),
            (r#"{"x": null}"#, Verdict::Valid),
            (r#"{"x": 1}"#, Verdict::Invalid),
        ],
    );
    let alone = br##"{"$dynamicAnchor": "node", "anyOf": [{"$dynamicRef": "#node"}, true]}"##;
    assert_eq!(
        Schema::compile(alone).err().map(|error| error.code()),
        Some("cyclic-ref")
    );
}
