//! Formats of files: YAML, and schemas that refer to each other by their paths.

use serde_json::Value;
use toolsure_schema::{Compiler, Workspace};

use crate::run::{Dir, toolsure};

const LISTING: &str = "\
# A listing as people write one.
tools:
  - name: find
    description: Finds pages.
    inputSchema: &page
      type: object
      properties:
        q: {type: strin}
  - name: again
    inputSchema: *page
";

#[test]
fn listings_in_yaml_are_read_and_places_are_those_of_the_file() {
    let dir = Dir::new();
    let listing = dir.file("listing.yaml", LISTING);
    let run = toolsure(&["check", &listing]);
    assert_eq!(run.code, 6, "{}{}", run.stdout, run.stderr);
    for told in [
        "listing.yaml:8:19\n",
        "8 |         q: {type: strin}",
        "listing.yaml:10:18\n",
        "at /inputSchema/properties/q/type",
    ] {
        assert!(run.stdout.contains(told), "{told}\n{}", run.stdout);
    }
    for (format, pointer) in [
        ("json", "/reports/0/tools/0/findings/0/line"),
        (
            "sarif",
            "/runs/0/results/0/locations/0/physicalLocation/region/startLine",
        ),
    ] {
        let run = toolsure(&["check", "--format", format, &listing]);
        let document: Value = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!(
            document.pointer(pointer),
            Some(&Value::from(8)),
            "{}",
            run.stdout
        );
    }
    let run = toolsure(&["lint", &listing]);
    assert!(run.stdout.contains("listing.yaml:8:19"), "{}", run.stdout);
    assert!(
        run.stdout.contains("8 |         q: {type: strin}"),
        "{}",
        run.stdout
    );
    let fix = toolsure(&["lint", "--fix", &listing]);
    assert_eq!(fix.code, 2);
    assert!(
        fix.stderr.contains("is YAML; `--fix` is for JSON"),
        "{}",
        fix.stderr
    );
    assert_eq!(std::fs::read_to_string(&listing).unwrap(), LISTING);
}

#[test]
fn yaml_that_json_cannot_say_is_refused_with_its_place() {
    let dir = Dir::new();
    let mut bomb = String::from("tools: &a [1,1,1,1,1,1,1,1,1,1]\n");
    for (new, old) in "bcdefghij".chars().zip("abcdefghi".chars()) {
        let ten = vec![format!("*{old}"); 10].join(",");
        bomb.push_str(&format!("{new}: &{new} [{ten}]\n"));
    }
    for (text, told) in [
        (
            "tools: []\ntools: []\n",
            "x.yaml:2:1: duplicate key \"tools\"",
        ),
        (
            "tools: [.inf]\n",
            "x.yaml:1:9: `.inf` is not a number in JSON",
        ),
        ("tools: [\n", "x.yaml:"),
        (bomb.as_str(), "bytes of JSON, aliases included"),
    ] {
        let file = dir.file("x.yaml", text);
        let run = toolsure(&["check", &file]);
        assert_eq!(run.code, 2, "{}{}", run.stdout, run.stderr);
        assert!(run.stderr.contains(told), "{told}\n{}", run.stderr);
    }
}

#[test]
fn schemas_and_instances_in_yaml_have_their_own_lines() {
    let dir = Dir::new();
    let schema = dir.file(
        "s.yml",
        "type: object\nproperties:\n  price:\n    maximum: 12345678901234567890.125\n",
    );
    let bad = dir.file(
        "bad.yaml",
        "# one\nname: x\nprice: 12345678901234567890.126\n",
    );
    let good = dir.file("good.yaml", "price: 12345678901234567890.125\n");
    let run = toolsure(&["validate", &schema, &good, &bad]);
    assert_eq!(run.code, 1, "{}{}", run.stdout, run.stderr);
    for told in [
        "bad.yaml:3:8",
        "3 | price: 12345678901234567890.126",
        "s.yml:4:14",
        "4 |     maximum: 12345678901234567890.125",
    ] {
        assert!(run.stdout.contains(told), "{told}\n{}", run.stdout);
    }
    let run = toolsure(&["validate", "--format", "sarif", &schema, &good, &bad]);
    let document: Value = serde_json::from_str(&run.stdout).unwrap();
    let results = document["runs"][0]["results"].as_array().unwrap();
    assert_eq!(results.len(), 1);
    assert_eq!(results[0]["ruleId"], "maximum");
    let place = &results[0]["locations"][0]["physicalLocation"];
    assert_eq!(place["region"]["startLine"], 3);
    assert!(
        place["artifactLocation"]["uri"]
            .as_str()
            .unwrap()
            .ends_with("bad.yaml")
    );
}

