//! `toolsure diff`: classes, proofs, formats and exit codes.

use serde_json::Value;
use toolsure_analysis::diff::Kind;

use crate::run::{Dir, PROGRAM, toolsure};

fn listing(schema: &str, description: &str) -> String {
    format!(
        "{{\"tools\": [{{\"name\": \"find\", \"description\": \"{description}\", \"inputSchema\": {schema}}}]}}"
    )
}

const OLD: &str = r#"{"type": "object", "properties": {"q": {"type": "string"}}}"#;
const NARROW: &str =
    r#"{"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}"#;

#[test]
fn a_break_is_shown_with_its_proof_and_fails() {
    let dir = Dir::new();
    let old = dir.file("old.json", &listing(OLD, "a"));
    let new = dir.file("new.json", &listing(NARROW, "a"));
    let run = toolsure(&["diff", &old, &new]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    assert!(
        run.stdout
            .contains("breaking    input: `q` is now required"),
        "{}",
        run.stdout
    );
    assert!(run.stdout.contains("worked before: {}"), "{}", run.stdout);
    let back = toolsure(&["diff", &new, &old]);
    assert_eq!(back.code, 0);
    assert!(
        back.stdout.contains("`q` is no longer required"),
        "{}",
        back.stdout
    );
    assert_eq!(toolsure(&["diff", "--fail-on", "any", &new, &old]).code, 1);
    let same = toolsure(&["diff", "--fail-on", "any", &old, &old]);
    assert_eq!(
        (same.code, same.stdout.contains("no change in 1 tool")),
        (0, true)
    );
}

/// A parameter that is no longer declared is a warning, and fails the command only if warnings do.
#[test]
fn a_dropped_parameter_is_a_warning_and_a_new_one_compatible() {
    let dir = Dir::new();
    let old = dir.file("old.json", &listing(OLD, "a"));
    let new = dir.file("new.json", &listing(r#"{"type": "object"}"#, "a"));
    let run = toolsure(&["diff", &old, &new]);
    let told = "warning     input: `q` is no longer declared";
    assert!(run.code == 0 && run.stdout.contains(told), "{}", run.stdout);
    let strict = ["diff", "--fail-on", "warning", &old, &new];
    assert_eq!(toolsure(&strict).code, 1);
    let back = toolsure(&["diff", &new, &old]);
    let told = "compatible  input: `q` is new";
    assert!(back.stdout.contains(told), "{}", back.stdout);
    assert_eq!(toolsure(&["diff", "--open", &new, &old]).code, 1);
}

/// A long text is shown by the words that changed, but is complete in JSON.
#[test]
fn changed_descriptions_are_shown_word_by_word() {
    let dir = Dir::new();
    let long =
        "Finds the pages that match all words of the query, the newest first, twenty at most.";
    let old = dir.file("old.json", &listing(OLD, long));
    let new = dir.file("new.json", &listing(OLD, &long.replace("newest", "oldest")));
    let run = toolsure(&["diff", &old, &new]);
    let told = "… all words of the query, the [-newest-] {+oldest+} first, twenty at most.";
    assert!(run.stdout.contains(told), "{}", run.stdout);
    let run = toolsure(&["diff", "--format", "json", &old, &new]);
    let document: Value = serde_json::from_str(&run.stdout).unwrap();
    let change = &document["tools"][0]["changes"][0];
    assert_eq!(change["before"], long);
    assert_eq!(
        change["words"][1],
        serde_json::json!({"removed": "newest "})
    );
}

/// The newer side is anything that `check` accepts: a command, and a server that cannot start.
#[test]
fn a_saved_listing_is_compared_with_a_server() {
    let dir = Dir::new();
    let lock = dir.path("lock.json");
    let save = toolsure(&["check", "--demo", "--save", &lock]);
    assert_eq!(save.code, 6, "two tools of the demonstration are refused");
    let run = toolsure(&["diff", &lock, "--", PROGRAM, "serve-demo"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(
        run.stdout.contains("no change in 5 tools"),
        "{}",
        run.stdout
    );
    let run = toolsure(&["diff", &lock, "--", "/no/such/program"]);
    assert_eq!(run.code, 4, "{}", run.stdout);
    assert_eq!(toolsure(&["diff", &lock]).code, 2);
}

/// Saves the listings of several servers, from an editor's configuration: with comments, variables
/// of the editor, and a server that only the editor can start.
#[test]
fn the_servers_of_a_configuration_are_saved_and_compared_by_name() {
    let dir = Dir::new();
    std::fs::create_dir(dir.path(".vscode")).unwrap();
    let server = |name: &str, variable: &str| {
        format!(
            r#""{name}": {{"type": "stdio", "command": "{PROGRAM}", "args": ["serve-demo",], "env": {{"A": "{variable}"}}}},"#
        )
    };
    let configuration = |servers: &str| {
        let text = format!("\u{feff}{{ // as it is written\n\"servers\": {{{servers}}}, /* */ }}");
        dir.file(".vscode/mcp.json", &text)
    };
    let all = [
        server("a", "${workspaceFolder}"),
        server("b", "${env:PATH}"),
        server("secret", "${input:key}"),
        server("unset", "${TOOLSURE_NOT_SET}"),
    ];
    let file = configuration(&all.concat());
    let lock = dir.path("lock.json");
    let save = toolsure(&["check", "--yes", "--save", &lock, &file]);
    assert_eq!(save.code, 6, "{}", save.stderr);
    for told in [
        "only an editor can ask for the input `key`",
        "`TOOLSURE_NOT_SET` is not set",
    ] {
        assert!(save.stderr.contains(told), "{}", save.stderr);
    }
    let saved: Value = serde_json::from_str(&std::fs::read_to_string(&lock).unwrap()).unwrap();
    let names: Vec<&String> = saved["listings"].as_object().unwrap().keys().collect();
    assert_eq!(names, ["a", "b"]);
    let secret = toolsure(&["check", "--yes", "--server", "secret", &file]);
    assert_eq!(
        secret.code, 2,
        "what is asked for by name is not passed over"
    );

    let same = toolsure(&["diff", "--yes", "--fail-on", "any", &lock, &file]);
    assert_eq!(same.code, 0, "{}{}", same.stdout, same.stderr);
    let fewer = configuration(&all[0]);
    let run = toolsure(&["diff", "--yes", "--format", "json", &lock, &fewer]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    let document: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(document["same"], 5);
    let tools = document["tools"].as_array().unwrap();
    assert!(
        tools
            .iter()
            .all(|tool| tool["server"] == "b" && tool["class"] == "breaking")
    );
    // A server that this machine cannot start is still in the file, and not removed.
    let skipped = all[1].replace("${env:PATH}", "${input:key}");
    let skipped = configuration(&[all[0].as_str(), &skipped].concat());
    let run = toolsure(&["diff", "--yes", "--format", "json", &lock, &skipped]);
    let document: Value = serde_json::from_str(&run.stdout).unwrap();
    let tools = document["tools"].as_array().unwrap();
    assert_eq!((run.code, tools.len()), (0, 5), "{}", run.stdout);
    let not_listed = |tool: &Value| tool["changes"][0]["kind"] == "tool-not-listed";
    assert!(tools.iter().all(not_listed), "{}", run.stdout);
    let fewer = configuration(&all[0]);
    let only = toolsure(&["diff", "--yes", "--server", "a", &lock, &fewer]);
    assert_eq!(only.code, 0, "{}", only.stdout);
}

/// Texts of tools neither format a comment nor mention anybody, and SARIF has locations.
#[test]
fn pull_requests_get_markdown_and_code_scanning_sarif() {
    let dir = Dir::new();
    let old = dir.file("old.json", &listing(OLD, "a"));
    let new = dir.file("new.json", &listing(NARROW, "<b>@all</b> | `x`"));
    let run = toolsure(&["diff", "--format", "markdown", &old, &new]);
    let row =
        "| **breaking** | <code>find</code> | <code>input: &#96;q&#96; is now required</code>";
    assert!(run.code == 1 && run.stdout.contains(row), "{}", run.stdout);
    for foreign in ["<b>", "@all", "`x`"] {
        assert!(!run.stdout.contains(foreign), "{}", run.stdout);
    }
    let run = toolsure(&["diff", "--format", "sarif", &old, &new]);
    let document: Value = serde_json::from_str(&run.stdout).unwrap();
    let results = document["runs"][0]["results"].as_array().unwrap();
    assert_eq!(
        (results.len(), &results[0]["ruleId"]),
        (1, &Value::from("schema-narrowed"))
    );
    let place = &results[0]["locations"][0]["physicalLocation"];
    assert_eq!(place["region"]["startLine"], 1);
}

#[test]
fn machines_get_json_and_workflow_commands() {
    let dir = Dir::new();
    let old = dir.file("old.json", &listing(OLD, "a"));
    let new = dir.file("new.json", &listing(NARROW, "b"));
    let run = toolsure(&["diff", "--format", "json", &old, &new]);
    let document: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(
        (document["version"].as_u64(), document["exit"].as_u64()),
        (Some(1), Some(1))
    );
    assert_eq!(document["class"], "breaking");
    let changes = document["tools"][0]["changes"].as_array().unwrap();
    assert_eq!(changes[0]["witness"], serde_json::json!({}));
    assert!(
        changes
            .iter()
            .any(|change| change["aspect"] == "words" && change["class"] == "compatible")
    );
    let commands = toolsure(&["diff", "--format", "github", &old, &new]).stdout;
    assert!(commands.starts_with("::error file="), "{commands}");
    assert_eq!(commands.lines().count(), 1);
}

/// The kinds of change that JSON has, each with its tool.
fn kinds(args: &[&str]) -> Vec<String> {
    let run = toolsure(&[&["diff", "--format", "json"], args].concat());
    let document: Value = serde_json::from_str(&run.stdout).unwrap();
    let mut all = Vec::new();
    for tool in document["tools"].as_array().unwrap() {
        for change in tool["changes"].as_array().unwrap() {
            let text = |value: &Value| value.as_str().unwrap().to_owned();
            all.push(format!("{} {}", text(&change["kind"]), text(&tool["name"])));
        }
    }
    all
}

/// A rename is told as one where it could be nothing else, and still breaks callers: the rest is the same, or
/// the parameters, or the name but for case and separators.
#[test]
fn a_tool_that_came_equal_under_another_name_was_perhaps_renamed() {
    let dir = Dir::new();
    let tool = |name: &str, description: &str| {
        format!(r#"{{"name": "{name}", "description": "{description}", "inputSchema": {OLD}}}"#)
    };
    let empty = |name: &str| {
        format!(r#"{{"name": "{name}", "description": "b", "inputSchema": {{"type": "object"}}}}"#)
    };
    // The same, with another order and other white space.
    let rewritten =
        format!("{{\"inputSchema\":\n {OLD}, \"description\": \"a\",\n\"name\": \"find_all\"}}");
    for (old, new, expected) in [
        (
            vec![tool("find", "a")],
            vec![rewritten],
            vec!["tool-renamed find"],
        ),
        (
            vec![tool("find", "a"), tool("stays", "a")],
            vec![tool("find_all", "a"), tool("stays", "a")],
            vec!["tool-renamed find"],
        ),
        (
            vec![tool("find", "a")],
            vec![tool("find_all", "b")],
            vec!["tool-renamed find", "wording find"],
        ),
        (
            vec![tool("find", "a")],
            vec![empty("find_all")],
            vec!["tool-removed find", "tool-added find_all"],
        ),
        (
            vec![empty("findAll")],
            vec![tool("find_all", "a")],
            vec![
                "tool-renamed findAll",
                "parameter-added findAll",
                "wording findAll",
            ],
        ),
        (
            vec![tool("find", "a")],
            vec![tool("x", "a"), tool("y", "a")],
            vec!["tool-removed find", "tool-added x", "tool-added y"],
        ),
        (
            vec![tool("x", "a"), tool("y", "a")],
            vec![tool("find", "a")],
            vec!["tool-removed x", "tool-removed y", "tool-added find"],
        ),
    ] {
        let old = dir.file("old.json", &format!("[{}]", old.join(",")));
        let new = dir.file("new.json", &format!("[{}]", new.join(",")));
        assert_eq!(kinds(&[&old, &new]), expected);
        let run = toolsure(&["diff", &old, &new]);
        let told = run
            .stdout
            .contains("breaking    renamed to `find_all`? the tool is gone");
        let is_renamed = expected[0].starts_with("tool-renamed");
        assert_eq!((run.code, told), (1, is_renamed), "{}", run.stdout);
    }
}

/// What one page of a listing lacks may be on another page: nobody can say that it is gone.
#[test]
fn a_tool_that_a_partial_listing_lacks_is_not_removed() {
    let dir = Dir::new();
    let old = dir.file("old.json", &listing(OLD, "a"));
    for (new, kind, code) in [
        (r#"{"tools": []}"#, "tool-removed find", 1),
        (
            r#"{"tools": [], "nextCursor": null}"#,
            "tool-removed find",
            1,
        ),
        (
            r#"{"tools": [], "nextCursor": ""}"#,
            "tool-not-listed find",
            0,
        ),
        (
            r#"{"jsonrpc": "2.0", "id": 1, "result": {"tools": [], "nextCursor": "2"}}"#,
            "tool-not-listed find",
            0,
        ),
    ] {
        let new = dir.file("new.json", new);
        assert_eq!(kinds(&[&old, &new]), [kind]);
        assert_eq!(toolsure(&["diff", &old, &new]).code, code);
        let strict = toolsure(&["diff", "--fail-on", "unknown", &old, &new]);
        assert_eq!(strict.code, 1, "{}", strict.stdout);
    }
}

/// An annotation is at the property that changed, or at the closest part that is still there.
#[test]
fn workflow_commands_point_at_the_property() {
    let dir = Dir::new();
    let old = r##"{"tools": [{"name": "other", "inputSchema": {"type": "object"}}, {
      "name": "find", "annotations": {"readOnlyHint": true},
      "inputSchema": {"type": "object", "$defs": {"page": {"type": "integer"}}, "properties": {
        "query": {"type": "string"}, "gone": {"type": "string"},
        "page": {"$ref": "#/$defs/page"},
        "words": {"type": "array", "items": {"type": "string"}},
        "at": {"type": "object", "properties": {"line": {"type": "integer"}}},
        "part": {"allOf": [{"properties": {"a": {"type": "number"}}}]}}}}]}"##;
    let new = r##"{"tools": [{"name": "other", "inputSchema": {"type": "object"}},
{
  "name": "find",
  "annotations": {
    "readOnlyHint": false},
  "inputSchema": {"type": "object",
    "$defs": {
      "page": {"type": "string"}},
    "properties": {
      "query": {"type": "string"},
      "page": {
        "$ref": "#/$defs/page"},
      "words": {"type": "array",
        "items": {"type": "integer"}},
      "at": {"type": "object", "properties": {
        "line": {"type": "string"}}},
      "part": {"allOf": [
        {"properties": {
          "a": {"type": "string"}}}]}},
    "required": ["query"]}}]}"##;
    let (old, new) = (dir.file("old.json", old), dir.file("new.json", new));
    let run = toolsure(&["diff", "--format", "github", "--all", &old, &new]);
    let line_of = |told: &str| {
        let line = run.stdout.lines().find(|line| line.contains(told));
        let line = line.unwrap_or_else(|| panic!("{told}: {}", run.stdout));
        let at = line.split_once(",line=").unwrap().1;
        at.split(',').next().unwrap().parse::<usize>().unwrap()
    };
    for (told, line) in [
        ("`query` is now required", 10),
        ("`gone` is no longer declared", 6),
        ("input /page: ", 11),
        ("input /words/*: ", 14),
        ("input /at/line: ", 16),
        ("input /part/a: ", 19),
        ("`readOnlyHint` was true", 5),
    ] {
        assert_eq!(line_of(told), line, "{told}: {}", run.stdout);
    }
    let document = toolsure(&["diff", "--format", "json", &old, &new]).stdout;
    let document: Value = serde_json::from_str(&document).unwrap();
    let changes = document["tools"][0]["changes"].as_array().unwrap();
    let required = |change: &&Value| change["message"] == "`query` is now required";
    let required = changes.iter().find(required).unwrap();
    assert_eq!(
        (&required["line"], &required["column"]),
        (&10.into(), &16.into())
    );
}

/// A closed output is compatible, and says what it means for the members that will come.
#[test]
fn an_output_that_closes_says_what_it_means() {
    let dir = Dir::new();
    let output = |more: &str| {
        format!(
            r#"[{{"name": "find", "inputSchema": {{"type": "object"}}, "outputSchema": {{"type": "object", "properties": {{"a": {{}}}}{more}}}}}]"#
        )
    };
    let open = dir.file("open.json", &output(""));
    for keyword in ["additionalProperties", "unevaluatedProperties"] {
        let text = output(&format!(r#", "{keyword}": false"#));
        let closed = dir.file("closed.json", &text);
        let run = toolsure(&["diff", &open, &closed]);
        let told = "compatible  output: results no longer have properties that are not declared: each one \
                    that is added from now on breaks clients that check results";
        assert_eq!(run.code, 0);
        assert!(run.stdout.contains(told), "{}", run.stdout);
        let run = toolsure(&["diff", &closed, &open]);
        let told = "output: results may now have properties that are not declared";
        assert!(run.code == 1 && run.stdout.contains(told), "{}", run.stdout);
    }
}

/// The page explains each word that the command prints for a change.
#[test]
fn the_page_has_every_class_and_kind() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/diff.md");
    let page = std::fs::read_to_string(page).unwrap();
    for class in [
        "breaking",
        "unknown",
        "warning",
        "compatible",
        "words",
        "consent",
        "other",
    ] {
        assert!(page.contains(&format!("\n| {class} | ")), "{class}");
    }
    for kind in Kind::ALL {
        assert!(page.contains(&format!("`{kind}`")), "{kind}");
    }
}

/// Changes that several tools have are read once, with the number of tools, the worst first.
#[test]
fn equal_changes_of_several_tools_are_one_line() {
    let dir = Dir::new();
    let tool = |name: &str, description: &str, required: &str, more: &str| {
        let schema = format!(
            r#"{{"type": "object", "properties": {{"q": {{}}{more}}}, "required": [{required}]}}"#
        );
        format!(r#"{{"name": "{name}", "description": "{description}", "inputSchema": {schema}}}"#)
    };
    let listing = |file: &str, description: &str, required: &str, more: &str| {
        let mut tools: Vec<String> = (1..=8)
            .map(|number| tool(&format!("t{number}"), description, required, ""))
            .collect();
        tools.push(tool("other", "a", "", more));
        dir.file(file, &format!("[{}]", tools.join(", ")))
    };
    let old = listing("old.json", "a", "", "");
    let new = listing("new.json", "b", r#""q""#, r#", "p": {}"#);
    let run = toolsure(&["diff", &old, &new]);
    let told = "\
8 tools: t1, t2, t3, t4, t5, t6 and 2 more
  breaking    input: `q` is now required
              worked before: {}
  words       the description was \"a\", is now \"b\"

other
  compatible  input: `p` is new

";
    assert!(run.stdout.starts_with(told), "{}", run.stdout);
    let run = toolsure(&["diff", "--format", "markdown", &old, &new]);
    let rows: Vec<&str> = run
        .stdout
        .lines()
        .filter(|line| line.starts_with("| "))
        .collect();
    let title = "<code>8 tools: t1, t2, t3, t4, t5, t6 and 2 more</code>";
    assert_eq!(rows.len(), 4, "{}", run.stdout);
    assert!(
        rows[1].starts_with(&format!("| **breaking** | {title} |")),
        "{rows:?}"
    );
    assert!(
        rows[2].starts_with(&format!("| words | {title} |")),
        "{rows:?}"
    );
    // Programs get each change of each tool.
    let run = toolsure(&["diff", "--format", "json", &old, &new]);
    let document: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(document["tools"].as_array().unwrap().len(), 9);
}

/// A counterexample of one of the tools is shown with its name.
#[test]
fn counterexamples_that_differ_are_shown_for_one_tool() {
    let dir = Dir::new();
    let tool = |name: &str, more: &str, schema: &str| {
        format!(
            r#"{{"name": "{name}", "inputSchema": {{"type": "object", "properties": {{"q": {schema}, "a": {{"const": {more}}}}}, "required": ["a"]}}}}"#
        )
    };
    let listing = |file: &str, schema: &str| {
        let tools = [tool("x", "1", schema), tool("y", "2", schema)];
        dir.file(file, &format!("[{}]", tools.join(", ")))
    };
    let old = listing("old.json", r#"{"type": "string"}"#);
    let new = listing("new.json", r#"{"type": "integer"}"#);
    let run = toolsure(&["diff", &old, &new]);
    let told = "\
2 tools: x, y
  breaking    input /q: the type was string, is now integer
              worked before (x): {";
    assert!(run.stdout.starts_with(told), "{}", run.stdout);
}

/// A result may be null, and a change may have no counterexample.
#[test]
fn no_counterexample_is_not_the_counterexample_null() {
    let dir = Dir::new();
    let file = |name: &str, output: &str| {
        let text = format!(
            r#"[{{"name": "find", "description": "d", "inputSchema": {{"type": "object"}}, "outputSchema": {output}}}]"#
        );
        dir.file(name, &text)
    };
    let old = file("old.json", r#"{"type": "object"}"#);
    let new = file("new.json", r#"{"type": ["object", "null"], "title": "t"}"#);
    let run = toolsure(&["diff", "--format", "json", &old, &new]);
    let document: Value = serde_json::from_str(&run.stdout).unwrap();
    let changes = document["tools"][0]["changes"].as_array().unwrap();
    assert_eq!(changes[0].get("witness"), Some(&Value::Null));
    assert_eq!(
        (changes[1].get("witness"), &changes[1]["category"]),
        (None, &"words".into())
    );
}

/// A tool that newly says that it only reads runs without a question in some clients.
#[test]
fn a_new_claim_to_only_read_is_about_consent() {
    let dir = Dir::new();
    let old = dir.file("old.json", &listing(OLD, "a"));
    let text = listing(OLD, "a").replace(
        "{\"name\"",
        r#"{"annotations": {"readOnlyHint": true}, "name""#,
    );
    let new = dir.file("new.json", &text);
    let run = toolsure(&["diff", &old, &new]);
    let told = "  consent     `readOnlyHint` was false, is now true";
    assert!(run.code == 0 && run.stdout.contains(told), "{}", run.stdout);
    let run = toolsure(&["diff", "--format", "json", &old, &new]);
    let document: Value = serde_json::from_str(&run.stdout).unwrap();
    let change = &document["tools"][0]["changes"][0];
    assert_eq!(
        (&change["category"], &change["class"]),
        (&"consent".into(), &"compatible".into())
    );
    let commands = toolsure(&["diff", "--format", "github", &old, &new]).stdout;
    assert!(commands.starts_with("::notice "), "{commands}");
}

#[test]
fn what_is_no_listing_is_refused() {
    let dir = Dir::new();
    let old = dir.file("old.json", &listing(OLD, "a"));
    for text in ["{", "{}", r#"{"mcpServers": {}}"#] {
        let other = dir.file("other.json", text);
        assert_eq!(toolsure(&["diff", &old, &other]).code, 2, "{text}");
    }
    assert_eq!(toolsure(&["diff", "-", "-"]).code, 2);
}

/// GitHub shows few annotations, so the first of very many are printed and the others counted.
#[test]
fn github_gets_few_commands_and_the_number_of_the_others() {
    let dir = Dir::new();
    let listing = |name: &str, of: &str| {
        let tool = |number: usize| {
            let property =
                format!(r#"{{"type": "object", "properties": {{"a": {{"type": "{of}"}}}}}}"#);
            format!(r#"{{"name": "t{number}", "description": "b", "inputSchema": {property}}}"#)
        };
        let tools: Vec<String> = (0..60).map(tool).collect();
        dir.file(name, &format!("[{}]", tools.join(", ")))
    };
    let old = listing("old.json", "string");
    let new = listing("new.json", "integer");
    let bad = listing("bad.json", "strin");
    let commands: [&[&str]; 3] = [&["diff", &old, &new], &["check", &bad], &["lint", &bad]];
    for command in commands {
        let github = [command, &["--format", "github"]].concat();
        let few = toolsure(&github).stdout;
        assert_eq!(few.matches("::error ").count(), 50, "{few}");
        assert!(few.contains("::10 errors"), "{few}");
        assert!(few.contains("not printed; `--all` prints them"), "{few}");
        let all = toolsure(&[github.as_slice(), &["--all"]].concat()).stdout;
        assert_eq!(all.matches("::error ").count(), 60);
        assert!(!all.contains("not printed"));
    }
}

#[test]
fn a_server_that_does_not_answer_is_an_error_on_standard_error() {
    let dir = Dir::new();
    let old = dir.file("old.json", r#"{"tools": []}"#);
    for format in ["human", "markdown", "github"] {
        let run = toolsure(&["diff", "--format", format, &old, "--", "false"]);
        assert_eq!(run.code, 4, "{format}: {}", run.stdout);
        assert!(
            run.stderr.contains("error: false: "),
            "{format}: {}",
            run.stderr
        );
        assert!(!run.stdout.contains("error"), "{format}: {}", run.stdout);
    }
}
