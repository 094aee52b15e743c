//! `toolsure check` on running servers: exit codes, faults, saved listings.

use crate::run::{Dir, Run, check_python, toolsure};

const GOOD: &str = r#"
import sys, json
print("hello from the server", flush=True)
for line in sys.stdin:
    m = json.loads(line)
    if "id" not in m: continue
    r = {"jsonrpc": "2.0", "id": m["id"]}
    if m["method"] == "initialize":
        r["result"] = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "p\u001b", "version": "1"}}
    elif m["method"] == "tools/list":
        r["result"] = {"tools": [{"name": "big", "inputSchema": {"type": "object", "maximum": 12345678901234567890123}}]}
    else:
        r["error"] = {"code": -32601, "message": "no"}
    print(json.dumps(r), flush=True)
"#;

#[test]
fn the_demo_shows_a_verdict_per_tool() {
    let run = toolsure(&["check", "--demo"]);
    assert_eq!((run.code, run.stderr.as_str()), (6, ""));
    let start = "\
toolsure serve-demo
toolsure-demo 0.1.0, protocol 2026-07-28 (modern)

 ok  get-weather-forecast  input 258 B, output 270 B
 ok  get-count             input 181 B, output 30 B
 ok  find-by-id-or-name    input 264 B, output 246 B
bad  hostile-schema        input 603 B
     error[TL028]: more schema depth than the 64 allowed
";
    assert!(run.stdout.starts_with(start), "{}", run.stdout);
    assert!(
        run.stdout
            .contains("\"start\":{\"$ref\":\"#/$defs/strat\"}}"),
        "{}",
        run.stdout
    );
    assert!(
        run.stdout.ends_with("\n5 tools: 3 ok, 2 refused\n"),
        "{}",
        run.stdout
    );
}

/// A server of 2026-07-28 that answers with these results, and knows no other method.
fn modern(results: &str) -> String {
    format!(
        r#"
import sys, json
results = json.loads({results:?})
results["server/discover"] = {{"resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": {{"tools": {{}}}}, "ttlMs": 0, "cacheScope": "public"}}
for line in sys.stdin:
    m = json.loads(line)
    if "id" not in m: continue
    r = {{"jsonrpc": "2.0", "id": m["id"]}}
    if m["method"] in results: r["result"] = results[m["method"]]
    else: r["error"] = {{"code": -32601, "message": "no"}}
    print(json.dumps(r), flush=True)
"#
    )
}

/// The readers that lose the list, by the pointer of each finding on a page.
fn lost(run: &Run) -> Vec<String> {
    let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    let report = &report["reports"][0];
    assert_eq!(report["tools"][0]["verdict"], "ok", "{report}");
    let findings = report["findings"].as_array().unwrap();
    let each = findings.iter().map(|one| {
        let text = |name: &str| one[name].as_str().unwrap().to_owned();
        let readers = one["readers"].to_string().replace('"', "");
        let consequence = one["consequence"].as_str().unwrap_or("-");
        format!(
            "{}{} {readers} {consequence}",
            text("list"),
            text("pointer")
        )
    });
    each.collect()
}

