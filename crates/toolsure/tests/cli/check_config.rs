//! `toolsure check` on the configuration files of clients: disabled servers, and what `--save` writes
//! if a server fails.

use serde_json::{Value, json};
use toolsure_schema::{Compiler, Workspace};

use crate::run::{Dir, PROGRAM, toolsure};

/// A configuration with a server that runs and others, each under its name.
fn config(dir: &Dir, others: &[(&str, Value)]) -> String {
    let mut servers =
        json!({"good": {"command": PROGRAM, "args": ["serve-demo"], "disabled": false}});
    for (name, entry) in others {
        servers[name] = entry.clone();
    }
    dir.file("mcp.json", &json!({"mcpServers": servers}).to_string())
}

/// The document of a run with `--format json`, checked against its schema.
fn document(args: &[&str]) -> Value {
    let run = toolsure(&[&["check", "--yes", "--format", "json"], args].concat());
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../docs/output/check.schema.json"
    );
    let schema = Compiler::new()
        .compile(&std::fs::read(path).unwrap())
        .unwrap();
    let verdict = schema.check(&mut Workspace::new(), run.stdout.as_bytes());
    assert!(verdict.unwrap().is_valid(), "{}{}", run.stdout, run.stderr);
    serde_json::from_str(&run.stdout).unwrap()
}

#[test]
fn a_disabled_server_is_not_started() {
    let dir = Dir::new();
    for (member, value, is_disabled) in [
        ("disabled", json!(true), true),
        ("enabled", json!(false), true),
        ("isActive", json!(false), true),
        ("disabled", json!(false), false),
        ("enabled", json!(true), false),
        ("isActive", json!(true), false),
        ("disabled", json!("true"), false),
        ("disabled", json!(null), false),
    ] {
        let trace = dir.path("started");
        let _not_there = std::fs::remove_file(&trace);
        let entry = json!({"command": "touch", "args": [trace], member: value});
        let file = config(&dir, &[("off", entry)]);
        let run = toolsure(&["check", "--yes", &file]);
        let note =
            format!("note: server `off` is disabled (`\"{member}\": {value}`); it is skipped\n");
        assert_eq!(run.stderr.contains(&note), is_disabled, "{}", run.stderr);
        assert_eq!(
            std::fs::exists(&trace).unwrap(),
            !is_disabled,
            "{member} {value}"
        );
        let _not_there = std::fs::remove_file(&trace);
        let document = document(&[&file]);
        let skipped = json!([{
            "server": "off",
            "reason": format!("is disabled (`\"{member}\": {value}`)"),
            "file": file,
            "line": 1,
        }]);
        assert_eq!(document["skipped"] == skipped, is_disabled, "{document}");
        // The other commands leave it alone too.
        for command in ["lint", "project"] {
            let _not_there = std::fs::remove_file(&trace);
            let more: &[&str] = if command == "project" {
                &["--for", "openai"]
            } else {
                &[]
            };
            toolsure(&[&[command, "--yes", &file], more].concat());
            assert_eq!(std::fs::exists(&trace).unwrap(), !is_disabled, "{command}");
        }
        // Whoever names it wants it.
        toolsure(&["check", "--yes", "--server", "off", &file]);
        assert!(std::fs::exists(&trace).unwrap(), "{member} {value}");
    }
}

#[test]
fn only_disabled_servers_are_an_error_that_names_them() {
    let dir = Dir::new();
    let text = r#"{"mcpServers": {"a": {"command": "x", "disabled": true}, "b": {"url": "x", "enabled": false}}}"#;
    let run = toolsure(&["check", &dir.file("mcp.json", text)]);
    assert_eq!(run.code, 2, "{}", run.stderr);
    let told = "server `a` is disabled (`\"disabled\": true`); server `b` is disabled (`\"enabled\": false`)";
    assert!(run.stderr.contains(told), "{}", run.stderr);
}

#[test]
fn a_server_that_fails_does_not_cost_the_listings_of_the_others() {
    let dir = Dir::new();
    let file = config(
        &dir,
        &[
            ("dead", json!({"command": "/no/such/program"})),
            ("lost", json!({"url": "http://127.0.0.1:1/mcp"})),
        ],
    );
    let saved = dir.path("saved.json");
    let run = toolsure(&["check", "--yes", "--save", &saved, &file]);
    assert_eq!(run.code, 4, "{}", run.stderr);
    let note = format!("note: `{saved}` has no listing of `dead`, `lost`\n");
    assert!(run.stderr.contains(&note), "{}", run.stderr);
    let text = std::fs::read_to_string(&saved).unwrap();
    let listings: Value = serde_json::from_str(&text).unwrap();
    let names: Vec<&String> = listings["listings"].as_object().unwrap().keys().collect();
    assert_eq!(names, ["good"]);
    let document = document(&["--save", &saved, &file]);
    assert_eq!(
        document["save"],
        json!({"file": saved, "missing": ["dead", "lost"]})
    );
    assert_eq!(self::document(&[&file])["save"], json!(null));
}

#[test]
fn without_any_listing_nothing_is_saved_and_the_old_file_stays() {
    let dir = Dir::new();
    let saved = dir.file("saved.json", "old");
    let args = ["--save", &saved, "--", "/no/such/program", "--api-key", "x"];
    let run = toolsure(&[&["check"], &args[..]].concat());
    assert_eq!(run.code, 4);
    let note = format!(
        "note: nothing is saved in `{saved}`: no listing of `/no/such/program --api-key ***`\n"
    );
    assert!(run.stderr.contains(&note), "{}", run.stderr);
    assert_eq!(std::fs::read_to_string(&saved).unwrap(), "old");
    let document = document(&args);
    assert_eq!(document["save"]["file"], json!(null));
}
