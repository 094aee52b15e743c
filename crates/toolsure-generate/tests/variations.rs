//! Candidates at a location, from the values of two schemas; items that `contains` evaluates; members that exclude each other.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

use toolsure_generate::{Compiler, Generator, Hints, Options, ParsedSchema, Satisfiable, Step};
use toolsure_json::{OwnedDocument, ReadLimits};

fn read(text: &str) -> OwnedDocument {
    OwnedDocument::read(text.as_bytes(), &ReadLimits::default()).unwrap()
}

/// The first candidates of one schema, with the scalars of both.
fn candidates(
    one: &str,
    other: &str,
    options: &Options,
    at: Option<&[Step]>,
    count: usize,
) -> Vec<String> {
    let (left, right) = (read(one), read(other));
    let hints = Hints::of(left.document().root(), right.document().root());
    let schema = ParsedSchema::new(&Compiler::new(), one.as_bytes()).unwrap();
    let mut variations = schema.variations(options, &hints);
    (0..count)
        .filter_map(|number| variations.candidate(number, at))
        .collect()
}

#[test]
fn a_location_has_the_values_of_the_other_schema() {
    let name = |name: &str| Step::Name(name.to_owned());
    let object =
        r#"{"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "integer"}}}"#;
    let union = r#"{"anyOf": [{"type": "string"}, {"properties": {"k": {"const": "x"}, "v": {"type": "integer"}}, "required": ["k"]}]}"#;
    for (one, other, at, expected) in [
        (r#"{"type": "integer"}"#, r#"{"maximum": 37}"#, vec![], "38"),
        (
            object,
            r#"{"enum": ["x1"]}"#,
            vec![name("a")],
            r#"{"a":"x1"}"#,
        ),
        (
            object,
            r#"{"maxLength": 2}"#,
            vec![name("a")],
            r#"{"a":"aaa"}"#,
        ),
        (object, "{}", vec![Step::AnyName], r#"{"x-other":null}"#),
        // No keyword speaks of what is inside.
        (
            object,
            "{}",
            vec![name("c"), Step::Index(1), name("d")],
            r#"{"c":["a",{"d":true}]}"#,
        ),
        (union, "{}", vec![name("v")], r#"{"v":0,"k":"x"}"#),
        (
            r#"{"items": {"type": "boolean"}}"#,
            "{}",
            vec![Step::AnyItem],
            "[false]",
        ),
        (
            r#"{"type": "string", "pattern": "^[ab]+$"}"#,
            r#"{"pattern": "^a+$"}"#,
            vec![],
            "\"b\"",
        ),
    ] {
        let all = candidates(one, other, &Options::default(), Some(&at), 60);
        assert!(all.iter().any(|text| text == expected), "{one}: {all:?}");
        let again = candidates(one, other, &Options::default(), Some(&at), 60);
        assert_eq!(all, again, "{one}");
    }
}

#[test]
fn integers_that_programs_with_doubles_change_are_left_out() {
    let (one, other) = (r#"{"type": "integer"}"#, r#"{"maximum": 9007199254740993}"#);
    let has_large = |interoperable| {
        let options = Options {
            interoperable,
            ..Options::default()
        };
        let all = candidates(one, other, &options, Some(&[]), 60);
        all.iter().any(|text| text == "9007199254740993")
    };
    assert!(has_large(false) && !has_large(true));
}

#[test]
fn one_candidate_takes_bounded_work() {
    let patterns: Vec<String> = (0..60)
        .map(|number| format!(r#""^([a-z]+)+{number}(?=x)": {{"type": "string"}}"#))
        .collect();
    let names: Vec<String> = (0..200)
        .map(|number| format!(r#""{}{number}": {{}}"#, "a".repeat(60)))
        .collect();
    let schema = format!(
        r#"{{"patternProperties": {{{}}}, "properties": {{{}}}}}"#,
        patterns.join(","),
        names.join(",")
    );
    let document = read(&schema);
    let hints = Hints::of(document.document().root(), document.document().root());
    let schema = ParsedSchema::new(&Compiler::new(), schema.as_bytes()).unwrap();
    let mut variations = schema.variations(&Options::default(), &hints);
    for number in 0..20 {
        let _candidate = variations.candidate(number, None);
        let work = variations.take_work();
        // One look at all patterns may be beyond the limit.
        assert!(work < 1_000_000, "{number}: {work}");
    }
}

#[test]
fn an_item_that_contains_asks_for_is_evaluated() {
    let schema = br#"{"type": "array", "contains": {"type": "integer"}, "unevaluatedItems": {"type": "string"}}"#;
    let generator = Generator::new(&Compiler::new(), schema).unwrap();
    let instances = generator.instances(&Options::default());
    assert_eq!(instances.satisfiable, Satisfiable::Yes);
}

/// Each of two members that exclude each other is there once.
#[test]
fn members_that_exclude_each_other_are_covered() {
    let schema =
        br#"{"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
        "not": {"required": ["a", "b"]}}"#;
    let generator = Generator::new(&Compiler::new(), schema).unwrap();
    let instances = generator.instances(&Options::default());
    let missing = instances.missing.iter().filter(|one| one.is_valid);
    assert_eq!(missing.count(), 0, "{:?}", instances.missing);
}
