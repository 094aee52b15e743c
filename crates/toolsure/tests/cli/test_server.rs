//! `toolsure test-server` and `toolsure replay`.

use serde_json::Value;
use toolsure_schema::{Compiler, Verdict, Workspace};

use crate::run::{Dir, PROGRAM, Run, toolsure};

/// A server on standard input and output. Its argument names a fault that it has.
const SERVER: &str = r#"
import json, sys, os
fault = sys.argv[1]
TOOLS = [{"name": "get_order", "annotations": {"readOnlyHint": True},
    "inputSchema": {"type": "object", "required": ["id"], "additionalProperties": False, "properties": {
        "id": {"type": "integer", "minimum": 1, "maximum": 9}, "form": {"enum": ["short", "long"]}}},
    "outputSchema": {"type": "object", "required": ["id"], "properties": {"id": {"type": "integer"}, "note": {"type": "string"}}}},
    {"name": "delete_order", "inputSchema": {"type": "object"}}]
def call(name, a):
    if name != "get_order":
        return {"error": {"code": -32602, "message": "Unknown tool: " + name}} if fault != "unknown-tool" else text({})
    i, form = a.get("id"), a.get("form", "short")
    good = isinstance(i, int) and not isinstance(i, bool) and 1 <= i <= (9 if fault != "bound" else 10) and form in ("short", "long")
    if set(a) - {"id", "form"} or not good:
        return {"content": [{"type": "text", "text": "no such order"}], "isError": True}
    if fault == "crash" and i == 9:
        os._exit(3)
    if fault == "exception" and form == "long":
        return {"content": [{"type": "text", "text": "Error executing tool get_order: 'note'"}], "isError": True}
    if fault == "silent-error" and form == "long":
        return {"content": [], "isError": True}
    value = {"id": i}
    if form == "long":
        value["note"] = None if fault == "null" else "x"
    if fault == "no-text":
        return {"content": [], "structuredContent": value}
    if fault == "shape":
        return {"content": {"type": "text", "text": json.dumps(value)}, "structuredContent": value}
    return text(value)
def text(value):
    return {"content": [{"type": "text", "text": json.dumps(value)}], "structuredContent": value}
count = 0
for line in sys.stdin:
    m = json.loads(line)
    if "id" not in m: continue
    r = {"error": {"code": -32601, "message": "no"}}
    if m["method"] == "initialize":
        r = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "orders", "version": "1"}}
    if m["method"] == "tools/list":
        count += 1
        r = {"tools": TOOLS if fault != "list" or count == 1 else TOOLS[:1]}
        if fault == "cursor": r["nextCursor"] = "again"
    if m["method"] == "tools/call":
        r = call(m["params"]["name"], m["params"].get("arguments", {}))
    m = {"jsonrpc": "2.0", "id": m["id"]}
    m.update(r if "error" in r else {"result": r})
    if fault == "noise": print("listening")
    print(json.dumps(m), flush=True)
"#;

/// Tests the server with a fault.
fn test(fault: &str, more: &[&str]) -> Run {
    let mut args = vec!["test-server", "--rate", "1000", "--call-timeout", "5"];
    args.extend(more);
    args.extend(["--", "python3", "-c", SERVER, fault]);
    toolsure(&args)
}

/// The codes of all findings, and the first finding's arguments.
fn codes(run: &Run) -> (Vec<String>, Value) {
    let document: Value = serde_json::from_str(&run.stdout).unwrap();
    let report = &document["reports"][0];
    let tools = report["tools"].as_array().unwrap().iter();
    let findings = tools.flat_map(|tool| tool["findings"].as_array().unwrap());
    let findings: Vec<&Value> = findings
        .chain(report["findings"].as_array().unwrap())
        .collect();
    let codes = findings
        .iter()
        .map(|one| one["code"].as_str().unwrap().to_owned());
    let first = findings
        .first()
        .map_or(Value::Null, |one| one["arguments"].clone());
    (codes.collect(), first)
}

