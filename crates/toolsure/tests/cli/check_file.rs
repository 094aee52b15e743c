//! `toolsure check FILE`: all formats of listings, verdicts and clients' configurations.

use serde_json::{Value, json};

use crate::run::{Dir, PROGRAM, toolsure};

/// One tool for each thing that can be wrong with a tool.
const ODD: &str = r#"{
  "serverInfo": {"name": "odd", "version": "1"}, "protocolVersion": "2025-11-25",
  "tools": [
    {"name": "fine", "inputSchema": {"type": "object"}, "outputSchema": {"type": "array"}, "vendor": 1},
    {"name": "fine", "inputSchema": {"type": "object"}},
    {"name": "has space", "inputSchema": {"type": "object"}},
    {"name": "no-schema"},
    {"name": "boolean", "inputSchema": true},
    {"name": "root", "inputSchema": {"title": "x", "type": ["object", "null"]}},
    {"inputSchema": {"type": "object"}},
    "text"
  ]
}"#;

const ODD_HUMAN: &str = "\
odd.json
odd 1, protocol 2025-11-25 (legacy)

 ok  fine       input 18 B, output 17 B
bad  fine       input 18 B
     error[TL003]: the name `fine` is taken by tool 1 of the listing
      --> odd.json:5:14
       |
     5 |     {\"name\": \"fine\", \"inputSchema\": {\"type\": \"object\"}},
       |              ^^^^^^
       |
       = note: at /name
       = help: clients keep one of the two and lose the other
warn has space  input 18 B
     warning[TL002]: the name has a ` ` in it
      --> odd.json:6:14
       |
     6 |     {\"name\": \"has space\", \"inputSchema\": {\"type\": \"object\"}},
       |              ^^^^^^^^^^^
       |
       = note: at /name
       = help: a name has 1 to 128 of the characters `A-Z a-z 0-9 _ - .`
bad  no-schema
     error[TL016]: the tool has no `inputSchema`
      --> odd.json:7:5
       |
     7 |     {\"name\": \"no-schema\"},
       |     ^^^^^^^^^^^^^^^^^^^^^
       |
       = note: at the tool itself
       = help: for a tool that takes nothing write `{\"type\": \"object\", \"additionalProperties\": false}`
bad  boolean    input 4 B
     error[TL016]: `inputSchema` must be an object, found boolean
      --> odd.json:8:40
       |
     8 |     {\"name\": \"boolean\", \"inputSchema\": true},
       |                                        ^^^^
       |
       = note: at /inputSchema
       = help: clients refuse the tool, some the whole listing
bad  root       input 42 B
     error[TL017]: the input schema's root must have the type `\"object\"`, found `[\"object\", \"null\"]`
      --> odd.json:9:60
       |
     9 | …{\"name\": \"root\", \"inputSchema\": {\"title\": \"x\", \"type\": [\"object\", \"null\"]}},
       |                                                         ^^^^^^^^^^^^^^^^^^
       |
       = note: at /inputSchema/type
       = help: arguments are always an object; wrap another value in a property
bad  (tool 7)   input 18 B
     error[TL001]: the tool has no `name`
       --> odd.json:10:5
        |
     10 |     {\"inputSchema\": {\"type\": \"object\"}},
        |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        |
        = note: at the tool itself
        = help: no client can list or call it; add a `name`
bad  (tool 8)
     error[TL001]: a tool must be an object, found string
       --> odd.json:11:5
        |
     11 |     \"text\"
        |     ^^^^^^
        |
        = note: at the tool itself

8 tools: 1 ok, 1 ok with warnings, 6 refused
";

#[test]
fn every_finding_has_its_place_in_the_file() {
    let dir = Dir::new();
    let path = dir.file("odd.json", ODD);
    let run = toolsure(&["check", &path]);
    assert_eq!(run.stdout.replace(&path, "odd.json"), ODD_HUMAN);
    assert_eq!((run.code, run.stderr.as_str()), (6, ""));
}

#[test]
fn json_says_the_same_to_machines() {
    let dir = Dir::new();
    let path = dir.file("odd.json", ODD);
    let run = toolsure(&["check", "--format", "json", &path]);
    let document: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(
        (&document["version"], &document["exit"], run.code),
        (&json!(1), &json!(6), 6)
    );
    let report = &document["reports"][0];
    assert_eq!(
        report["summary"],
        json!({"tools": 8, "ok": 1, "warned": 1, "refused": 6})
    );
    assert_eq!(
        report["server"],
        json!({"name": "odd", "version": "1", "era": "legacy", "protocolVersion": "2025-11-25"})
    );
    assert_eq!(
        report["tools"][5],
        json!({
            "name": "root", "verdict": "refused", "inputBytes": 42, "outputBytes": null,
            "digest": "sha256:df23f692e742e81e7e5fd7a0909d578c24bad66763c7a8216ee13cc0f8e5b40f",
            "findings": [{
                "severity": "error", "code": "TL017", "name": "root-type", "tool": "root", "list": null, "pointer": "/inputSchema/type",
                "message": "the input schema's root must have the type `\"object\"`, found `[\"object\", \"null\"]`",
                "help": "arguments are always an object; wrap another value in a property",
                "line": 9, "column": 60, "endLine": 9, "endColumn": 78, "start": 453, "end": 471, "fix": null,
                "consequence": "tool lost", "readers": [],
            }],
        })
    );
    assert_eq!(
        (&report["fault"], &report["notes"]),
        (&Value::Null, &json!([]))
    );
}

/// The digests are those that Python's `json` and `hashlib` make of the sorted members.
#[test]
fn digests_depend_on_the_definitions_alone() {
    let dir = Dir::new();
    let report = |name: &str, text: &str| -> Value {
        let path = dir.file(name, text);
        let run = toolsure(&["check", "--format", "json", &path]);
        let document: Value = serde_json::from_str(&run.stdout).unwrap();
        document["reports"][0].clone()
    };
    let first = r#"{"name":"a","inputSchema":{"type":"object"},"description":"\u00e9"}"#;
    let second = r#"{"inputSchema":{"maxProperties":1e1,"type":"object"}, "name":"b"}"#;
    let all = "sha256:cb02197e2f141f258d36e49312c2afee0503e1bf861611657ceacea5f7b8268b";
    for text in [
        format!("[{first},{second}]"),
        format!(r#"{{"tools":[{second},{first}]}}"#),
    ] {
        let report = report("tools.json", &text);
        assert_eq!(report["digest"], json!(all), "{text}");
        let digests: Vec<&Value> = report["tools"]
            .as_array()
            .unwrap()
            .iter()
            .map(|tool| &tool["digest"])
            .collect();
        assert!(digests.contains(&&json!(
            "sha256:dd18c3d7aec4b910a2f9aebc4f35a9f75e9cd2699b1eaa9478796206b49f81e5"
        )));
        assert!(digests.contains(&&json!(
            "sha256:ab50dd3109cc6663891f67efa37c6c4924e4e9e40d793fd4dc35c4c700bb974d"
        )));
    }
    // Which of two tools with one name is called is not known, and a page is not the whole list.
    let twice = report("twice.json", &format!("[{first},{first}]"));
    assert_eq!(twice["digest"], Value::Null);
    let page = format!(r#"{{"tools":[{first}],"nextCursor":"2"}}"#);
    assert_eq!(report("page.json", &page)["digest"], Value::Null);
    let large = r#"[{"name":"a","inputSchema":{"type":"object","maximum":1e400}}]"#;
    assert_eq!(
        report("large.json", large)["tools"][0]["digest"],
        Value::Null
    );
}

#[test]
fn github_gets_workflow_commands() {
    let dir = Dir::new();
    let path = dir.file("odd.json", ODD);
    let run = toolsure(&["check", "--format", "github", &path]);
    let lines: Vec<String> = run
        .stdout
        .lines()
        .map(|line| line.replace(&path, "odd.json"))
        .collect();
    assert_eq!(
        lines[6],
        "::warning file=odd.json,line=6,col=14,title=TL002 has space::the name has a ` ` in it (at /name)%0Ahelp: a name has 1 to 128 of the characters `A-Z a-z 0-9 _ - .`"
    );
    assert_eq!(
        (lines.len(), lines[7].as_str()),
        (8, "odd.json: 8 tools, 6 refused")
    );
}

#[test]
fn a_listing_may_have_any_of_its_usual_shapes() {
    let dir = Dir::new();
    let tool = r#"{"name":"a","inputSchema":{"type":"object"}}"#;
    for text in [
        format!("[{tool}]"),
        format!(r#"{{"tools":[{tool}]}}"#),
        format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{"tools":[{tool}]}}}}"#),
    ] {
        let run = toolsure(&["check", &dir.file("listing.json", &text)]);
        assert!(
            run.code == 0 && run.stdout.ends_with("\n1 tool: 1 ok\n"),
            "{text}: {}",
            run.stdout
        );
    }
}

#[test]
fn what_cannot_be_read_is_a_usage_error_with_its_place() {
    let dir = Dir::new();
    let path = dir.file("x.json", "{\n  \"tools\": [,]}");
    let run = toolsure(&["check", &path]);
    assert_eq!((run.code, run.stdout.as_str()), (2, ""));
    assert!(
        run.stderr.starts_with(&format!("error: {path}:2:13: ")),
        "{}",
        run.stderr
    );
    let path = dir.file("y.json", "{}");
    assert!(
        toolsure(&["check", &path])
            .stderr
            .contains("holds neither tools nor `mcpServers`")
    );
    let run = toolsure(&["check", "npx"]);
    assert!(
        run.code == 2
            && run
                .stderr
                .contains("to start a server write `toolsure check -- npx …`"),
        "{}",
        run.stderr
    );
    for wrong in [
        &["check"][..],
        &["check", "--demo", "x.json"],
        &["check", &path, "--header", "A: b"],
        &["check", "--timeout", "0", "--demo"],
    ] {
        assert_eq!(toolsure(wrong).code, 2, "{wrong:?}");
    }
}

#[test]
fn one_bad_tool_hides_no_other() {
    let dir = Dir::new();
    let deep = format!(
        "{}{}",
        "{\"not\":".repeat(5_000),
        "{}".to_owned() + &"}".repeat(5_000)
    );
    let text = format!(
        r#"[{{"name":"deep","inputSchema":{deep}}},
            {{"name":"twice","inputSchema":{{"type":"object","type":"object"}}}},
            {{"name":"digits","inputSchema":{{"type":"object","maxProperties":{}}}}},
            {{"name":"two","name":"faces","inputSchema":{{"type":"object"}}}},
            {{"name":"fine","inputSchema":{{"type":"object"}}}}]"#,
        "9".repeat(10_000)
    );
    let run = toolsure(&["check", &dir.file("bad.json", &text)]);
    assert!(
        run.code == 6 && run.stdout.contains("\n ok  fine    input 17 B\n"),
        "{}",
        run.stdout
    );
    assert!(
        run.stdout.ends_with("\n5 tools: 1 ok, 4 refused\n"),
        "{}",
        run.stdout
    );
}

#[test]
fn foreign_text_cannot_act_on_the_terminal() {
    let dir = Dir::new();
    let text = "[{\"name\":\"\\u001b[31mred\\u202e\",\"inputSchema\":{\"type\":\"\u{9b}2J\",\"$ref\":\"#/\u{202e}x\"}}]";
    let path = dir.file("evil.json", text);
    for format in ["human", "json", "github"] {
        let run = toolsure(&["check", "--format", format, &path]);
        let acts = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
        assert!(
            run.code == 6 && !run.stdout.contains(acts),
            "{format}: {:?}",
            run.stdout
        );
    }
}

#[test]
fn quiet_says_only_what_is_wrong_and_colour_only_where_asked() {
    let dir = Dir::new();
    let good = dir.file(
        "good.json",
        r#"[{"name":"a","inputSchema":{"type":"object"}}]"#,
    );
    assert_eq!(toolsure(&["check", "--quiet", &good]).stdout, "");
    assert!(!toolsure(&["check", &good]).stdout.contains('\u{1b}'));
    assert!(
        toolsure(&["check", "--color", "always", &good])
            .stdout
            .contains("\u{1b}[1m")
    );
    let odd = dir.file("odd.json", ODD);
    let run = toolsure(&["check", "-q", &odd]);
    assert!(
        !run.stdout.contains(" ok  fine") && run.stdout.contains("bad  fine"),
        "{}",
        run.stdout
    );
}

#[test]
fn commands_from_a_clients_configuration_need_consent() {
    let dir = Dir::new();
    let config = json!({"mcpServers": {
        "demo": {"command": PROGRAM, "args": ["serve-demo"], "env": {"X": "${HOME:-y}"}},
        "web": {"url": "http://127.0.0.1:1/mcp", "headers": {"Authorization": "Bearer hush"}},
        "odd": {"neither": 1},
    }});
    let path = dir.file("mcp.json", &config.to_string());
    let run = toolsure(&["check", &path, "--server", "demo"]);
    assert_eq!((run.code, run.stdout.as_str()), (2, ""));
    assert!(
        run.stderr
            .contains(&format!("  demo: {PROGRAM} serve-demo"))
            && run.stderr.contains("add `--yes`"),
        "{}",
        run.stderr
    );
    let run = toolsure(&["check", &path, "--server", "demo", "--yes"]);
    assert!(
        run.code == 6 && run.stdout.contains("5 tools: 3 ok, 2 refused"),
        "{}",
        run.stdout
    );
    let run = toolsure(&["check", &path, "--server", "web"]);
    assert!(
        run.code == 4 && run.stderr.contains("cannot reach") && !run.stderr.contains("hush"),
        "{}",
        run.stderr
    );
    let run = toolsure(&["check", &path, "--server", "odd", "-y"]);
    assert!(
        run.code == 2
            && run
                .stderr
                .contains("server `odd`: has neither `command` nor `url`"),
        "{}",
        run.stderr
    );
    let run = toolsure(&["check", &path, "--server", "nope"]);
    assert!(
        run.code == 2 && run.stderr.contains("there is no server `nope` in the file"),
        "{}",
        run.stderr
    );
}

#[toolsure_needs::needs("corpus/listings")]
#[test]
fn published_listings_are_read_and_their_tools_judged() {
    let corpus = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../../shared/corpus/listings"
    );
    for file in std::fs::read_dir(corpus).unwrap() {
        let path = file.unwrap().path();
        let run = toolsure(&["check", "--quiet", path.to_str().unwrap()]);
        assert!(
            matches!(run.code, 0 | 6),
            "{}: {}",
            path.display(),
            run.stderr
        );
    }
}

/// Only the first of very many bad tools are shown; `--all` and JSON have all of them.
#[test]
fn very_many_bad_tools_are_summed_up() {
    let dir = Dir::new();
    let tool = |n: u32| format!(r#"{{"name":"t{n}","inputSchema":{{"type":{n}}}}}"#);
    let tools: Vec<String> = (0..5_000).map(tool).collect();
    let path = dir.file("many.json", &format!("{{\"tools\":[{}]}}", tools.join(",")));
    let run = toolsure(&["check", &path]);
    assert_eq!(run.code, 6);
    assert_eq!(run.stdout.matches("error[TL017]").count(), 50);
    let told = "\n… and more: 4950 refused; `--all` shows them\n\n5000 tools: 5000 refused\n";
    assert!(run.stdout.ends_with(told), "{}", run.stdout.len());
    assert!(run.stdout.len() < 60_000, "{}", run.stdout.len());
    let all = toolsure(&["check", "--all", &path]);
    assert_eq!(all.stdout.matches("error[TL017]").count(), 5_000);
    let json = toolsure(&["check", "--format", "json", &path]);
    let json: Value = serde_json::from_str(&json.stdout).unwrap();
    let last = &json["reports"][0]["tools"][4_999]["findings"][0];
    let column = tools[..4_999].join(",").len() + 50;
    assert_eq!(
        (&last["line"], &last["column"]),
        (&1.into(), &column.into())
    );
}

/// A folder or a pattern means its files; files with other content are skipped.
#[test]
fn folders_and_patterns_stand_for_their_files() {
    let dir = Dir::new();
    for folder in ["a", "a/b", "node_modules"] {
        std::fs::create_dir(dir.path(folder)).unwrap();
    }
    let tool = |name: &str| {
        format!(
            r#"[{{"name": "{name}", "description": "d", "inputSchema": {{"type": "object"}}}}]"#
        )
    };
    dir.file("a/one.json", &tool("one"));
    dir.file("a/b/two.jsonc", &format!("// two\n{}", tool("two")));
    dir.file("a/package.json", r#"{"name": "x"}"#);
    dir.file("node_modules/three.json", &tool("three"));
    let names = |args: &[&str]| -> Vec<String> {
        let run = toolsure(&[&["check", "--format", "json"], args].concat());
        let document: Value = serde_json::from_str(&run.stdout).unwrap();
        let reports = document["reports"].as_array().unwrap();
        let name = |report: &Value| report["tools"][0]["name"].as_str().unwrap().to_owned();
        reports.iter().map(name).collect()
    };
    let root = dir.path("");
    assert_eq!(names(&[&root]), ["two", "one"]);
    assert_eq!(names(&[&format!("{root}**/o*.json")]), ["one"]);
    assert_eq!(
        names(&[&dir.path("a/one.json"), &dir.path("a/b")]),
        ["one", "two"]
    );
    let none = toolsure(&["check", &format!("{root}*.none")]);
    assert!(
        none.code == 2 && none.stderr.contains("there is no listing"),
        "{}",
        none.stderr
    );
    let wide = dir.file("wide.json", "");
    std::fs::write(&wide, b"\xFF\xFE[\0]\0").unwrap();
    let run = toolsure(&["check", &wide]);
    assert!(
        run.code == 2 && run.stderr.contains("is UTF-16; save it as UTF-8"),
        "{}",
        run.stderr
    );
}

/// With `--client`, what the named readers refuse is part of the verdict.
#[test]
fn clients_have_their_own_verdicts() {
    let dir = Dir::new();
    let path = dir.file(
        "a.json",
        r#"[{"name": "a", "inputSchema": {"type": "object", "anyOf": [{"required": ["x"]}], "properties": {"x": {}}}}]"#,
    );
    let all = toolsure(&["check", &path]);
    assert_eq!(
        (all.code, all.stdout.contains("TL080")),
        (0, false),
        "{}",
        all.stdout
    );
    for client in ["openai", "claude-code,cursor"] {
        let run = toolsure(&["check", "--client", client, &path]);
        assert!(run.stdout.contains("TL080"), "{client}: {}", run.stdout);
    }
    let run = toolsure(&["check", "--client", "llama-cpp", &path]);
    assert!(!run.stdout.contains("TL080"), "{}", run.stdout);
    assert_eq!(toolsure(&["check", "--client", "nobody", &path]).code, 2);
}
