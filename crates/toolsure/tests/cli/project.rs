//! `toolsure project`: where the listing and the report go, exit codes, the project's settings.

use serde_json::{Value, json};

use crate::run::{Dir, toolsure};

const LISTING: &str = r#"{"tools": [
  {"name": "find", "inputSchema": {"type": "object", "properties": {"n": {"type": "integer", "exclusiveMinimum": 0}}}},
  {"name": "plain", "inputSchema": {"type": "object", "properties": {"q": {"type": "string"}}}}
]}"#;

#[test]
fn the_listing_is_standard_output_and_the_report_standard_error() {
    let dir = Dir::new();
    let listing = dir.file("l.json", LISTING);
    let run = toolsure(&["project", "--for", "gemini", &listing]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let projected: Value = serde_json::from_str(&run.stdout).unwrap();
    let tools = projected["tools"].as_array().unwrap();
    assert_eq!(tools.len(), 2);
    assert!(!run.stdout.contains("exclusiveMinimum"), "{}", run.stdout);
    assert!(
        run.stderr.contains("l.json for gemini: 2 tools"),
        "{}",
        run.stderr
    );
    // The profile accepts what was written.
    let written = dir.file("p.json", &run.stdout);
    let lint = toolsure(&["lint", "--profile", "gemini", "--deny", "warning", &written]);
    assert!(!lint.stdout.contains("TL10"), "{}", lint.stdout);

    let output = dir.path("out.json");
    let run = toolsure(&["project", "--for", "gemini", "--output", &output, &listing]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    assert!(run.stdout.contains("find: "), "{}", run.stdout);
    let text = std::fs::read_to_string(output).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), projected);
}

/// Rows: a profile, an API, and where the first tool's parameters are.
#[test]
fn tools_are_printed_in_the_form_of_an_api() {
    let dir = Dir::new();
    let listing = dir.file("l.json", LISTING);
    for (profile, form, parameters) in [
        ("openai", "openai", "/0/function/parameters"),
        ("openai-strict", "responses", "/0/parameters"),
        ("anthropic", "anthropic", "/0/input_schema"),
        ("gemini", "gemini", "/0/functionDeclarations/0/parameters"),
        ("gemini", "vertex", "/0/functionDeclarations/0/parameters"),
    ] {
        let run = toolsure(&["project", "--for", profile, "--form", form, &listing]);
        assert_eq!(run.code, 0, "{}", run.stderr);
        let tools: Value = serde_json::from_str(&run.stdout).unwrap();
        let schema = tools.pointer(parameters).unwrap();
        assert_eq!(schema["type"], json!("object"), "{form}: {tools}");
        if form == "responses" {
            assert_eq!(tools[0]["strict"], json!(true));
        }
    }
}

/// To close an object takes no declared call away.
#[test]
fn relations_are_of_declared_calls_unless_open() {
    let dir = Dir::new();
    let listing = dir.file("l.json", LISTING);
    let args = [
        "project",
        "--for",
        "openai-strict",
        "--fail-on",
        "narrower",
        &listing,
    ];
    let run = toolsure(&args);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let run = toolsure(&[&args[..], &["--open"]].concat());
    assert_eq!(run.code, 1, "{}", run.stderr);
}

