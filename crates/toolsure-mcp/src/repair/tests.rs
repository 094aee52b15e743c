//! What is repaired, what is left alone, and that neither costs too much.

use toolsure_json::{Key as _, Kind, Node as _, equal_values};
use toolsure_schema::{Compiler, Formats};

use super::*;
use toolsure_testkit::recorded::{Dice, recorded};

/// Schema, arguments, the arguments afterwards (`=` if valid, `-` if not repaired), and the report.
type Case = (&'static str, &'static str, &'static str, &'static str);

const PLAIN: &str = r#"{"type": "object", "properties": {"n": {"type": "integer"}, "x": {"type": "number"}, "b": {"type": "boolean"}, "s": {"type": "string"}, "a": {"type": "array", "items": {"type": "integer"}}, "o": {"type": "object", "properties": {"k": {"type": "integer"}}, "required": ["k"]}}, "additionalProperties": false}"#;

const CASES: &[Case] = &[
    // Valid arguments are never changed.
    (PLAIN, "{}", "=", ""),
    (PLAIN, r#"{"n": 5, "s": "5"}"#, "=", ""),
    (PLAIN, r#"{"s": "{}"}"#, "=", ""),
    ("{}", r#"{"n": "5", "m": null}"#, "=", ""),
    ("true", r#""{}""#, "=", ""),
    // Numbers and booleans in strings.
    (
        PLAIN,
        r#"{"n": "5"}"#,
        r#"{"n": 5}"#,
        "string `\"5\"` read as the number `5` (at `/n`)",
    ),
    (
        PLAIN,
        r#"{"n": "-5"}"#,
        r#"{"n": -5}"#,
        "string `\"-5\"` read as the number `-5` (at `/n`)",
    ),
    (
        PLAIN,
        r#"{"n": " 5 "}"#,
        r#"{"n": 5}"#,
        "string `\" 5 \"` read as the number `5` (at `/n`)",
    ),
    (
        PLAIN,
        r#"{"n": "5.0"}"#,
        r#"{"n": 5.0}"#,
        "string `\"5.0\"` read as the number `5.0` (at `/n`)",
    ),
    (
        PLAIN,
        r#"{"n": "1e2"}"#,
        r#"{"n": 1e2}"#,
        "string `\"1e2\"` read as the number `1e2` (at `/n`)",
    ),
    (
        PLAIN,
        r#"{"n": "\u0035"}"#,
        r#"{"n": 5}"#,
        "string `\"\\u0035\"` read as the number `5` (at `/n`)",
    ),
    (
        PLAIN,
        r#"{"x": "1.50"}"#,
        r#"{"x": 1.50}"#,
        "string `\"1.50\"` read as the number `1.50` (at `/x`)",
    ),
    (
        PLAIN,
        r#"{"x": "12345678901234567890.123"}"#,
        r#"{"x": 12345678901234567890.123}"#,
        "string `\"12345678901234567890.123\"` read as the number `12345678901234567890.123` (at `/x`)",
    ),
    (
        PLAIN,
        r#"{"b": "true"}"#,
        r#"{"b": true}"#,
        "string `\"true\"` read as the boolean `true` (at `/b`)",
    ),
    (
        PLAIN,
        r#"{"b": "false"}"#,
        r#"{"b": false}"#,
        "string `\"false\"` read as the boolean `false` (at `/b`)",
    ),
    (PLAIN, r#"{"n": "5.5"}"#, "-", ""),
    (PLAIN, r#"{"n": "five"}"#, "-", ""),
    (PLAIN, r#"{"n": "05"}"#, "-", ""),
    (PLAIN, r#"{"n": "+5"}"#, "-", ""),
    (PLAIN, r#"{"n": "0x5"}"#, "-", ""),
    (PLAIN, r#"{"n": ""}"#, "-", ""),
    (PLAIN, r#"{"n": "5 6"}"#, "-", ""),
    (PLAIN, r#"{"n": "true"}"#, "-", ""),
    (PLAIN, r#"{"b": "True"}"#, "-", ""),
    (PLAIN, r#"{"b": "yes"}"#, "-", ""),
    (PLAIN, r#"{"b": 1}"#, "-", ""),
    (PLAIN, r#"{"s": 5}"#, "-", ""),
    (PLAIN, r#"{"n": 5.5}"#, "-", ""),
    // Arrays and objects in strings.
    (
        PLAIN,
        r#"{"a": "[1, 2]"}"#,
        r#"{"a": [1, 2]}"#,
        "string `\"[1, 2]\"` read as the array `[1, 2]` (at `/a`)",
    ),
    (
        PLAIN,
        r#"{"a": "[]"}"#,
        r#"{"a": []}"#,
        "string `\"[]\"` read as the array `[]` (at `/a`)",
    ),
    (
        PLAIN,
        r#"{"o": "{\"k\": 1}"}"#,
        r#"{"o": {"k": 1}}"#,
        "string `\"{\\\"k\\\": 1}\"` read as the object `{\"k\": 1}` (at `/o`)",
    ),
    (
        PLAIN,
        r#"{"a": ["1", 2, "3"]}"#,
        r#"{"a": [1, 2, 3]}"#,
        "string `\"1\"` read as the number `1` (at `/a/0`); string `\"3\"` read as the number `3` (at `/a/2`)",
    ),
    (
        PLAIN,
        r#"{"a": "[\"1\"]"}"#,
        r#"{"a": [1]}"#,
        "string `\"[\\\"1\\\"]\"` read as the array `[\"1\"]` (at `/a`); string `\"1\"` read as the number `1` (at `/a/0`)",
    ),
    (
        PLAIN,
        r#""{\"n\": 5}""#,
        r#"{"n": 5}"#,
        "string `\"{\\\"n\\\": 5}\"` read as the object `{\"n\": 5}` (at the root)",
    ),
    (
        PLAIN,
        r#""{\"n\": \"5\"}""#,
        r#"{"n": 5}"#,
        "string `\"{\\\"n\\\": \\\"5\\\"}\"` read as the object `{\"n\": \"5\"}` (at the root); string `\"5\"` read as the number `5` (at `/n`)",
    ),
    (PLAIN, r#"{"a": "1, 2"}"#, "-", ""),
    (PLAIN, r#"{"a": "[1, 2"}"#, "-", ""),
    (PLAIN, r#"{"a": "{\"k\": 1}"}"#, "-", ""),
    (PLAIN, r#"{"o": "{\"k\": 1, \"k\": 2}"}"#, "-", ""),
    (PLAIN, r#"{"a": 1}"#, "-", ""),
    (PLAIN, r#"{"a": "1"}"#, "-", ""),
    (PLAIN, r#"{"a": [1, "x"]}"#, "-", ""),
    (PLAIN, r#"{"o": {}}"#, "-", ""),
    (PLAIN, "[]", "-", ""),
    (PLAIN, "null", "-", ""),
    (PLAIN, r#"{"unknown": 1}"#, "-", ""),
    (PLAIN, r#"{"unknown": null}"#, "-", ""),
    // null for an omitted value.
    (PLAIN, r#"{"n": null}"#, "{}", "`null` left out (at `/n`)"),
    (
        PLAIN,
        r#"{ "n": null , "s": "x" }"#,
        r#"{ "s": "x" }"#,
        "`null` left out (at `/n`)",
    ),
    (
        PLAIN,
        r#"{ "s": "x" , "n": null }"#,
        r#"{ "s": "x" }"#,
        "`null` left out (at `/n`)",
    ),
    (
        PLAIN,
        r#"{"s": "x", "n": null, "x": 1}"#,
        r#"{"s": "x", "x": 1}"#,
        "`null` left out (at `/n`)",
    ),
    (
        PLAIN,
        r#"{"n": null, "x": null}"#,
        "{}",
        "`null` left out (at `/n`); `null` left out (at `/x`)",
    ),
    (PLAIN, r#"{"o": {"k": null}}"#, "-", ""),
    (PLAIN, r#"{"a": [null]}"#, "-", ""),
    (PLAIN, r#"{"n": "null"}"#, "-", ""),
    (
        r#"{"properties": {"n": {"type": ["integer", "null"]}}}"#,
        r#"{"n": null}"#,
        "=",
        "",
    ),
    (
        r#"{"properties": {"n": {"enum": ["a"]}}}"#,
        r#"{"n": null}"#,
        "{}",
        "`null` left out (at `/n`)",
    ),
    (
        r#"{"properties": {"n": false}}"#,
        r#"{"n": null}"#,
        "{}",
        "`null` left out (at `/n`)",
    ),
    (
        r#"{"properties": {"n": {"not": {"type": "null"}}}}"#,
        r#"{"n": null}"#,
        "{}",
        "`null` left out (at `/n`)",
    ),
    (
        r#"{"additionalProperties": {"type": "string"}}"#,
        r#"{"a/b": null}"#,
        "{}",
        "`null` left out (at `/a~1b`)",
    ),
    // Defaults for missing members.
    (
        r#"{"properties": {"n": {"type": "integer", "default": 1.0}}, "required": ["n"]}"#,
        "{}",
        r#"{"n":1.0}"#,
        "missing member filled with its default `1.0` (at `/n`)",
    ),
    (
        r#"{"properties": {"n\"": {"default": "x\n"}}, "required": ["n\""]}"#,
        r#"{ "a" : 1 }"#,
        r#"{ "a" : 1,"n\"":"x\n" }"#,
        "missing member filled with its default `\"x\\n\"` (at `/n\"`)",
    ),
    (
        r#"{"properties": {"n": {"default": 1}, "m": {"default": {}}}, "required": ["m", "n"]}"#,
        "{}",
        r#"{"m":{},"n":1}"#,
        "missing member filled with its default `{}` (at `/m`); missing member filled with its default `1` (at `/n`)",
    ),
    // Pointers start at the root of the resource.
    (
        r##"{"$defs": {"a": {"default": "outer"}}, "properties": {"sub": {"$id": "urn:x", "required": ["k"],
            "properties": {"k": {"$ref": "#/$defs/a"}}, "$defs": {"a": {"default": "inner"}}}}}"##,
        r#"{"sub": {}}"#,
        r#"{"sub": {"k":"inner"}}"#,
        "missing member filled with its default `\"inner\"` (at `/sub/k`)",
    ),
    (
        r##"{"required": ["k"], "properties": {"k": {"$ref": "#n%61me"}}, "$defs": {"a": {"$anchor": "name", "default": 1}}}"##,
        "{}",
        r#"{"k":1}"#,
        "missing member filled with its default `1` (at `/k`)",
    ),
    (r#"{"properties": {"n": {"default": 1}}}"#, "{}", "=", ""),
    (
        r#"{"properties": {"n": {"type": "integer"}}, "required": ["n"]}"#,
        "{}",
        "-",
        "",
    ),
    (
        r#"{"properties": {"n": {"type": "integer", "default": "x"}}, "required": ["n"]}"#,
        "{}",
        "-",
        "",
    ),
    (
        r#"{"properties": {"n": {"type": "integer", "default": "7"}}, "required": ["n"]}"#,
        "{}",
        r#"{"n":7}"#,
        "missing member filled with its default `\"7\"` (at `/n`); string `\"7\"` read as the number `7` (at `/n`)",
    ),
    (
        r#"{"properties": {"n": {"type": "integer", "default": 3}}, "required": ["n"]}"#,
        r#"{"n": null}"#,
        r#"{"n":3}"#,
        "`null` left out (at `/n`); missing member filled with its default `3` (at `/n`)",
    ),
    (
        r##"{"properties": {"n": {"$ref": "#/$defs/n"}}, "required": ["n"], "$defs": {"n": {"type": "integer", "default": 3}}}"##,
        "{}",
        r#"{"n":3}"#,
        "missing member filled with its default `3` (at `/n`)",
    ),
    // The fragment is percent-encoded.
    (
        r##"{"properties": {"n": {"$ref": "#/%24defs/a%20b"}}, "required": ["n"], "$defs": {"a b": {"type": "integer", "default": 3}}}"##,
        "{}",
        r#"{"n":3}"#,
        "missing member filled with its default `3` (at `/n`)",
    ),
    (
        r##"{"$ref": "#/$defs/r", "required": ["n"], "$defs": {"r": {"properties": {"n": {"default": 3}}}}}"##,
        "{}",
        r#"{"n":3}"#,
        "missing member filled with its default `3` (at `/n`)",
    ),
    (
        r#"{"allOf": [{"properties": {"n": {"default": 3}}}], "required": ["n"]}"#,
        "{}",
        r#"{"n":3}"#,
        "missing member filled with its default `3` (at `/n`)",
    ),
    (
        r#"{"properties": {"o": {"properties": {"n": {"default": 3}}, "required": ["n"]}}}"#,
        r#"{"o": {}}"#,
        r#"{"o": {"n":3}}"#,
        "missing member filled with its default `3` (at `/o/n`)",
    ),
    (
        r#"{"properties": {"n": {"default": 3}}, "dependentRequired": {"m": ["n"]}}"#,
        r#"{"m": 1}"#,
        r#"{"m": 1,"n":3}"#,
        "missing member filled with its default `3` (at `/n`)",
    ),
    (
        r#"{"dependentRequired": {"m": ["n"]}}"#,
        r#"{"m": null}"#,
        "{}",
        "`null` left out (at `/m`)",
    ),
    // Values that a string could contain.
    (
        r#"{"properties": {"n": {"enum": [1, 2]}}}"#,
        r#"{"n": "2"}"#,
        r#"{"n": 2}"#,
        "string `\"2\"` read as the number `2` (at `/n`)",
    ),
    (
        r#"{"properties": {"n": {"const": true}}}"#,
        r#"{"n": "true"}"#,
        r#"{"n": true}"#,
        "string `\"true\"` read as the boolean `true` (at `/n`)",
    ),
    (
        r#"{"properties": {"n": {"enum": ["1"]}}}"#,
        r#"{"n": 1}"#,
        "-",
        "",
    ),
    (
        r#"{"properties": {"n": {"type": "integer", "maximum": 3}}}"#,
        r#"{"n": "4"}"#,
        "-",
        "",
    ),
    (
        r#"{"properties": {"n": {"type": ["integer", "string"], "pattern": "^a"}}}"#,
        r#"{"n": "4"}"#,
        r#"{"n": 4}"#,
        "string `\"4\"` read as the number `4` (at `/n`)",
    ),
    // Unions.
    (
        r#"{"properties": {"n": {"anyOf": [{"type": "integer"}, {"type": "boolean"}]}}}"#,
        r#"{"n": "4"}"#,
        r#"{"n": 4}"#,
        "string `\"4\"` read as the number `4` (at `/n`)",
    ),
    (
        r#"{"properties": {"n": {"anyOf": [{"type": "integer"}, {"type": "null"}]}}}"#,
        r#"{"n": "4"}"#,
        r#"{"n": 4}"#,
        "string `\"4\"` read as the number `4` (at `/n`)",
    ),
    (
        r#"{"properties": {"n": {"oneOf": [{"type": "integer"}, {"type": "array"}]}}}"#,
        r#"{"n": "[4]"}"#,
        r#"{"n": [4]}"#,
        "string `\"[4]\"` read as the array `[4]` (at `/n`)",
    ),
    (
        r#"{"properties": {"n": {"anyOf": [{"type": "integer"}, {"type": "array"}]}}}"#,
        r#"{"n": null}"#,
        "{}",
        "`null` left out (at `/n`)",
    ),
    (
        r#"{"oneOf": [{"properties": {"k": {"const": "a"}, "n": {"type": "integer"}}, "required": ["k"]}, {"properties": {"k": {"const": "b"}}, "required": ["k"]}]}"#,
        r#"{"k": "a", "n": "1"}"#,
        r#"{"k": "a", "n": 1}"#,
        "string `\"1\"` read as the number `1` (at `/n`)",
    ),
    (
        r#"{"oneOf": [{"properties": {"n": {"default": 1}}, "required": ["n"]}, {"required": ["m"]}]}"#,
        "{}",
        r#"{"n":1}"#,
        "missing member filled with its default `1` (at `/n`)",
    ),
    (
        r#"{"oneOf": [{"type": "object"}, {"minProperties": 0}]}"#,
        r#"{"n": "1"}"#,
        "-",
        "",
    ),
    (
        r#"{"properties": {"n": {"anyOf": [{"type": "object", "properties": {"p": {"type": "integer"}, "q": {"type": "boolean"}}}, {"type": "integer"}]}}}"#,
        r#"{"n": {"p": "1", "q": "true"}}"#,
        r#"{"n": {"p": 1, "q": true}}"#,
        "string `\"1\"` read as the number `1` (at `/n/p`); string `\"true\"` read as the boolean `true` (at `/n/q`)",
    ),
    // Conditions: fixing one fault may fix another.
    (
        r#"{"properties": {"n": {"type": "integer"}}, "if": {"properties": {"n": {"type": "string"}}, "required": ["n"]}, "then": {"required": ["zzz"]}}"#,
        r#"{"n": "1"}"#,
        r#"{"n": 1}"#,
        "string `\"1\"` read as the number `1` (at `/n`)",
    ),
    // Several faults, one of which cannot be fixed.
    (
        PLAIN,
        r#"{"n": "5", "b": "true", "x": null, "a": "[]"}"#,
        r#"{"n": 5, "b": true, "a": []}"#,
        "string `\"5\"` read as the number `5` (at `/n`); `null` left out (at `/x`); string `\"true\"` read as the boolean `true` (at `/b`); string `\"[]\"` read as the array `[]` (at `/a`)",
    ),
    (PLAIN, r#"{"n": "5", "b": "maybe"}"#, "-", ""),
    // Untouched parts keep their spelling.
    (
        PLAIN,
        "{ \"x\" : 1.500e0,\n\t\"n\":\"5\" , \"s\":\"\\u00e9\" }",
        "{ \"x\" : 1.500e0,\n\t\"n\":5 , \"s\":\"\\u00e9\" }",
        "string `\"5\"` read as the number `5` (at `/n`)",
    ),
];

fn schema(text: &str) -> Schema {
    Compiler::new()
        .formats(Formats::Assert)
        .compile(text.as_bytes())
        .unwrap()
}

fn shown(outcome: &Outcome) -> (String, String) {
    match outcome {
        Outcome::Valid => ("=".to_owned(), String::new()),
        Outcome::Unrepaired { .. } => ("-".to_owned(), String::new()),
        Outcome::Undecided(_) => ("?".to_owned(), String::new()),
        Outcome::Repaired(repaired) => {
            let edits: Vec<_> = repaired.edits.iter().map(ToString::to_string).collect();
            (repaired.text.clone(), edits.join("; "))
        }
    }
}

#[test]
fn cases() {
    for (text, arguments, after, edits) in CASES {
        let outcome = repair(
            &schema(text),
            arguments.as_bytes(),
            &RepairLimits::default(),
        );
        let outcome = outcome.unwrap();
        assert_eq!(
            shown(&outcome),
            ((*after).to_owned(), (*edits).to_owned()),
            "{text} {arguments}"
        );
        if *after == "-" {
            assert_eq!(
                outcome,
                Outcome::Unrepaired { complete: true },
                "{arguments}"
            );
        }
    }
}

#[test]
fn malformed_arguments_are_errors() {
    for bad in ["", "{", "{\"a\":1,\"a\":2}", "\u{feff}{}"] {
        assert!(repair(&schema("{}"), bad.as_bytes(), &RepairLimits::default()).is_err());
    }
}

/// Each limit at the lowest value that suffices, and one below.
#[test]
fn limits_hold() {
    let arguments = br#"{"a": ["1", "2", "3"]}"#;
    let with = |change: fn(&mut RepairLimits, usize), value: usize| {
        let mut limits = RepairLimits::default();
        change(&mut limits, value);
        let outcome = repair(&schema(PLAIN), arguments, &limits).unwrap();
        matches!(outcome, Outcome::Repaired(_))
    };
    assert!(with(|limits, n| limits.edits = n, 3));
    assert!(!with(|limits, n| limits.edits = n, 2));
    assert!(with(|limits, n| limits.checks = n, 3));
    assert!(!with(|limits, n| limits.checks = n, 2));
    assert!(with(
        |limits, n| limits.fuel = u64::try_from(n).unwrap(),
        20_000
    ));
    assert!(!with(
        |limits, n| limits.fuel = u64::try_from(n).unwrap(),
        500
    ));
    let no_fuel = RepairLimits {
        fuel: 1,
        ..RepairLimits::default()
    };
    let outcome = repair(&schema(PLAIN), arguments, &no_fuel).unwrap();
    assert!(matches!(outcome, Outcome::Undecided(_)));
}

/// Many faults, each with a possible fix, none of which leads to valid arguments.
#[test]
fn hostile_searches_end() {
    let union = r#"{"anyOf": [{"items": {"type": "integer"}, "maxItems": 1}, {"items": {"type": "boolean"}, "maxItems": 1}]}"#;
    let many = format!("[{}]", vec!["\"1\""; 20_000].join(","));
    let nested = format!("{}1{}", "[".repeat(100), "]".repeat(100));
    let mut wrapped = "5".to_owned();
    for _ in 0..12 {
        wrapped = format!("{:?}", wrapped);
    }
    for (text, arguments) in [
        (union, many.as_str()),
        (r#"{"items": {"type": "integer"}}"#, many.as_str()),
        (union, nested.as_str()),
        (r#"{"type": "integer"}"#, wrapped.as_str()),
        (r#"{"items": {"not": {}}}"#, many.as_str()),
    ] {
        let started = std::time::Instant::now();
        let outcome = repair(
            &schema(text),
            arguments.as_bytes(),
            &RepairLimits::default(),
        );
        assert!(!matches!(outcome.unwrap(), Outcome::Repaired(_)));
        assert!(started.elapsed().as_secs() < 5, "{text}");
    }
}

/// Valid arguments, corrupted in known ways, are restored; every repair is valid.
#[test]
fn spoiled_arguments_come_back() {
    let text = r##"{"type": "object", "properties": {
        "n": {"type": "integer"}, "b": {"type": "boolean"}, "s": {"type": "string", "minLength": 1},
        "a": {"type": "array", "items": {"$ref": "#/$defs/p"}}, "p": {"$ref": "#/$defs/p"},
        "u": {"anyOf": [{"type": "integer"}, {"$ref": "#/$defs/p"}]},
        "d": {"type": "integer", "default": 9}},
        "required": ["d"], "additionalProperties": false,
        "$defs": {"p": {"type": "object", "properties": {"x": {"type": "number"}, "y": {"type": "number"}}, "required": ["x"]}}}"##;
    let schema = schema(text);
    let mut dice = Texts(Dice(17));
    let mut workspace = Workspace::new();
    let (mut spoiled, mut back) = (0, 0);
    for _ in 0..2_000 {
        let arguments = dice.arguments();
        let outcome = repair(&schema, arguments.as_bytes(), &RepairLimits::default()).unwrap();
        let verdict = schema.check(&mut workspace, arguments.as_bytes()).unwrap();
        assert_eq!(outcome == Outcome::Valid, verdict.is_valid(), "{arguments}");
        if outcome == Outcome::Valid {
            continue;
        }
        spoiled += 1;
        if let Outcome::Repaired(repaired) = outcome {
            back += 1;
            let verdict = schema.check(&mut workspace, repaired.text.as_bytes());
            assert!(verdict.unwrap().is_valid(), "{arguments} {}", repaired.text);
            assert!(!repaired.edits.is_empty());
        } else {
            panic!("{arguments}");
        }
    }
    assert!(spoiled > 1_000 && back == spoiled, "{back} of {spoiled}");
}

/// Valid arguments of recorded tools with each value in a string, or one more `null`: they are
/// restored, unless the strings are valid themselves.
#[toolsure_needs::needs("corpus/listings")]
#[test]
fn recorded_arguments_come_back() {
    let tools = recorded().unwrap();
    let (mut spoiled, mut back) = (0, 0);
    for tool in tools.iter().filter(|tool| tool.name.ends_with("/input")) {
        let Ok(schema) = Schema::compile(tool.schema.as_bytes()) else {
            continue;
        };
        let first = tool.instances.iter().filter(|(_, valid)| *valid).take(2);
        for (instance, _) in first {
            let document = OwnedDocument::read(instance.as_str(), &ReadLimits::default()).unwrap();
            let members: Vec<_> = document
                .document()
                .root()
                .members()
                .map(|(key, value)| {
                    let text = match value.kind() {
                        Kind::String => value.raw().to_owned(),
                        _ => format!("{:?}", value.raw()),
                    };
                    format!("{}:{text}", key.view().raw())
                })
                .collect();
            let text = format!("{{{}}}", members.join(","));
            let outcome = repair(&schema, text.as_bytes(), &RepairLimits::default()).unwrap();
            if outcome == Outcome::Valid {
                continue;
            }
            spoiled += 1;
            if let Outcome::Repaired(repaired) = outcome {
                back += 1;
                let verdict = schema.check(&mut Workspace::new(), repaired.text.as_bytes());
                assert!(verdict.unwrap().is_valid(), "{} {text}", tool.name);
            }
        }
    }
    eprintln!("{back} of {spoiled} came back");
    assert!(
        spoiled > 1_000 && back * 100 >= spoiled * 99,
        "{back} of {spoiled}"
    );
}

/// What is certain: two readings are none, nothing is removed or filled in, and no number changes for peers
/// that read doubles.
#[test]
fn what_is_not_certain_is_left_alone() {
    let either = r#"{"anyOf": [{"properties": {"a": {"type": "integer"}, "b": {"type": "string"}}}, {"properties": {"a": {"type": "string"}, "b": {"type": "integer"}}}]}"#;
    let both = r#"{"properties": {"a": {"type": ["integer", "array"]}, "b": {"type": "boolean"}}}"#;
    let filled = r#"{"properties": {"d": {"default": 1}}, "required": ["d"]}"#;
    for (text, arguments, expected) in [
        (PLAIN, r#"{"n": "5"}"#, r#"{"n": 5}"#),
        (
            PLAIN,
            r#"{"b": "true", "a": "[1]"}"#,
            r#"{"b": true, "a": [1]}"#,
        ),
        (PLAIN, r#"{"o": "{\"k\": \"1\"}"}"#, r#"{"o": {"k": 1}}"#),
        (PLAIN, r#"{"n": null}"#, "-"),
        (
            PLAIN,
            r#"{"n": "9007199254740991"}"#,
            r#"{"n": 9007199254740991}"#,
        ),
        (PLAIN, r#"{"n": "9007199254740993"}"#, "-"),
        (PLAIN, r#"{"n": "9007199254740993000"}"#, "-"),
        (PLAIN, r#"{"x": "1e400"}"#, "-"),
        (PLAIN, r#"{"x": "1e-400"}"#, "-"),
        (PLAIN, r#"{"x": "0e9"}"#, r#"{"x": 0e9}"#),
        (PLAIN, r#"{"x": "0.1"}"#, r#"{"x": 0.1}"#),
        (filled, "{}", "-"),
        (either, r#"{"a": "1", "b": "2"}"#, "-"),
        (
            both,
            r#"{"a": "1", "b": "false"}"#,
            r#"{"a": 1, "b": false}"#,
        ),
    ] {
        let outcome = repair(&schema(text), arguments.as_bytes(), &certain()).unwrap();
        match outcome {
            Outcome::Repaired(repaired) => assert_eq!(repaired.text, expected, "{arguments}"),
            Outcome::Unrepaired { complete: true } => assert_eq!(expected, "-", "{arguments}"),
            other => panic!("{arguments}: {other:?}"),
        }
    }
}

/// Why certain repairs are the default of the guard: of the arguments that were generated for recorded
/// tools, with one value, or all of them, in a string that the schema does not accept, each that is repaired is
/// the one that it was made from. Of the invalid ones, those are repaired in
/// which a number or `true` was generated as a string.
#[toolsure_needs::needs("corpus/instances")]
#[test]
fn certain_repairs_undo_what_the_test_wrote_as_strings() {
    let (mut spoiled, mut back, mut others, mut invalid) = (0, 0, 0, 0);
    for tool in recorded().unwrap() {
        let Ok(schema) = Schema::compile(tool.schema.as_bytes()) else {
            continue;
        };
        if !tool.name.ends_with("/input") {
            continue;
        }
        for (instance, is_valid) in &tool.instances {
            if !is_valid {
                let outcome = repair(&schema, instance.as_bytes(), &certain()).unwrap();
                invalid += 1;
                if let Outcome::Repaired(repaired) = outcome {
                    others += 1;
                    let from = repaired.edits.iter().map(|edit| edit.from.as_str());
                    let mut odd =
                        from.filter(|from| !["\"7\"", "\"1.5\"", "\"true\""].contains(from));
                    assert_eq!(odd.next(), None, "{}: {instance}", tool.name);
                }
                continue;
            }
            let document = OwnedDocument::read(instance.as_str(), &ReadLimits::default()).unwrap();
            let root = document.document().root();
            let names = root.members().map(|(key, _)| Some(key.text().to_owned()));
            let ways: Vec<Option<String>> = names.chain([None]).collect();
            // A string that is valid itself may be meant.
            let mut unfit = Vec::new();
            for one in ways {
                let members = root.members().map(|(key, value)| {
                    let is_meant = match &one {
                        Some(one) => one == key.text(),
                        None => unfit.iter().any(|unfit| unfit == key.text()),
                    };
                    let text = match value.kind() {
                        Kind::Null | Kind::String => value.raw().to_owned(),
                        _ if is_meant => format!("{:?}", value.raw()),
                        _ => value.raw().to_owned(),
                    };
                    format!("{}:{text}", key.view().raw())
                });
                let text = format!("{{{}}}", members.collect::<Vec<_>>().join(","));
                match repair(&schema, text.as_bytes(), &certain()).unwrap() {
                    Outcome::Valid => continue,
                    Outcome::Repaired(repaired) => {
                        (spoiled, back) = (spoiled + 1, back + 1);
                        let limits = ReadLimits::default();
                        let found = OwnedDocument::read(repaired.text, &limits).unwrap();
                        let found = found.document().root();
                        assert!(equal_values(found, root), "{}: {text}", tool.name);
                    }
                    _ => spoiled += 1,
                }
                unfit.extend(one);
            }
        }
    }
    println!(
        "{back} of {spoiled} came back; of {invalid} others that are invalid, {others} are repaired"
    );
    assert!(
        back > 10_000 && back * 100 >= spoiled * 99,
        "{back} of {spoiled}"
    );
}

fn certain() -> RepairLimits {
    RepairLimits {
        only_certain: true,
        ..RepairLimits::default()
    }
}

/// Random texts.
struct Texts(Dice);

impl std::ops::Deref for Texts {
    type Target = Dice;

    fn deref(&self) -> &Dice {
        &self.0
    }
}

impl std::ops::DerefMut for Texts {
    fn deref_mut(&mut self) -> &mut Dice {
        &mut self.0
    }
}

impl Texts {
    /// The JSON of a value, sometimes as a string.
    fn maybe_text(&mut self, json: String) -> String {
        if self.roll(4) > 0 {
            return json;
        }
        format!("\"{}\"", json.replace('\\', "\\\\").replace('"', "\\\""))
    }

    fn point(&mut self) -> String {
        let x = self.maybe_text("1.5".to_owned());
        let y = match self.roll(3) {
            0 => ", \"y\": null".to_owned(),
            1 => format!(", \"y\": {}", self.maybe_text("-2".to_owned())),
            _ => String::new(),
        };
        let point = format!("{{\"x\": {x}{y}}}");
        self.maybe_text(point)
    }

    fn arguments(&mut self) -> String {
        let mut members = Vec::new();
        for name in ["n", "b", "s", "a", "p", "u", "d"] {
            let value = match (name, self.roll(3)) {
                (_, 0) => continue,
                ("s", _) => "\"12\"".to_owned(),
                (_, 1) if self.roll(3) == 0 => "null".to_owned(),
                ("n" | "d", _) => self.maybe_text("7".to_owned()),
                ("b", _) => self.maybe_text("false".to_owned()),
                ("a", _) => {
                    let items: Vec<_> = (0..self.roll(3)).map(|_| self.point()).collect();
                    self.maybe_text(format!("[{}]", items.join(", ")))
                }
                _ => self.point(),
            };
            members.push(format!("\"{name}\": {value}"));
        }
        let whole = format!("{{{}}}", members.join(", "));
        self.maybe_text(whole)
    }
}
