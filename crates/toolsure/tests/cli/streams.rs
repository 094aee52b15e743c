//! What surrounds a run: closed pipes, signals, the locale, `--quiet`, and the size of a help text.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::run::{Dir, PROGRAM, toolsure, toolsure_with};

/// Starts the program with a pipe as its output, reads a few bytes of it, and closes the pipe.
fn closes_early(args: &[&str], stdin: Stdio) -> Child {
    let mut child = Command::new(PROGRAM)
        .args(args)
        .stdin(stdin)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut stdout = child.stdout.take().unwrap();
    stdout.read_exact(&mut [0; 10]).unwrap();
    drop(stdout);
    child
}

/// The verdict does not depend on who reads the output: `| head -1` must not hide what is invalid.
#[test]
fn a_closed_pipe_does_not_change_the_exit_code_of_a_file() {
    let dir = Dir::new();
    let schema = dir.file("s.json", r#"{"type": "integer"}"#);
    let many = "1\n".repeat(200_000);
    for (last, code) in [("1\n", 0), ("\"x\"\n", 1), ("{\n", 2)] {
        let lines = dir.file("i.jsonl", &format!("{many}{last}"));
        let args = ["validate", "--jsonl", "--format", "json", &schema, &lines];
        let mut child = closes_early(&args, Stdio::null());
        assert_eq!(child.wait().unwrap().code(), Some(code), "{last}");
        // The same for files of one instance each.
        let one = dir.file("one.json", "1");
        let bad = dir.file("last.json", last);
        let mut args = vec!["validate", "--format", "json", &schema];
        args.extend(std::iter::repeat_n(one.as_str(), 5_000));
        args.push(&bad);
        let mut child = closes_early(&args, Stdio::null());
        assert_eq!(child.wait().unwrap().code(), Some(code), "{last}");
    }
}

/// A stream may have no end, so nobody waits for it once the output is closed; but the exit code does
/// not say that everything was valid.
#[test]
fn a_closed_pipe_ends_a_stream() {
    let dir = Dir::new();
    let schema = dir.file("s.json", r#"{"type": "integer"}"#);
    let args = ["validate", "--jsonl", "--format", "json", &schema, "-"];
    let mut child = Command::new(PROGRAM)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    drop(child.stdout.take());
    let hung = Instant::now() + Duration::from_secs(60);
    while stdin.write_all(b"1\n").is_ok() {
        assert!(Instant::now() < hung, "it waits for the end of the stream");
        std::thread::sleep(Duration::from_millis(5));
        if let Some(status) = child.try_wait().unwrap() {
            assert_eq!(status.code(), Some(141));
            return;
        }
    }
    assert_eq!(child.wait().unwrap().code(), Some(141));
}

/// Each signal that ends the program ends the server that it started, too.
#[test]
#[cfg(target_os = "linux")]
fn signals_end_the_child() {
    let dir = Dir::new();
    for (signal, trap, ends) in [
        ("TERM", "", true),
        ("HUP", "", true),
        ("HUP", "trap '' HUP;", false),
    ] {
        let pid_file = dir.path(&format!("pid-{signal}-{ends}"));
        let server =
            format!("echo $$ > {pid_file}.new; mv {pid_file}.new {pid_file}; exec sleep 600");
        let script = format!("{trap} exec {PROGRAM} check -- sh -c '{server}'");
        // A shell cannot stop ignoring what the tests' own parent ignores, as under `nohup`.
        let mut child = Command::new("env")
            .args(["--default-signal=HUP", "sh", "-c", &script])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let hung = Instant::now() + Duration::from_secs(30);
        let server = loop {
            if let Ok(pid) = std::fs::read_to_string(&pid_file) {
                break pid.trim().to_owned();
            }
            assert!(Instant::now() < hung, "the server does not start");
            std::thread::sleep(Duration::from_millis(20));
        };
        let is_there = || std::path::Path::new(&format!("/proc/{server}")).exists();
        let send = |signal: &str, pid: &str| {
            let sent = Command::new("kill")
                .args([&format!("-{signal}"), pid])
                .status();
            assert!(sent.unwrap().success());
        };
        // The handler is installed before the server is started, but by another thread.
        std::thread::sleep(Duration::from_millis(200));
        send(signal, &child.id().to_string());
        if ends {
            assert_eq!(child.wait().unwrap().code(), Some(130), "{signal}");
            let gone = Instant::now() + Duration::from_secs(10);
            while is_there() {
                assert!(Instant::now() < gone, "{signal} leaves the server");
                std::thread::sleep(Duration::from_millis(20));
            }
        } else {
            std::thread::sleep(Duration::from_millis(300));
            assert!(
                child.try_wait().unwrap().is_none() && is_there(),
                "nohup has no effect"
            );
            send("TERM", &child.id().to_string());
            assert_eq!(child.wait().unwrap().code(), Some(130));
        }
    }
}

/// A listing with what makes each command print characters that are not ASCII, or not in other
/// locales.
const LISTING: &str = r#"[{"name": "f\u00fcr", "inputSchema": {"type": "object", "properties": {
  "q": {"type": "strng", "description": "Gr\u00f6\u00dfe …"}, "\u6f22": {"minLenght": 1}}}}]"#;