#[test]
fn json_has_each_tool_with_its_relation() {
    let dir = Dir::new();
    let listing = dir.file("l.json", LISTING);
    let run = toolsure(&[
        "project",
        "--for",
        "openai-strict",
        "--format",
        "json",
        &listing,
    ]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let document: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(document["exit"], json!(0));
    assert_eq!(document["for"], json!("openai-strict"));
    let relations = [
        "equal",
        "wider",
        "narrower",
        "wider-and-narrower",
        "undecided",
    ];
    assert!(run.stdout.contains("\"relation\""), "{}", run.stdout);
    assert!(relations.iter().any(|one| run.stdout.contains(one)));
}

#[test]
fn exit_codes_say_what_became_of_the_listing() {
    let dir = Dir::new();
    let listing = dir.file("l.json", LISTING);
    let refused = dir.file(
        "r.json",
        r#"{"tools": [{"name": "a", "inputSchema": {"type": "objct"}}]}"#,
    );
    let loose = dir.file(
        "w.json",
        r#"{"tools": [{"name": "a", "inputSchema": {"type": "object", "properties": {"a": {"type": "string", "not": {"const": "x"}}}}}]}"#,
    );
    for (args, code) in [
        (vec!["--for", "gemini", listing.as_str()], 0),
        (vec!["--for", "gemini", &refused], 6),
        (vec!["--for", "gemini", "--fail-on", "unequal", &loose], 1),
        (vec!["--for", "nobody", &listing], 2),
        (vec!["--for", "gemini", "/no/such/file.json"], 2),
        (vec!["--for", "gemini", "--", "/no/such/program"], 4),
        (vec!["--for", "gemini", &listing, &refused], 2),
    ] {
        let run = toolsure(&[&["project"], args.as_slice()].concat());
        assert_eq!(run.code, code, "{args:?}\n{}\n{}", run.stdout, run.stderr);
    }
}

#[test]
fn the_settings_of_the_project_hold() {
    let dir = Dir::new();
    let listing = dir.file("l.json", LISTING);
    let config = dir.file("toolsure.toml", "[limits]\nsubschemas = 1\n");
    let args = ["project", "--for", "openai", &listing];
    assert_eq!(toolsure(&args).code, 0);
    let run = toolsure(&[&args[..], &["--config", &config]].concat());
    assert_eq!(run.code, 6, "{}", run.stderr);
    // A flag overrides the file.
    let raised = ["--config", &config, "--limit", "subschemas=100"];
    assert_eq!(toolsure(&[&args[..], &raised].concat()).code, 0);
    let bad = dir.file("bad.toml", "[limits]\nfeul = 3\n");
    let run = toolsure(&[&args[..], &["--config", &bad]].concat());
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("did you mean"), "{}", run.stderr);
}

#[test]
fn manual_pages_are_those_of_the_commands() {
    let page = toolsure(&["man", "check"]);
    assert_eq!(page.code, 0, "{}", page.stderr);
    for told in [".TH toolsure-check 1", "\\-\\-save", "Exit codes"] {
        assert!(page.stdout.contains(told), "{told}\n{}", page.stdout);
    }
    let wrong = toolsure(&["man", "chek"]);
    assert_eq!(wrong.code, 2);
    let dir = Dir::new();
    let folder = dir.path("man");
    assert_eq!(toolsure(&["man", "--dir", &folder]).code, 0);
    let pages = std::fs::read_dir(&folder).unwrap().count();
    assert!(pages >= 16, "{pages}");
    assert!(dir_has(&folder, "toolsure-argument-schema-convert.1"));
}

fn dir_has(folder: &str, name: &str) -> bool {
    std::path::Path::new(folder).join(name).is_file()
}

#[test]
fn steps_that_equal_tools_have_in_common_are_told_once() {
    let dir = Dir::new();
    let tool = |n: usize| {
        let schema = json!({"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object",
            "properties": {"q": {"type": "string"}}, "required": ["q"]});
        json!({"name": format!("tool_{n}"), "inputSchema": schema})
    };
    let tools: Vec<Value> = (0..10).map(tool).collect();
    let listing = dir.file("l.json", &json!({"tools": tools}).to_string());
    let run = toolsure(&["project", "--for", "gemini", &listing]);
    assert_eq!(run.stderr.matches("$schema").count(), 1, "{}", run.stderr);
    let told =
        "tool_0, tool_1, tool_2, tool_3, tool_4, tool_5, tool_6, tool_7, … and 2 more: equal\n";
    assert!(run.stderr.starts_with(told), "{}", run.stderr);
    let all = toolsure(&["project", "--for", "gemini", "--all", &listing]);
    assert!(
        all.stderr.contains("tool_8, tool_9: equal\n"),
        "{}",
        all.stderr
    );
}
