//! `toolsure lint` and `toolsure explain`: findings in every format, locations, fixes, exit codes.

use serde_json::Value;

use crate::run::{Dir, toolsure};

const LISTING: &str = r#"{
  "tools": [
    {"name": "find", "description": "Finds pages", "inputSchema": {
      "type": "object",
      "properties": {
        "query": {"type": "string", "minLenght": 3, "description": "words"},
        "since": {"type": "string", "default": null, "description": "first day"},
        "over": {"type": "number", "minimum": 0, "exclusiveMinimum": true, "description": "least score"}
      },
      "required": []
    }},
    {"name": "bare", "inputSchema": {"type": "object", "properties": {}}}
  ]
}
"#;

#[test]
fn people_see_what_matters_with_its_line() {
    let dir = Dir::new();
    let path = dir.file("listing.json", LISTING);
    let run = toolsure(&["lint", &path]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    for text in [
        "error[TL032]: `minLenght` is not a keyword of JSON Schema; validators ignore it",
        "listing.json:6:37",
        "help: did you mean `minLength`?",
        "error[TL022]: `exclusiveMinimum` is a boolean",
        "warning[TL046]: the default `null` does not match its own schema",
        "warning[TL006]: the tool has no description",
        "2 errors, 2 warnings",
    ] {
        assert!(run.stdout.contains(text), "{text}\n{}", run.stdout);
    }
    assert!(!run.stdout.contains("TL071"));
}

#[test]
fn rules_and_levels_can_be_chosen() {
    let dir = Dir::new();
    let path = dir.file("listing.json", LISTING);
    let codes = |args: &[&str]| -> (i32, Vec<String>) {
        let mut all = vec!["lint", "--format", "json"];
        all.extend(args);
        all.push(&path);
        let run = toolsure(&all);
        let document: Value = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!(document["exit"], run.code);
        let findings = document["reports"][0]["findings"]
            .as_array()
            .unwrap()
            .clone();
        (
            run.code,
            findings
                .iter()
                .map(|one| one["code"].as_str().unwrap().to_owned())
                .collect(),
        )
    };
    assert_eq!(
        codes(&[]),
        (
            1,
            ["TL022", "TL032", "TL046", "TL006"]
                .map(str::to_owned)
                .to_vec()
        )
    );
    let (code, found) = codes(&["--allow", "TL022,misspelt-keyword"]);
    assert_eq!((code, found.len()), (0, 2));
    assert_eq!(
        codes(&["--allow", "TL022,TL032", "--fail-on", "warning"]).0,
        1
    );
    assert!(
        codes(&["--deny", "no-annotations"])
            .1
            .contains(&"TL012".to_owned())
    );
    let (_, strict) = codes(&["--profile", "strict", "--level", "note"]);
    assert!(strict.contains(&"TL071".to_owned()) && strict.contains(&"TL077".to_owned()));
    let wrong = toolsure(&["lint", "--allow", "TL999", &path]);
    assert_eq!(wrong.code, 2);
    assert!(wrong.stderr.contains("there is no rule `TL999`"));
}

#[test]
fn safe_fixes_mend_the_file_and_show_what_they_did() {
    let dir = Dir::new();
    let path = dir.file("listing.json", LISTING);
    let shown = toolsure(&["lint", "--fix", "--diff", "--profile", "strict", &path]);
    assert_eq!(shown.code, 0, "{}", shown.stderr);
    assert!(
        shown.stdout.contains("TL071") && shown.stdout.contains("- \"default\": null"),
        "{}",
        shown.stdout
    );
    assert_eq!(std::fs::read_to_string(&path).unwrap(), LISTING);

    let run = toolsure(&["lint", "--fix", "--profile", "strict", &path]);
    assert_eq!(run.code, 1);
    assert!(
        run.stderr
            .contains("3 fixes applied: 1 × TL022, 1 × TL046, 1 × TL071"),
        "{}",
        run.stderr
    );
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(
        text.contains(r#"{"type": "number", "exclusiveMinimum": 0, "description""#),
        "{text}"
    );
    assert!(!text.contains("required") && !text.contains("null"));
    assert!(text.contains("minLenght"));
    assert!(serde_json::from_str::<Value>(&text).is_ok());

    let run = toolsure(&["lint", "--fix", "--unsafe-fixes", &path]);
    assert_eq!(run.code, 0, "{}", run.stdout);
    assert!(
        std::fs::read_to_string(&path)
            .unwrap()
            .contains("minLength")
    );
    assert_eq!(toolsure(&["lint", "--fix", "--demo"]).code, 2);
}

#[test]
fn sarif_has_rules_places_and_fixes() {
    let dir = Dir::new();
    let path = dir.file("listing.json", LISTING);
    let run = toolsure(&["lint", "--format", "sarif", &path]);
    let log: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(log["version"], "2.1.0");
    let one = &log["runs"][0];
    let results = one["results"].as_array().unwrap();
    let misspelt = results
        .iter()
        .find(|result| result["ruleId"] == "TL032")
        .unwrap();
    let index = usize::try_from(misspelt["ruleIndex"].as_u64().unwrap()).unwrap();
    assert_eq!(one["tool"]["driver"]["rules"][index]["id"], "TL032");
    let region = &misspelt["locations"][0]["physicalLocation"]["region"];
    assert_eq!(
        (region["startLine"].as_u64(), region["startColumn"].as_u64()),
        (Some(6), Some(37))
    );
    assert_eq!(
        misspelt["fixes"][0]["artifactChanges"][0]["replacements"][0]["insertedContent"]["text"],
        "\"minLength\""
    );
}

/// Code scanning recognises a finding by its fingerprint, so lines may move, and equal findings differ.
#[test]
fn sarif_has_fingerprints_that_survive_moved_lines() {
    let dir = Dir::new();
    let fingerprints = |command: &str, text: &str| -> Vec<String> {
        let old = dir.file(
            "old.json",
            r#"{"tools": [{"name": "find", "inputSchema": {}}]}"#,
        );
        let new = dir.file("listing.json", text);
        let files = match command {
            "diff" => vec![&old, &new],
            _ => vec![&new],
        };
        let mut args = vec![command, "--format", "sarif"];
        args.extend(files.into_iter().map(String::as_str));
        let run = toolsure(&args);
        let log: Value = serde_json::from_str(&run.stdout).unwrap();
        let results = log["runs"][0]["results"].as_array().unwrap();
        let mut all: Vec<String> = results
            .iter()
            .map(|result| {
                let all = &result["partialFingerprints"];
                assert_eq!(all["primaryLocationLineHash"], all["toolsureFinding/v1"]);
                all["toolsureFinding/v1"].as_str().unwrap().to_owned()
            })
            .collect();
        all.sort();
        all
    };
    let tool = r##"{"name": "find", "inputSchema": {"type": "objec", "properties": {"q": {"$ref": "#/nothing"}}}}"##;
    for command in ["lint", "check", "diff"] {
        let plain = fingerprints(command, &format!("[{tool}]"));
        let moved = format!("[\n\n{}]", tool.replace(", ", ",\n"));
        assert_eq!(plain, fingerprints(command, &moved), "{command}");
        let other = tool.replace("find", "seek");
        assert_ne!(
            plain,
            fingerprints(command, &format!("[{other}]")),
            "{command}"
        );
        let twice = fingerprints(command, &format!("[{tool}, {tool}]"));
        let mut unique = twice.clone();
        unique.dedup();
        assert_eq!(twice, unique, "{command}");
    }
}

/// Code scanning refuses a log in which several runs have the same tool.
#[test]
fn sarif_of_several_files_is_one_run() {
    let dir = Dir::new();
    let (one, other) = (
        dir.file("one.json", LISTING),
        dir.file("other.json", LISTING),
    );
    for command in ["lint", "check"] {
        let run = toolsure(&[command, "--format", "sarif", &one, &other]);
        let log: Value = serde_json::from_str(&run.stdout).unwrap();
        let runs = log["runs"].as_array().unwrap();
        assert_eq!(runs.len(), 1, "{command}");
        for name in ["one.json", "other.json"] {
            assert!(
                runs[0]["results"].to_string().contains(name),
                "{command} {name}"
            );
        }
    }
}

#[test]
fn github_gets_workflow_commands_and_the_demo_is_linted() {
    let dir = Dir::new();
    let path = dir.file("listing.json", LISTING);
    let run = toolsure(&["lint", "--format", "github", "--level", "note", &path]);
    assert!(run.stdout.contains("::error file="), "{}", run.stdout);
    assert!(
        run.stdout.contains(",line=6,col=37,title=TL032 find::"),
        "{}",
        run.stdout
    );
    // The demonstration has a hostile tool on purpose.
    let demo = toolsure(&["lint", "--demo"]);
    assert_eq!(demo.code, 1, "{}{}", demo.stdout, demo.stderr);
    assert!(demo.stdout.contains("error[TL025]"), "{}", demo.stdout);
    let gone = toolsure(&["lint", "--timeout", "3", "--", "/nonexistent/server"]);
    assert_eq!(
        gone.code,
        toolsure(&["check", "--timeout", "3", "--", "/nonexistent/server"]).code
    );
}

#[test]
fn pages_are_explained() {
    let run = toolsure(&["explain", "tl032"]);
    assert_eq!(run.code, 0);
    assert!(run.stdout.contains("TL032 misspelt-keyword") && run.stdout.contains("Why"));
    assert_eq!(
        toolsure(&["explain", "misspelt-keyword"]).stdout,
        run.stdout
    );
    assert_eq!(toolsure(&["explain", "TL999"]).code, 2);
    assert!(toolsure(&["explain"]).stdout.lines().count() > 60);
}

/// Findings that make the command fail are shown, unless fewer are asked for.
#[test]
fn fail_on_shows_what_failed() {
    let dir = Dir::new();
    let path = dir.file(
        "listing.json",
        r#"[{"name": "find", "description": "Find a record by its id.", "inputSchema": {"type": "object", "properties": {"q": {"type": "string", "description": "The id of the record.", "format": "record-id"}}}}]"#,
    );
    let run = toolsure(&["lint", &path]);
    assert!(
        run.code == 0 && !run.stdout.contains("note[TL"),
        "{}",
        run.stdout
    );
    let run = toolsure(&["lint", "--fail-on", "note", &path]);
    assert!(
        run.code == 1 && run.stdout.contains("note[TL"),
        "{}",
        run.stdout
    );
    let run = toolsure(&["lint", "--fail-on", "note", "--level", "error", &path]);
    assert!(
        run.code == 1 && !run.stdout.contains("note[TL"),
        "{}",
        run.stdout
    );
}

/// Cursor puts the server's name before the tool's name.
#[test]
fn the_name_of_the_server_counts() {
    let dir = Dir::new();
    let tool = format!(
        r#"{{"name": "{}", "description": "d", "inputSchema": {{"type": "object"}}}}"#,
        "t".repeat(52)
    );
    let named = r#""serverInfo": {"name": "warehouse", "version": "1"}, "#;
    let saved = dir.file("saved.json", &format!(r#"{{{named}"tools": [{tool}]}}"#));
    let bare = dir.file("bare.json", &format!(r#"{{"tools": [{tool}]}}"#));
    let of_several = format!(r#"{{"listings": {{"warehouse": {{"tools": [{tool}]}}}}}}"#);
    let of_several = dir.file("several.json", &of_several);
    for (args, expected) in [
        (vec![bare.as_str()], false),
        (vec![&saved], true),
        (vec![&of_several], true),
        (vec!["--server-name", "warehouse", &bare], true),
        (vec!["--server-name", "shop", &saved], false),
    ] {
        let mut all = vec!["lint", "--profile", "cursor"];
        all.extend(&args);
        let run = toolsure(&all);
        let told = run.stdout.contains("TL096");
        assert_eq!(told, expected, "{args:?}\n{}", run.stdout);
    }
}
