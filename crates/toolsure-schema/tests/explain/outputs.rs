//! Explanations find what lies below a failing type or constant, and outputs can be read
//! again.

use toolsure_schema::{Compiler, Finding, OutputFormat, Schema, Workspace};

/// Subschemas of which the plan has no node, because a type or a constant beside them
/// already refuses every value that they look at.
#[test]
fn what_fails_below_a_failing_type_or_constant_is_found() {
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
        let report = compiled.explain(&mut workspace, &value);
        let places: Vec<_> = report
            .findings
            .iter()
            .map(Finding::instance_location)
            .collect();
        assert!(report.complete, "{schema}: {places:?}");
        // The value itself, and something in it.
        assert!(places.contains(&""), "{schema}: {places:?}");
        assert!(
            places.iter().any(|place| !place.is_empty()),
            "{schema}: {places:?}"
        );
    }
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
            let output = schema.output(&mut workspace, instance.as_bytes(), format);
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
