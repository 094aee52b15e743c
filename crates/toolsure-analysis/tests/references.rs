//! One reference means one thing: to the model, the engine, inline, lint, projection and diff.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

use serde_json::{Value, json};
use toolsure_analysis::diff::{Class, Kind, Limits, diff};
use toolsure_analysis::inline::inline;
use toolsure_analysis::lint::{Linter, profile};
use toolsure_analysis::project::{Projector, Relation};
use toolsure_analysis::readers::reader;
use toolsure_schema::{Compiler, Verdict, Workspace};
use toolsure_syntax::{Dialect, Keyword, Parser};

/// References to the definition of an integer, or to nothing.
const REFERENCES: [(&str, bool); 10] = [
    ("#/$defs/a%20b", true),
    ("#/$defs/a b", true),
    ("#/%24defs/a%20b", true),
    ("#/$defs/c~1d", true),
    ("#/$defs/c%7E1d", true),
    ("#/$defs/g%25h", true),
    ("#/$defs/g%h", false),
    ("#/$defs/e~2f", false),
    ("#/$defs/none", false),
    ("#/allOf/00", false),
];

fn schema(reference: &str) -> Value {
    let integer = json!({"type": "integer"});
    json!({
        "type": "object",
        "properties": {"n": {"$ref": reference}},
        "allOf": [{}],
        "$defs": {"a b": integer, "c/d": integer, "e~2f": integer, "g%h": integer}
    })
}

#[test]
fn the_parts_agree_on_where_a_reference_leads() {
    for (reference, leads) in REFERENCES {
        let schema = schema(reference);
        let text = schema.to_string();

        let model = Parser::default().parse(text.as_bytes());
        let target = model.as_ref().ok().and_then(|model| {
            let entry = |sub| model.entry(sub, Keyword::Ref).ok()?;
            let holder = model.subs.iter().find_map(|sub| entry(*sub))?;
            let target = model.sub(model.target(holder.reference()?).ok()?.initial());
            Some(model.pointer(target.ok()?).ok()?.starts_with("/$defs/"))
        });
        assert_eq!(target, leads.then_some(true), "model: {reference}");

        let compiled = Compiler::new().compile(text.as_bytes());
        assert_eq!(compiled.is_ok(), leads, "engine: {reference}");

        let inlined = inline(text.as_bytes(), &Parser::default(), &Default::default()).unwrap();
        let is_free = inlined.untouched.is_none() && inlined.kept.is_empty();
        assert_eq!(is_free, leads, "inline: {reference}");
        if leads {
            let inlined = Compiler::new().compile(inlined.text.as_bytes()).unwrap();
            for (instance, expected) in [(r#"{"n": 1}"#, true), (r#"{"n": "1"}"#, false)] {
                let mut workspace = Workspace::new();
                let verdict = inlined.check(&mut workspace, instance.as_bytes());
                assert_eq!(verdict.unwrap().is_valid(), expected, "inline: {reference}");
            }
        }

        let tool = |schema: &Value| json!({"name": "t", "inputSchema": schema}).to_string();
        let wider = json!({"type": "object", "properties": {"n": {"type": ["integer", "null"]}}});
        let report = diff(
            [tool(&schema).as_str()],
            [tool(&wider).as_str()],
            &Limits::default(),
        );
        let mut changes = report.tools.iter().flat_map(|tool| &tool.changes);
        let refused = changes.any(|change| change.kind == Kind::SchemaRefused);
        let proved = report.class() == Some(Class::Compatible) && !refused;
        assert_eq!(proved, leads, "diff: {reference} {:?}", report.class());
    }
}

fn verdict(compiler: &Compiler, schema: &str, instance: &str) -> Verdict {
    let schema = compiler.compile(schema.as_bytes()).unwrap();
    let verdict = schema.check(&mut Workspace::new(), instance.as_bytes());
    verdict.unwrap()
}

/// Schemas whose references depend on dialects, ids, anchors and the order of subschemas, each with
/// an instance that tells the possible targets apart.
const NAMED: &[(&str, &str)] = &[
    // A dynamic anchor that is written with an escape.
    (
        r##"{"$id": "urn:root", "$dynamicAnchor": "node", "required": ["top"], "properties": {"kids": {"$ref": "urn:tree"}},
            "$defs": {"t": {"$id": "urn:tree", "$dynamicAnchor": "node", "properties": {"c": {"$dynamicRef": "#n%6Fde"}}}}}"##,
        r#"{"top": 1, "kids": {"c": {}}}"#,
    ),
    // The first of several equal names counts, level by level.
    (
        r##"{"$ref": "#n", "$defs": {"a": {"$anchor": "n", "type": "string"}, "b": {"$anchor": "n", "type": "integer"}}}"##,
        r#""x""#,
    ),
    (
        r##"{"$ref": "urn:x", "$defs": {"a": {"$id": "urn:x", "type": "string"}, "b": {"$id": "urn:x", "type": "integer"}}}"##,
        r#""x""#,
    ),
    (
        r##"{"$ref": "#n", "$defs": {"a": {"not": {"$anchor": "n", "type": "string"}}, "b": {"$anchor": "n", "type": "integer"}}}"##,
        r#""x""#,
    ),
    // A definition with an id, where `$ref` hides everything but definitions.
    (
        r##"{"$schema": "http://json-schema.org/draft-07/schema#", "$ref": "urn:x", "definitions": {"a": {"$id": "urn:x", "type": "string"}}}"##,
        "1",
    ),
    // Pointers start at the root of the resource.
    (
        r##"{"$defs": {"a": {"type": "string"}}, "properties": {"p": {"$id": "urn:x", "$ref": "#/$defs/a", "$defs": {"a": {"type": "integer"}}}}}"##,
        r#"{"p": 1}"#,
    ),
    // `id` names a resource in draft 4.
    (
        r##"{"$schema": "http://json-schema.org/draft-04/schema#", "type": "object", "definitions": {"b": {"type": "string"}},
            "properties": {"a": {"id": "urn:x", "properties": {"v": {"$ref": "#/definitions/b"}}, "definitions": {"b": {"type": "integer"}}}}}"##,
        r#"{"a": {"v": 1}}"#,
    ),
    // In draft 7 and older, keywords beside `$ref` do not count.
    (
        r##"{"properties": {"a": {"$ref": "#/definitions/b", "minLength": 5}}, "definitions": {"b": {"type": "string"}}}"##,
        r#"{"a": "x"}"#,
    ),
];

