//! `toolsure validate --jsonl`: streams, their positions, and readers that stop reading.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::run::{Dir, PROGRAM, toolsure};
use crate::validate::validate_with;

#[test]
fn each_line_is_an_instance() {
    let dir = Dir::new();
    dir.file("s.json", r#"{"type": "integer"}"#);
    let text = b"1\n\n  \"x\"\r\n {\n3\n\"last\"";
    let run = validate_with(&dir, &["--jsonl", "s.json", "-"], text);
    let expected = r#"
error[type]: expected integer, found string `"x"`
 --> <stdin>:3:3
  |
3 |   "x"
  |   ^^^ at the root
  |
 ::: s.json:1:10
  |
1 | {"type": "integer"}
  |          --------- at /type
  |
  = note: at byte 5 of <stdin>

error[json]: expected a key or `}`, found the end of the file
 --> <stdin>:4:3
  |
4 |  {
  |   ^
  |
  = note: at byte 12 of <stdin>

error[type]: expected integer, found string `"last"`
 --> <stdin>:6:1
  |
6 | "last"
  | ^^^^^^ at the root
  |
 ::: s.json:1:10
  |
1 | {"type": "integer"}
  |          --------- at /type
  |
  = note: at byte 15 of <stdin>

"#;
    assert_eq!(run.stdout, expected.trim_start());
    assert_eq!(
        (run.code, run.stderr.as_str()),
        (2, "5 instances: 2 valid, 2 invalid, 1 unreadable\n")
    );
}

#[test]
fn a_long_stream_is_read_in_order_and_in_bounded_memory() {
    let dir = Dir::new();
    dir.file("s.json", r#"{"properties": {"id": {"type": "integer"}}}"#);
    let mut text = String::new();
    for id in 0..100_000 {
        let padding = "x".repeat(100);
        let id = if id % 1_000 == 999 {
            format!("\"{id}\"")
        } else {
            id.to_string()
        };
        text.push_str(&format!("{{\"id\": {id}, \"padding\": \"{padding}\"}}\n"));
    }
    let run = validate_with(
        &dir,
        &["--jsonl", "--format", "json", "s.json", "-"],
        text.as_bytes(),
    );
    let objects: Vec<Value> = run
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(objects.len(), 100_000);
    for (index, object) in objects.iter().enumerate() {
        let verdict = if index % 1_000 == 999 {
            "invalid"
        } else {
            "valid"
        };
        assert_eq!(
            (&object["line"], &object["verdict"]),
            (&json!(index + 1), &json!(verdict))
        );
    }
    let finding = &objects[999]["findings"][0];
    let at = usize::try_from(finding["byte"].as_u64().unwrap()).unwrap();
    assert_eq!(text.get(at..at + 5), Some("\"999\""));
    assert_eq!(
        (&finding["line"], &finding["column"]),
        (&json!(1_000), &json!(8))
    );
    assert_eq!(
        (run.code, run.stderr.as_str()),
        (1, "100000 instances: 99900 valid, 100 invalid\n")
    );
}

#[test]
fn a_line_over_the_bound_does_not_stop_the_others() {
    let dir = Dir::new();
    dir.file("s.json", r#"{"type": "string"}"#);
    let text = format!("\"a\"\n\"{}\"\n\"b\"\n7\n", "x".repeat(1_000_000));
    dir.file("i.jsonl", &text);
    let args = [
        "--jsonl",
        "--max-instance-bytes",
        "1000",
        "--format",
        "json",
        "s.json",
        "i.jsonl",
    ];
    let run = validate_with(&dir, &args, b"");
    let objects: Vec<Value> = run
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let verdicts: Vec<&str> = objects
        .iter()
        .map(|object| object["verdict"].as_str().unwrap())
        .collect();
    assert_eq!(verdicts, ["valid", "unreadable", "valid", "invalid"]);
    assert_eq!(
        (&objects[1]["error"]["code"], &objects[1]["line"]),
        (&json!("limit"), &json!(2))
    );
    assert_eq!(
        (&objects[3]["line"], &objects[3]["byte"]),
        (&json!(4), &json!(1_000_011))
    );
    assert_eq!(run.code, 2);
}

#[test]
fn answers_come_while_the_stream_goes_on() {
    let dir = Dir::new();
    let schema = dir.file("s.json", r#"{"type": "integer"}"#);
    let mut child = Command::new(PROGRAM)
        .args(["validate", "--jsonl", "--format", "json", &schema, "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    for (text, verdict) in [
        ("1\n", "valid"),
        ("\"x\"\n", "invalid"),
        ("{\n", "unreadable"),
    ] {
        stdin.write_all(text.as_bytes()).unwrap();
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        let object: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(object["verdict"], json!(verdict));
    }
    drop(stdin);
    assert_eq!(child.wait().unwrap().code(), Some(2));
}

#[test]
fn a_reader_that_has_seen_enough_ends_the_run_quietly() {
    let dir = Dir::new();
    let schema = dir.file("s.json", r#"{"type": "integer"}"#);
    let lines = dir.file("i.jsonl", &"\"x\"\n".repeat(200_000));
    let mut child = Command::new(PROGRAM)
        // More than a pipe holds, so that the program still writes when its reader goes.
        .args(["validate", "--jsonl", "--all", &schema, &lines])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdout = child.stdout.take().unwrap();
    let mut first = [0; 10];
    stdout.read_exact(&mut first).unwrap();
    drop(stdout);
    let mut stderr = String::new();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut stderr)
        .unwrap();
    assert_eq!(
        (child.wait().unwrap().code(), stderr.as_str()),
        (Some(1), "")
    );
    assert_eq!(&first, b"error[type");
}

/// Only the first of very many instances that are not valid are printed; the others are counted.
#[test]
fn very_many_bad_lines_are_summed_up() {
    let dir = Dir::new();
    let schema = dir.file("s.json", r#"{"type": "string"}"#);
    let lines = dir.file("many.jsonl", &"5\n".repeat(50_000));
    let run = toolsure(&["validate", "--jsonl", &schema, &lines]);
    assert_eq!(run.code, 1);
    assert_eq!(run.stdout.matches("error[type]").count(), 100);
    let told = "… and 49900 more instances that are not valid; `--all` shows them\n\n";
    assert!(run.stdout.ends_with(told) && run.stdout.len() < 100_000);
    assert!(
        run.stderr.contains("50000 instances: 50000 invalid"),
        "{}",
        run.stderr
    );
    let all = toolsure(&["validate", "--jsonl", "--all", &schema, &lines]);
    assert_eq!(all.stdout.matches("error[type]").count(), 50_000);
    let json = toolsure(&["validate", "--jsonl", "--format", "json", &schema, &lines]);
    assert_eq!(json.stdout.lines().count(), 50_000);
}
