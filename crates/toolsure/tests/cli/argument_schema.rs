//! Argument schemas on the command line.

use serde_json::Value;

use crate::run::{Dir, PROGRAM, toolsure};

const SEARCH: &str = r#"{
  "q": {"type": "string", "required": true, "minLength": 3, "description": "Search words."},
  "limit": {"type": "integer", "minimum": 1, "maximum": 100},
  "tags": {"type": "string", "isArray": true},
  "mode": {"type": "enum", "enum": ["fast", "accurate"], "default": "fast"}
}"#;

#[test]
fn a_schema_is_checked_converted_and_explained() {
    let dir = Dir::new();
    let file = dir.file("search.json", SEARCH);
    let run = toolsure(&["argument-schema", "check", &file]);
    let told = format!(
        "{file}: an argument schema of version 2026-11-21, which it does not declare, 4 arguments\n"
    );
    assert_eq!((run.code, run.stdout), (0, told));
    let note = format!(
        "warning: {file}:5:69: `default` is not enforced: it needs `\"schemaVersion\": \"2026-11-21\"` (at `/mode/default`)\n"
    );
    assert!(run.stderr.contains(&note), "{}", run.stderr);
    let notes = run.stderr.matches("note: ").count();
    assert_eq!(
        (notes, run.stderr.lines().count()),
        (3, 4),
        "{}",
        run.stderr
    );

    let run = toolsure(&["argument-schema", "convert", &file]);
    let schema: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(
        (&schema["type"], &schema["required"][0]),
        (&"object".into(), &"q".into())
    );
    let converted = dir.file("converted.json", &run.stdout);

    let run = toolsure(&["argument-schema", "explain", &file]);
    assert!(
        run.stdout
            .contains("\n  q: string, minLength 3, required  Search words.\n"),
        "{}",
        run.stdout
    );
    assert!(
        run.stdout.ends_with(
            "\n  limit: integer, minimum 1, maximum 100\n  tags: array of string\n  \
             mode: enum, one of \"accurate\" \"fast\"\n"
        ),
        "{}",
        run.stdout
    );

    let good = dir.file("good.json", r#"{"q": "abc", "mode": "fast"}"#);
    let bad = dir.file(
        "bad.json",
        r#"{"q": "ab", "tags": 5, "limit": 101, "mode": "x"}"#,
    );
    for (arguments, code) in [(&good, 0), (&bad, 1)] {
        let run = toolsure(&["argument-schema", "explain", &file, arguments]);
        assert_eq!(run.code, code, "{}", run.stdout);
        let run = toolsure(&["validate", "--argument-schema", &file, arguments]);
        assert_eq!(run.code, code, "{}", run.stdout);
        let run = toolsure(&["validate", &converted, arguments]);
        assert_eq!(run.code, code, "{}", run.stdout);
    }
    let run = toolsure(&["argument-schema", "explain", &file, &bad]);
    let told = "argument 'q' string length must be >= 3\nargument 'limit' value must be <= 100\n\
        argument 'tags' must be an array\nargument 'mode' must be one of the enum values\n";
    assert_eq!(run.stdout, told);
    let none = dir.file("none.json", "{}");
    let run = toolsure(&["argument-schema", "explain", &file, &none]);
    assert_eq!(run.stdout, "missing required argument 'q'\n");
}

#[test]
fn what_is_no_argument_schema_is_refused_with_its_place() {
    let dir = Dir::new();
    let file = dir.file(
        "a.json",
        "{\n  \"schemaVersion\": \"2025-10-10\", \"properties\": {}}",
    );
    for command in [
        vec!["argument-schema", "check"],
        vec!["validate", "--argument-schema"],
    ] {
        let args: Vec<&str> = command.into_iter().chain([file.as_str()]).collect();
        let run = toolsure(&args);
        assert_eq!(run.code, 6, "{}", run.stderr);
        assert!(
            run.stderr.contains(&format!("error: {file}:2:20: ")),
            "{}",
            run.stderr
        );
    }
    assert_eq!(toolsure(&["argument-schema", "check", "none.json"]).code, 2);
}

/// Each error has a line, `convert` says what it leaves out, and quiet leaves only errors.
#[test]
fn each_part_that_is_not_enforced_has_a_line() {
    let dir = Dir::new();
    let text = r#"{"a": {"type": "string", "title": "A", "format": "uri", "minLenght": 3}}"#;
    let file = dir.file("a.json", text);
    for (action, told) in [
        ("check", &["warning: ", "warning: ", "note: ", "note: "][..]),
        ("convert", &["warning: ", "warning: ", "note: "]),
        ("explain", &["warning: ", "warning: "]),
    ] {
        let run = toolsure(&["argument-schema", action, &file]);
        let mut words: Vec<&str> = run
            .stderr
            .lines()
            .map(|line| line.split_inclusive(' ').next().unwrap())
            .collect();
        words.sort_unstable_by(|one, two| two.cmp(one));
        assert_eq!((run.code, &words[..]), (0, told), "{}", run.stderr);
    }
    let declared = [
        "argument-schema",
        "check",
        "--schema-version",
        "2025-10-09",
        &file,
    ];
    let run = toolsure(&declared);
    assert_eq!((run.code, run.stdout.as_str()), (6, ""));
    let errors: Vec<&str> = run
        .stderr
        .lines()
        .filter(|line| line.starts_with("error: "))
        .collect();
    let expected = [
        format!(
            "error: {file}:1:50: `format` is not enforced: argument schemas do not have this keyword of JSON Schema here (at `/a/format`)"
        ),
        format!(
            "error: {file}:1:70: `minLenght` is not enforced: argument schemas have no such member here; did you mean `minLength`? (at `/a/minLenght`)"
        ),
    ];
    assert_eq!(errors, expected);
}

/// Where JSON Schema is expected, `check` and `lint` report an argument schema.
#[test]
fn an_argument_schema_is_recognised() {
    let dir = Dir::new();
    let listing = dir.file(
        "listing.json",
        &format!(r#"[{{"name": "search", "inputSchema": {SEARCH}}}]"#),
    );
    let run = toolsure(&["check", &listing]);
    let told = "looks like an argument schema, not JSON Schema";
    assert!(run.stdout.contains("warning[TL018]"), "{}", run.stdout);
    assert!(
        run.stdout
            .contains("`toolsure argument-schema convert FILE`"),
        "{}",
        run.stdout
    );
    let run = toolsure(&["lint", &listing]);
    assert!(run.stdout.contains(told), "{}", run.stdout);
}

/// The page's transcripts match the program's output.
#[test]
fn the_page_shows_what_is_printed() {
    let page = include_str!("../../../../docs/argument-schema.md");
    let dir = Dir::new();
    let blocks: Vec<&str> = page.split("```").collect();
    let mut runs = 0;
    for pair in blocks.windows(2) {
        let name = pair[0].trim_end().rsplit('\n').next().unwrap();
        let name = name
            .strip_prefix('`')
            .and_then(|name| name.strip_suffix("`:"));
        if let (Some(name), Some(text)) = (name, pair[1].strip_prefix("json\n")) {
            dir.file(name, text);
        }
        let Some(transcript) = pair[1].strip_prefix("console\n$ ") else {
            continue;
        };
        for part in transcript.split("\n$ ") {
            let (command, expected) = part.split_once('\n').unwrap();
            let output = std::process::Command::new(PROGRAM)
                .args(command.split(' ').skip(1))
                .current_dir(dir.path(""))
                .output()
                .unwrap();
            let printed = String::from_utf8(output.stdout).unwrap();
            assert_eq!(printed.trim_end(), expected.trim_end(), "{command}");
            runs += 1;
        }
    }
    assert_eq!(runs, 4);
}
