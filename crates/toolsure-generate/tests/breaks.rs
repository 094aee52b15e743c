//! Which keywords can be broken, and which provably not, because another branch accepts the value.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

use toolsure_generate::{Compiler, Generator, Options};

/// What a generator says of a keyword.
#[derive(Debug, PartialEq, Eq)]
enum Said {
    Broken,
    Impossible,
    /// It cannot be broken, and there is no proof; or it can, and no instance was found.
    Unknown,
}

fn said(schema: &str, location: &str) -> Said {
    let generator = Generator::new(&Compiler::new(), schema.as_bytes()).unwrap();
    let instances = generator.instances(&Options::default());
    let is_here = |one: &&str| *one == location;
    let mut broken = instances.invalid.iter();
    if broken.any(|one| is_here(&one.keyword_location.as_str())) {
        return Said::Broken;
    }
    let mut missing = instances.missing.iter().filter(|one| !one.is_valid);
    let one = missing.find(|one| is_here(&one.location.as_str())).unwrap();
    match one.is_impossible {
        true => Said::Impossible,
        false => Said::Unknown,
    }
}

#[test]
fn what_cannot_be_broken_is_proved() {
    for (schema, location, expected) in [
        // An open branch accepts everything.
        (
            r#"{"anyOf": [{}, {"type": "null"}]}"#,
            "/anyOf",
            Said::Impossible,
        ),
        (
            r#"{"anyOf": [true, {"type": "null"}]}"#,
            "/anyOf/1/type",
            Said::Impossible,
        ),
        (
            r#"{"anyOf": [{"type": "string"}, {"type": "null"}]}"#,
            "/anyOf/1/type",
            Said::Broken,
        ),
        // A branch without the keyword, and with no other one.
        (
            r#"{"anyOf": [{"type": "string", "pattern": "^a$"}, {"type": "string", "format": "uuid"}]}"#,
            "/anyOf/0/pattern",
            Said::Impossible,
        ),
        (
            r#"{"anyOf": [{"type": "string", "pattern": "^a$"}, {"type": "string", "minLength": 9}]}"#,
            "/anyOf/0/pattern",
            Said::Broken,
        ),
        (
            r#"{"anyOf": [{"type": "string", "minLength": 2, "pattern": "^aa"}, {"type": "string", "minLength": 2}]}"#,
            "/anyOf/0/pattern",
            Said::Impossible,
        ),
        // Members, required ones, and what references lead to.
        (
            r##"{"anyOf": [{"$ref": "#/$defs/a"}, {"properties": {"n": {"type": "integer"}}}], "$defs": {"a": {
                "properties": {"n": {"type": "integer"}, "jobs": {"type": "array"}}, "required": ["n"]}}}"##,
            "/$defs/a/properties/jobs/type",
            Said::Impossible,
        ),
        (
            r##"{"anyOf": [{"$ref": "#/$defs/a"}, {"required": ["m"]}], "$defs": {"a": {
                "properties": {"jobs": {"type": "array"}}, "required": ["n"]}}}"##,
            "/$defs/a/properties/jobs/type",
            Said::Broken,
        ),
        // The subschema is applied elsewhere, too.
        (
            r##"{"properties": {"x": {"anyOf": [{"$ref": "#/$defs/a"}, {}]}, "y": {"$ref": "#/$defs/a"}}, "$defs": {"a": {"type": "array"}}}"##,
            "/$defs/a/type",
            Said::Broken,
        ),
        // A proof is about all places: at `y` it can be broken, which is not found on the way to `x`.
        (
            r##"{"properties": {"x": {"type": "array", "$ref": "#/$defs/a"}, "y": {"$ref": "#/$defs/a"}}, "$defs": {"a": {"type": "array"}}}"##,
            "/$defs/a/type",
            Said::Unknown,
        ),
        (
            r##"{"propertyNames": {"$ref": "#/$defs/a"}, "properties": {"y": {"$ref": "#/$defs/a"}}, "$defs": {"a": {"type": "string"}}}"##,
            "/$defs/a/type",
            Said::Unknown,
        ),
        (
            r##"{"$dynamicRef": "#a", "anyOf": [{"$dynamicAnchor": "a", "type": "array"}, {}]}"##,
            "/anyOf/0/type",
            Said::Broken,
        ),
        // What stands beside the union holds for its branches.
        (
            r#"{"required": ["a"], "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}"#,
            "/anyOf",
            Said::Impossible,
        ),
        (
            r#"{"required": ["a"], "anyOf": [{"required": ["c"]}, {"required": ["b"]}]}"#,
            "/anyOf",
            Said::Broken,
        ),
        // A `oneOf` fails as well if two branches match.
        (
            r#"{"oneOf": [{}, {"type": "null"}]}"#,
            "/oneOf",
            Said::Broken,
        ),
        (
            r#"{"oneOf": [{}, {"type": "null"}]}"#,
            "/oneOf/1/type",
            Said::Impossible,
        ),
        // Whatever breaks one breaks the other.
        (
            r#"{"type": "object", "oneOf": [{"type": "object", "required": ["a"]}, {"type": "object", "required": ["b"]}]}"#,
            "/type",
            Said::Impossible,
        ),
        (
            r#"{"type": "object", "oneOf": [{"type": "object", "required": ["a"]}, {"type": "object", "required": ["b"]}]}"#,
            "/oneOf/0/type",
            Said::Impossible,
        ),
        (
            r#"{"type": "object", "oneOf": [{"type": "object"}, {"type": "string"}]}"#,
            "/type",
            Said::Broken,
        ),
        (
            r#"{"allOf": [{"type": "object"}, {"type": "object", "required": ["a"]}]}"#,
            "/allOf/0/type",
            Said::Impossible,
        ),
        (
            r#"{"allOf": [{"type": "object"}, {"required": ["a"]}]}"#,
            "/allOf/0/type",
            Said::Broken,
        ),
        (
            r#"{"enum": [1, 2], "type": "integer"}"#,
            "/type",
            Said::Impossible,
        ),
        (
            r#"{"enum": [1, "2"], "type": "integer"}"#,
            "/type",
            Said::Broken,
        ),
    ] {
        assert_eq!(said(schema, location), expected, "{schema} {location}");
    }
}
