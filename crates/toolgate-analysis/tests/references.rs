//! One reference means one thing: to the model, the engine, inline and diff.

use serde_json::{Value, json};
use toolgate_analysis::diff::{Class, Limits, diff};
use toolgate_analysis::inline::inline;
use toolgate_schema::{Compiler, Workspace};
use toolgate_syntax::{Keyword, Parser};

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
        let proved = report.class() == Some(Class::Compatible);
        assert_eq!(proved, leads, "diff: {reference} {:?}", report.class());
    }
}