#[test]
fn a_locale_without_other_characters_gets_ascii() {
    let dir = Dir::new();
    let listing = dir.file("l.json", LISTING);
    let newer = dir.file(
        "m.json",
        &LISTING
            .replace("strng", "string")
            .replace("minLenght", "maxLength"),
    );
    let schema = dir.file("s.json", r#"{"items": {"const": "漢"}}"#);
    let long = format!("[{}\"ü\"]", "\"x\",".repeat(80));
    let instance = dir.file("i.json", &long);
    let mut others = 0;
    for args in [
        vec!["check", &listing],
        vec!["lint", "--level", "note", &listing],
        vec!["diff", &listing, &newer],
        vec![
            "project",
            "--for",
            "gemini",
            "--output",
            "/dev/null",
            &listing,
        ],
        vec!["validate", &schema, &instance],
        vec!["explain", "TL032"],
        vec!["explain"],
        vec!["--help"],
        vec!["check", "--help"],
        vec!["lint", "-h"],
        vec!["check", "--nö"],
        vec!["validate", &schema, "ü.json"],
    ] {
        for (variable, value) in [("LC_ALL", "C"), ("LC_ALL", "POSIX"), ("LANG", "C")] {
            let run = toolsure_with(&[(variable, value)], &args);
            for text in [&run.stdout, &run.stderr] {
                assert!(text.is_ascii(), "{args:?} {variable}={value}\n{text}");
            }
            assert!(!run.stdout.is_empty() || !run.stderr.is_empty(), "{args:?}");
        }
        let run = toolsure_with(&[("LC_ALL", "C.UTF-8")], &args);
        others += usize::from(!(run.stdout.is_ascii() && run.stderr.is_ascii()));
    }
    assert!(others > 5, "{others} would have other characters");
    // Machines get JSON, whose characters do not depend on the locale.
    let args = ["check", "--format", "json", &listing];
    let [c, utf8] = ["C", "C.UTF-8"].map(|locale| toolsure_with(&[("LC_ALL", locale)], &args));
    assert_eq!(c.stdout, utf8.stdout);
}

/// `--quiet` leaves problems only, in JSON too.
#[test]
fn quiet_json_has_problems_only() {
    let dir = Dir::new();
    let listing = dir.file(
        "l.json",
        r#"[{"name": "good", "inputSchema": {"type": "object"}}, {"name": "bad", "inputSchema": {"type": "objct"}}]"#,
    );
    let fewer = dir.file(
        "m.json",
        r#"[{"name": "bad", "inputSchema": {"type": "objct"}}, {"name": "new", "inputSchema": {"type": "object", "maxProperties": 1}}]"#,
    );
    let schema = dir.file("s.json", r#"{"type": "integer"}"#);
    let lines = dir.file("i.jsonl", "1\n\"x\"\n2\n");
    let cases = dir.file(
        "t.json",
        r#"{"schema": {"type": "integer"}, "tests": [{"description": "good", "data": 1, "valid": true},
            {"description": "bad", "data": "x", "valid": true}]}"#,
    );
    let json = |args: &[&str]| {
        let run = toolsure(&[args, &["--format", "json"]].concat());
        assert!(run.code > 0, "{args:?} {}", run.stderr);
        run.stdout
    };
    for (args, pointer, all, problems) in [
        (vec!["check", &listing], "/reports/0/tools", 2, 1),
        (vec!["diff", &listing, &fewer], "/tools", 2, 1),
        (vec!["test", &cases], "/files/0/cases", 2, 1),
    ] {
        for (more, number) in [(&[][..], all), (&["--quiet"], problems)] {
            let text = json(&[&args, more].concat());
            let document: Value = serde_json::from_str(&text).unwrap();
            let found = document.pointer(pointer).and_then(Value::as_array);
            assert_eq!(
                found.map(Vec::len),
                Some(number),
                "{args:?} {more:?} {text}"
            );
        }
    }
    let args = ["validate", "--jsonl", &schema, &lines];
    assert_eq!(json(&args).lines().count(), 3);
    let quiet = json(&[&args[..], &["--quiet"]].concat());
    assert_eq!(quiet.lines().count(), 1, "{quiet}");
    assert!(quiet.contains("\"invalid\""));
    let alone = toolsure(&["validate", "--quiet", "--format", "json", &schema]);
    assert_eq!((alone.code, alone.stdout.as_str()), (0, ""));
}

