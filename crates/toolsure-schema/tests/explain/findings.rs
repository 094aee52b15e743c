//! One line for each kind of finding, and all that a finding carries.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

use toolsure_schema::{Compiler, Content, Dialect, FindingKind, Formats, Report, Workspace};

fn explain(schema: &str, instance: &str) -> Report {
    let compiler = Compiler::new()
        .formats(Formats::AssertWithNumbers)
        .content(Content::Assert);
    let schema = compiler.compile(schema.as_bytes()).unwrap();
    schema
        .explain(&mut Workspace::new(), instance.as_bytes())
        .unwrap()
}

/// The variant's name, as `Debug` writes it.
fn name(kind: &FindingKind) -> String {
    let text = format!("{kind:?}");
    text.split(|c: char| !c.is_alphanumeric())
        .next()
        .unwrap()
        .to_owned()
}

#[test]
fn every_kind_in_one_line() {
    let table: &[(&str, &str, &str, &str)] = &[
        (
            "Type",
            r#"{"type": "integer"}"#,
            r#""12""#,
            r#"expected integer, found string `"12"` (at the root)"#,
        ),
        (
            "Type",
            r#"{"items": {"type": ["integer", "null", "boolean"]}}"#,
            "[1.5]",
            "expected null, boolean or integer, found number `1.5` (at /0)",
        ),
        (
            "Const",
            r#"{"const": {"a": [1]}}"#,
            "null",
            r#"must be {"a":[1]}, found null (at the root)"#,
        ),
        (
            "Enum",
            r#"{"enum": ["a", "b", 3, 4, 5, 6, 7, 8, 9, 10]}"#,
            r#""A""#,
            r#"must be one of "a", "b", 3, 4, 5, 6, 7, 8, … (2 more), found string `"A"`, did you mean "a"? (at the root)"#,
        ),
        (
            "Enum",
            r#"{"enum": []}"#,
            "1",
            "expected nothing, found number `1` (at the root)",
        ),
        (
            "Minimum",
            r#"{"minimum": 3.50}"#,
            "3",
            "expected at least 3.5, found number `3` (at the root)",
        ),
        (
            "Minimum",
            r#"{"exclusiveMinimum": 3}"#,
            "3",
            "expected above 3, found number `3` (at the root)",
        ),
        (
            "Maximum",
            r#"{"maximum": 3}"#,
            "1e400",
            "expected at most 3, found number `1e400` (at the root)",
        ),
        (
            "Maximum",
            r#"{"exclusiveMaximum": 3}"#,
            "3",
            "expected below 3, found number `3` (at the root)",
        ),
        (
            "MultipleOf",
            r#"{"multipleOf": 0.1}"#,
            "0.25",
            "expected a multiple of 0.1, found number `0.25` (at the root)",
        ),
        (
            "MinLength",
            r#"{"minLength": 2}"#,
            r#""é""#,
            "expected at least 2 characters, found 1 in string `\"é\"` (at the root)",
        ),
        (
            "MaxLength",
            r#"{"maxLength": 1}"#,
            r#""ab""#,
            "expected at most 1 character, found 2 in string `\"ab\"` (at the root)",
        ),
        (
            "Pattern",
            r#"{"pattern": "^\\d+$"}"#,
            r#""a\n""#,
            r#"expected a match of pattern `^\d+$`, found string `"a\n"` (at the root)"#,
        ),
        (
            "Format",
            r#"{"format": "date"}"#,
            r#""x""#,
            r#"expected format date, found string `"x"` (at the root)"#,
        ),
        (
            "Format",
            r#"{"format": "int8"}"#,
            "300",
            "expected format int8, found number `300` (at the root)",
        ),
        (
            "Content",
            r#"{"$schema": "http://json-schema.org/draft-07/schema", "contentMediaType": "application/json"}"#,
            r#""{""#,
            r#"expected application/json content, found string `"{"` (at the root)"#,
        ),
        (
            "MinItems",
            r#"{"minItems": 2}"#,
            "[1]",
            "expected at least 2 items, found 1 (at the root)",
        ),
        (
            "MaxItems",
            r#"{"maxItems": 1}"#,
            "[1, 2]",
            "expected at most 1 item, found 2 (at the root)",
        ),
        (
            "UniqueItems",
            r#"{"uniqueItems": true}"#,
            "[1, 2, 1.0]",
            "expected distinct items, found items 0 and 2 equal (at the root)",
        ),
        (
            "Contains",
            r#"{"contains": {"const": 1}}"#,
            "[2]",
            "expected an item that matches `contains`, found none (at the root)",
        ),
        (
            "MinContains",
            r#"{"contains": {"const": 1}, "minContains": 2}"#,
            "[1]",
            "expected at least 2 items matching `contains`, found 1 (at the root)",
        ),
        (
            "MaxContains",
            r#"{"contains": {"const": 1}, "maxContains": 1}"#,
            "[1, 1]",
            "expected at most 1 item matching `contains`, found more (at the root)",
        ),
        (
            "MinProperties",
            r#"{"minProperties": 1}"#,
            "{}",
            "expected at least 1 property, found 0 (at the root)",
        ),
        (
            "MaxProperties",
            r#"{"maxProperties": 0}"#,
            r#"{"a": 1}"#,
            "expected at most 0 properties, found 1 (at the root)",
        ),
        (
            "Required",
            r#"{"required": ["a`b"]}"#,
            "{}",
            "missing property `a`b` (at the root)",
        ),
        (
            "Required",
            r#"{"required": ["a", "b", "c", "d", "e", "f", "g", "h", "i"]}"#,
            r#"{"b": 1}"#,
            "missing properties `a`, `c`, `d`, `e`, `f`, `g`, `h`, `i` (at the root)",
        ),
        (
            "DependentRequired",
            r#"{"dependentRequired": {"a": ["b"]}}"#,
            r#"{"a": 1}"#,
            "missing property `b`, needed beside `a` (at the root)",
        ),
        (
            "UnexpectedProperty",
            r#"{"properties": {"limit": {}}, "additionalProperties": false}"#,
            r#"{"limti": 1}"#,
            "unexpected property `limti`, did you mean `limit`? (at /limti)",
        ),
        (
            "UnexpectedProperty",
            r##"{"$ref": "#/$defs/a", "unevaluatedProperties": false, "$defs": {"a": {"properties": {"limit": {}}}}}"##,
            r#"{"limits": 1}"#,
            "unexpected property `limits`, did you mean `limit`? (at /limits)",
        ),
        (
            "ForbiddenProperty",
            r#"{"properties": {"a": false}}"#,
            r#"{"a": 1}"#,
            "property `a` is not allowed here (at /a)",
        ),
        (
            "UnexpectedItem",
            r#"{"prefixItems": [true], "items": false}"#,
            "[1, 2]",
            "unexpected item 1 (at /1)",
        ),
        (
            "ForbiddenName",
            r#"{"propertyNames": false}"#,
            r#"{"a": 1}"#,
            "property name `a`: no property name is allowed here (at the root)",
        ),
        (
            "AnyOf",
            r#"{"anyOf": [{"minimum": 5}, {"maximum": 1}]}"#,
            "3",
            "matches none of the 2 branches (at the root)",
        ),
        (
            "OneOf",
            r#"{"oneOf": [{"minimum": 5}]}"#,
            "3",
            "does not match the only branch (at the root)",
        ),
        (
            "OneOfMany",
            r#"{"oneOf": [{"minimum": 5}, {"minimum": 1}, {"minimum": 2}]}"#,
            "3",
            "expected to match exactly one branch, matches 1 and 2 (at the root)",
        ),
        (
            "Not",
            r#"{"not": {}}"#,
            "{}",
            "found object `{}`, which `not` forbids (at the root)",
        ),
        (
            "Never",
            "false",
            r#"{"a": "\u202e"}"#,
            r#"expected nothing, found object `{"a":"\u{202e}"}` (at the root)"#,
        ),
    ];
    let mut wrong = String::new();
    for (kind, schema, instance, expected) in table {
        let report = explain(schema, instance);
        let first = &report.findings[0];
        if name(&first.kind) != *kind || first.to_string() != *expected {
            wrong.push_str(&format!(
                "{schema} {instance}\n  {kind}: {expected}\n  {}: {first}\n",
                name(&first.kind)
            ));
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

#[test]
fn a_finding_knows_its_places() {
    let schema = r##"{"$id": "https://example.com/s", "properties": {"a b": {"$ref": "#/$defs/n"}}, "$defs": {"n": {"$id": "n", "items": {"maximum": 3}}}}"##;
    let report = explain(schema, r#"{"x": 1, "a b": [1, 5]}"#);
    let [finding] = report.findings.as_slice() else {
        unreachable!("one finding: {report:?}")
    };
    assert_eq!(finding.instance_location(), "/a b/1");
    assert_eq!(
        finding.keyword_location(),
        "/properties/a b/$ref/items/maximum"
    );
    assert_eq!(
        finding.absolute_keyword_location(),
        "https://example.com/n#/items/maximum"
    );
    assert_eq!(finding.keyword(), "maximum");
    assert_eq!(finding.source().pointer, "/$defs/n/items/maximum");
    assert_eq!(schema.get(finding.source().span), Some("3"));
    assert_eq!(finding.instance_span, Some(20..21));
    assert!(report.complete);
}

#[test]
fn a_false_schema_is_the_finding_of_the_keyword_that_applies_it() {
    for (schema, instance, keyword) in [
        ("false", "1", ""),
        (
            r#"{"properties": {"a": false}}"#,
            r#"{"a": 1}"#,
            "properties",
        ),
        // The member has the name of a keyword.
        (
            r#"{"properties": {"items": false}}"#,
            r#"{"items": 1}"#,
            "properties",
        ),
        (
            r##"{"$ref": "#/$defs/a", "$defs": {"a": false}}"##,
            "1",
            "$ref",
        ),
        (r#"{"prefixItems": [false]}"#, "[1]", "prefixItems"),
    ] {
        let report = explain(schema, instance);
        assert_eq!(report.findings[0].keyword(), keyword, "{schema}");
    }
}

/// A member's name is a string: a branch for another type was not meant.
#[test]
fn branches_for_names_are_ranked_by_type() {
    let branches = r#"{"anyOf": [{"type": "integer"}, {"type": "string", "minLength": 5}]}"#;
    let names = format!(r#"{{"propertyNames": {branches}}}"#);
    for (schema, instance) in [(branches, r#""abc""#), (names.as_str(), r#"{"abc": 1}"#)] {
        let report = explain(schema, instance);
        let plausible = match &report.findings[0].kind {
            FindingKind::AnyOf(branches) => &branches.plausible,
            other => panic!("{schema}: {other:?}"),
        };
        assert_eq!(plausible, &[1], "{schema}");
        let first = report.findings[1].keyword_location();
        assert!(first.ends_with("/anyOf/1/minLength"), "{schema}: {first}");
    }
}

/// In draft 4, a flag makes a bound exclusive.
#[test]
fn draft_4_is_explained_by_its_own_rules() {
    let compiler = Compiler::new().default_dialect(Dialect::Draft4);
    let schema = compiler
        .compile(br#"{"minimum": 3, "exclusiveMinimum": true, "type": "integer"}"#)
        .unwrap();
    let report = schema.explain(&mut Workspace::new(), b"3.0").unwrap();
    let lines: Vec<String> = report.findings.iter().map(ToString::to_string).collect();
    assert_eq!(
        lines,
        [
            "expected above 3, found number `3` (at the root)",
            "expected integer, found number `3` (at the root)"
        ]
    );
}