#[test]
fn each_fault_is_found_with_the_smallest_call_and_none_without_one() {
    for (fault, code, arguments) in [
        ("none", None, "null"),
        (
            "null",
            Some("result-schema"),
            r#"{"id": 1, "form": "long"}"#,
        ),
        ("bound", Some("accepts-invalid"), r#"{"id": 10}"#),
        ("crash", Some("crash"), r#"{"id": 9}"#),
        (
            "exception",
            Some("uncaught-exception"),
            r#"{"id": 1, "form": "long"}"#,
        ),
        (
            "silent-error",
            Some("error-without-text"),
            r#"{"id": 1, "form": "long"}"#,
        ),
        ("no-text", Some("text-block"), r#"{"id": 1}"#),
        ("shape", Some("result-shape"), r#"{"id": 1}"#),
        ("unknown-tool", Some("unknown-tool"), "null"),
        ("list", Some("stale-list"), "null"),
        ("cursor", Some("pagination"), "null"),
        ("noise", Some("bad-output"), "null"),
    ] {
        let run = test(fault, &["--format", "json"]);
        let (found, first) = codes(&run);
        assert_eq!(
            found.first().map(String::as_str),
            code,
            "{fault}: {}",
            run.stdout
        );
        let arguments: Value = serde_json::from_str(arguments).unwrap();
        assert_eq!(first, arguments, "{fault}");
        let is_error = !matches!(
            fault,
            "none" | "silent-error" | "no-text" | "noise" | "exception"
        );
        assert_eq!(run.code, i32::from(is_error), "{fault}: {}", run.stdout);
    }
}

#[test]
fn tools_that_may_change_something_are_called_only_if_that_is_asked_for() {
    let made = |args: &[&str]| -> Vec<(String, u64)> {
        let run = test("none", &[&["--format", "json"], args].concat());
        let document: Value = serde_json::from_str(&run.stdout).unwrap();
        let tools = document["reports"][0]["tools"].as_array().unwrap().clone();
        let tools = tools.iter().map(|tool| {
            let name = tool["name"].as_str().unwrap().to_owned();
            (name, tool["calls"].as_u64().unwrap())
        });
        tools.collect()
    };
    let of = |made: &[(String, u64)], name: &str| {
        made.iter()
            .find(|(one, _)| one == name)
            .map(|(_, calls)| *calls)
    };
    let usual = made(&[]);
    assert!(
        of(&usual, "get_order") > Some(5) && of(&usual, "delete_order") == Some(0),
        "{usual:?}"
    );
    let named = made(&["--tool", "delete_order"]);
    assert!(
        of(&named, "get_order").is_none() && of(&named, "delete_order") > Some(0),
        "{named:?}"
    );
    let all = made(&["--allow-writes"]);
    assert!(of(&all, "delete_order") > Some(0), "{all:?}");
    let few = made(&["--calls", "3"]);
    assert_eq!(
        few.iter().map(|(_, calls)| calls).sum::<u64>(),
        3,
        "{few:?}"
    );
}

#[test]
fn a_report_says_how_to_repeat_a_call_and_that_works() {
    let run = test("bound", &[]);
    assert_eq!(run.code, 1);
    let call = "--call 'get_order={\"id\":10}'";
    assert!(run.stdout.contains(call), "{}", run.stdout);
    assert!(
        run.stdout.contains("answered with a result, although "),
        "{}",
        run.stdout
    );
    let again = test("bound", &["--call", "get_order={\"id\":10}"]);
    assert_eq!(again.code, 1, "{}", again.stdout);
    assert!(again.stdout.contains("1 call, seed 1"), "{}", again.stdout);
    let mended = test("none", &["--call", "get_order={\"id\":10}"]);
    assert_eq!(mended.code, 0, "{}", mended.stdout);
}

#[test]
fn each_format_names_the_finding() {
    let has = |format: &str, texts: &[&str]| {
        let run = test("null", &["--format", format]);
        for text in texts {
            assert!(run.stdout.contains(text), "{format}: {}", run.stdout);
        }
        assert_eq!(run.code, 1);
        run.stdout
    };
    has(
        "junit",
        &[
            "<testcase",
            "name=\"get_order\"",
            "<failure message=\"result-schema:",
            "<skipped",
        ],
    );
    has("github", &["::error title=get_order%3A result-schema::"]);
    let sarif: Value = serde_json::from_str(&has("sarif", &["result-schema"])).unwrap();
    assert_eq!(sarif["runs"][0]["results"][0]["ruleId"], "result-schema");
    let schema = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../docs/output/test-server.schema.json"
    );
    let schema = Compiler::new()
        .compile(&std::fs::read(schema).unwrap())
        .unwrap();
    for document in [has("json", &[]), test("none", &["--format", "json"]).stdout] {
        let verdict = schema.check(&mut Workspace::new(), document.as_bytes());
        assert_eq!(verdict.unwrap(), Verdict::Valid, "{document}");
    }
}

#[test]
fn values_come_from_the_flags_and_the_settings_of_the_project() {
    let dir = Dir::new();
    let record = dir.path("calls.jsonl");
    let config = dir.file("toolsure.toml", "[values]\n\"get_order.form\" = \"long\"\n");
    let run = test(
        "none",
        &["--config", &config, "--value", "id=7", "--record", &record],
    );
    assert_eq!(run.code, 0, "{}", run.stdout);
    let recorded = std::fs::read_to_string(&record).unwrap();
    assert!(
        recorded.contains(r#""arguments":{"id":7,"form":"long"}"#),
        "{recorded}"
    );
    let wrong = test("none", &["--value", "id=a"]);
    assert!(
        wrong.code == 2 && wrong.stderr.contains("a string needs quotes"),
        "{}",
        wrong.stderr
    );
}

#[test]
fn a_tool_whose_schema_refuses_a_given_value_is_not_called() {
    let run = test("none", &["--value", "id=70"]);
    assert_eq!(run.code, 2, "{}", run.stdout);
    let why = "no arguments with the given values (`--value`, `[values]`) were found that its schema accepts";
    assert!(run.stdout.contains(why), "{}", run.stdout);
}

#[test]
fn a_run_that_reaches_no_server_leaves_the_recording_as_it_was() {
    let dir = Dir::new();
    let record = dir.file("calls.jsonl", "kept");
    let run = toolsure(&["test-server", "--record", &record, "--", "false"]);
    assert_eq!(run.code, 4, "{}", run.stderr);
    assert_eq!(std::fs::read_to_string(&record).unwrap(), "kept");
}

#[test]
fn a_recording_is_served_and_compared() {
    let dir = Dir::new();
    let record = dir.path("calls.jsonl");
    assert_eq!(test("none", &["--record", &record]).code, 0);
    let against = test("none", &["--against", &record, "--format", "json"]);
    assert_eq!(
        codes(&against).0,
        Vec::<String>::new(),
        "{}",
        against.stdout
    );
    let changed = test("null", &["--against", &record, "--format", "json"]);
    let (found, first) = codes(&changed);
    assert_eq!(found[0], "changed", "{}", changed.stdout);
    assert_eq!(first["form"], "long");
    let replay = |more: &[&str]| -> Vec<String> {
        let mut args = vec![
            "test-server",
            "--against",
            &record,
            "--call-timeout",
            "1",
            "--calls",
            "6",
            "--format",
            "json",
            "--",
            PROGRAM,
            "replay",
        ];
        args.extend(more);
        args.push(&record);
        codes(&toolsure(&args)).0
    };
    assert_eq!(replay(&[]), Vec::<String>::new());
    for fault in ["hang", "cut", "invalid-result"] {
        let found = replay(&["--fault", fault]);
        assert!(found.contains(&"changed".to_owned()), "{fault}: {found:?}");
    }
    let not_one = toolsure(&["replay", &dir.file("x", "{}")]);
    assert!(
        not_one.code == 2 && not_one.stderr.contains("this is no recording"),
        "{}",
        not_one.stderr
    );
    // What is saved is a listing, and no server.
    let listing = dir.file("listing.json", r#"{"tools": []}"#);
    let saved = toolsure(&["test-server", &listing]);
    assert!(
        saved.code == 2 && saved.stderr.contains("no server"),
        "{}",
        saved.stderr
    );
}

#[test]
fn the_demonstration_server_keeps_its_contracts_in_both_versions() {
    let run = toolsure(&["test-server", "--demo", "--allow-writes", "--rate", "1000"]);
    assert_eq!(run.code, 0, "{}", run.stdout);
    assert!(run.stdout.contains("3 of 5 tools called"), "{}", run.stdout);
}
