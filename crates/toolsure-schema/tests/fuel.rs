//! Fuel: the price of a check depends on schema and instance alone, and a budget that is one unit
//! short leaves the check undecided.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod shared;

use std::fs;

use toolsure_json::{Key as _, Kind, Node as _, OwnedDocument, ReadLimits, View};
use toolsure_schema::{Compiler, Dialect, Exhausted, Schema, Verdict, Workspace};

/// Schemas of every kind of keyword, with instances of both verdicts.
const PAIRS: &[(&str, &[&str])] = &[
    (
        r#"{"type": "object", "required": ["a"], "properties": {"a": {"minimum": 3}, "b": {"properties": {"c": {"pattern": "^x+$"}}}}}"#,
        &[
            r#"{"a": 3, "b": {"c": "xxx"}}"#,
            r#"{"b": {"c": "y"}, "a": 1}"#,
            r#"{"z": 1, "b": {"c": "y"}}"#,
            "[]",
        ],
    ),
    (
        r#"{"properties": {"a": {"properties": {"x": {"const": 1}}}, "b": {"properties": {"y": {"const": 2}}}}, "additionalProperties": {"items": {"type": "string"}}}"#,
        &[
            r#"{"a": {"x": 1}, "b": {"y": 2}, "c": ["s"]}"#,
            r#"{"b": {"y": 3}, "d": [1], "a": {"x": 0}, "c": [2]}"#,
        ],
    ),
    (
        r#"{"anyOf": [{"properties": {"kind": {"const": "a"}, "v": {"items": {"type": "integer"}}}, "required": ["kind"]}, {"properties": {"kind": {"const": "b"}}, "required": ["v"]}]}"#,
        &[
            r#"{"v": [1, 2, 3], "kind": "a"}"#,
            r#"{"kind": "b", "v": [1, "x"]}"#,
            r#"{"kind": "c"}"#,
        ],
    ),
    (
        r#"{"oneOf": [{"type": "integer"}, {"minimum": 2}], "not": {"const": 7}}"#,
        &["1", "3", "2.5", "7"],
    ),
    (
        r##"{"$ref": "#/$defs/n", "$defs": {"n": {"allOf": [{"properties": {"x": {"$ref": "#/$defs/n"}}}, {"properties": {"x": {"$ref": "#/$defs/n"}, "y": {"type": "null"}}}]}}}"##,
        &[
            r#"{"x": {"y": null, "x": {"x": {}}}}"#,
            r#"{"y": 1, "x": {"y": null, "x": {"x": {}, "y": 0}}}"#,
        ],
    ),
    (
        r#"{"anyOf": [{"properties": {"a": true}}, {"properties": {"b": {"type": "string"}}}], "unevaluatedProperties": {"type": "integer"}}"#,
        &[
            r#"{"a": 1, "b": "x", "c": 3}"#,
            r#"{"c": "no", "a": 1, "b": "x"}"#,
            r#"{"d": {}, "b": 1, "a": []}"#,
        ],
    ),
    (
        r##"{"$ref": "#/$defs/a", "$defs": {"a": {"items": {"$ref": "#/$defs/a"}, "patternProperties": {"^a": {"$ref": "#/$defs/a"}},
            "minLength": 0, "maxLength": 9, "minimum": 0, "maximum": 9, "exclusiveMinimum": -7, "pattern": ""}}}"##,
        &["[[[1]]]", "[[[\"a\"]]]", r#"{"a": [{"a": []}]}"#, "[[10]]"],
    ),
    (
        r#"{"uniqueItems": true, "contains": {"type": "object"}, "items": {"propertyNames": {"maxLength": 3}}}"#,
        &[
            r#"[{"a": 1, "b": [2]}, {"b": [2], "a": 2}]"#,
            r#"[{"a": 1, "b": 2}, {"b": 2, "a": 1}]"#,
            r#"[{"toolong": 1, "ab": 2}]"#,
        ],
    ),
    (
        r#"{"enum": [{"a": 1, "b": [true]}, 1.5, "s"]}"#,
        &[
            r#"{"b": [true], "a": 1.0}"#,
            r#"{"b": [false], "a": 1}"#,
            "1.50",
            "\"t\"",
        ],
    ),
    (
        r#"{"dependentSchemas": {"a": {"required": ["b"]}}, "dependentRequired": {"c": ["d", "e"]}, "patternProperties": {"^p": {"type": "integer"}}, "additionalProperties": false, "properties": {"a": true, "b": true, "c": true, "d": true, "e": true}}"#,
        &[
            r#"{"p1": 1, "b": 2, "a": 1}"#,
            r#"{"a": 1, "p": "x", "c": 1}"#,
            r#"{"c": 1, "q": 1}"#,
        ],
    ),
    // Names that a dependency alone mentions: what is dear behind one waits for the other.
    (
        r#"{"additionalProperties": {"type": "array", "items": {"items": {"pattern": "^(?=a)[ab]*$"}}}, "dependentRequired": {"a": ["b"]}}"#,
        &[
            r#"{"a": [["c"]], "b": [["abababababababababababababababababababababababababababab"]]}"#,
            r#"{"b": [["c"]], "a": [["abababababababababababababababababababababababababababab"]], "c": [[]]}"#,
        ],
    ),
    (
        r#"{"additionalProperties": {"properties": {"x": {"pattern": "^(?=a)[ab]*$"}}}, "dependentSchemas": {"a": {"minProperties": 2}, "b": true, "c": {"required": ["a"]}}, "required": ["d"]}"#,
        &[
            r#"{"a": {"x": "c"}, "b": {"x": "abababababababababababababab"}, "c": {"x": "abababababababababababab"}, "d": {"x": "abab"}}"#,
            r#"{"d": {"x": "c"}, "b": {"x": "abababababababababababababab"}, "c": {"x": "abababababababababababab"}, "a": {"x": "abab"}}"#,
        ],
    ),
    (
        r#"{"const": {"a": [1.5, 2.5], "b": {"x": 1e100, "y": "s"}, "c": "some text that is long enough to be paid for"}}"#,
        &[
            r#"{"a": [1.5, 2.5], "b": {"x": 1e100, "y": "s"}, "c": "some text that is long enough to be paid for"}"#,
            r#"{"a": [1.5, 3.5], "b": {"x": 1e100, "y": "t"}, "c": "some text that is long enough to be paid foo"}"#,
            r#"{"d": 1, "b": {"x": 2.5, "z": "t"}, "c": "some text that is long enough to be paid foo"}"#,
        ],
    ),
    (
        r#"{"properties": {"n": {"minimum": 1.5, "maximum": 1e5, "multipleOf": 0.5}, "f": {"format": "uri"}}, "additionalProperties": {"minimum": 2.25, "exclusiveMaximum": 3, "multipleOf": 0.25, "minLength": 1, "maxLength": 3, "pattern": "^x"}}"#,
        &[
            r#"{"n": 1.25, "f": "x", "z": 2.5, "y": "xyz"}"#,
            r#"{"z": 2.75, "y": "yyy", "f": 1, "n": 99999.5}"#,
        ],
    ),
    (
        r##"{"allOf": [{"$ref": "#/$defs/base"}, {"properties": {"a": {"items": {"minimum": 2}}, "c": {"properties": {"x": true}}}, "required": ["c"]}], "$defs": {"base": {"properties": {"a": {"items": {"type": "integer"}}, "c": {"additionalProperties": {"maxLength": 1}}}, "additionalProperties": {"minProperties": 1}}}}"##,
        &[
            r#"{"a": [2, 3], "c": {"x": "y"}, "d": {"e": 1}, "f": 1}"#,
            r#"{"d": {}, "c": {"x": "yy"}, "a": [2, 1, 2.5]}"#,
        ],
    ),
];

