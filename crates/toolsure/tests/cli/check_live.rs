//! `toolsure check` on running servers: exit codes, faults, saved listings.

use crate::run::{Dir, check_python, toolsure};

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
