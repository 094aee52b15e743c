//! The output for small schemas, verdicts before and after, and limits.

use toolsure_json::{OwnedDocument, ReadLimits};
use toolsure_schema::{Compiler, Workspace};

use super::*;
use toolsure_testkit::recorded::{Dice, recorded};

/// A schema and its expected output.
const CASES: &[(&str, &str)] = &[
    // Nothing to do.
    ("true", "true"),
    ("false", "false"),
    ("{}", "{}"),
    ("5", "5"),
    ("[]", "[]"),
    (
        r#"{ "type" : "object" , "x": 1.50 }"#,
        r#"{ "type" : "object" , "x": 1.50 }"#,
    ),
    (
        r##"{"const": {"$ref": "#"}}"##,
        r##"{"const": {"$ref": "#"}}"##,
    ),
    (
        r##"{"enum": [{"$ref": "#/a"}], "default": {"$ref": "#/a"}}"##,
        r##"{"enum": [{"$ref": "#/a"}], "default": {"$ref": "#/a"}}"##,
    ),
    (
        r##"{"examples": [{"$ref": "#/a"}], "x-any": {"$ref": "#/a"}}"##,
        r##"{"examples": [{"$ref": "#/a"}], "x-any": {"$ref": "#/a"}}"##,
    ),
    (
        r#"{"properties": {"$ref": {"type": "string"}}}"#,
        r#"{"properties": {"$ref": {"type": "string"}}}"#,
    ),
    (
        r#"{"properties": {"$ref": {"type": "string"}, "$defs": {"type": "string"}}}"#,
        r#"{"properties": {"$ref": {"type": "string"}, "$defs": {"type": "string"}}}"#,
    ),
    (r#"{"$ref": 5}"#, r#"{"$ref": 5}"#),
    // Definitions are dropped.
    (
        r#"{"type": "object", "$defs": {"a": {}}}"#,
        r#"{"type":"object"}"#,
    ),
    (
        r#"{"type": "object", "definitions": {"a": {}}}"#,
        r#"{"type":"object"}"#,
    ),
    (
        r#"{"items": {"$defs": {"a": {}}, "type": "null"}}"#,
        r#"{"items": {"type":"null"}}"#,
    ),
    (r#"{"$defs": {}}"#, "{}"),
    // Plain replacement.
    (
        r##"{"items": {"$ref": "#/$defs/a"}, "$defs": {"a": {"type": "string"}}}"##,
        r#"{"items":{"type": "string"}}"#,
    ),
    (
        r##"{"items": {"$ref": "#/definitions/a"}, "definitions": {"a": {"type": "string"}}}"##,
        r#"{"items":{"type": "string"}}"#,
    ),
    (
        r##"{"items": {"$ref": "#/$defs/a"}, "$defs": {"a": true}}"##,
        r#"{"items":true}"#,
    ),
    (
        r##"{"items": {"$ref": "#/$defs/a"}, "$defs": {"a": false}}"##,
        r#"{"items":false}"#,
    ),
    (
        r##"{"items": {"$ref": "#/$defs/a", "title": "t"}, "$defs": {"a": false}}"##,
        r#"{"items":{"not":{},"title":"t"}}"#,
    ),
    (
        r##"{"items": {"$ref": "#/$defs/a", "not": {"type": "null"}}, "$defs": {"a": false}}"##,
        r#"{"items":{"not":{"type": "null"},"allOf":[false]}}"#,
    ),
    (
        r##"{"items": {"$ref": "#/$defs/a", "type": "null"}, "$defs": {"a": true}}"##,
        r#"{"items":{"type":"null"}}"#,
    ),
    (
        r##"{"items": {"$ref": "#/$defs/a"}, "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/c"}, "c": {"type": "null"}}}"##,
        r#"{"items":{"type": "null"}}"#,
    ),
    (
        r##"{"properties": {"x": {"$ref": "#/$defs/a"}, "y": {"$ref": "#/$defs/a"}}, "$defs": {"a": {"type": "null"}}}"##,
        r#"{"properties":{"x": {"type": "null"}, "y": {"type": "null"}}}"#,
    ),
    // At the root.
    (
        r##"{"$schema": "https://json-schema.org/draft/2020-12/schema", "$ref": "#/$defs/a", "$defs": {"a": {"type": "object"}}}"##,
        r#"{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object"}"#,
    ),
    (
        r##"{"$schema": "http://json-schema.org/draft-07/schema#", "$ref": "#/definitions/a", "definitions": {"a": {"type": "object"}}}"##,
        r#"{"$schema":"http://json-schema.org/draft-07/schema#","type":"object"}"#,
    ),
    (
        r##"{"$ref": "#/$defs/a", "type": "object", "$defs": {"a": {"type": "object", "required": ["x"]}}}"##,
        r#"{"required":["x"],"type":"object"}"#,
    ),
    // Pointers.
    (
        r##"{"properties": {"a": {"type": "null"}, "b": {"$ref": "#/properties/a"}}}"##,
        r##"{"properties": {"a": {"type": "null"}, "b": {"type": "null"}}}"##,
    ),
    (
        r##"{"items": {"$ref": "#/$defs/a~1b"}, "$defs": {"a/b": {"type": "null"}}}"##,
        r#"{"items":{"type": "null"}}"#,
    ),
    (
        r##"{"items": {"$ref": "#/$defs/a%25b"}, "$defs": {"a%b": {"type": "null"}}}"##,
        r#"{"items":{"type": "null"}}"#,
    ),
    (
        r##"{"items": {"$ref": "#/%24defs/%C3%A9"}, "$defs": {"é": {"type": "null"}}}"##,
        r#"{"items":{"type": "null"}}"#,
    ),
    (
        r##"{"items": {"$ref": "#/prefixItems/0"}, "prefixItems": [{"type": "null"}]}"##,
        r#"{"items": {"type": "null"}, "prefixItems": [{"type": "null"}]}"#,
    ),
    (
        r##"{"items": {"$ref": "#/x-shared/a"}, "x-shared": {"a": {"$ref": "#/x-shared/b"}, "b": {"type": "null"}}}"##,
        r##"{"items": {"type": "null"}, "x-shared": {"a": {"$ref": "#/x-shared/b"}, "b": {"type": "null"}}}"##,
    ),
    (
        r##"{"items": {"$ref": "#/$defs/a/$defs/b"}, "$defs": {"a": {"$defs": {"b": {"type": "null"}}}}}"##,
        r#"{"items":{"type": "null"}}"#,
    ),
    // Names.
    (
        r##"{"items": {"$ref": "#n"}, "$defs": {"a": {"$anchor": "n", "type": "null"}}}"##,
        r#"{"items":{"type":"null"}}"#,
    ),
    (
        r##"{"items": {"$ref": "#n"}, "contains": {"$anchor": "n", "type": "null"}}"##,
        r#"{"items": {"type":"null"}, "contains": {"type":"null"}}"#,
    ),
    (
        r##"{"$schema": "http://json-schema.org/draft-07/schema#", "items": {"$ref": "#n"}, "definitions": {"a": {"$id": "#n", "type": "null"}}}"##,
        r#"{"$schema":"http://json-schema.org/draft-07/schema#","items":{"type":"null"}}"#,
    ),
    (
        r##"{"$id": "http://x/root", "items": {"$ref": "part"}, "$defs": {"a": {"$id": "part", "type": "null"}}}"##,
        r#"{"$id":"http://x/root","items":{"type":"null"}}"#,
    ),
    (
        r##"{"$id": "http://x/root", "items": {"$ref": "/part#/$defs/b"}, "$defs": {"a": {"$id": "part", "$defs": {"b": {"type": "null"}}}}}"##,
        r#"{"$id":"http://x/root","items":{"type": "null"}}"#,
    ),
    (
        r##"{"$id": "http://x/root", "items": {"$id": "part", "items": {"$ref": "#/$defs/b"}, "$defs": {"b": {"type": "null"}}}, "$defs": {"b": false}}"##,
        r#"{"$id":"http://x/root","items":{"items":{"type": "null"}}}"#,
    ),
    (
        r##"{"$id": "http://x/root", "items": {"$ref": "http://x/root#/$defs/b"}, "$defs": {"b": {"type": "null"}}}"##,
        r#"{"$id":"http://x/root","items":{"type": "null"}}"#,
    ),
    (
        r##"{"$schema": "http://json-schema.org/draft-04/schema#", "id": "http://x/", "items": {"$ref": "y"}, "definitions": {"b": {"id": "y", "type": "null"}}}"##,
        r#"{"$schema":"http://json-schema.org/draft-04/schema#","id":"http://x/","items":{"type":"null"}}"#,
    ),
    (
        r##"{"items": {"$dynamicRef": "#n"}, "$defs": {"a": {"$dynamicAnchor": "n", "type": "null"}}}"##,
        r#"{"items":{"type":"null"}}"#,
    ),
    // Siblings merge if neither changes the other.
    (
        r##"{"items": {"title": "t", "$ref": "#/$defs/a", "minLength": 1}, "$defs": {"a": {"type": "string", "title": "T"}}}"##,
        r#"{"items":{"title":"t","type":"string","minLength":1}}"#,
    ),
    (
        r##"{"items": {"$ref": "#/$defs/a", "type": "string"}, "$defs": {"a": {"type": "string", "maxLength": 2}}}"##,
        r#"{"items":{"maxLength":2,"type":"string"}}"#,
    ),
    (
        r##"{"items": {"$ref": "#/$defs/a", "default": 1}, "$defs": {"a": {"default": 2, "minimum": 1.0}}}"##,
        r#"{"items":{"minimum":1.0,"default":1}}"#,
    ),
    (
        r##"{"items": {"$ref": "#/$defs/a", "minLength": 1}, "$defs": {"a": {"minLength": 2}}}"##,
        r#"{"items":{"minLength":1,"allOf":[{"minLength": 2}]}}"#,
    ),
    (
        r##"{"items": {"$ref": "#/$defs/a", "allOf": [{"minLength": 1}]}, "$defs": {"a": {"allOf": [{"minLength": 2}]}}}"##,
        r#"{"items":{"allOf":[{"minLength": 1},{"allOf": [{"minLength": 2}]}]}}"#,
    ),
    (
        r##"{"items": {"$ref": "#/$defs/a", "properties": {"x": true}}, "$defs": {"a": {"additionalProperties": false}}}"##,
        r#"{"items":{"properties":{"x": true},"allOf":[{"additionalProperties": false}]}}"#,
    ),
    (
        r##"{"items": {"$ref": "#/$defs/a", "required": ["x"]}, "$defs": {"a": {"unevaluatedProperties": false}}}"##,
        r#"{"items":{"required":["x"],"allOf":[{"unevaluatedProperties": false}]}}"#,
    ),
    (
        r##"{"items": {"$ref": "#/$defs/a", "unevaluatedProperties": false}, "$defs": {"a": {"properties": {"x": true}}}}"##,
        r#"{"items":{"properties":{"x": true},"unevaluatedProperties":false}}"#,
    ),
    (
        r##"{"items": {"$ref": "#/$defs/a", "then": false}, "$defs": {"a": {"if": true}}}"##,
        r#"{"items":{"then":false,"allOf":[{"if": true}]}}"#,
    ),
    (
        r##"{"items": {"$ref": "#/$defs/a", "contains": {}}, "$defs": {"a": {"minContains": 0}}}"##,
        r#"{"items":{"contains":{},"allOf":[{"minContains": 0}]}}"#,
    ),
    (
        r##"{"items": {"$ref": "#/$defs/a", "$dynamicRef": "#/$defs/b"}, "$defs": {"a": {"type": "string"}, "b": {"type": "null"}}}"##,
        r#"{"items":{"type":"string","allOf":[{"type": "null"}]}}"#,
    ),
    // Siblings are ignored in older drafts.
    (
        r##"{"$schema": "http://json-schema.org/draft-07/schema#", "items": {"$ref": "#/definitions/a", "maxLength": 1}, "definitions": {"a": {"minLength": 2}}}"##,
        r#"{"$schema":"http://json-schema.org/draft-07/schema#","items":{"minLength": 2}}"#,
    ),
    (
        r##"{"$schema": "http://json-schema.org/draft-07/schema#", "items": {"$ref": "#/definitions/a", "description": "d", "default": 1}, "definitions": {"a": {"description": "D", "minLength": 2}}}"##,
        r#"{"$schema":"http://json-schema.org/draft-07/schema#","items":{"description":"d","minLength":2}}"#,
    ),
    (
        r##"{"$schema": "http://json-schema.org/draft-07/schema#", "items": {"$ref": "#/definitions/a", "title": "t"}, "definitions": {"a": false}}"##,
        r#"{"$schema":"http://json-schema.org/draft-07/schema#","items":{"title":"t","not":{}}}"#,
    ),
    (
        r##"{"$schema": "http://json-schema.org/draft-06/schema#", "items": {"$ref": "#/definitions/a", "$id": "http://y/"}, "definitions": {"a": {"type": "null"}}}"##,
        r#"{"$schema":"http://json-schema.org/draft-06/schema#","items":{"type": "null"}}"#,
    ),
    // Data stays as it is written.
    (
        r##"{"items": {"$ref": "#/$defs/a"}, "$defs": {"a": {"maximum": 1.0e+2, "x-\u0061": [ 1 ,2], "const": {"$ref": "#"}}}}"##,
        r##"{"items":{"maximum": 1.0e+2, "x-\u0061": [ 1 ,2], "const": {"$ref": "#"}}}"##,
    ),
    // Recursion stays, with the definitions that it needs.
    (
        r##"{"type": "object", "properties": {"c": {"$ref": "#"}}}"##,
        r##"{"type": "object", "properties": {"c": {"$ref":"#"}}}"##,
    ),
    (
        r##"{"properties": {"t": {"$ref": "#/$defs/t"}}, "$defs": {"t": {"items": {"$ref": "#/$defs/t"}}, "u": {}}}"##,
        r##"{"properties":{"t": {"$ref":"#/$defs/t"}},"$defs":{"t":{"items": {"$ref":"#/$defs/t"}}}}"##,
    ),
    (
        r##"{"$ref": "#/$defs/t", "$defs": {"t": {"items": {"$ref": "#/$defs/t"}}}}"##,
        r##"{"items": {"$ref":"#/$defs/t"},"$defs":{"t":{"items": {"$ref":"#/$defs/t"}}}}"##,
    ),
    (
        r##"{"items": {"$ref": "#/$defs/a"}, "$defs": {"a": {"items": {"$ref": "#/$defs/b"}}, "b": {"items": {"$ref": "#/$defs/a"}}}}"##,
        r##"{"items":{"$ref":"#/$defs/a"},"$defs":{"a":{"items": {"items": {"$ref":"#/$defs/a"}}}}}"##,
    ),
    (
        r##"{"properties": {"a": {"items": {"$ref": "#/properties/a"}}}}"##,
        r##"{"properties": {"a": {"items": {"$ref":"#/$defs/a"}}},"$defs":{"a":{"items": {"$ref":"#/$defs/a"}}}}"##,
    ),
    (
        r##"{"$schema": "http://json-schema.org/draft-07/schema#", "items": {"$ref": "#/definitions/t"}, "definitions": {"t": {"items": {"$ref": "#/definitions/t"}}}}"##,
        r##"{"$schema":"http://json-schema.org/draft-07/schema#","items":{"$ref":"#/definitions/t"},"definitions":{"t":{"items": {"$ref":"#/definitions/t"}}}}"##,
    ),
    (
        r##"{"items": {"$ref": "#/$defs/a b"}, "contains": {"$ref": "#/$defs/a_b"}, "$defs": {"a b": {"items": {"$ref": "#/$defs/a b"}}, "a_b": {"items": {"$ref": "#/$defs/a_b"}}}}"##,
        r##"{"items":{"$ref":"#/$defs/a_b"},"contains":{"$ref":"#/$defs/a_b_2"},"$defs":{"a_b":{"items": {"$ref":"#/$defs/a_b"}},"a_b_2":{"items": {"$ref":"#/$defs/a_b_2"}}}}"##,
    ),
    (
        r##"{"$schema": "https://json-schema.org/draft/2019-09/schema", "items": {"$recursiveRef": "#"}, "type": "array"}"##,
        r##"{"$schema": "https://json-schema.org/draft/2019-09/schema", "items": {"$ref":"#"}, "type": "array"}"##,
    ),
    // References out of the schema, or to nothing.
    (
        r##"{"items": {"$ref": "https://json-schema.org/draft/2020-12/schema"}}"##,
        r##"{"items": {"$ref":"https://json-schema.org/draft/2020-12/schema"}}"##,
    ),
    (
        r##"{"$id": "http://x/a/", "items": {"$id": "b/", "items": {"$ref": "c#/d"}}}"##,
        r##"{"$id": "http://x/a/", "items": {"items":{"$ref":"http://x/a/b/c#/d"}}}"##,
    ),
    (
        r##"{"items": {"$ref": "#/$defs/nope"}}"##,
        r##"{"items": {"$ref":"#/$defs/nope"}}"##,
    ),
    (
        r##"{"items": {"$ref": "#/type"}, "type": "array"}"##,
        r##"{"items": {"$ref":"#/type"}, "type": "array"}"##,
    ),
    (
        r##"{"items": {"$ref": "#/%zz"}}"##,
        r##"{"items": {"$ref":"#/%zz"}}"##,
    ),
];

/// Whether no reference is left.
fn is_free(inlined: &Inlined) -> bool {
    inlined.untouched.is_none() && inlined.kept.is_empty()
}

fn text_of(schema: &str) -> Inlined {
    inline(
        schema.as_bytes(),
        &Parser::default(),
        &InlineLimits::default(),
    )
    .unwrap()
}

#[test]
fn cases() {
    for (schema, expected) in CASES {
        let inlined = text_of(schema);
        assert_eq!(inlined.text, *expected, "{schema}");
        assert!(inlined.untouched.is_none());
        assert!(OwnedDocument::read(inlined.text.as_str(), &ReadLimits::default()).is_ok());
        // Once is enough.
        let again = text_of(&inlined.text);
        assert_eq!(again.replaced, 0, "{}", inlined.text);
    }
}

/// Every case that compiles means the same before and after.
#[test]
fn cases_keep_their_verdicts() {
    let mut dice = Texts(Dice(3));
    let instances: Vec<String> = (0..400).map(|_| dice.value(3)).collect();
    let mut compared = 0;
    for (schema, _) in CASES {
        compared += usize::from(same_verdicts(schema, &instances));
    }
    assert!(compared > 60, "{compared}");
}

#[test]
fn what_stays_is_told() {
    for (schema, expected) in [
        (CASES[0].0, &[][..]),
        (
            r##"{"items": {"$ref": "#"}}"##,
            &["reference `#` stays: it is recursive (at `/items`)"],
        ),
        (
            r##"{"items": {"$ref": "#/x"}}"##,
            &["reference `#/x` stays: it leads nowhere (at `/items`)"],
        ),
        (
            r##"{"$ref": "http://x/y", "items": {"$ref": "z.json"}}"##,
            &[
                "reference `http://x/y` stays: it leads out of the schema (at `the root`)",
                "reference `z.json` stays: it leads out of the schema (at `/items`)",
            ],
        ),
    ] {
        let kept: Vec<_> = text_of(schema)
            .kept
            .iter()
            .map(ToString::to_string)
            .collect();
        assert_eq!(kept, expected);
    }
}

#[test]
fn some_are_left_alone() {
    for (schema, why) in [
        (
            r##"{"$schema": "http://x/y", "$ref": "#/a"}"##,
            Untouched::Dialect,
        ),
        (
            r##"{"items": {"$id": "http://x", "$schema": "http://json-schema.org/draft-07/schema#"}}"##,
            Untouched::MixedDialects,
        ),
        (
            r##"{"$dynamicAnchor": "n", "items": {"$id": "http://x", "$dynamicAnchor": "n", "items": {"$dynamicRef": "#n"}}}"##,
            Untouched::Dynamic,
        ),
        (
            r##"{"$schema": "https://json-schema.org/draft/2019-09/schema", "$recursiveAnchor": true, "items": {"$id": "http://x", "$recursiveAnchor": true, "items": {"$recursiveRef": "#"}}}"##,
            Untouched::Dynamic,
        ),
    ] {
        let inlined = text_of(schema);
        assert_eq!(inlined.untouched, Some(why));
        assert_eq!(inlined.text, schema);
        assert!(!why.to_string().is_empty() && !is_free(&inlined));
    }
}

/// A part of a document: `#` is the part.
#[test]
fn parts_of_documents() {
    let text = r##"{"tool": {"schema": {"items": {"$ref": "#/$defs/a"}, "not": {"$ref": "#/no"}, "$defs": {"a": true}}}}"##;
    let document = OwnedDocument::read(text, &ReadLimits::default()).unwrap();
    let part = document.document().at_pointer("/tool/schema").unwrap();
    let inlined = inline_view(part, &Parser::default(), &InlineLimits::default());
    assert_eq!(inlined.text, r##"{"items":true,"not":{"$ref":"#/no"}}"##);
    assert_eq!(inlined.kept[0].pointer, "/not");
}

/// 2^n expansion: `levels` definitions, each with two references to the next.
fn fan(levels: usize) -> String {
    let definitions: Vec<_> = (0..levels)
        .map(|n| {
            let next = format!("{{\"$ref\":\"#/$defs/d{}\"}}", n + 1);
            format!("\"d{n}\":{{\"properties\":{{\"l\":{next},\"r\":{next}}},\"x\":{n}}}")
        })
        .collect();
    format!(
        "{{\"$ref\":\"#/$defs/d0\",\"$defs\":{{{},\"d{levels}\":{{\"type\":\"string\"}}}}}}",
        definitions.join(",")
    )
}

#[test]
fn exponential_expansion_is_bounded() {
    for levels in [1, 5, 10, 12, 16, 40, 500, 4_000] {
        let schema = fan(levels);
        let limits = InlineLimits::default();
        let inlined = inline(schema.as_bytes(), &Parser::default(), &limits).unwrap();
        let bound = limits.output_bytes(schema.len());
        assert!(
            inlined.text.len() <= bound,
            "{levels}: {}",
            inlined.text.len()
        );
        assert_eq!(is_free(&inlined), levels <= 10, "{levels}");
        assert!(inlined.kept.iter().all(|kept| kept.why == Why::Size));
        if levels <= 40 {
            let compiled = Compiler::new().compile(inlined.text.as_bytes());
            assert!(compiled.is_ok(), "{levels}: {:?}", compiled.err());
        }
    }
}

/// A chain that is flat in the source and would be deep in the output.
#[test]
fn depth_is_bounded() {
    for levels in [10, 50, 60, 500] {
        let definitions: Vec<_> = (0..levels)
            .map(|n| format!("\"d{n}\":{{\"items\":{{\"$ref\":\"#/$defs/d{}\"}}}}", n + 1))
            .collect();
        let schema = format!(
            "{{\"$ref\":\"#/$defs/d0\",\"$defs\":{{{},\"d{levels}\":{{\"type\":\"string\"}}}}}}",
            definitions.join(",")
        );
        let inlined = text_of(&schema);
        assert!(
            Compiler::new().compile(inlined.text.as_bytes()).is_ok(),
            "{levels}"
        );
        assert_eq!(is_free(&inlined), levels <= 50, "{levels}");
    }
    // Within one place, too: a chain of bare references.
    let chain: Vec<_> = (0..3_000)
        .map(|n| format!("\"d{n}\":{{\"$ref\":\"#/$defs/d{}\",\"x{n}\":0}}", n + 1))
        .collect();
    let schema = format!(
        "{{\"$ref\":\"#/$defs/d0\",\"$defs\":{{{},\"d3000\":{{\"type\":\"string\"}}}}}}",
        chain.join(",")
    );
    assert!(text_of(&schema).text.len() < schema.len() * 2);
}

#[test]
fn bounds_are_exact_enough() {
    let schema = fan(8);
    let whole = text_of(&schema);
    assert!(is_free(&whole));
    let limits = |bytes| InlineLimits {
        growth: 1,
        floor_bytes: bytes,
        ..InlineLimits::default()
    };
    for bytes in [500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000] {
        let inlined = inline(schema.as_bytes(), &Parser::default(), &limits(bytes)).unwrap();
        if inlined.untouched.is_none() {
            assert!(inlined.text.len() <= bytes.max(schema.len()), "{bytes}");
        } else {
            assert_eq!(inlined.text, schema);
        }
    }
    // Twice the size is enough for the estimate.
    let inlined = inline(
        schema.as_bytes(),
        &Parser::default(),
        &limits(whole.text.len() * 3),
    )
    .unwrap();
    assert!(is_free(&inlined));
}

#[test]
fn verdicts_are_kept_for_generated_schemas() {
    let mut dice = Texts(Dice(11));
    let mut compared = 0;
    let mut free = 0;
    for _ in 0..8_000 {
        let schema = dice.document();
        let instances: Vec<String> = (0..12).map(|_| dice.value(3)).collect();
        if same_verdicts(&schema, &instances) {
            compared += 1;
            free += usize::from(is_free(&text_of(&schema)));
        }
    }
    assert!(compared > 1_500, "{compared}");
    assert!(free > 500 && free < compared, "{free} of {compared}");
}

/// Inputs of the largest size, each expensive in its own way.
#[test]
fn hostile_inputs_end() {
    let members = |count: usize, name: &str, value: &str| {
        let list: Vec<_> = (0..count)
            .map(|n| format!("\"{name}{n}\":{value}"))
            .collect();
        list.join(",")
    };
    let a_ref = |name: &str| format!("{{\"$ref\":\"#/$defs/{name}\"}}");
    let chain = |count: usize, more: &str| {
        let list: Vec<_> = (0..count)
            .map(|n| format!("\"d{n}\":{{\"$ref\":\"#/$defs/d{}\"{more}}}", n + 1))
            .collect();
        format!("{},\"d{count}\":{{}}", list.join(","))
    };
    for (what, text) in [
        (
            "siblings",
            format!(
                "{{\"items\":{{\"$ref\":\"#/$defs/t\",\"minLength\":1,{}}},\"$defs\":{{\"t\":{{{}}}}}}}",
                members(40_000, "a", "0"),
                members(40_000, "b", "0")
            ),
        ),
        (
            "many definitions",
            format!(
                "{{\"properties\":{{{}}},\"$defs\":{{{}}}}}",
                (0..9_000)
                    .map(|n| format!("\"p{n}\":{}", a_ref(&format!("d{n}"))))
                    .collect::<Vec<_>>()
                    .join(","),
                members(9_000, "d", "{\"type\":\"null\"}")
            ),
        ),
        (
            "names alike",
            format!(
                "{{\"properties\":{{{}}},\"$defs\":{{{}}}}}",
                (0..4_000)
                    .map(|n| format!("\"p{n}\":{}", a_ref(&format!("{n:é>5}"))))
                    .collect::<Vec<_>>()
                    .join(","),
                (0..4_000)
                    .map(|n| format!("\"{n:é>5}\":{{\"items\":{}}}", a_ref(&format!("{n:é>5}"))))
                    .collect::<Vec<_>>()
                    .join(",")
            ),
        ),
        (
            "pure chain",
            format!(
                "{{{}}}",
                format_args!(
                    "\"items\":{},\"$defs\":{{{}}}",
                    a_ref("d0"),
                    chain(9_000, "")
                )
            ),
        ),
        (
            "chain with siblings",
            format!(
                "{{\"items\":{},\"$defs\":{{{}}}}}",
                a_ref("d0"),
                chain(9_000, ",\"minLength\":1")
            ),
        ),
        (
            "many ways into a chain",
            format!(
                "{{\"properties\":{{{}}},\"$defs\":{{{}}}}}",
                members(9_000, "p", &a_ref("d0")),
                chain(9_000, "")
            ),
        ),
        (
            "anchors",
            format!(
                "{{\"items\":{{\"$ref\":\"#n9999\"}},\"properties\":{{{}}}}}",
                members(15_000, "n", "{\"$anchor\":\"x\"}")
            ),
        ),
        (
            "resources",
            format!(
                "{{\"properties\":{{{}}}}}",
                members(15_000, "n", "{\"$id\":\"x/\",\"$ref\":\"y\"}")
            ),
        ),
    ] {
        let inlined = text_of(&text);
        assert!(
            OwnedDocument::read(inlined.text, &ReadLimits::default()).is_ok(),
            "{what}"
        );
    }
}

#[test]
fn any_json_is_survived() {
    let mut dice = Texts(Dice(5));
    for _ in 0..20_000 {
        let schema = dice.noise(4);
        let inlined = text_of(&schema);
        assert!(
            OwnedDocument::read(inlined.text.as_str(), &ReadLimits::default()).is_ok(),
            "{schema}\n{}",
            inlined.text
        );
    }
    let deep = format!("{}{{}}{}", r#"{"not":"#.repeat(500), "}".repeat(500));
    assert_eq!(text_of(&deep).text, deep);
}

/// Every schema of the recorded listings, with the labelled instances.
#[toolsure_needs::needs("corpus/listings")]
#[test]
fn verdicts_are_kept_for_recorded_tools() {
    let corpus = recorded().unwrap();
    let (mut schemas, mut with, mut free, mut instances) = (0, 0, 0, 0);
    for tool in &corpus {
        let (name, schema) = (&tool.name, &tool.schema);
        let inlined = text_of(schema);
        schemas += 1;
        let has = ["\"$ref\"", "\"$defs\"", "\"definitions\""]
            .iter()
            .any(|k| schema.contains(k));
        with += usize::from(has);
        free += usize::from(has && is_free(&inlined));
        assert!(inlined.text.len() <= InlineLimits::default().output_bytes(schema.len()));
        let Ok(compiled) = Compiler::new().compile(inlined.text.as_bytes()) else {
            assert!(
                Compiler::new().compile(schema.as_bytes()).is_err(),
                "{name}"
            );
            continue;
        };
        let before = Compiler::new().compile(schema.as_bytes()).unwrap();
        let mut workspace = Workspace::new();
        for (instance, _) in &tool.instances {
            let old = before.check(&mut workspace, instance.as_bytes()).unwrap();
            let new = compiled.check(&mut workspace, instance.as_bytes()).unwrap();
            assert_eq!(old, new, "{name} {instance}\n{}", inlined.text);
            instances += 1;
        }
    }
    eprintln!(
        "{schemas} schemas, {with} with references or definitions, {free} free of them, {instances} instances"
    );
    assert!(schemas > 5_000 && instances > 20_000);
}

/// Whether the schema compiles; if so, asserts equal verdicts.
fn same_verdicts(schema: &str, instances: &[String]) -> bool {
    let inlined = text_of(schema);
    let Ok(before) = Compiler::new().compile(schema.as_bytes()) else {
        return false;
    };
    let after = Compiler::new()
        .compile(inlined.text.as_bytes())
        .unwrap_or_else(|error| panic!("{error}\n{schema}\n{}", inlined.text));
    let mut workspace = Workspace::new();
    for instance in instances {
        let old = before.check(&mut workspace, instance.as_bytes()).unwrap();
        let new = after.check(&mut workspace, instance.as_bytes()).unwrap();
        assert_eq!(old, new, "{schema}\n{}\n{instance}", inlined.text);
    }
    true
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
    /// A whole schema of some dialect.
    fn document(&mut self) -> String {
        let (uri, modern) = match self.roll(4) {
            0 => ("http://json-schema.org/draft-07/schema#", false),
            1 => ("https://json-schema.org/draft/2019-09/schema", true),
            _ => ("", true),
        };
        let container = if modern && self.roll(5) > 0 {
            "$defs"
        } else {
            "definitions"
        };
        let mut parts = Vec::new();
        if !uri.is_empty() {
            parts.push(format!("\"$schema\":\"{uri}\""));
        }
        let with_id = self.roll(3) == 0;
        if with_id {
            parts.push(r#""$id":"http://x/root""#.to_owned());
        }
        let style = Style {
            modern,
            container,
            with_id,
        };
        parts.extend(self.members(&style, 2, true));
        let definitions: Vec<_> = ["a", "b", "c"]
            .iter()
            .map(|name| {
                let mut members = self.members(&style, 1, false);
                if *name == "b" && modern && self.roll(2) == 0 {
                    members.push(r#""$anchor":"nb""#.to_owned());
                }
                if *name == "c" && with_id && self.roll(2) == 0 {
                    members.push(r#""$id":"part""#.to_owned());
                    let inner = self.members(&style, 0, false).join(",");
                    members.push(format!("\"{container}\":{{\"a\":{{{inner}}}}}"));
                }
                if self.roll(8) == 0 {
                    format!("\"{name}\":{}", self.pick(&["true", "false"]))
                } else {
                    format!("\"{name}\":{{{}}}", members.join(","))
                }
            })
            .collect();
        parts.push(format!("\"{container}\":{{{}}}", definitions.join(",")));
        format!("{{{}}}", parts.join(","))
    }

    /// Some keywords, each once.
    fn members(&mut self, style: &Style, depth: usize, root: bool) -> Vec<String> {
        let mut parts = Vec::new();
        for _ in 0..=self.roll(4) {
            let part = self.keyword(style, depth, root);
            let name = part.split(':').next().unwrap().to_owned();
            if !parts.iter().any(|known: &String| known.starts_with(&name)) {
                parts.push(part);
            }
        }
        parts
    }

    fn keyword(&mut self, style: &Style, depth: usize, root: bool) -> String {
        match self.roll(if depth == 0 { 14 } else { 26 }) {
            0 | 1 => format!(
                "\"type\":{}",
                self.pick(&[
                    "\"string\"",
                    "\"array\"",
                    "\"object\"",
                    "\"integer\"",
                    "[\"object\",\"array\"]"
                ])
            ),
            2 => format!("\"minLength\":{}", self.roll(3)),
            3 => format!("\"required\":[\"{}\"]", self.pick(&["p", "q"])),
            4 => format!("\"minItems\":{}", self.roll(3)),
            5 => format!(
                "\"const\":{}",
                self.pick(&["1", "{\"$ref\":\"#\"}", "[1.0]"])
            ),
            6 => format!("\"title\":\"{}\"", self.pick(&["x", "y"])),
            7 => "\"default\":{\"$ref\":\"#/nope\"}".to_owned(),
            8..=12 if !root || self.roll(3) == 0 => self.reference(style),
            13 => format!("\"maximum\":{}", self.roll(3)),
            14 | 15 => {
                let (p, q) = (self.schema(style, depth - 1), self.schema(style, depth - 1));
                format!("\"properties\":{{\"p\":{p},\"q\":{q}}}")
            }
            16 => format!("\"additionalProperties\":{}", self.schema(style, depth - 1)),
            17 | 18 => format!("\"items\":{}", self.schema(style, depth - 1)),
            19 => format!("\"allOf\":[{}]", self.schema(style, depth - 1)),
            20 => format!(
                "\"anyOf\":[{},{}]",
                self.schema(style, depth - 1),
                self.schema(style, depth - 1)
            ),
            21 => format!("\"not\":{}", self.schema(style, depth - 1)),
            22 if style.modern => format!(
                "\"unevaluatedProperties\":{}",
                self.schema(style, depth - 1)
            ),
            23 if style.modern => format!("\"unevaluatedItems\":{}", self.schema(style, depth - 1)),
            24 => format!("\"contains\":{}", self.schema(style, depth - 1)),
            25 => format!("\"if\":{}", self.schema(style, depth - 1)),
            _ => format!("\"then\":{}", self.pick(&["true", "false"])),
        }
    }

    fn schema(&mut self, style: &Style, depth: usize) -> String {
        if self.roll(10) == 0 {
            return self.pick(&["true", "false"]).to_owned();
        }
        format!("{{{}}}", self.members(style, depth, false).join(","))
    }

    fn reference(&mut self, style: &Style) -> String {
        let container = style.container;
        let target = match self.roll(30) {
            0 => "#".to_owned(),
            1 if style.modern => "#nb".to_owned(),
            2 => "#/properties/p".to_owned(),
            3 => "#/properties/p/items".to_owned(),
            4 if style.with_id => "part".to_owned(),
            5 if style.with_id => format!("part#/{container}/a"),
            6 if style.with_id => format!("http://x/root#/{container}/b"),
            7 => format!("#/{}/%61", container.replace('$', "%24")),
            8 => "#/items".to_owned(),
            _ => format!("#/{container}/{}", self.pick(&["a", "b", "c"])),
        };
        format!("\"$ref\":\"{target}\"")
    }

    fn value(&mut self, depth: usize) -> String {
        match self.roll(if depth == 0 { 7 } else { 14 }) {
            0 => "null".to_owned(),
            1 => "true".to_owned(),
            2..=4 => self.pick(&["0", "1", "2.0", "1.5"]).to_owned(),
            5 | 6 => self.pick(&["\"\"", "\"a\"", "\"abc\""]).to_owned(),
            7..=9 => {
                let items: Vec<_> = (0..self.roll(3)).map(|_| self.value(depth - 1)).collect();
                format!("[{}]", items.join(","))
            }
            10 => "{\"$ref\":\"#\"}".to_owned(),
            _ => {
                let mut members = Vec::new();
                for name in ["p", "q", "r"] {
                    if self.roll(2) == 0 {
                        members.push(format!("\"{name}\":{}", self.value(depth - 1)));
                    }
                }
                format!("{{{}}}", members.join(","))
            }
        }
    }

    fn noise(&mut self, depth: usize) -> String {
        match self.roll(if depth == 0 { 5 } else { 12 }) {
            0 => "null".to_owned(),
            1 => self.pick(&["true", "false"]).to_owned(),
            2 => "1e9".to_owned(),
            3 | 4 => format!(
                "\"{}\"",
                self.pick(&[
                    "#",
                    "#/$defs/a",
                    "#/items",
                    "http://x/y",
                    "a",
                    "#a",
                    "#/properties/a",
                    ""
                ])
            ),
            5 => {
                let items: Vec<_> = (0..self.roll(4)).map(|_| self.noise(depth - 1)).collect();
                format!("[{}]", items.join(","))
            }
            _ => {
                let mut names = vec![
                    "$ref",
                    "$ref",
                    "$defs",
                    "items",
                    "properties",
                    "allOf",
                    "$id",
                    "$anchor",
                    "$dynamicRef",
                    "$dynamicAnchor",
                    "not",
                    "definitions",
                    "a",
                    "title",
                    "const",
                ];
                let mut members: Vec<String> = Vec::new();
                for _ in 0..self.roll(5) {
                    let name = names.swap_remove(self.roll(names.len()));
                    if !members
                        .iter()
                        .any(|m| m.starts_with(&format!("\"{name}\":")))
                    {
                        members.push(format!("\"{name}\":{}", self.noise(depth - 1)));
                    }
                }
                format!("{{{}}}", members.join(","))
            }
        }
    }
}

struct Style {
    modern: bool,
    container: &'static str,
    with_id: bool,
}
