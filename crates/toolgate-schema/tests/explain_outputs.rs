//! Explanations by the plan and plainly say the same, and outputs can be read again.

use toolgate_schema::{Compiler, OutputFormat, Schema, ValueNode, Workspace};

/// Subschemas of which the plan has no node, because a type or a constant beside them
/// already refuses every value that they look at.
#[test]
fn the_plan_and_the_plain_evaluation_find_the_same() {
    let mut differ = Vec::new();
    for (schema, instance) in [
        (
            r#"{"const": 1, "properties": {"b": {"unevaluatedProperties": false}}}"#,
            r#"{"b": {"a": null}}"#,
        ),
        (
            r#"{"const": 1, "properties": {"b": {"additionalProperties": false}}}"#,
            r#"{"b": {"a": null}}"#,
        ),
        (
            r#"{"const": 1, "properties": {"b": {"unevaluatedProperties": {"type": "string"}}}}"#,
            r#"{"b": {"a": null}}"#,
        ),
        (
            r#"{"type": "string", "properties": {"b": {"unevaluatedProperties": false}}}"#,
            r#"{"b": {"a": null}}"#,
        ),
        (
            r#"{"const": 1, "properties": {"b": {"unevaluatedProperties": false, "minProperties": 5}}}"#,
            r#"{"b": {"a": null}}"#,
        ),
        (
            r#"{"const": 1, "items": {"unevaluatedItems": false}}"#,
            "[[1]]",
        ),
        (
            r#"{"required": ["z"], "properties": {"b": {"unevaluatedProperties": false}}}"#,
            r#"{"b": {"a": null}}"#,
        ),
        (
            r#"{"type": "string", "properties": {"b": {"unevaluatedProperties": {"type": "string"}}}}"#,
            r#"{"b": {"a": null, "c": "x"}}"#,
        ),
        (
            r#"{"enum": [1, "x"], "items": {"unevaluatedItems": false, "prefixItems": [true]}}"#,
            "[[1, 2], [3]]",
        ),
        (
            r#"{"const": 1, "properties": {"b": {"properties": {"c": {"type": "null"}}, "unevaluatedProperties": false}}}"#,
            r#"{"b": {"c": 1, "d": 2}}"#,
        ),
        (
            r#"{"const": 1, "properties": {"b": {"additionalProperties": false, "required": ["z"]}}}"#,
            r#"{"b": {"a": null}}"#,
        ),
    ] {
        let compiled = Schema::compile(schema.as_bytes()).unwrap();
        let mut workspace = Workspace::new();
        let value: serde_json::Value = serde_json::from_str(instance).unwrap();
        let by_plan = compiled.explain_value(&mut workspace, &value);
        let plainly = compiled.explain_plainly(&mut workspace, ValueNode::new(&value));
        let places = |report: &toolgate_schema::Report| -> Vec<String> {
            let findings = report.findings.iter();
            findings
                .map(|one| format!("{} {}", one.instance_location, one.keyword_location))
                .collect()
        };
        if by_plan != plainly {
            differ.push((schema, places(&by_plan), places(&plainly)));
        }
    }
    assert!(differ.is_empty(), "{differ:#?}");
}

/// A schema whose subschemas apply each other makes a nested output deep, whatever the
/// instance: no deeper than readers of JSON take.
#[test]
fn nested_outputs_can_be_read_again() {
    let links: Vec<String> = (0..90)
        .map(|n| {
            format!(
                r##""d{n}": {{"allOf": [{{"$ref": "#/$defs/d{}"}}]}}"##,
                n + 1
            )
        })
        .collect();
    let schema = format!(
        r##"{{"$ref": "#/$defs/d0", "$defs": {{{}, "d90": {{"required": ["x"], "title": "t"}}}}}}"##,
        links.join(",")
    );
    let schema = Compiler::new().compile(schema.as_bytes()).unwrap();
    let mut workspace = Workspace::new();
    for instance in [r#"{"x": 1}"#, "{}"] {
        for format in OutputFormat::ALL {
            let output = schema.output_bytes(&mut workspace, instance.as_bytes(), format);
            let output = output.unwrap();
            let read: Result<serde_json::Value, _> = serde_json::from_str(&output);
            let valid = read.map(|output| output["valid"] == (instance != "{}"));
            assert!(matches!(valid, Ok(true)), "{}: {valid:?}", format.name());
            if format != OutputFormat::Flag {
                // What the innermost subschema says is still there.
                let said = if instance == "{}" { "required" } else { "d90" };
                let flat = format == OutputFormat::Basic;
                assert!(output.contains(said) || flat, "{} {said}", format.name());
            }
        }
    }
}