#[test]
fn exact_price_and_one_unit_less() {
    for (schema, instances) in PAIRS {
        let schema = Schema::compile(schema.as_bytes()).unwrap();
        for instance in *instances {
            holds(&schema, instance.as_bytes(), instance);
        }
    }
}

/// A union whose node is merged into each of two branches is evaluated once for a value, on every
/// level: the price grows with the levels, not with the paths through them.
#[test]
fn a_union_in_several_merged_nodes_is_paid_for_once() {
    let fuel = |levels: usize, union: &str| {
        let level = |n: usize| {
            let next = format!(r##""$ref": "#/$defs/n{}""##, n + 1);
            format!(
                r#""n{n}": {{"{union}": [{{{next}, "minProperties": 1}}, {{{next}, "maxProperties": 9{n}}}]}}"#
            )
        };
        let defs: Vec<String> = (0..levels).map(level).collect();
        let schema = format!(
            r##"{{"$ref": "#/$defs/n0", "$defs": {{{}, "n{levels}": {{"additionalProperties": {{"const": 3}}}}}}}}"##,
            defs.join(", ")
        );
        let schema = Schema::compile(schema.as_bytes()).unwrap();
        let mut workspace = Workspace::new();
        let verdict = schema.check(&mut workspace, r#"{"c": 1}"#).unwrap();
        assert_eq!(verdict, Verdict::Invalid, "{levels} levels of {union}");
        workspace.fuel_used()
    };
    for union in ["anyOf", "oneOf"] {
        let (some, more) = (fuel(20, union), fuel(40, union));
        assert!(more < 3 * some, "{union}: {some}, then {more}");
    }
}

/// Definitions that apply the next one several times, beside keywords of their own: the price of a
/// check grows with the levels, or with their square, and not with the paths through them.
#[test]
fn merged_operations_are_not_doubled_on_each_level() {
    let pattern = |next: &str| {
        format!(r#"{{"allOf": [{next}, {{"allOf": [{next}], "minLength": 1}}], "pattern": "a"}}"#)
    };
    let unions = |next: &str| {
        format!(
            r##"{{"anyOf": [{{"anyOf": [{next}], "required": ["k"]}}, {{"allOf": [{next}], "maxItems": 99}}],
                "properties": {{"a": {{"allOf": [{{"$ref": "#/$defs/n0"}}], "properties": {{"a": {{"$ref": "#/$defs/n0"}}}}}}}}}}"##
        )
    };
    let members = |next: &str| {
        format!(
            r##"{{"dependentSchemas": {{"a": {{"allOf": [{next}, {next}]}}, "k": {{"allOf": [{next}], "items": {{"$ref": "#/$defs/n0"}}}}}}}}"##
        )
    };
    let nested = format!("{}1{}", r#"{"a": "#.repeat(12), "}".repeat(12));
    // One level for a reference to the next, the last level, and an instance.
    type Family<'f> = (&'f dyn Fn(&str) -> String, &'f str, &'f str);
    let families: [Family<'_>; 3] = [
        (&pattern, "{}", r#""abc""#),
        (&unions, r#"{"maxItems": 3}"#, &nested),
        (
            &members,
            r#"{"maxItems": 3}"#,
            r#"{"a": 1, "b": 2, "k": "x"}"#,
        ),
    ];
    for (level, last, instance) in families {
        let fuel = |levels: usize| {
            let level = |n: usize| {
                let next = format!(r##"{{"$ref": "#/$defs/n{}"}}"##, n + 1);
                format!(r#""n{n}": {}"#, level(&next))
            };
            let defs: Vec<String> = (0..levels).map(level).collect();
            let schema = format!(
                r##"{{"$ref": "#/$defs/n0", "$defs": {{{}, "n{levels}": {last}}}}}"##,
                defs.join(", ")
            );
            let schema = Schema::compile(schema.as_bytes()).unwrap();
            let mut workspace = Workspace::new();
            let verdict = schema.check(&mut workspace, instance).unwrap();
            assert_eq!(verdict, Verdict::Valid, "{levels} levels, {instance}");
            workspace.fuel_used()
        };
        let (some, more) = (fuel(40), fuel(80));
        assert!(more < 5 * some, "{instance}: {some}, then {more}");
    }
}

/// A value with more values than any member of an `enum` is not hashed: under a recursive schema
/// each level would hash what is below it.
#[test]
fn an_enum_does_not_pay_for_what_it_cannot_hold() {
    let text = r##"{"anyOf": [{"enum": [{"a": 1}, {"b": [1, 2]}]}, {"type": "array"}, {"properties": {"a": {"$ref": "#"}}, "required": ["a"]}]}"##;
    let schema = Schema::compile(text.as_bytes()).unwrap();
    let mut workspace = Workspace::new();
    let mut fuel = |items: usize| {
        let items = vec!["0"; items].join(",");
        let instance = format!("{}[{items}]{}", r#"{"a":"#.repeat(20), "}".repeat(20));
        let verdict = schema.check(&mut workspace, instance.as_str()).unwrap();
        assert_eq!(verdict, Verdict::Valid);
        workspace.fuel_used()
    };
    assert_eq!(fuel(10), fuel(10_000));
    let mut verdict = |instance: &str| schema.check(&mut workspace, instance).unwrap();
    assert_eq!(verdict(r#"{"b": [1, 2]}"#), Verdict::Valid);
    assert_eq!(verdict(r#"{"b": [1, 2, 3]}"#), Verdict::Invalid);
}

/// A text that takes more fuel than its first pass may use is checked again: it is valid for the
/// same fuel as the value, up to the last unit.
#[test]
fn a_text_may_take_all_of_the_fuel() {
    let schema = Schema::compile(br#"{"items": {"items": {"minimum": 1}}}"#).unwrap();
    let instance = format!("[{}]", vec!["[7]"; 30_000].join(","));
    let value: serde_json::Value = serde_json::from_str(&instance).unwrap();
    let mut workspace = Workspace::new();
    assert_eq!(schema.check(&mut workspace, &value), Verdict::Valid);
    let fuel = workspace.fuel_used();
    assert!(fuel > 1 << 15, "{fuel}");
    for allowed in [fuel, 2 * fuel, 8 * fuel] {
        let mut workspace = Workspace::new().fuel(allowed);
        let verdict = schema.check(&mut workspace, instance.as_str()).unwrap();
        assert_eq!(
            (verdict, workspace.fuel_used()),
            (Verdict::Valid, fuel),
            "{allowed}"
        );
    }
    let mut workspace = Workspace::new().fuel(fuel - 1);
    let verdict = schema.check(&mut workspace, instance.as_str()).unwrap();
    assert_eq!(
        verdict,
        Verdict::Undecided(Exhausted::Fuel { allowed: fuel - 1 })
    );
}

/// The same over the official suite.
#[toolsure_needs::needs("suites/json-schema-test-suite")]
#[test]
fn exact_price_on_the_official_suite() {
    let root = shared::shared("suites/json-schema-test-suite/tests");
    let mut held = 0;
    for (folder, dialect) in [
        ("draft4", Dialect::Draft4),
        ("draft7", Dialect::Draft7),
        ("draft2019-09", Dialect::Draft201909),
        ("draft2020-12", Dialect::Draft202012),
    ] {
        let compiler = Compiler::new().default_dialect(dialect);
        for file in shared::files(&root.join(folder)) {
            let text = fs::read(&file).unwrap();
            let cases = OwnedDocument::read(text, &ReadLimits::default()).unwrap();
            for case in cases.document().root().items() {
                let schema = case.member("schema").unwrap();
                // Those that lead to the suite's remote documents are not for this test.
                let Ok(schema) = compiler.compile(schema.raw().as_bytes()) else {
                    continue;
                };
                for test in case.member("tests").unwrap().items() {
                    let data = test.member("data").unwrap().raw();
                    holds(
                        &schema,
                        data.as_bytes(),
                        &format!("{}: {data}", file.display()),
                    );
                    held += 1;
                }
            }
        }
    }
    assert!(held > 4_000, "only {held} instances were found");
}

/// All that is promised of the price of one check.
fn holds(schema: &Schema, instance: &[u8], name: &str) {
    let mut workspace = Workspace::new();
    let verdict = schema.check(&mut workspace, instance).unwrap();
    let price = workspace.fuel_used();

    // So it does when the text was read before.
    let document = OwnedDocument::read(instance, &ReadLimits::default()).unwrap();
    assert_eq!(
        schema.check(&mut workspace, document.document().root()),
        verdict,
        "{name}"
    );
    assert_eq!(workspace.fuel_used(), price, "read before: {name}");

    // Members in another order cost the same.
    let mut turned = String::new();
    turn(document.document().root(), &mut turned);
    assert_eq!(
        schema.check(&mut workspace, turned.as_bytes()).unwrap(),
        verdict,
        "{name}"
    );
    assert_eq!(workspace.fuel_used(), price, "turned around: {name}");

    // The budget of exactly that price gives the same verdict, every smaller one none.
    let mut exact = Workspace::new().fuel(price);
    assert_eq!(
        schema.check(&mut exact, instance).unwrap(),
        verdict,
        "{name}"
    );
    for less in [price.checked_sub(1), Some(price / 2), Some(0)]
        .into_iter()
        .flatten()
    {
        if less < price {
            let mut short = Workspace::new().fuel(less);
            let end = schema.check(&mut short, instance).unwrap();
            let dry = Verdict::Undecided(Exhausted::Fuel { allowed: less });
            assert_eq!(end, dry, "{less} of {price} units: {name}");
        }
    }
}

/// The same value with the members of every object in reverse.
fn turn(value: View<'_>, text: &mut String) {
    match value.kind() {
        Kind::Object => {
            let members: Vec<_> = value.members().collect();
            text.push('{');
            for (index, (key, member)) in members.into_iter().rev().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                let _ = key.text();
                text.push_str(key.view().raw());
                text.push(':');
                turn(member, text);
            }
            text.push('}');
        }
        Kind::Array => {
            text.push('[');
            for (index, item) in value.items().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                turn(item, text);
            }
            text.push(']');
        }
        _ => text.push_str(value.raw()),
    }
}
