//! `toolsure test`, and the schemas of the commands' JSON output.

use serde_json::{Value, json};
use toolsure_schema::{Compiler, Workspace};

use crate::run::{Dir, PROGRAM, toolsure};

/// Runs the cases: how many passed and failed, the exit code, and why cases failed.
fn test(args: &[&str]) -> (u64, u64, i32, Vec<String>) {
    let run = toolsure(&[&["test", "--format", "json"], args].concat());
    let document: Value =
        serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{}", run.stderr));
    let files = document["files"].as_array().unwrap().iter();
    let cases = files.flat_map(|file| file["cases"].as_array().unwrap());
    let failed = cases.filter(|case| case["passed"] == false);
    let why = failed.map(|case| format!("{}: {} {}", case["line"], case["found"], case["why"]));
    let number = |name: &str| document[name].as_u64().unwrap();
    (number("passed"), number("failed"), run.code, why.collect())
}

#[test]
fn each_layout_is_read_and_each_verdict_can_be_expected() {
    let dir = Dir::new();
    let schema = json!({"type": "integer", "minimum": 3});
    dir.file("order.json", &schema.to_string());
    dir.file("four.json", "4");
    let own = json!({"schema": schema, "tests": [
        {"description": "fits", "instance": 3, "expected": "valid"},
        {"description": "small", "data": 2, "valid": false},
        {"dataPath": "four.json", "valid": true}
    ]});
    let suite = json!([
        {"description": "a", "schema": {"type": "strin"}, "tests": [{"description": "b", "data": 1, "expected": "refused"}]},
        {"description": "c", "schema": true, "tests": [{"description": "d", "data": 1.5, "valid": true}]}
    ]);
    let sourcemeta =
        json!({"$schema": "x", "target": "./order.json", "tests": [{"data": 3, "valid": true}]});
    let registered =
        json!({"target": "https://example.com/order", "tests": [{"data": 1, "valid": false}]});
    for (name, file) in [
        ("own", &own),
        ("suite", &suite),
        ("sourcemeta", &sourcemeta),
    ] {
        let path = dir.file(&format!("{name}.test.json"), &file.to_string());
        let (_, failed, code, why) = test(&[&path]);
        assert_eq!((failed, code), (0, 0), "{name}: {why:?}");
    }
    let path = dir.file("registered.test.json", &registered.to_string());
    let order = format!("https://example.com/order={}", dir.path("order.json"));
    assert_eq!(test(&["--register", &order, &path]).2, 0);
    assert_eq!(
        test(&[&path]).2,
        1,
        "the reference is refused, which is not what was expected"
    );
    // A folder means the test files in it.
    assert_eq!(test(&["--register", &order, &dir.path("")]).0, 7);
}

#[test]
fn what_fails_is_told_with_its_place() {
    let dir = Dir::new();
    let file = dir.file(
        "t.json",
        "{\"schema\": {\"type\": \"integer\"}, \"tests\": [\n{\"description\": \"one\", \"data\": \"x\", \"valid\": true},\n{\"data\": 1, \"expected\": \"undecided\"},\n{\"dataPath\": \"none.json\", \"valid\": true}]}",
    );
    let (passed, failed, code, why) = test(&[&file]);
    assert_eq!((passed, failed, code), (0, 3, 1));
    assert!(
        why[0].starts_with("2: \"invalid\"") && why[0].contains("integer"),
        "{why:?}"
    );
    assert!(why[2].starts_with("4: \"unusable\""), "{why:?}");
    let run = toolsure(&["test", &file]);
    let told = format!("failed {file}:2: one: expected valid, found invalid");
    assert!(
        run.stdout.contains(&told) && run.stdout.ends_with("3 cases: 0 passed, 3 failed\n"),
        "{}",
        run.stdout
    );
    let commands = toolsure(&["test", "--format", "github", &file]).stdout;
    assert!(commands.starts_with("::error file="), "{commands}");
    for wrong in [
        "{}",
        "[]",
        r#"{"tests": []}"#,
        r#"{"schema": true, "tests": [{"data": 1}]}"#,
        "[",
    ] {
        let file = dir.file("wrong.json", wrong);
        assert_eq!(toolsure(&["test", &file]).code, 2, "{wrong}");
    }
}

/// The output for machines matches the schemas that document it, by our own engine.
#[test]
fn documents_match_the_schemas_of_docs_output() {
    let dir = Dir::new();
    let old = dir.file("old.json", r#"{"tools": [
        {"name": "a", "description": "Finds the pages that match all words of the query, the newest first", "inputSchema": {"type": "object", "properties": {"q": {"type": "string"}, "p": {}}}},
        {"name": "gone", "inputSchema": {"type": "strin"}}]}"#);
    let new = dir.file("new.json", r#"{"tools": [
        {"name": "a", "description": "Finds the pages that match any words of the query, the newest first", "inputSchema": {"type": "object", "properties": {"q": {"type": "integer", "minLenght": 1}}}},
        {"name": "b", "inputSchema": {"type": "object", "required": ["x", "x"]}}]}"#);
    let cases = dir.file(
        "t.json",
        r#"{"schema": {"type": "integer"}, "tests": [{"data": "x", "valid": true}]}"#,
    );
    let config = dir.file(
        "toolsure.toml",
        "[[ignore]]\ncode = \"TL040\"\nreason = \"x\"\n",
    );
    for (name, args) in [
        ("check", vec!["check", &old, &new]),
        ("check", vec!["check", "--", PROGRAM, "serve-demo"]),
        ("check", vec!["check", "--", "/no/such/program"]),
        (
            "lint",
            vec!["lint", "--level", "note", "--config", &config, &new],
        ),
        ("diff", vec!["diff", &old, &new]),
        ("diff", vec!["diff", &old, &old]),
        ("diff", vec!["diff", &old, "--", "/no/such/program"]),
        (
            "project",
            vec!["project", "--for", "openai-strict", &old, &new, &cases],
        ),
        ("project", vec!["project", "--for", "gemini", "--demo"]),
        ("check", vec!["check", &old, &dir.path("none.json"), &new]),
        ("lint", vec!["lint", &old, &dir.path("none.json"), &new]),
        ("test", vec!["test", &cases]),
    ] {
        let path = format!(
            "{}/../../docs/output/{name}.schema.json",
            env!("CARGO_MANIFEST_DIR")
        );
        let schema = Compiler::new()
            .compile(&std::fs::read(path).unwrap())
            .unwrap();
        let run = toolsure(&[&args[..1], &["--format", "json"], &args[1..]].concat());
        let report = schema
            .explain(&mut Workspace::new(), run.stdout.as_bytes())
            .unwrap();
        assert!(
            report.verdict.is_valid(),
            "{args:?}: {:#?}\n{}",
            report.findings.first(),
            run.stdout
        );
        let mut document: Value = serde_json::from_str(&run.stdout).unwrap();
        document["version"] = json!(2);
        let verdict = schema.check(&mut Workspace::new(), document.to_string().as_bytes());
        assert!(!verdict.unwrap().is_valid(), "{name} accepts anything");
    }
}

/// A run without a case does not count as passed.
#[test]
fn a_run_without_cases_is_an_error() {
    let dir = Dir::new();
    std::fs::create_dir(dir.path("none")).unwrap();
    let empty = dir.file("none/empty.test.json", "{\"schema\": true, \"tests\": []}");
    for place in [&empty, &dir.path("none")] {
        let run = toolsure(&["test", place]);
        assert_eq!(run.code, 2, "{}", run.stderr);
        assert!(
            run.stderr.contains("there is no test case in `"),
            "{}",
            run.stderr
        );
    }
}