#[test]
fn what_is_missing_on_a_page_and_who_loses_the_list_is_told() {
    let tool = r#"{"name": "a", "inputSchema": {"type": "object", "properties": {}}}"#;
    let whole = r#""resultType": "complete", "ttlMs": 0, "cacheScope": "public""#;
    for (members, expected) in [
        (whole, vec![]),
        (
            r#""resultType": "complete", "cacheScope": "public""#,
            vec!["tools/list [typescript-sdk-2,python-sdk] list lost"],
        ),
        (
            r#""resultType": "complete", "ttlMs": null, "cacheScope": "", "_meta": null, "nextCursor": null"#,
            vec![
                "tools/list/ttlMs [typescript-sdk-2,python-sdk] list lost",
                "tools/list/cacheScope [typescript-sdk-2,python-sdk,rmcp] list lost",
                "tools/list/_meta [typescript-sdk] hangs",
                "tools/list/nextCursor [typescript-sdk] list lost",
            ],
        ),
    ] {
        let results = format!(r#"{{"tools/list": {{"tools": [{tool}], {members}}}}}"#);
        let run = check_python(&modern(&results), &["--format", "json"]);
        assert_eq!(lost(&run), expected, "{members}");
        assert_eq!(
            run.code,
            if expected.is_empty() { 0 } else { 6 },
            "{members}"
        );
        if expected.len() > 1 {
            let run = check_python(&modern(&results), &[]);
            let end = "1 tool: 1 ok, `tools/list` refused\n";
            assert!(run.stdout.ends_with(end), "{}", run.stdout);
            let head = "\na server without a name, protocol 2026-07-28";
            assert!(run.stdout.contains(head), "{}", run.stdout);
            let help = "help: the TypeScript SDK hangs; leave it out";
            assert!(run.stdout.contains(help), "{}", run.stdout);
        }
    }
}

#[test]
fn other_lists_are_read_when_asked_for() {
    let page = r#""resultType": "complete", "ttlMs": 0, "cacheScope": "public""#;
    let results = format!(
        r#"{{"tools/list": {{"tools": [{{"name": "a", "inputSchema": {{"type": "object", "properties": {{}}}}}}], {page}}},
        "prompts/list": {{"prompts": [{{"name": "a", "title": null}}, {{"title": "b"}}], {page}}},
        "resources/list": {{"resources": {{}}, {page}}},
        "skills/list": {{"skills": [{{"uri": "x://a", "frontmatter": {{}}, "resources": [{{"uri": "x://b", "size": 1}}]}}], "resultType": "complete", "ttlMs": 0}}}}"#
    )
    .replace('\n', " ");
    let run = check_python(&modern(&results), &["--format", "json"]);
    assert_eq!((lost(&run).len(), run.code), (0, 0));
    let run = check_python(&modern(&results), &["--format", "json", "--all-lists"]);
    assert_eq!(run.code, 6);
    assert_eq!(
        lost(&run),
        [
            "resources/list/resources [typescript-sdk] list lost",
            "skills/list [typescript-sdk-2,python-sdk] list lost",
            "prompts/list/prompts/0/title [typescript-sdk] list lost",
            "prompts/list/prompts/1 [typescript-sdk] list lost",
            "skills/list/skills/0/resources [] -",
        ]
    );
}

#[test]
fn a_good_server_is_zero_and_its_manners_are_noted() {
    let run = check_python(GOOD, &[]);
    assert_eq!(run.code, 0, "{}", run.stdout);
    assert!(
        run.stdout
            .contains("\np\\u{1b} 1, protocol 2025-11-25 (legacy)\n"),
        "{}",
        run.stdout
    );
    let note = "note: 1 line on stdout ignored, not JSON-RPC; first: `hello from the server`";
    assert!(run.stdout.contains(note), "{}", run.stdout);
}

#[test]
fn a_saved_listing_checks_the_same_and_keeps_its_numbers() {
    let dir = Dir::new();
    let path = dir.path("saved.json");
    assert_eq!(check_python(GOOD, &["--save", &path]).code, 0);
    let saved = std::fs::read_to_string(&path).unwrap();
    assert!(
        saved.contains("12345678901234567890123")
            && saved.contains("\"protocolVersion\": \"2025-11-25\""),
        "{saved}"
    );
    let run = toolsure(&["check", &path]);
    assert!(
        run.code == 0
            && run
                .stdout
                .contains("p\\u{1b} 1, protocol 2025-11-25 (legacy)"),
        "{}",
        run.stdout
    );
}

#[test]
fn a_server_that_dies_is_four_with_its_last_words() {
    let run = check_python("import sys; sys.exit('no token in the environment')", &[]);
    assert_eq!(run.code, 4);
    let told = "error: `python3` exited with status 1 before it answered\n  | no token in the environment\n  = help: ";
    assert!(run.stderr.contains(told), "{}", run.stderr);
    assert_eq!(run.stdout, "");
    let run = check_python("import sys; sys.exit(1)", &["--format", "json"]);
    let document: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(document["reports"][0]["fault"]["kind"], "exited");
    assert_eq!((document["exit"].as_i64(), run.code), (Some(4), 4));
}

#[test]
fn silence_is_four_within_the_timeout() {
    let start = std::time::Instant::now();
    let run = check_python("import time; time.sleep(60)", &[]);
    assert!(
        run.code == 4
            && run
                .stderr
                .contains("no answer to `initialize` within 3 s\n"),
        "{}",
        run.stderr
    );
    assert!(start.elapsed().as_secs() < 9);
}

#[test]
fn a_command_that_is_not_there_is_four() {
    let run = toolsure(&["check", "--", "no-such-program-7"]);
    assert!(
        run.code == 4 && run.stderr.contains("is it installed and on `PATH`?"),
        "{}",
        run.stderr
    );
}

#[test]
fn completions_are_written_for_shells() {
    for shell in ["bash", "zsh", "fish"] {
        let run = toolsure(&["completions", shell]);
        assert!(
            run.code == 0 && run.stdout.contains("serve-demo"),
            "{shell}"
        );
    }
}
