//! Argument schemas: what a version adds, and how long a refusal is.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

use toolsure_mcp::argument::{Answer, ArgumentLimits, ArgumentSchema, Severity};

fn read(schema: &str, version: Option<&str>) -> ArgumentSchema {
    ArgumentSchema::read_with(schema.as_bytes(), version, &ArgumentLimits::default()).unwrap()
}

/// What a schema that is accepted does not enforce.
fn warnings(schema: &ArgumentSchema) -> Vec<String> {
    let warnings = schema.diagnoses().iter();
    let warnings = warnings.filter(|one| one.severity() == Severity::Warning);
    warnings.map(ToString::to_string).collect()
}

/// What 2026-11-21 adds is enforced by schemas that declare it, and only noted in those that
/// declare the version before or none.
#[test]
fn extensions_need_their_version() {
    for (schema, arguments) in [
        (r#"{"a": {"pattern": "^x"}}"#, r#"{"a": "y"}"#),
        (
            r#"{"a": {"type": "array", "minItems": 2}}"#,
            r#"{"a": [1]}"#,
        ),
        (
            r#"{"a": {"type": "array", "maxItems": 0}}"#,
            r#"{"a": [1]}"#,
        ),
        (
            r#"{"a": {"isArray": true, "items": {"pattern": "^x"}}}"#,
            r#"{"a": ["y"]}"#,
        ),
    ] {
        let new = read(schema, Some("2026-11-21"));
        let answer = new.check_bytes(arguments.as_bytes()).unwrap();
        assert!(matches!(answer, Answer::Refused(_)), "{schema}");
        assert!(warnings(&new).is_empty(), "{schema}");
        for version in [None, Some("2025-10-09")] {
            let old = read(schema, version);
            let answer = old.check_bytes(arguments.as_bytes()).unwrap();
            assert_eq!(answer, Answer::Accepted, "{version:?} {schema}");
            let warnings = warnings(&old);
            let told = warnings.first().unwrap();
            assert!(told.contains("is not enforced"), "{version:?} {told}");
        }
    }
}

/// However many refusals are collected, their text has at most 2,048 bytes and says that it is cut.
#[test]
fn the_text_of_many_refusals_is_bounded() {
    let limits = ArgumentLimits {
        refusals: 1_000,
        ..ArgumentLimits::default()
    };
    let schema = br#"{"a": {"isArray": true, "type": "string"}}"#;
    let schema = ArgumentSchema::read_with(schema, None, &limits).unwrap();
    let arguments = format!(r#"{{"a": [{}1]}}"#, "1,".repeat(500));
    let Answer::Refused(why) = schema.check_bytes(arguments.as_bytes()).unwrap() else {
        unreachable!("no element is a string");
    };
    assert_eq!(why.list().len(), 501);
    let text = why.to_string();
    assert!(text.len() <= 2_048 && text.len() > 1_900, "{}", text.len());
    assert!(text.ends_with("; and more"), "{text}");
}