/// Inlining changes no verdict, whatever the dialect of a schema that declares none.
#[test]
fn inlining_changes_no_verdict() {
    for dialect in [Dialect::Draft202012, Dialect::Draft7, Dialect::Draft4] {
        let compiler = Compiler::new().default_dialect(dialect);
        for (schema, instance) in NAMED {
            if compiler.compile(schema.as_bytes()).is_err() {
                // The dialect lacks the keyword that names the target.
                continue;
            }
            let inlined = inline(schema.as_bytes(), compiler.parser(), &Default::default());
            let inlined = inlined.unwrap().text;
            let before = verdict(&compiler, schema, instance);
            assert_eq!(
                verdict(&compiler, &inlined, instance),
                before,
                "{schema} {inlined}"
            );
        }
    }
}

/// What a projection publishes for a reader that takes references accepts what the tool accepts.
#[test]
fn projections_keep_what_references_mean() {
    for dialect in [Dialect::Draft202012, Dialect::Draft7] {
        let compiler = Compiler::new().default_dialect(dialect);
        for (schema, instance) in NAMED {
            if !schema.contains("\"properties\"") || compiler.compile(schema.as_bytes()).is_err() {
                continue;
            }
            for name in ["anthropic", "openai", "gemini"] {
                let projector = Projector::new(reader(name).unwrap()).compiler(compiler.clone());
                let Ok(found) = projector.project_schema(schema) else {
                    continue;
                };
                if matches!(found.relation, Relation::Equal | Relation::Wider { .. }) {
                    let before = verdict(&compiler, schema, instance).is_valid();
                    let after = verdict(&Compiler::new(), &found.text, instance).is_valid();
                    assert!(after || !before, "{name}: {schema} {}", found.text);
                }
            }
        }
    }
}

/// The codes that lint reports for an input schema.
fn codes(linter: &Linter, schema: &str) -> Vec<&'static str> {
    let tool = format!(r#"{{"name": "t", "description": "Does it.", "inputSchema": {schema}}}"#);
    let findings = linter.lint([tool.as_str()]).findings;
    findings.iter().map(|finding| finding.rule.code).collect()
}

/// References that lint follows: recursion, unused definitions, and targets that do not exist.
#[test]
fn lint_follows_every_spelling() {
    let linter = Linter::only(profile("anthropic-strict").unwrap());
    for (reference, recursive) in [
        ("#/$defs/a%20b", true),
        ("#/$defs/a b", true),
        ("#/%24defs/a%20b", true),
        ("#name", true),
        ("#n%61me", true),
        ("#/$defs/other", false),
    ] {
        let schema = json!({
            "type": "object",
            "properties": {"x": {"$ref": reference}},
            "$defs": {
                "a b": {"$anchor": "name", "type": "object", "properties": {"next": {"$ref": reference}}},
                "other": {"type": "string"}
            }
        });
        let found = codes(&linter, &schema.to_string());
        assert_eq!(
            found.contains(&"TL090"),
            recursive,
            "{reference}: {found:?}"
        );
    }
    let linter = Linter::only(profile("strict").unwrap());
    for (reference, code) in [
        ("#/$defs/a%20b", None),
        ("#/%24defs/a%20b", None),
        ("#name", None),
        ("#/$defs/a b/properties/p", None),
        ("#/properties/x", Some("TL051")),
    ] {
        let schema = json!({
            "type": "object",
            "properties": {"x": {"type": "string"}, "y": {"$ref": reference}},
            "$defs": {"a b": {"$anchor": "name", "properties": {"p": {}}}}
        });
        let found = codes(&linter, &schema.to_string());
        assert_eq!(
            found.contains(&"TL051"),
            code.is_some(),
            "{reference}: {found:?}"
        );
    }
    let dead = json!({
        "type": "object",
        "properties": {
            "a": {"$ref": "#/$defs/none"},
            "b": {"$ref": "#/$defs/n%6Fne"},
            "c": {"$ref": "#none"},
            "d": {"$id": "urn:d", "$ref": "#/$defs/here", "$defs": {"here": {}}}
        }
    });
    let found = codes(&Linter::new(), &dead.to_string());
    assert_eq!(
        found.iter().filter(|code| **code == "TL025").count(),
        3,
        "{found:?}"
    );
}
