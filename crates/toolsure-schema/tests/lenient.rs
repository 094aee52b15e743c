//! Lenient compilation (`lenient.json`): what real tools carry and their dialect forbids is left
//! out with a warning that names its place, and the rest is checked. Strict compilation refuses it.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

use toolsure_json::{Node as _, OwnedDocument, ReadLimits, View};
use toolsure_schema::{Compiler, OutputFormat, Strictness, Verdict, Workspace};

#[test]
fn what_is_forbidden_is_left_out_and_the_rest_is_checked() {
    let text = include_str!("lenient.json");
    let cases = OwnedDocument::read(text, &ReadLimits::default()).unwrap();
    let lenient = Compiler::new().strictness(Strictness::Lenient);
    let mut workspace = Workspace::new();
    for case in cases.document().root().items() {
        let what = case.member("what").unwrap().string();
        let source = case.member("schema").unwrap().raw().as_bytes();
        let schema = lenient.compile(source).unwrap();
        let warnings = schema.warnings().iter();
        let mut places: Vec<&str> = warnings.map(|one| one.error().pointer()).collect();
        places.sort_unstable();
        let expected: Vec<&str> = strings(case, "warnings");
        assert_eq!(places, expected, "{what}");
        for warning in schema.warnings() {
            let line = warning.to_string();
            assert!(
                line.starts_with("ignored: ") && !line.contains('\n'),
                "{line}"
            );
        }
        // `nullable` is not a keyword, so that nothing is refused for it.
        let strict = Compiler::new().compile(source);
        let is_refused = places.iter().any(|place| !place.ends_with("nullable"));
        assert_eq!(strict.is_err(), is_refused, "{what}");
        for (name, verdict) in [("valid", Verdict::Valid), ("invalid", Verdict::Invalid)] {
            for instance in case.member(name).unwrap().items() {
                let raw = instance.raw();
                let found = schema.check(&mut workspace, raw.as_bytes()).unwrap();
                assert_eq!(found, verdict, "{what}: {raw}");
                // The verdict of an output is that of the plain program.
                let plain = schema.output(&mut workspace, instance, OutputFormat::List);
                let starts = format!(r#"{{"valid":{}"#, verdict.is_valid());
                assert!(plain.starts_with(&starts), "{what}: {raw}: {plain}");
            }
        }
    }
}

/// Limits and references stay strict.
#[test]
fn what_is_dangerous_stays_refused() {
    let lenient = Compiler::new().strictness(Strictness::Lenient);
    for (schema, code) in [
        (r#"{"$id": "a", "$ref": "b"}"#, "ref-denied"),
        (
            r##"{"$ref": "#/$defs/a", "$defs": null}"##,
            "unresolved-ref",
        ),
        (r#"{"$ref": "https://example.com/a"}"#, "ref-denied"),
        (
            r#"{"$schema": "https://example.com/dialect"}"#,
            "unsupported-dialect",
        ),
    ] {
        assert_eq!(
            lenient.compile(schema.as_bytes()).unwrap_err().code(),
            code,
            "{schema}"
        );
    }
}

fn strings<'d>(case: View<'d>, name: &str) -> Vec<&'d str> {
    let items = case.member(name).unwrap().items();
    items.map(|item| item.string()).collect()
}
