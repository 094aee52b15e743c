//! `toolsure validate`: every form of diagnostic, every exit code, every format.

use std::io::Write as _;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::run::{Dir, PROGRAM, Run, toolsure};

const SCHEMA: &str = r#"{
  "type": "object",
  "properties": {
    "name": {"type": "string", "minLength": 2},
    "when": {"format": "date"},
    "size": {"oneOf": [
      {"required": ["cm"], "properties": {"cm": {"type": "number"}}},
      {"type": "string"}
    ]}
  },
  "required": ["name"],
  "additionalProperties": false
}
"#;

/// Runs `toolsure validate` in a directory, so that file names are short.
fn validate(dir: &Dir, args: &[&str]) -> Run {
    validate_with(dir, args, b"")
}

/// The same with text on standard input.
pub(crate) fn validate_with(dir: &Dir, args: &[&str], stdin: &[u8]) -> Run {
    let mut child = Command::new(PROGRAM)
        .arg("validate")
        .args(args)
        .current_dir(dir.path("."))
        .env_remove("CLICOLOR_FORCE")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut pipe = child.stdin.take().unwrap();
    let stdin = stdin.to_vec();
    let writer = std::thread::spawn(move || {
        let _may_be_closed_early = pipe.write_all(&stdin);
    });
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    Run {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

#[track_caller]
fn expect(run: &Run, code: i32, stdout: &str, stderr: &str) {
    assert_eq!(run.stdout, stdout.trim_start());
    assert_eq!((run.code, run.stderr.as_str()), (code, stderr));
}

#[test]
fn findings_are_shown_in_the_instance_and_in_the_schema() {
    let dir = Dir::new();
    dir.file("s.json", SCHEMA);
    dir.file("good.json", r#"{"name": "Jo", "when": "soon"}"#);
    dir.file(
        "bad.json",
        "{\n  \"name\": \"J\",\n  \"size\": {\"cm\": \"3\"},\n  \"naem\": 1\n}\n",
    );
    let run = validate(&dir, &["s.json", "good.json", "bad.json"]);
    let expected = r#"
error[minLength]: expected at least 2 characters, found 1 in string `"J"`
 --> bad.json:2:11
  |
2 |   "name": "J",
  |           ^^^ at /name
  |
 ::: s.json:4:45
  |
4 |     "name": {"type": "string", "minLength": 2},
  |                                             - at /properties/name/minLength

error[oneOf]: matches none of the 2 branches, expected exactly one
 --> bad.json:3:11
  |
3 |   "size": {"cm": "3"},
  |           ^^^^^^^^^^^ at /size
  |
 ::: s.json:6:23
  |
6 |     "size": {"oneOf": [
  |                       - at /properties/size/oneOf
  |
  = note: branch 0 is the closest

error[type]: expected number, found string `"3"`
 --> bad.json:3:18
  |
3 |   "size": {"cm": "3"},
  |                  ^^^ at /size/cm
  |
 ::: s.json:7:58, at /properties/size/oneOf/0/properties/cm/type
  |
7 |       {"required": ["cm"], "properties": {"cm": {"type": "number"}}},
  |                                                          --------

error[additionalProperties]: unexpected property `naem`, did you mean `name`?
  --> bad.json:4:3
   |
 4 |   "naem": 1
   |   ^^^^^^ at /naem
   |
  ::: s.json:12:27
   |
12 |   "additionalProperties": false
   |                           ----- at /additionalProperties

"#;
    expect(&run, 1, expected, "2 instances: 1 valid, 1 invalid\n");
    let quiet = validate(&dir, &["s.json", "good.json", "bad.json", "--quiet"]);
    expect(&quiet, 1, expected, "");
    let valid = validate(&dir, &["s.json", "good.json", "good.json"]);
    expect(&valid, 0, "", "2 instances: 2 valid\n");
}

#[test]
fn formats_assert_only_if_asked() {
    let dir = Dir::new();
    dir.file("s.json", r#"{"format": "date"}"#);
    dir.file("i.json", "\"2026-02-30\"");
    assert_eq!(validate(&dir, &["s.json", "i.json"]).code, 0);
    assert_eq!(
        validate(&dir, &["s.json", "i.json", "--assert-formats"]).code,
        1
    );
    assert_eq!(
        validate(&dir, &["s.json", "i.json", "--formats", "assert"]).code,
        1
    );
}

#[test]
fn the_number_of_findings_is_bounded() {
    let dir = Dir::new();
    dir.file("s.json", r#"{"items": {"type": "string"}}"#);
    dir.file("few.json", &format!("[{}0]", "1, ".repeat(14)));
    dir.file("many.json", &format!("[{}0]", "1, ".repeat(200_000)));
    let few = validate(&dir, &["s.json", "few.json"]);
    assert_eq!(few.stdout.matches("error[type]").count(), 10);
    assert!(few.stdout.ends_with("\n… and 5 more in few.json\n\n"));
    let many = validate(&dir, &["s.json", "many.json", "--max-findings", "3"]);
    assert_eq!(many.stdout.matches("error[type]").count(), 3);
    assert!(
        many.stdout
            .ends_with("\n… and at least 97 more in many.json\n\n")
    );
    assert!(many.stdout.lines().all(|line| line.chars().count() < 100));
    let json = validate(&dir, &["s.json", "many.json", "--format", "json"]);
    let object: Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(object["findings"].as_array().unwrap().len(), 100);
    assert_eq!(object["complete"], json!(false));
}

#[test]
fn what_is_not_json_is_shown_with_its_place() {
    let dir = Dir::new();
    dir.file("s.json", "true");
    dir.file("twice.json", "{\"a\": 1,\n \"b\": 2, \"a\": 3}");
    dir.file("end.json", "{\"a\": [1,\n");
    dir.file("lines.json", "{}\n{}\n");
    std::fs::write(dir.path("broken.json"), "{\"\u{1b}]0;x\u{7}\": \"\u{9b}\"}").unwrap();
    std::fs::write(dir.path("utf8.json"), b"[\"a\xff\"]").unwrap();
    std::fs::write(dir.path("wide.json"), b"1\0").unwrap();
    dir.file("nan.json", "{\"a\": NaN}");
    let run = validate(
        &dir,
        &[
            "s.json",
            "twice.json",
            "end.json",
            "lines.json",
            "broken.json",
            "utf8.json",
            "wide.json",
            "nan.json",
            "none.json",
        ],
    );
    let expected = r#"
error[json]: duplicate key `a`
 --> twice.json:2:10
  |
2 |  "b": 2, "a": 3}
  |          ^^^ again here
  |
 ::: twice.json:1:2
  |
1 | {"a": 1,
  |  --- first here

error[json]: expected a value, found the end of the file
 --> end.json:2:1
  |
2 |
  | ^

error[json]: `{` follows the value
 --> lines.json:2:1
  |
2 | {}
  | ^
  |
  = help: if each line is an instance, give `--jsonl`

error[json]: control character `\u{1b}` in a string
 --> broken.json:1:3
  |
1 | {"\u{1b}]0;x\u{7}": "\u{9b}"}
  |   ^^^^^^

error[json]: the file is not UTF-8
 --> utf8.json:1:4
  |
1 | ["a\xff"]
  |    ^^^^

error[io]: cannot read `wide.json`: it is UTF-16; save it as UTF-8

error[json]: expected a value, found `N`
 --> nan.json:1:7
  |
1 | {"a": NaN}
  |       ^
  |
  = help: JSON has no NaN and no Infinity; write null, a number or a string

error[io]: cannot read `none.json`: No such file or directory (os error 2)

"#;
    expect(&run, 2, expected, "8 instances: 8 unreadable\n");
}

#[test]
fn the_most_urgent_outcome_gives_the_exit_code() {
    let dir = Dir::new();
    dir.file(
        "s.json",
        r#"{"items": {"type": "string"}, "uniqueItems": true}"#,
    );
    dir.file("good.json", "[]");
    dir.file("bad.json", "[1]");
    let costly: Vec<String> = (0..4_000).map(|n| format!("\"{n}\"")).collect();
    dir.file("costly.json", &format!("[{}]", costly.join(",")));
    let fuel = ["s.json", "--fuel", "1000"];
    let code = |files: &[&str]| validate(&dir, &[&fuel, files].concat()).code;
    assert_eq!(code(&["good.json"]), 0);
    assert_eq!(code(&["good.json", "bad.json"]), 1);
    assert_eq!(code(&["costly.json", "bad.json"]), 7);
    assert_eq!(code(&["costly.json", "none.json", "bad.json"]), 2);
    let run = validate(&dir, &[&fuel[..], &["costly.json"]].concat());
    assert!(run.stdout.starts_with(
        "error[undecided]: undecided after 1000 units of work\n --> costly.json:1:1\n"
    ));
    assert!(
        run.stdout
            .ends_with("\n  = help: raise it with `--limit fuel=N`, at most 1000000000000\n\n")
    );
    assert_eq!(run.stderr, "1 instance: 1 undecided\n");
}

#[test]
fn instances_have_a_bound_that_can_be_moved() {
    let dir = Dir::new();
    dir.file("s.json", "true");
    dir.file("i.json", "\"four\"");
    assert_eq!(
        validate(&dir, &["s.json", "i.json", "--max-instance-bytes", "6"]).code,
        0
    );
    let run = validate(&dir, &["s.json", "i.json", "--max-instance-bytes", "5"]);
    let expected = r#"
error[limit]: the file is longer than the limit of 5 bytes
 --> i.json:1:6
  |
1 | "four"
  |      ^
  |
  = help: raise it with `--limit instance.bytes=N`, at most 1073741824

"#;
    expect(&run, 2, expected, "1 instance: 1 unreadable\n");
}

#[test]
fn refused_schemas_are_shown_with_their_place() {
    let dir = Dir::new();
    dir.file("i.json", "1");
    let cases = [
        (
            "{\n  \"properties\": {\"a\": {\"type\": \"strng\"}}\n}",
            r#"
error[invalid-schema]: `type` must be one of array, boolean, integer, null, number, object and string, or an array of them, found the string `strng`
 --> s.json:2:32
  |
2 |   "properties": {"a": {"type": "strng"}}
  |                                ^^^^^^^ at /properties/a/type
  |
  = help: did you mean `string`?

"#,
        ),
        (
            "{\"$ref\": \"https://example.com/a\"}",
            r#"
error[ref-denied]: `$ref` to `https://example.com/a` is denied: it is neither in this document nor registered
 --> s.json:1:10
  |
1 | {"$ref": "https://example.com/a"}
  |          ^^^^^^^^^^^^^^^^^^^^^^^ at /$ref
  |
  = help: move the target under `$defs`, or register its document with `--register URI=FILE` or `--register-dir DIR`; nothing is fetched unless `--fetch-host` names a host

"#,
        ),
        (
            "{\"type\": 1, \"type\": 2}",
            r#"
error[json]: duplicate key `type`
 --> s.json:1:13
  |
1 | {"type": 1, "type": 2}
  |  ------     ^^^^^^ again here
  |  |
  |  first here

"#,
        ),
        (
            "{\"a\": ",
            r#"
error[json]: expected a value, found the end of the file
 --> s.json:1:7
  |
1 | {"a": 
  |       ^

"#,
        ),
    ];
    for (schema, expected) in cases {
        dir.file("s.json", schema);
        let run = validate(&dir, &["s.json", "i.json"]);
        expect(&run, 6, expected, "s.json: the schema was refused\n");
    }
}

#[test]
fn a_schema_alone_is_compiled() {
    let dir = Dir::new();
    dir.file("s.json", "{\n \"minLength\": -1, \"maxLength\": \"x\"}");
    let refused = validate(&dir, &["s.json"]);
    assert_eq!(refused.code, 6);
    let lenient = validate(&dir, &["s.json", "--lenient"]);
    assert_eq!(
        (lenient.code, lenient.stderr.as_str()),
        (0, "s.json: the schema is ok\n")
    );
    assert_eq!(
        lenient.stdout.matches("warning[invalid-schema]: ").count(),
        2
    );
    assert!(lenient.stdout.contains("\n --> s.json:2:15\n"));
    let json = validate(&dir, &["s.json", "--lenient", "--format", "json"]);
    let object: Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(
        (&object["kind"], &object["verdict"]),
        (&json!("schema"), &json!("ok"))
    );
    assert_eq!(object["warnings"][1]["pointer"], json!("/maxLength"));
}

#[test]
fn a_dialect_can_be_set() {
    let dir = Dir::new();
    dir.file("s.json", r#"{"exclusiveMinimum": true, "minimum": 1}"#);
    dir.file("i.json", "1");
    assert_eq!(validate(&dir, &["s.json", "i.json"]).code, 6);
    assert_eq!(
        validate(&dir, &["s.json", "i.json", "--dialect", "draft4"]).code,
        1
    );
}

#[test]
fn registered_documents_are_pointed_into() {
    let dir = Dir::new();
    dir.file("s.json", r#"{"$ref": "https://example.com/n?x=1"}"#);
    dir.file("n.json", "{\n  \"type\": \"number\"\n}");
    dir.file("i.json", "\"x\"");
    let register = ["--register", "https://example.com/n?x=1=n.json"];
    let run = validate(&dir, &[&["s.json", "i.json"], &register[..]].concat());
    let expected = r#"
error[type]: expected number, found string `"x"`
 --> i.json:1:1
  |
1 | "x"
  | ^^^ at the root
  |
 ::: n.json:2:11
  |
2 |   "type": "number"
  |           -------- at /type

"#;
    expect(&run, 1, expected, "1 instance: 1 invalid\n");
    dir.file("n.json", "{\"type\": 1}");
    let refused = validate(&dir, &[&["s.json", "i.json"], &register[..]].concat());
    assert_eq!(refused.code, 6);
    assert!(
        refused.stdout.contains("\n --> n.json:1:10\n"),
        "{}",
        refused.stdout
    );
}

#[test]
fn long_lines_are_shown_in_part() {
    let dir = Dir::new();
    dir.file("s.json", r#"{"additionalProperties": {"type": "integer"}}"#);
    let members: Vec<String> = (0..40_000).map(|n| format!("\"k{n}\":{n}")).collect();
    let text = format!(
        "{{{},\"bad\":\"x\",{}}}",
        members.join(","),
        members.join(",").replace('k', "l")
    );
    assert!(text.len() > 1_000_000);
    dir.file("i.json", &text);
    let run = validate(&dir, &["s.json", "i.json"]);
    let expected = r#"
error[type]: expected integer, found string `"x"`
 --> i.json:1:577788
  |
1 | …:39998,"k39999":39999,"bad":"x","l0":0,"l1":1,"l2":2,"l3":3,"l4":4,"l5":5,"l…
  |                              ^^^ at /bad
  |
 ::: s.json:1:35
  |
1 | {"additionalProperties": {"type": "integer"}}
  |                                   --------- at /additionalProperties/type

"#;
    expect(&run, 1, expected, "1 instance: 1 invalid\n");
}

#[test]
fn machines_get_one_object_for_each_instance() {
    let dir = Dir::new();
    dir.file("s.json", r#"{"propertyNames": {"maxLength": 3}}"#);
    dir.file("bad.json", "{\n\"\u{9b}four\": 1}");
    dir.file("twice.json", r#"{"a":1,"a":2}"#);
    dir.file("good.json", "{}");
    let run = validate(
        &dir,
        &[
            "--format",
            "json",
            "s.json",
            "bad.json",
            "twice.json",
            "good.json",
            "none.json",
        ],
    );
    assert!(run.stdout.is_ascii(), "{}", run.stdout);
    let objects: Vec<Value> = run
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(
        objects[0],
        json!({
            "version": 1, "kind": "instance", "instance": "bad.json", "verdict": "invalid",
            "findings": [{
                "keyword": "maxLength",
                "message": "property name `\\u{9b}four`: expected at most 3 characters, found 5 in string `\"\\u{9b}four\"`",
                "instanceLocation": "", "propertyName": "\u{9b}four",
                "keywordLocation": "/propertyNames/maxLength",
                "absoluteKeywordLocation": "#/propertyNames/maxLength",
                "line": 2, "column": 1, "byte": 2,
                "schema": {
                    "file": "s.json", "document": "", "pointer": "/propertyNames/maxLength",
                    "line": 1, "column": 33, "byte": 32
                }
            }]
        })
    );
    assert_eq!(
        objects[1],
        json!({
            "version": 1, "kind": "instance", "instance": "twice.json", "verdict": "unreadable",
            "error": {
                "code": "json", "message": "duplicate key `a`", "line": 1, "column": 8, "byte": 7,
                "other": {"line": 1, "column": 2, "byte": 1}
            }
        })
    );
    assert_eq!(
        objects[2],
        json!({"version": 1, "kind": "instance", "instance": "good.json", "verdict": "valid"})
    );
    assert_eq!((&objects[3]["error"]["code"], run.code), (&json!("io"), 2));
    dir.file("s.json", r##"{"$ref": "#/$defs/x"}"##);
    let refused = validate(&dir, &["--format", "json", "s.json", "good.json"]);
    let object: Value = serde_json::from_str(&refused.stdout).unwrap();
    assert_eq!(
        (&object["kind"], &object["verdict"]),
        (&json!("schema"), &json!("refused"))
    );
    let error = &object["error"];
    assert_eq!(
        (&error["code"], &error["pointer"], &error["column"]),
        (&json!("unresolved-ref"), &json!("/$ref"), &json!(10))
    );
}

#[test]
fn github_gets_workflow_commands() {
    let dir = Dir::new();
    dir.file("s.json", r#"{"enum": ["50%"]}"#);
    dir.file("a,b.json", "\n  7");
    let run = validate(&dir, &["--format", "github", "s.json", "a,b.json"]);
    let expected = "::error file=a%2Cb.json,line=2,col=3,title=enum::must be \"50%25\", found number `7` (at the root)%0As.json:1:10 /enum\n";
    expect(&run, 1, expected, "1 instance: 1 invalid\n");
    dir.file("s.json", r#"{"type": "nul"}"#);
    let refused = validate(&dir, &["--format", "github", "s.json", "a,b.json"]);
    assert!(
        refused
            .stdout
            .starts_with("::error file=s.json,line=1,col=10,title=invalid-schema::")
    );
    assert!(refused.stdout.ends_with("%0Ahelp: did you mean `null`?\n"));
}

#[test]
fn standard_outputs_stay_in_step_with_the_instances() {
    let dir = Dir::new();
    dir.file("s.json", r#"{"type": "integer"}"#);
    dir.file("good.json", "1");
    dir.file("bad.json", "\"x\"");
    dir.file("broken.json", "{");
    let flag = validate(
        &dir,
        &[
            "--output",
            "flag",
            "s.json",
            "bad.json",
            "broken.json",
            "good.json",
        ],
    );
    assert_eq!(flag.stdout, "{\"valid\":false}\nnull\n{\"valid\":true}\n");
    assert_eq!(flag.code, 2);
    assert!(flag.stderr.starts_with("error[json]: "));
    assert!(
        flag.stderr
            .ends_with("3 instances: 1 valid, 1 invalid, 1 unreadable\n")
    );
    for output in ["list", "hierarchical", "basic", "detailed", "verbose"] {
        let run = validate(&dir, &["--output", output, "s.json", "bad.json"]);
        let unit: Value = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!((&unit["valid"], run.code), (&json!(false), 1), "{output}");
    }
}

#[test]
fn standard_input_is_read_once() {
    let dir = Dir::new();
    dir.file("s.json", r#"{"type": "integer"}"#);
    let run = validate_with(&dir, &["s.json", "-"], b"\"x\"\n");
    assert!(run.stdout.contains("\n --> <stdin>:1:1\n"));
    assert_eq!(run.code, 1);
    assert_eq!(validate_with(&dir, &["-", "s.json"], b"{}").code, 0);
    let twice = validate_with(&dir, &["-", "-"], b"{}");
    let expected =
        "error: standard input can be read only once\n  = help: give `-` for one of the files\n";
    expect(&twice, 2, "", expected);
}

#[test]
fn wrong_usage_is_told_from_a_refused_schema() {
    let dir = Dir::new();
    dir.file("i.json", "1");
    let missing = validate(&dir, &["none.json", "i.json"]);
    let expected =
        "error: cannot read the schema `none.json`: No such file or directory (os error 2)\n";
    expect(&missing, 2, "", expected);
    dir.file("s.json", "{}");
    for wrong in [
        &["s.json", "i.json", "--register", "n.json"][..],
        &[
            "s.json",
            "i.json",
            "--register",
            "https://example.com/n=none.json",
        ],
        &["s.json", "i.json", "--fuel", "much"],
        &["s.json", "i.json", "--output", "flag", "--format", "json"],
        &["s.json", "--jsonl"],
    ] {
        assert_eq!(validate(&dir, wrong).code, 2, "{wrong:?}");
    }
    assert!(
        toolsure(&["validate", "--help"])
            .stdout
            .contains("Exit codes")
    );
}

#[test]
fn styles_are_for_those_who_want_them() {
    let dir = Dir::new();
    dir.file("s.json", r#"{"type": "integer"}"#);
    dir.file("i.json", "\"x\"");
    let plain = validate(&dir, &["s.json", "i.json"]);
    let styled = validate(&dir, &["--color", "always", "s.json", "i.json"]);
    assert!(!plain.stdout.contains('\u{1b}') && !plain.stderr.contains('\u{1b}'));
    assert!(styled.stdout.contains("\u{1b}[1m\u{1b}[91merror[type]"));
    assert!(styled.stderr.contains("\u{1b}["));
}
