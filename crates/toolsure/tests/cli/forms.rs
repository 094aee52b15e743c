//! `toolsure` on tools in the forms of providers' APIs.

use crate::run::{Dir, toolsure};

/// The forms of providers' APIs are read as listings, and places are those of the file.
#[test]
fn tools_in_the_forms_of_providers_are_read() {
    let dir = Dir::new();
    let schema = r#"{"type": "object", "properties": {"n": {"type": "integer", "minimun": 1}}}"#;
    let upper = schema.replace("\"object\"", "\"OBJECT\"");
    for (form, text, pointer) in [
        (
            "openai",
            format!(
                r#"{{"tools": [{{"type": "function", "function": {{"name": "a", "parameters": {schema}}}}}]}}"#
            ),
            "/function/parameters/properties/n/minimun",
        ),
        (
            "responses",
            format!(
                r#"[{{"type": "function", "name": "a", "strict": false, "parameters": {schema}}}]"#
            ),
            "/parameters/properties/n/minimun",
        ),
        (
            "anthropic",
            format!(r#"{{"model": "m", "tools": [{{"name": "a", "input_schema": {schema}}}]}}"#),
            "/input_schema/properties/n/minimun",
        ),
        (
            "gemini",
            format!(r#"{{"functionDeclarations": [{{"name": "a", "parameters": {upper}}}]}}"#),
            "/parameters/properties/n/minimun",
        ),
        (
            "gemini",
            format!(
                r#"[{{"function_declarations": [{{"name": "a", "parametersJsonSchema": {schema}}}]}}]"#
            ),
            "/parametersJsonSchema/properties/n/minimun",
        ),
    ] {
        let file = dir.file("tools.json", &text);
        let run = toolsure(&["lint", "--no-config", "--format", "json", &file]);
        let note = format!("read as tools in the form `{form}`");
        assert!(run.stderr.contains(&note), "{}", run.stderr);
        let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
        let findings = report["reports"][0]["findings"].as_array().unwrap();
        let found = findings.iter().find(|one| one["code"] == "TL032").unwrap();
        assert_eq!(
            (&found["pointer"], &found["tool"]),
            (&pointer.into(), &"a".into())
        );
        let place = |name: &str| usize::try_from(found[name].as_u64().unwrap()).unwrap();
        let shown = text.get(place("start")..place("end"));
        assert_eq!(shown, Some("\"minimun\""), "{form}");
        assert!(found["fix"].is_null());
        let fix = toolsure(&["lint", "--no-config", "--fix", &file]);
        assert_eq!(fix.code, 2, "{}", fix.stderr);
        assert!(
            fix.stderr.contains("form of a provider's API"),
            "{}",
            fix.stderr
        );
        for command in [
            vec!["check"],
            vec!["diff", &file],
            vec!["project", "--for", "gemini"],
        ] {
            let run = toolsure(&[&command[..], &["--no-config", &file]].concat());
            assert_eq!(
                run.code, 0,
                "{command:?} {form}: {}{}",
                run.stdout, run.stderr
            );
        }
    }
    // What lacks a name is told, not left out; a listing of the protocol stays one.
    let file = dir.file(
        "tools.json",
        r#"[{"type": "function", "function": {"parameters": {"type": "object"}}}]"#,
    );
    let run = toolsure(&["check", "--no-config", &file]);
    assert_eq!(run.code, 6);
    assert!(
        run.stdout.contains("the tool has no `name`"),
        "{}",
        run.stdout
    );
    let file = dir.file(
        "tools.json",
        r#"[{"name": "a", "type": "function", "inputSchema": {"type": "object"}}]"#,
    );
    assert_eq!(toolsure(&["check", "--no-config", &file]).stderr, "");
}
