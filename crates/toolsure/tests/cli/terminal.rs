//! Every command with progress or colour, in a terminal, narrow and wide.

use std::io::Write as _;

use crate::pty::{Screen, Terminal};
use crate::run::Dir;

const SCHEMA: &str = r#"{"type": "object", "properties": {"n": {"type": "integer"}}}"#;

/// The directory of a test, and its path.
fn dir() -> (Dir, String) {
    let dir = Dir::new();
    let path = dir.path("");
    (dir, path)
}

fn run(columns: u16, dir: &str, args: &[&str]) -> Screen {
    let screen = Terminal::start(columns, dir, args).finish();
    screen.assert_tidy();
    screen
}

/// Problems of lines that arrive while the bar is shown are printed above the bar.
#[test]
fn jsonl_prints_while_the_bar_is_shown() {
    for columns in WIDTHS {
        let (dir, path) = dir();
        dir.file("schema.json", SCHEMA);
        let args = ["validate", "--jsonl", "schema.json", "-"];
        let (mut terminal, mut stdin) = Terminal::start_piped(columns, &path, &args);
        terminal.wait_for("<stdin>", || stdin.write_all(b"{\"n\": 1}\n").unwrap());
        for _ in 0..3 {
            stdin.write_all(b"{\"n\": \"one\"}\n{\"n\": 2}\n").unwrap();
        }
        terminal.wait_for("expected integer", || ());
        drop(stdin);
        let screen = terminal.finish();
        screen.assert_tidy();
        assert_eq!(screen.status.code(), Some(1), "{}", screen.text());
        assert_eq!(screen.text().matches("error[type]").count(), 3);
        assert!(screen.text().contains("3 invalid"), "{}", screen.text());
        assert!(!screen.text().contains("<stdin> ["), "the bar is left");
    }
}

#[test]
fn jsonl_with_an_output_of_the_specification_prints_while_the_bar_is_shown() {
    let (dir, path) = dir();
    dir.file("schema.json", SCHEMA);
    let args = [
        "validate",
        "--jsonl",
        "--output",
        "flag",
        "schema.json",
        "-",
    ];
    let (mut terminal, mut stdin) = Terminal::start_piped(80, &path, &args);
    terminal.wait_for("<stdin>", || stdin.write_all(b"{\"n\": 1}\n").unwrap());
    stdin.write_all(b"{\"n\": \"one\"}\nno JSON\n").unwrap();
    drop(stdin);
    let screen = terminal.finish();
    screen.assert_tidy();
    assert_eq!(screen.status.code(), Some(2), "{}", screen.text());
    assert!(screen.text().contains("{\"valid\":false}"));
}

/// Ctrl-C while the bar is shown: the bar is removed, and the shell gets a clean line.
#[test]
fn control_c_ends_a_long_run() {
    let (dir, path) = dir();
    dir.file("schema.json", SCHEMA);
    let args = ["validate", "--jsonl", "schema.json", "-"];
    let (mut terminal, mut stdin) = Terminal::start_piped(80, &path, &args);
    terminal.wait_for("<stdin>", || stdin.write_all(b"{\"n\": 1}\n").unwrap());
    terminal.type_keys("\u{3}");
    let screen = terminal.finish();
    screen.assert_tidy();
    assert_eq!(screen.status.code(), Some(130), "{}", screen.text());
    drop(stdin);
}

/// Ctrl-C while a server does not answer, in commands that list tools.
#[test]
fn control_c_ends_the_wait_for_a_server() {
    let (_dir, path) = dir();
    for command in ["check", "lint"] {
        let args = [command, "--", "sleep", "600"];
        let mut terminal = Terminal::start(80, &path, &args);
        terminal.wait_for("waiting for", || ());
        terminal.type_keys("\u{3}");
        let screen = terminal.finish();
        screen.assert_tidy();
        assert_eq!(screen.status.code(), Some(130), "{}", screen.text());
        assert!(screen.text().contains("interrupted"), "{}", screen.text());
    }
}

#[test]
fn check_and_lint_of_the_demonstration_server() {
    let (_dir, path) = dir();
    for columns in WIDTHS {
        let screen = run(columns, &path, &["check", "--demo"]);
        assert_eq!(screen.status.code(), Some(6));
        assert!(screen.text().contains("refused"), "{}", screen.text());
        assert!(screen.written.windows(2).any(|two| two == b"\x1b["));
        let screen = run(columns, &path, &["lint", "--demo", "--level", "note"]);
        assert!(screen.text().contains("TL"), "{}", screen.text());
    }
}