#[test]
fn a_listing_without_tools_is_told() {
    let dir = Dir::new();
    let listing = dir.file("l.json", r#"{"tools": []}"#);
    for command in ["check", "lint"] {
        let run = toolsure(&[command, &listing]);
        assert_eq!(run.code, 0);
        assert!(
            run.stdout.contains("the listing is empty"),
            "{}",
            run.stdout
        );
    }
}

/// `-h` fits on a screen of 80 columns; `--help` has everything.
#[test]
fn short_help_fits_a_screen() {
    let commands = toolsure(&["--help"]).stdout;
    let commands = commands.lines().skip_while(|line| *line != "Commands:");
    let commands: Vec<&str> = commands
        .skip(1)
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.split_whitespace().next())
        .filter(|command| *command != "help")
        .collect();
    assert!(commands.len() > 10, "{commands:?}");
    let large = [
        "check",
        "lint",
        "diff",
        "project",
        "guard",
        "validate",
        "test-server",
    ];
    for command in commands.into_iter().chain(["--"]) {
        let mut args = vec![command, "-h"];
        args.retain(|word| *word != "--");
        let short = toolsure_with(&[("COLUMNS", "80")], &args).stdout;
        let most = match command {
            // One line for each command.
            "--" => 28,
            command if large.contains(&command) => 40,
            _ => 24,
        };
        let lines = short.lines().count();
        assert!(
            (5..=most).contains(&lines),
            "{command}: {lines} lines\n{short}"
        );
        assert!(!short.contains("Schema settings"), "{short}");
    }
    let long = toolsure(&["validate", "--help"]).stdout;
    assert!(
        long.contains("instance.bytes") && long.contains("Exit codes"),
        "{long}"
    );
}

#[test]
fn a_guard_goes_on_while_nobody_reads_its_standard_error() {
    // Each call has a line in the log: together more than a pipe and the queue hold.
    let calls = 6_000;
    let mut child = Command::new(PROGRAM)
        .args(["guard"])
        .args(["--", "python3", "-u", "-c", CHATTY])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    for id in 0..calls {
        writeln!(input, r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#).unwrap();
        let mut answer = String::new();
        output.read_line(&mut answer).unwrap();
        assert!(answer.contains("result"), "{answer}");
    }
    drop(input);
    let begun = Instant::now();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert!(begun.elapsed() < Duration::from_secs(20));
    // What waited in the pipe is whole lines.
    let mut log = String::new();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut log)
        .unwrap();
    assert!(
        log.starts_with("20") && log.contains("noise"),
        "{}",
        log.len()
    );
}

/// Answers every request, and writes 200 bytes to standard error for each.
const CHATTY: &str = r#"
import json, sys
for line in sys.stdin:
    print("noise " * 40, file=sys.stderr)
    print(json.dumps({"jsonrpc": "2.0", "id": json.loads(line)["id"], "result": {}}), flush=True)
"#;

#[test]
fn a_guard_ends_when_its_standard_output_is_closed() {
    // A server on a URL that nobody serves: the answer is an error, which nobody reads.
    for server in [
        &["--", PROGRAM, "serve-demo"][..],
        &["--upstream", "http://127.0.0.1:1/mcp"],
    ] {
        let mut child = Command::new(PROGRAM)
            .args([&["guard"], server].concat())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut input = child.stdin.take().unwrap();
        drop(child.stdout.take());
        writeln!(input, r#"{{"jsonrpc":"2.0","id":1,"method":"ping"}}"#).unwrap();
        let late = Instant::now() + Duration::from_secs(20);
        let status = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break status;
            }
            assert!(Instant::now() < late, "it runs on: {server:?}");
            std::thread::sleep(Duration::from_millis(20));
        };
        assert_eq!(status.code(), Some(0), "{server:?}");
        drop(input);
    }
}
