//! What checks decide and pay, to the unit: work that is done in vain, left out, or done in another
//! order changes a price here, even where no verdict changes.

use toolsure_schema::{Compiler, Limits, OwnedDocument, ReadLimits, Schema, Verdict, Workspace};

/// A schema, and instances with whether they match and the fuel of the check.
type Row = (&'static str, &'static [(&'static str, bool, u64)]);

const ROWS: &[Row] = &[
    // Members that wait are taken in the order of the schema, up to the first that fails.
    (
        r#"{"properties": {"a": {"properties": {"x": {"const": 1}}}, "b": {"items": {"properties": {"y": {"const": 2}}}}},
            "additionalProperties": {"properties": {"z": {"const": 3}}}}"#,
        &[
            (
                r#"{"a": {"x": 0}, "b": [{"y": 2}, {"y": 2}, {"y": 2}]}"#,
                false,
                7,
            ),
            (
                r#"{"b": [{"y": 2}, {"y": 2}, {"y": 2}], "a": {"x": 0}}"#,
                false,
                7,
            ),
            (
                r#"{"b": [{"y": 0}, {"y": 2}, {"y": 2}], "a": {"x": 1}}"#,
                false,
                15,
            ),
            (
                r#"{"c": {"z": 0}, "b": [{"y": 0}], "a": {"x": 1}, "d": {"z": 3}}"#,
                false,
                15,
            ),
            (
                r#"{"c": {"z": 0}, "b": [{"y": 2}], "a": {"x": 1}, "d": {"z": 3}}"#,
                false,
                23,
            ),
            (
                r#"{"d": {"z": 3}, "c": {"z": 0}, "b": [{"y": 2}], "a": {"x": 1}}"#,
                false,
                23,
            ),
            (
                r#"{"c": {"z": 3}, "b": [{"y": 2}], "a": {"x": 1}, "d": {"z": 3}}"#,
                true,
                23,
            ),
        ],
    ),
    // Several prefixes feed `unevaluatedItems`: the longest says what is left.
    (
        r#"{"allOf": [{"prefixItems": [true, true, true]}, {"prefixItems": [true]}], "unevaluatedItems": false}"#,
        &[("[1, 2, 3]", true, 7), ("[1, 2, 3, 4]", false, 8)],
    ),
    (
        r#"{"allOf": [{"prefixItems": [true]}, {"prefixItems": [true, true, true]}], "unevaluatedItems": false}"#,
        &[("[1, 2, 3]", true, 7), ("[1, 2, 3, 4]", false, 8)],
    ),
    // What is evaluated as a whole is not looked at again, and no node is visited twice.
    (
        r##"{"anyOf": [{"$ref": "#/$defs/x"}, {"properties": {"a": true, "b": {"type": "integer"}}}],
            "oneOf": [{"$ref": "#/$defs/x"}, false],
            "dependentSchemas": {"a": {"minProperties": 1, "properties": {"a": true}}}, "unevaluatedProperties": false,
            "$defs": {"x": {"minProperties": 1, "properties": {"a": true}}}}"##,
        &[
            (r#"{"a": 1}"#, true, 27),
            (r#"{"a": 1, "b": 2}"#, true, 55),
            (r#"{"a": 1, "b": "2"}"#, false, 57),
            (r#"{"a": 1, "c": 2}"#, false, 63),
        ],
    ),
    (
        r#"{"anyOf": [{"additionalProperties": {"minimum": 1}}, {"properties": {"a": {"minimum": 5}}}], "unevaluatedProperties": false}"#,
        &[
            (r#"{"a": 1, "b": 2}"#, true, 17),
            (r#"{"a": 6, "b": 0}"#, false, 30),
        ],
    ),
    (
        r#"{"anyOf": [{"allOf": [{"patternProperties": {"^a": true}}, {"patternProperties": {"^b": true}}],
                       "unevaluatedProperties": {"type": "integer"}}, {"required": ["z"]}], "unevaluatedProperties": false}"#,
        &[
            (r#"{"a": "", "c": 2}"#, true, 47),
            (r#"{"a": "", "c": "", "z": 1}"#, false, 64),
        ],
    ),
    (
        r#"{"anyOf": [{"properties": {"aa": true, "a member whose name has more than thirty-two bytes": true}, "patternProperties": {"^b": true}}, false],
            "unevaluatedProperties": {"type": "integer"}}"#,
        &[
            (
                r#"{"aa": "", "a member whose name has more than thirty-two bytes": "", "bb": "", "c": 1}"#,
                true,
                37,
            ),
            (r#"{"aa": "", "c": ""}"#, false, 25),
        ],
    ),
    (
        r#"{"anyOf": [{"properties": {"a": true}}, {"required": ["q"]}], "if": {"required": ["a"]}, "then": {"properties": {"b": true}, "minProperties": 1},
            "unevaluatedProperties": false}"#,
        &[(r#"{"a": 1}"#, true, 34), (r#"{"a": 1, "b": 1}"#, true, 53)],
    ),
    (
        r#"{"properties": {"a": true}, "dependentSchemas": {"a": {"properties": {"b": true}, "minProperties": 1}}, "unevaluatedProperties": false}"#,
        &[
            (r#"{"a": 1}"#, true, 12),
            (r#"{"a": 1, "b": 1}"#, true, 22),
            (r#"{"b": 1}"#, false, 6),
        ],
    ),
    // A collection inside another does not take its visits for its own.
    (
        r##"{"$ref": "#/$defs/n", "$defs": {"x": {"prefixItems": [true], "minItems": 1},
            "n": {"type": "array", "anyOf": [{"$ref": "#/$defs/x"}, {"prefixItems": [false], "minItems": 1}],
                  "contains": {"$ref": "#/$defs/n"}, "minContains": 0, "unevaluatedItems": false}}}"##,
        &[
            ("[7, [5]]", true, 46),
            ("[7, [5, 6]]", false, 65),
            ("[7, [5], [6], [[1]]]", true, 109),
        ],
    ),
    // `contains` ends as soon as it is decided.
    (
        r#"{"contains": {"minimum": 5}, "minContains": 2}"#,
        &[
            ("[9]", false, 1),
            ("[9, 9, 9, 1]", true, 3),
            ("[1, 9, 1, 9]", true, 5),
            ("[1, 9, 1]", false, 4),
        ],
    ),
    (
        r#"{"contains": {"minimum": 5}, "minContains": 1, "maxContains": 3}"#,
        &[
            ("[9, 1, 1]", true, 2),
            ("[9, 9, 9]", true, 2),
            ("[9, 9, 9, 9, 9]", false, 5),
            ("[1, 1, 1, 1]", false, 5),
        ],
    ),
    (
        r#"{"contains": {"minimum": 5}, "minContains": 0, "maxContains": 2}"#,
        &[
            ("[9, 9]", true, 1),
            ("[9, 9, 9]", false, 4),
            ("[1, 1, 1]", true, 4),
        ],
    ),
    (
        r#"{"prefixItems": [{"type": "integer"}], "contains": {"minimum": 5}, "anyOf": [{"maxItems": 3}, {"minItems": 9}], "unevaluatedItems": {"type": "string"}}"#,
        &[
            ("[9, 9, 9]", true, 17),
            (r#"[9, 1, "x"]"#, false, 30),
            (r#"[9, "x", "y"]"#, true, 17),
        ],
    ),
    // Only items that have something to match are paid for.
    (
        r#"{"items": true, "minItems": 2, "uniqueItems": false}"#,
        &[("[1, 2, 3]", true, 1), ("[1]", false, 1)],
    ),
    (
        r#"{"prefixItems": [{"minimum": 1}, {"minimum": 2}, {"minimum": 3}], "items": true}"#,
        &[
            ("[1]", true, 2),
            ("[1, 2, 3, 4, 5]", true, 4),
            ("[1, 2, 0]", false, 4),
        ],
    ),
    // Items that a string tells apart.
    (
        r#"{"items": {"type": "object", "required": ["id"], "properties": {"id": {"type": "string"}}}, "uniqueItems": true}"#,
        &[
            (r#"[{"id": "b"}, {"id": "c"}, {"id": "a"}]"#, true, 16),
            (r#"[{"id": "b"}, {"id": "a"}, {"id": "b"}]"#, false, 29),
            (r#"[{"id": "b"}, {"id": "b"}]"#, false, 21),
            (r#"[{"id": "b", "v": 1}, {"id": "b", "v": 2}]"#, true, 23),
            (
                r#"[{"id": "a string of more than thirty-two bytes"}, {"id": "another string of more than thirty-two"}]"#,
                true,
                13,
            ),
        ],
    ),
    // Dependencies are paid for by their names, verdicts are remembered, and nothing follows `if` where there is no `then`.
    (
        r#"{"dependentRequired": {"a": ["b", "c", "d"]}, "dependentSchemas": {"b": {"maxProperties": 4}}}"#,
        &[
            (r#"{"a": 1, "b": 2, "c": 3, "d": 4}"#, true, 15),
            (r#"{"a": 1, "b": 2, "d": 4}"#, false, 8),
            (r#"{"e": 1}"#, true, 7),
            (r#"{"b": 1, "c": 1, "d": 1, "e": 1, "f": 1}"#, false, 12),
        ],
    ),
    (
        r##"{"anyOf": [{"$ref": "#/$defs/n", "minProperties": 3}, {"$ref": "#/$defs/n", "maxProperties": 1}, {"$ref": "#/$defs/n"}],
            "$defs": {"n": {"anyOf": [{"required": ["a"], "minProperties": 1}, {"required": ["b"], "maxProperties": 7}]}}}"##,
        &[(r#"{"b": 1, "c": 1}"#, true, 16), (r#"{"c": 1}"#, false, 3)],
    ),
    (
        r#"{"if": {"minimum": 3}, "else": {"minimum": 1}, "maximum": 9}"#,
        &[("5", true, 2), ("2", true, 3), ("0", false, 3)],
    ),
    // Keywords beside `unevaluated*` that evaluate nothing, and patterns that are there twice.
    (
        r#"{"not": {"required": ["x"]}, "contains": {"type": "string"}, "properties": {"a": true}, "unevaluatedProperties": false}"#,
        &[
            (r#"{"a": 1}"#, true, 3),
            (r#"{"a": 1, "x": 1}"#, false, 1),
            (r#"["s"]"#, false, 3),
        ],
    ),
    (
        r#"{"$schema": "https://json-schema.org/draft/2019-09/schema", "contains": {"type": "string"}, "unevaluatedItems": {"type": "integer"}}"#,
        &[(r#"["s", 1]"#, false, 3), ("[1]", false, 3)],
    ),
    (
        r#"{"allOf": [{"patternProperties": {"^a": true}}, {"patternProperties": {"^a": true}}], "unevaluatedProperties": false}"#,
        &[
            (r#"{"a": 1, "ab": 2}"#, true, 20),
            (r#"{"b": 1}"#, false, 11),
        ],
    ),
    // A subschema that only a dynamic reference comes to shows what it evaluates.
    (
        r##"{"$id": "http://example.com/r", "$ref": "http://example.com/m", "$defs": {
            "m": {"$id": "http://example.com/m", "anyOf": [{"$dynamicRef": "#n"}, {"required": ["z"]}], "unevaluatedProperties": false,
                  "$defs": {"d": {"$dynamicAnchor": "n", "properties": {"b": true}}}},
            "o": {"$dynamicAnchor": "n", "properties": {"a": true}}}}"##,
        &[(r#"{"a": 1}"#, true, 20), (r#"{"b": 1}"#, false, 21)],
    ),
    // Bounds beside closed names, types of unions, and what selects a branch.
    (
        r#"{"maxProperties": 1, "properties": {"a": true, "b": true}, "additionalProperties": false}"#,
        &[(r#"{"a": 1}"#, true, 2), (r#"{"a": 1, "b": 1}"#, false, 1)],
    ),
    (
        r#"{"$schema": "http://json-schema.org/draft-04/schema#", "anyOf": [{"type": "integer"}, {"type": "string"}]}"#,
        &[
            ("1", true, 2),
            ("1.0", false, 3),
            (r#""""#, true, 3),
            ("null", false, 3),
        ],
    ),
    (
        r#"{"anyOf": [{"properties": {"k": {"enum": ["a", null]}}, "required": ["k"]}, {"properties": {"k": {"const": "b"}}, "required": ["k", "v"]},
                      {"required": ["free"]}]}"#,
        &[
            (r#"{"k": null}"#, true, 5),
            (r#"{"k": true}"#, false, 3),
            (r#"{"k": "other", "free": 1}"#, true, 4),
            (r#"{"k": "other"}"#, false, 3),
            (r#"{"k": 7, "free": 1}"#, true, 4),
            (r#"{"free": 1}"#, true, 4),
        ],
    ),
    // Conditions that test one member, each with an `else`.
    (
        r#"{"allOf": [
            {"if": {"properties": {"k": {"const": 1}}, "required": ["k"]}, "then": {"required": ["a"]}, "else": {"required": ["b"]}},
            {"if": {"properties": {"k": {"const": 2}}, "required": ["k"]}, "then": {"required": ["c"]}, "else": {"required": ["d"]}},
            {"if": {"properties": {"k": {"const": 3}}, "required": ["k"]}, "then": {"required": ["e"]}, "else": {"required": ["f"]}}]}"#,
        &[
            (r#"{"k": 1, "a": 1}"#, false, 8),
            (r#"{"k": 1, "a": 1, "d": 1, "f": 1}"#, true, 17),
            (r#"{"k": 1, "b": 1, "d": 1, "f": 1}"#, false, 7),
        ],
    ),
    // Two walks over one object, side by side while it is read.
    (
        r#"{"properties": {"v": {"maximum": 9}}, "anyOf": [
            {"properties": {"k": {"const": "a"}, "v": {"minimum": 3}}, "required": ["k"], "maxProperties": 2},
            {"properties": {"k": {"const": "b"}}, "required": ["k", "w"]}]}"#,
        &[
            (r#"{"k": "a", "v": 5}"#, true, 7),
            (r#"{"k": "a", "v": 2}"#, false, 7),
            (r#"{"k": "a", "v": 10}"#, false, 3),
            (r#"{"k": "a", "v": 5, "x": 1}"#, false, 6),
            (r#"{"k": "b", "v": 5, "w": 1}"#, true, 9),
        ],
    ),
    // One member selects the same branch of two unions: it is walked once for each object, and again for the next.
    (
        r##"{"items": {"allOf": [{"oneOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/b"}]},
                                 {"oneOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/c"}]}]},
            "$defs": {"a": {"type": "object", "required": ["t"],
                            "properties": {"t": {"const": "a"}, "x": {"items": {"type": "string"}}}},
                      "b": {"type": "object", "required": ["t"], "properties": {"t": {"const": "b"}}},
                      "c": {"type": "object", "required": ["t"], "properties": {"t": {"const": "c"}}}}}"##,
        &[
            (r#"[{"t": "a", "x": ["s"]}]"#, true, 17),
            (
                r#"[{"t": "a", "x": ["s"]}, {"x": ["s"], "t": "a"}]"#,
                true,
                33,
            ),
            (
                r#"[{"t": "a", "x": ["s"]}, {"t": "a", "x": [1]}]"#,
                false,
                30,
            ),
        ],
    ),
];

#[test]
fn every_check_pays_what_it_did() {
    let mut wrong = Vec::new();
    for (schema, instances) in ROWS {
        let compiled = Schema::compile(schema.as_bytes()).unwrap();
        for (instance, valid, fuel) in *instances {
            let document = OwnedDocument::read(*instance, &ReadLimits::default()).unwrap();
            let value: serde_json::Value = serde_json::from_str(instance).unwrap();
            let mut workspace = Workspace::new();
            let text = compiled.check(&mut workspace, *instance).unwrap();
            let text = (text, workspace.fuel_used());
            let read = (
                compiled.check(&mut workspace, &document),
                workspace.fuel_used(),
            );
            let value = (
                compiled.check(&mut workspace, &value),
                workspace.fuel_used(),
            );
            let expected = if *valid {
                Verdict::Valid
            } else {
                Verdict::Invalid
            };
            if [text, read, value]
                .iter()
                .any(|answer| *answer != (expected, *fuel))
            {
                wrong.push(format!(
                    "{schema}\n{instance}: {text:?} {read:?} {value:?}, not {fuel}"
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The least depth of evaluation at which each is decided: one less leaves it undecided.
#[test]
fn every_level_counts() {
    let nested = |levels: usize, inner: &str| {
        let open = r#"{"minProperties":1,"anyOf":["#.repeat(levels);
        format!("{open}{inner}{}", r#",false]}"#.repeat(levels))
    };
    let evaluated = nested(
        5,
        r#"{"properties":{"a":{"properties":{"b":{"properties":{"c":{"minimum":1}}}}}}}"#,
    );
    let collected = nested(5, r#"{"properties":{"a":true}}"#);
    let collected = collected.replacen('{', r#"{"unevaluatedProperties":false,"#, 1);
    let walked = r#"{"properties":{"a":{"properties":{"b":{"properties":{"c":{"minimum":1}}}}}}}"#;
    let flat = nested(5, r#"{"properties":{"a":true},"required":["a"]}"#);
    let least = [&*evaluated, &*collected, walked, &*flat].map(|schema| {
        (1..40).find(|depth| {
            let limits = Limits {
                evaluation_depth: *depth,
                ..Limits::default()
            };
            let compiler = Compiler::new().limits(limits);
            let schema = compiler.compile(schema.as_bytes()).unwrap();
            let verdict = schema.check(&mut Workspace::new(), r#"{"a":{"b":{"c":1}}}"#);
            verdict.unwrap() == Verdict::Valid
        })
    });
    assert_eq!(least, [Some(8), Some(7), Some(3), Some(6)]);
}

/// Levels that were left do not count: more objects in a row than levels are allowed.
#[test]
fn levels_are_given_back() {
    let schema = r#"{"items": {"anyOf": [{"properties": {"a": {"items": {"properties": {"b": {"minimum": 1}}}}}}, {"required": ["z"]}],
        "unevaluatedProperties": false}}"#;
    let schema = Schema::compile(schema.as_bytes()).unwrap();
    let instance = format!("[{}]", vec![r#"{"a": [{"b": 1}]}"#; 1_000].join(","));
    // A value: text would be checked item by item.
    let instance: serde_json::Value = serde_json::from_str(&instance).unwrap();
    assert_eq!(
        schema.check(&mut Workspace::new(), &instance),
        Verdict::Valid
    );
}

/// Findings come in the order of the schema for `properties` and of the instance for `patternProperties`, and each
/// bound of `contains` is reported once.
#[test]
fn findings_have_an_order() {
    let places = |schema: &str, instance: &str| {
        let schema = Schema::compile(schema.as_bytes()).unwrap();
        let report = schema.explain(&mut Workspace::new(), instance).unwrap();
        let places = report
            .findings
            .into_iter()
            .map(|finding| finding.instance_location().to_owned());
        places.collect::<Vec<_>>()
    };
    let named =
        r#"{"properties": {"b": {"type": "null"}, "a": {"type": "null"}, "c": {"type": "null"}}}"#;
    assert_eq!(
        places(named, r#"{"c": 1, "a": 1, "b": 1}"#),
        ["/b", "/a", "/c"]
    );
    let patterns = r#"{"patternProperties": {"^b": {"type": "null"}, "^a": {"type": "null"}}}"#;
    assert_eq!(
        places(patterns, r#"{"a": 1, "b": 1, "a2": 1}"#),
        ["/a", "/b", "/a2"]
    );
    let counted = r#"{"contains": {"minimum": 5}, "minContains": 1, "maxContains": 2}"#;
    assert_eq!(places(counted, "[5, 6, 7]"), [""]);
}