/// An excerpt whose mark is far to the right, a long pointer, and a long message.
#[test]
fn check_and_validate_of_wide_files_fit_the_terminal() {
    let (dir, path) = dir();
    let long = "a_rather_long_name/with";
    let schema = format!(
        "{{\n  \"type\": \"object\",\n  \"properties\": {{\"{long}\": {{\"description\": \"words and more words\", \"type\": \"strng\"}}}}\n}}"
    );
    let listing = format!("[\n{{\"name\": \"t\", \"inputSchema\": {schema}}}\n]\n");
    dir.file("l.json", &listing);
    dir.file("s.json", &schema.replace("strng", "string"));
    dir.file(
        "i.json",
        &format!("{{\"first\": [1, 2, 3, 4, 5, 6, 7, 8, 9], \"{long}\": 17}}"),
    );
    for columns in WIDTHS {
        let screen = run(columns, &path, &["check", "l.json"]);
        assert!(screen.text().contains("\"strng\""), "{}", screen.text());
        assert!(screen.text().contains("^^^^^^^"), "{}", screen.text());
        let screen = run(columns, &path, &["validate", "s.json", "i.json"]);
        assert_eq!(screen.status.code(), Some(1));
        assert!(screen.text().contains("17"), "{}", screen.text());
    }
}

/// A long instance in one file shows a bar, which is gone at the end.
#[test]
fn a_long_instance_shows_its_progress() {
    let (dir, path) = dir();
    dir.file("s.json", r#"{"items": {"type": "integer"}}"#);
    dir.file("long.json", &format!("[{}1]", "1,".repeat(9_000_000)));
    let screen = run(60, &path, &["validate", "s.json", "long.json"]);
    assert_eq!(screen.status.code(), Some(0), "{}", screen.text());
    let written = String::from_utf8_lossy(&screen.written);
    assert!(written.contains("long.json ["), "{}", screen.text());
    assert!(!screen.text().contains("long.json ["), "the bar is left");
}

/// The lines for further places and the summary are wrapped too.
#[test]
fn lint_of_many_places_fits_the_terminal() {
    let (dir, path) = dir();
    let tool = |n: u32| {
        format!(
            r#"{{"name": "a_tool_with_a_rather_long_name_{n}", "description": "d", "inputSchema":
                {{"type": "object", "properties": {{"q": {{"type": "string", "minLenght": {n}}}}}}}}}"#
        )
    };
    let tools: Vec<String> = (0..4).map(tool).collect();
    dir.file("listing.json", &format!("[{}]", tools.join(",")));
    for columns in WIDTHS {
        run(columns, &path, &["lint", "listing.json"]);
    }
}

#[test]
fn diff_explain_and_help() {
    let (dir, path) = dir();
    let tool = |kind: &str| {
        format!(
            r#"[{{"name": "find", "inputSchema": {{"type": "object", "properties": {{"q": {{"type": "{kind}"}}}}}}}}]"#
        )
    };
    dir.file("old.json", &tool("string"));
    dir.file("new.json", &tool("integer"));
    for columns in WIDTHS {
        let screen = run(columns, &path, &["diff", "old.json", "new.json"]);
        assert_eq!(screen.status.code(), Some(1));
        assert!(screen.text().contains("breaking"), "{}", screen.text());
        assert!(!screen.text().contains("comparing"), "{}", screen.text());
        run(columns, &path, &["explain", "TL032"]);
        run(columns, &path, &["explain"]);
        if columns < 80 {
            // The usage line is never wrapped, and names of packages in the examples are long.
            continue;
        }
        for command in [
            "validate",
            "check",
            "lint",
            "diff",
            "guard",
            "explain",
            "serve-demo",
        ] {
            run(columns, &path, &[command, "--help"]);
        }
    }
}

#[test]
fn the_guard_shows_its_settings() {
    let (dir, path) = dir();
    dir.file("good.toml", "[upstreams.a]\ncommand = [\"true\"]\n");
    dir.file("bad.toml", "[upstreams.a]\ncomand = [\"true\"]\n");
    for columns in WIDTHS {
        let args = ["guard", "--check-config", "--config", "good.toml"];
        let screen = run(columns, &path, &args);
        assert_eq!(screen.status.code(), Some(0), "{}", screen.text());
        let args = ["guard", "--check-config", "--config", "bad.toml"];
        let screen = run(columns, &path, &args);
        assert_eq!(screen.status.code(), Some(2), "{}", screen.text());
        assert!(screen.text().contains("comand"), "{}", screen.text());
    }
}

/// Widths of terminals that people use.
const WIDTHS: [u16; 5] = [40, 60, 80, 140, 200];