/// Each line of output for machines matches the schema that documents it.
#[test]
fn lines_of_validate_match_their_schema() {
    let path = format!(
        "{}/../../docs/output/validate.schema.json",
        env!("CARGO_MANIFEST_DIR")
    );
    let documented = Compiler::new()
        .compile(&std::fs::read(path).unwrap())
        .unwrap();
    let dir = Dir::new();
    let schema = dir.file(
        "s.json",
        r#"{"properties": {"a": {"type": "integer"}}, "propertyNames": {"maxLength": 3}}"#,
    );
    let refused = dir.file("r.json", r#"{"type": "int", "minimum": "x"}"#);
    let twice = dir.file("twice.json", r#"{"a": 1, "a": 2}"#);
    let bad = dir.file("bad.json", r#"{"a": "x", "long-name": 1}"#);
    let lines = dir.file("l.jsonl", "{\"a\": \"x\"}\n{}\n{\n");
    let mut kinds = 0;
    for args in [
        vec![schema.as_str()],
        vec![&refused],
        vec!["--lenient", &refused, &bad],
        vec![&schema, &bad, &twice, "/no/such/file"],
        vec!["--jsonl", &schema, &lines],
        vec!["--fuel", "1", &schema, &bad],
    ] {
        let run = toolsure(&[&["validate", "--format", "json"], args.as_slice()].concat());
        for line in run.stdout.lines() {
            kinds += 1;
            let report = documented
                .explain(&mut Workspace::new(), line.as_bytes())
                .unwrap();
            assert!(report.verdict.is_valid(), "{line}: {:#?}", report.findings);
            let mut line: Value = serde_json::from_str(line).unwrap();
            line["verdict"] = Value::from("perhaps");
            let verdict = documented.check(&mut Workspace::new(), line.to_string().as_bytes());
            assert!(!verdict.unwrap().is_valid());
        }
    }
    assert_eq!(kinds, 11);
}

/// SARIF output is one document, whatever the schema and the instances are.
#[test]
fn sarif_of_validate_is_one_document() {
    let dir = Dir::new();
    let schema = dir.file("s.json", r#"{"type": "integer"}"#);
    let refused = dir.file("r.json", r#"{"type": "int"}"#);
    let lines = dir.file("l.jsonl", &"\"x\"\n1\n{\n".repeat(200));
    for (args, results, notes) in [
        (vec![&schema], 0, 0),
        (vec![&refused], 1, 0),
        (vec![&refused, &schema], 1, 0),
        (vec![&schema, &schema], 1, 0),
    ] {
        let args: Vec<&str> = args.into_iter().map(String::as_str).collect();
        let run = toolsure(&[&["validate", "--format", "sarif"], args.as_slice()].concat());
        let document: Value = serde_json::from_str(&run.stdout).unwrap();
        let found = &document["runs"][0];
        assert_eq!(
            found["results"].as_array().unwrap().len(),
            results,
            "{args:?}"
        );
        let told = &found["invocations"][0]["toolExecutionNotifications"];
        assert_eq!(told.as_array().unwrap().len(), notes, "{args:?}");
    }
    for (all, results, notes) in [(false, 100, 1), (true, 400, 0)] {
        let mut args = vec!["validate", "--format", "sarif", "--jsonl", &schema, &lines];
        args.extend(all.then_some("--all"));
        let run = toolsure(&args);
        let document: Value = serde_json::from_str(&run.stdout).unwrap();
        let found = &document["runs"][0];
        assert_eq!(found["results"].as_array().unwrap().len(), results);
        let told = &found["invocations"][0]["toolExecutionNotifications"];
        assert_eq!(told.as_array().unwrap().len(), notes);
    }
}

#[test]
fn schemas_of_a_folder_refer_to_each_other() {
    let dir = Dir::new();
    std::fs::create_dir_all(dir.path("schemas/common")).unwrap();
    let user = dir.file(
        "schemas/user.json",
        r#"{"properties": {"name": {"$ref": "common/name.json#/$defs/short"}, "age": {"$ref": "https://example.com/age"}}}"#,
    );
    dir.file(
        "schemas/common/name.json",
        r#"{"$defs": {"short": {"$ref": "../text.yaml"}}}"#,
    );
    dir.file("schemas/text.yaml", "type: string\nmaxLength: 3\n");
    dir.file(
        "schemas/age.json",
        r#"{"$id": "https://example.com/age#", "type": "integer"}"#,
    );
    dir.file("schemas/notes.json", "[1, 2]");
    dir.file("schemas/broken.json", "{");
    dir.file("secret.json", r#"{"type": "string"}"#);
    std::os::unix::fs::symlink(dir.path("secret.json"), dir.path("schemas/link.json")).unwrap();
    let folder = dir.path("schemas");
    let (good, bad) = (
        dir.file("good.json", r#"{"name": "abc", "age": 3}"#),
        dir.file("bad.json", r#"{"name": "abcd", "age": "x"}"#),
    );
    let run = toolsure(&["validate", "--register-dir", &folder, &user, &good]);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    let run = toolsure(&["validate", "--register-dir", &folder, &user, &bad]);
    assert_eq!(run.code, 1, "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("text.yaml:2:12"), "{}", run.stdout);
    assert!(run.stdout.contains("age.json:1:45"), "{}", run.stdout);
    let denied = toolsure(&["validate", &user, &good]);
    assert_eq!(denied.code, 6);
    assert!(
        denied.stdout.contains("--register-dir DIR"),
        "{}",
        denied.stdout
    );

    // Nothing outside of the folder is read, neither by a path nor through a link.
    for target in ["../secret.json", "link.json"] {
        let text = format!(r#"{{"$ref": "{target}"}}"#);
        let schema = dir.file("schemas/out.json", &text);
        let run = toolsure(&["validate", "--register-dir", &folder, &schema]);
        assert_eq!(run.code, 6, "{}{}", run.stdout, run.stderr);
    }
    std::fs::remove_file(dir.path("schemas/out.json")).unwrap();

    let listing = dir.file(
        "l.json",
        r#"{"tools": [{"name": "a", "inputSchema": {"type": "object", "properties": {"n": {"$ref": "text.yaml"}}}}]}"#,
    );
    let run = toolsure(&["check", "--register-dir", &folder, &listing]);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);

    let limit = ["--limit", "registrations=2"];
    let run = toolsure(&[&["validate", "--register-dir", &folder, &user], &limit[..]].concat());
    assert_eq!(run.code, 2);
    assert!(
        run.stderr.contains("`--limit registrations=N`"),
        "{}",
        run.stderr
    );
    dir.file(
        "schemas/twice.json",
        r#"{"$id": "https://example.com/age"}"#,
    );
    let run = toolsure(&["validate", "--register-dir", &folder, &user]);
    assert!(run.stderr.contains("have the same `$id`"), "{}", run.stderr);
}

/// A schema may have what editors put into files: a byte order mark, comments, a trailing comma.
/// Locations and excerpts are those of the file. An instance must be plain JSON.
#[test]
fn schemas_may_have_comments_and_a_byte_order_mark() {
    let dir = Dir::new();
    let commented =
        "{\n  // how many\n  \"type\": \"integer\", /* at least */ \"minimum\": 1,\n}\n";
    let schema = dir.file("s.json", commented);
    let marked = dir.file("marked.json", "\u{feff}{\"$ref\": \"urn:count\"}");
    let count = format!("urn:count={schema}");
    let zero = dir.file("zero.json", "0");
    for args in [
        vec!["validate", &schema, &zero],
        vec!["validate", "--register", &count, &marked, &zero],
    ] {
        let run = toolsure(&args);
        assert_eq!(run.code, 1, "{args:?} {}", run.stderr);
        let line = "3 |   \"type\": \"integer\", /* at least */ \"minimum\": 1,";
        assert!(run.stdout.contains(line), "{args:?} {}", run.stdout);
    }
    let twice = dir.file(
        "twice.json",
        "{\"type\": \"integer\", // or\n\"type\": \"string\"}",
    );
    assert_eq!(toolsure(&["validate", &twice, &zero]).code, 6);
    let open = dir.file("open.json", "{ // never closed");
    let run = toolsure(&["validate", &open, &zero]);
    assert_eq!(run.code, 6);
    assert!(
        run.stdout.contains("found the end of the file"),
        "{}",
        run.stdout
    );
    assert!(
        run.stdout.contains("1 | { // never closed"),
        "{}",
        run.stdout
    );
    let wide: Vec<u8> = "{}".encode_utf16().flat_map(u16::to_le_bytes).collect();
    std::fs::write(dir.path("wide.json"), wide).unwrap();
    let run = toolsure(&["validate", &dir.path("wide.json"), &zero]);
    assert_eq!(run.code, 2);
    assert!(
        run.stderr.contains("is UTF-16; save it as UTF-8"),
        "{}",
        run.stderr
    );
    let instance = dir.file("i.json", "0 // none");
    assert_eq!(toolsure(&["validate", &schema, &instance]).code, 2);
}

#[test]
fn the_limit_of_a_file_is_raised_by_the_flag_that_the_error_names() {
    let dir = Dir::new();
    let tool =
        r#"{"name": "a", "description": "d", "inputSchema": {"type": "object", "properties": {}}}"#;
    let text = format!(r#"{{"tools": [{tool}]}}"#);
    let path = dir.file("listing.json", &text);
    let (under, enough) = ((text.len() - 1).to_string(), text.len().to_string());
    for command in [vec!["check"], vec!["lint"], vec!["diff", &path]] {
        let run = |most: &str| {
            let mut args = command.clone();
            args.extend(["--max-file-bytes", most, &path]);
            toolsure(&args)
        };
        let refused = run(&under);
        assert_eq!(refused.code, 2, "{command:?} {}", refused.stdout);
        assert!(
            refused.stderr.contains("--max-file-bytes"),
            "{}",
            refused.stderr
        );
        assert_eq!(refused.stdout, "", "{command:?}");
        let read = run(&enough);
        assert_eq!(read.code, 0, "{command:?} {}", read.stderr);
    }
}

/// Each file that a person gives to a command: with a byte order mark the result is the same; in
/// UTF-16 the error says so.
#[test]
fn every_file_may_begin_with_a_byte_order_mark_and_none_is_utf_16() {
    let listing =
        r#"[{"name": "a", "description": "d", "inputSchema": {"type": "object", "minLenght": 1}}]"#;
    let argument_schema = r#"{"q": {"type": "string"}}"#;
    let tests =
        r#"{"schema": {"type": "integer"}, "tests": [{"dataPath": "i.json", "valid": true}]}"#;
    let baseline = r#"{"version": 1, "lint": [], "check": []}"#;
    let guard = "[upstreams.a]\ncommand = [\"cat\"]\nlock = \"l.json\"\n[[tools]]\nmatch = \"a\"\nargument_schema = \"args.json\"\n";
    let files = [
        ("l.json", listing),
        ("args.json", argument_schema),
        ("call.json", r#"{"q": "x"}"#),
        ("t.json", tests),
        ("i.json", "1"),
        ("s.json", r#"{"type": "integer"}"#),
        ("i.jsonl", "1\n2\n"),
        ("known.json", baseline),
        ("toolsure.toml", "[levels]\nTL006 = \"off\"\n"),
        ("guard.toml", guard),
    ];
    let rows: [(&str, &[&str]); 17] = [
        ("l.json", &["check", "l.json"]),
        ("l.json", &["lint", "--format", "json", "l.json"]),
        ("l.json", &["diff", "l.json", "l.json"]),
        ("l.json", &["project", "--for", "gemini", "l.json"]),
        ("l.json", &["lint", "--fix", "--diff", "l.json"]),
        ("l.json", &["fetch", "--host", "localhost", "l.json"]),
        (
            "toolsure.toml",
            &["lint", "--config", "toolsure.toml", "l.json"],
        ),
        (
            "known.json",
            &["lint", "--baseline", "known.json", "l.json"],
        ),
        ("args.json", &["argument-schema", "check", "args.json"]),
        ("args.json", &["argument-schema", "convert", "args.json"]),
        (
            "call.json",
            &["argument-schema", "explain", "args.json", "call.json"],
        ),
        ("s.json", &["validate", "s.json", "i.json"]),
        ("i.json", &["validate", "s.json", "i.json"]),
        ("i.jsonl", &["validate", "--jsonl", "s.json", "i.jsonl"]),
        ("t.json", &["test", "t.json"]),
        ("i.json", &["test", "t.json"]),
        (
            "guard.toml",
            &["guard", "--check-config", "--config", "guard.toml"],
        ),
    ];
    let guarded = ["l.json", "args.json"].map(|file| (file, rows[16].1));
    for (marked, args) in rows.into_iter().chain(guarded) {
        let dir = Dir::new();
        for (name, text) in files {
            dir.file(name, text);
        }
        let run = || {
            let args: Vec<String> = args
                .iter()
                .map(|word| match files.iter().any(|(name, _)| name == word) {
                    true => dir.path(word),
                    false => (*word).to_owned(),
                })
                .collect();
            let args: Vec<&str> = args.iter().map(String::as_str).collect();
            let run = toolsure(&args);
            (run.code, run.stdout, run.stderr)
        };
        let (_, text) = files.into_iter().find(|(name, _)| *name == marked).unwrap();
        let plain = run();
        assert!(plain.0 < 2, "{args:?} {plain:?}");
        dir.file(marked, &format!("\u{feff}{text}"));
        // The positions of a machine's output are those of the file.
        if !args.contains(&"json") {
            assert_eq!(run(), plain, "{marked} {args:?}");
        }
        assert_eq!(run().0, plain.0, "{marked} {args:?}");
        let wide: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        std::fs::write(dir.path(marked), wide).unwrap();
        let (code, stdout, stderr) = run();
        assert!(code > 0, "{marked} {args:?}");
        let told = format!("{stdout}{stderr}");
        assert!(
            told.contains("it is UTF-16; save it as UTF-8"),
            "{marked} {args:?} {told}"
        );
    }
}

/// `--fix` of a file with a byte order mark edits the right bytes, and keeps the mark.
#[test]
fn fixes_keep_a_byte_order_mark() {
    let text = r#"[{"name": "a", "description": "Finds pages.", "inputSchema": {"type": "Object", "properties": {}}}]"#;
    let dir = Dir::new();
    let [plain, marked] = ["plain.json", "marked.json"].map(|name| dir.path(name));
    std::fs::write(&plain, text).unwrap();
    std::fs::write(&marked, format!("\u{feff}{text}")).unwrap();
    for file in [&plain, &marked] {
        toolsure(&["lint", "--fix", "--unsafe-fixes", file]);
    }
    let plain = std::fs::read_to_string(plain).unwrap();
    assert_ne!(plain, text);
    let marked = std::fs::read_to_string(marked).unwrap();
    assert_eq!(marked, format!("\u{feff}{plain}"));
}

/// A file of one instance, or a listing, is read whatever its size: local files are not hostile.
#[test]
fn large_local_files_are_read_by_default() {
    let dir = Dir::new();
    let schema = dir.file("s.json", r#"{"items": {"type": "integer"}}"#);
    // More values than a server may send, in few bytes; deeper, too.
    let ones = format!("[{}1]", "1,".repeat(1_200_000));
    let many = dir.file("many.json", &ones);
    let deep = dir.file(
        "deep.json",
        &format!("{}{}", "[".repeat(300), "]".repeat(300)),
    );
    let nested = dir.file(
        "nested.json",
        r##"{"items": {"type": ["integer", "array"], "$ref": "#"}}"##,
    );
    for (schema, instance) in [(&schema, &many), (&nested, &many), (&nested, &deep)] {
        let run = toolsure(&["validate", schema, instance]);
        assert_eq!(run.code, 0, "{} {}", run.stdout, run.stderr);
    }
    let tests = format!(
        r#"{{"schema": {{"items": {{"type": "integer"}}}}, "tests": [{{"data": {ones}, "valid": true}}, {{"dataPath": "many.json", "valid": true}}]}}"#
    );
    let tests = dir.file("t.json", &tests);
    assert_eq!(toolsure(&["test", &tests]).code, 0);
    // The limits that the operator sets hold.
    for limit in [
        "instance.nodes=1000",
        "instance.bytes=1KiB",
        "fuel=1000",
        "instance.depth=100",
    ] {
        let instance = if limit.contains("depth") {
            &deep
        } else {
            &many
        };
        let run = toolsure(&["validate", "--limit", limit, &nested, instance]);
        assert!([2, 7].contains(&run.code), "{limit} {}", run.stdout);
        assert!(
            run.stdout.contains("raise it with `--limit"),
            "{}",
            run.stdout
        );
    }
    for (flag, value, code) in [
        ("--max-instance-bytes", "1KiB", 2),
        ("--max-instance-bytes", "100MiB", 0),
        ("--fuel", "1000", 7),
    ] {
        let run = toolsure(&["validate", flag, value, &schema, &many]);
        assert_eq!(
            run.code, code,
            "{flag} {value} {}{}",
            run.stdout, run.stderr
        );
    }
    let wrong = toolsure(&["validate", "--max-instance-bytes", "1MB", &schema, &many]);
    assert!(
        wrong.code == 2 && wrong.stderr.contains("bytes from 1 to 1 GiB"),
        "{}",
        wrong.stderr
    );
}

/// A schema may come from a stranger: the work of a check is proportional to the instance.
#[test]
fn a_costly_schema_on_a_local_instance_ends_undecided() {
    let dir = Dir::new();
    // Each of 1,500 branches looks at each item.
    let branch = |n: usize| format!(r#"{{"contains": {{"minimum": {}}}}}"#, n + 10);
    let branches: Vec<String> = (0..1_500).map(branch).collect();
    let schema = format!(r#"{{"anyOf": [{}]}}"#, branches.join(","));
    let schema = dir.file("s.json", &schema);
    let mut allowed = Vec::new();
    for items in [20_000, 40_000] {
        let instance = format!("[{}]", vec!["1"; items].join(","));
        let bytes = instance.len();
        let instance = dir.file("i.json", &instance);
        let run = toolsure(&["validate", &schema, &instance]);
        assert_eq!(run.code, 7, "{} {}", run.stdout, run.stderr);
        let units = 256 * bytes;
        let told = format!("undecided after {units} units of work");
        assert!(run.stdout.contains(&told), "{told}\n{}", run.stdout);
        allowed.push(units);
    }
    assert!(allowed[1] > 2_000_000);
}

#[test]
fn folders_and_patterns_stand_for_their_instances() {
    let dir = Dir::new();
    std::fs::create_dir_all(dir.path("in/b")).unwrap();
    let schema = dir.file("in/s.json", r#"{"type": "integer"}"#);
    dir.file("in/a.json", "1");
    dir.file("in/b/c.json", "\"x\"");
    dir.file("in/l.jsonl", "1\n2\n");
    dir.file("in/notes.txt", "none");
    for (more, word, code, told) in [
        (&[][..], "in", 1, "2 instances: 1 valid, 1 invalid"),
        (&[], "in/*.json", 0, "1 instance: 1 valid"),
        (&[], "in/**/c.json", 1, "1 instance: 1 invalid"),
        (&["--jsonl"], "in", 0, "2 instances: 2 valid"),
        (&[], "in/*.yaml", 2, "there is no instance (`*.json`) in"),
        (
            &["--jsonl"],
            "in/b",
            2,
            "there is no instance (`*.jsonl` or `*.ndjson`) in",
        ),
    ] {
        let word = dir.path(word);
        let run = toolsure(&[&["validate"], more, &[&schema, &word]].concat());
        assert_eq!(run.code, code, "{word} {}{}", run.stdout, run.stderr);
        assert!(run.stderr.contains(told), "{word} {}", run.stderr);
    }
}
