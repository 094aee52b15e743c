//! The examples of the document that defines the argument schema (version 2025-10-09), a table of
//! small cases, refused schemas, and agreement with the published form.

use toolsure_json::{Node as _, OwnedDocument, ReadLimits};
use toolsure_schema::{Compiler, Verdict, Workspace};

use super::*;
use toolsure_testkit::recorded::Dice;

const DIRECT: &str = r#"{ "q": { "type": "string", "required": true, "minLength": 3, "maxLength": 64 }, "limit": { "type": "integer", "minimum": 1, "maximum": 100 }, "tags": { "type": "string", "isArray": true, "minLength": 2 }, "scores": { "type": "float", "isArray": true, "minimum": 0, "maximum": 1 }, "mode": { "type": "enum", "enum": ["fast", "accurate"] } }"#;
const LIKE: &str = r#"{"properties": {"q": {"type": "string", "minLength": 3, "maxLength": 64}, "limit": {"type": "integer", "minimum": 1, "maximum": 100}, "tags": {"type": "array", "items": {"type": "string", "minLength": 2}}, "scores": {"type": "array", "items": {"type": "number", "minimum": 0, "maximum": 1}}, "mode": {"type": "enum", "enum": ["fast", "accurate"]}}, "required": ["q"]}"#;
const LEVELS: &str = r#"{"properties": {"levels": {"type": "array", "items": {"type": "integer"}, "enum": [1, 2, 3]}}}"#;
const NAMES: &str = r#"{"properties": {"names": {"type": "string", "isArray": true, "minLength": 1, "maxLength": 20}, "thresholds": {"type": "float", "isArray": true, "minimum": 0.1, "maximum": 0.9}}, "required": ["names"]}"#;

/// Arguments for both shapes of that document's example ([`DIRECT`] and [`LIKE`]), and the texts of
/// the errors.
const BOTH_SHAPES: &[(&str, &str)] = &[
    (r#"{"q": "abc"}"#, ""),
    (
        r#"{"q": "abc", "limit": 1, "tags": ["ab"], "scores": [0, 1, 0.5], "mode": "fast"}"#,
        "",
    ),
    (r#"{"q": "abc", "limit": 100}"#, ""),
    (r#"{"q": "abc", "unknown": [null]}"#, ""),
    (r#"{"q": "äöü"}"#, ""),
    ("{}", "missing required argument 'q'"),
    (r#"{"q": null}"#, "argument 'q' must be a string"),
    (r#"{"q": 5}"#, "argument 'q' must be a string"),
    (r#"{"q": ["abc"]}"#, "argument 'q' must be a string"),
    (r#"{"q": "ab"}"#, "argument 'q' string length must be >= 3"),
    (r#"{"q": "äö"}"#, "argument 'q' string length must be >= 3"),
    (
        r#"{"q": "0123456789012345678901234567890123456789012345678901234567890123"}"#,
        "",
    ),
    (
        r#"{"q": "01234567890123456789012345678901234567890123456789012345678901234"}"#,
        "argument 'q' string length must be <= 64",
    ),
    (
        r#"{"q": "abc", "limit": 0}"#,
        "argument 'limit' value must be >= 1",
    ),
    (
        r#"{"q": "abc", "limit": 101}"#,
        "argument 'limit' value must be <= 100",
    ),
    (
        r#"{"q": "abc", "limit": 1e400}"#,
        "argument 'limit' value must be <= 100",
    ),
    (r#"{"q": "abc", "limit": 5.0}"#, ""),
    (r#"{"q": "abc", "limit": 1e1}"#, ""),
    (
        r#"{"q": "abc", "limit": 5.5}"#,
        "argument 'limit' must be an integer",
    ),
    (
        r#"{"q": "abc", "limit": "5"}"#,
        "argument 'limit' must be an integer",
    ),
    (
        r#"{"q": "abc", "limit": true}"#,
        "argument 'limit' must be an integer",
    ),
    (
        r#"{"q": "abc", "tags": "ab"}"#,
        "argument 'tags' must be an array",
    ),
    (
        r#"{"q": "abc", "tags": {}}"#,
        "argument 'tags' must be an array",
    ),
    (
        r#"{"q": "abc", "tags": null}"#,
        "argument 'tags' must be an array",
    ),
    (r#"{"q": "abc", "tags": []}"#, ""),
    (
        r#"{"q": "abc", "tags": ["ab", "c"]}"#,
        "argument 'tags[1]' string length must be >= 2",
    ),
    (
        r#"{"q": "abc", "tags": [7]}"#,
        "argument 'tags[0]' must be a string",
    ),
    (
        r#"{"q": "abc", "scores": [0.5, 1.01]}"#,
        "argument 'scores[1]' value must be <= 1",
    ),
    (
        r#"{"q": "abc", "scores": [-0.1]}"#,
        "argument 'scores[0]' value must be >= 0",
    ),
    (
        r#"{"q": "abc", "scores": ["1"]}"#,
        "argument 'scores[0]' must be a number",
    ),
    (
        r#"{"q": "abc", "mode": "slow"}"#,
        "argument 'mode' must be one of the enum values",
    ),
    (
        r#"{"q": "abc", "mode": 1}"#,
        "argument 'mode' must be one of the enum values",
    ),
    (
        r#"{"q": "abc", "mode": ["fast"]}"#,
        "argument 'mode' must be one of the enum values",
    ),
    (
        r#"{"limit": 0, "mode": "x"}"#,
        "missing required argument 'q'; argument 'limit' value must be >= 1; argument 'mode' must be one of the enum values",
    ),
    ("[]", "arguments must be an object"),
    ("null", "arguments must be an object"),
    (r#""{}""#, "arguments must be an object"),
];

/// A schema, arguments, and the texts.
const CASES: &[(&str, &str, &str)] = &[
    (LEVELS, r#"{"levels": [1, 3]}"#, ""),
    (LEVELS, r#"{"levels": []}"#, ""),
    (LEVELS, r#"{"levels": [1.0]}"#, ""),
    (
        LEVELS,
        r#"{"levels": [1, 4]}"#,
        "argument 'levels[1]' must be one of the enum values",
    ),
    (
        LEVELS,
        r#"{"levels": ["1"]}"#,
        "argument 'levels[0]' must be an integer",
    ),
    (
        LEVELS,
        r#"{"levels": 1}"#,
        "argument 'levels' must be an array",
    ),
    (NAMES, r#"{"names": ["a"]}"#, ""),
    (
        NAMES,
        r#"{"names": [""]}"#,
        "argument 'names[0]' string length must be >= 1",
    ),
    (
        NAMES,
        r#"{"names": ["123456789012345678901"]}"#,
        "argument 'names[0]' string length must be <= 20",
    ),
    (
        NAMES,
        r#"{"names": "a"}"#,
        "argument 'names' must be an array",
    ),
    (
        NAMES,
        r#"{"thresholds": [0.1, 0.9]}"#,
        "missing required argument 'names'",
    ),
    (
        NAMES,
        r#"{"names": [], "thresholds": [0.05]}"#,
        "argument 'thresholds[0]' value must be >= 0.1",
    ),
    (
        NAMES,
        r#"{"names": [], "thresholds": [0.90000000000000001]}"#,
        "argument 'thresholds[0]' value must be <= 0.9",
    ),
    // Types.
    (r#"{"a": {"type": "boolean"}}"#, r#"{"a": false}"#, ""),
    (
        r#"{"a": {"type": "boolean"}}"#,
        r#"{"a": "true"}"#,
        "argument 'a' must be a boolean",
    ),
    (
        r#"{"a": {"type": "boolean"}}"#,
        r#"{"a": 1}"#,
        "argument 'a' must be a boolean",
    ),
    (r#"{"a": {"type": "number"}}"#, r#"{"a": 1e999}"#, ""),
    (
        r#"{"a": {"type": "number"}}"#,
        r#"{"a": "1"}"#,
        "argument 'a' must be a number",
    ),
    (r#"{"a": {"type": "float"}}"#, r#"{"a": 3}"#, ""),
    (
        r#"{"a": {"type": "float"}}"#,
        r#"{"a": {}}"#,
        "argument 'a' must be a number",
    ),
    (
        r#"{"a": {"type": "integer"}}"#,
        r#"{"a": 123456789012345678901234567890}"#,
        "",
    ),
    (r#"{"a": {"type": "integer"}}"#, r#"{"a": -1.5e1}"#, ""),
    (
        r#"{"a": {"type": "integer"}}"#,
        r#"{"a": 1e-1}"#,
        "argument 'a' must be an integer",
    ),
    (
        r#"{"a": {"type": "array"}}"#,
        r#"{"a": [1, "x", null]}"#,
        "",
    ),
    (
        r#"{"a": {"type": "array"}}"#,
        r#"{"a": {}}"#,
        "argument 'a' must be an array",
    ),
    (r#"{"a": {}}"#, r#"{"a": null}"#, ""),
    (
        r#"{"a": {"minLength": 2}}"#,
        r#"{"a": "x"}"#,
        "argument 'a' string length must be >= 2",
    ),
    (r#"{"a": {"minLength": 2}}"#, r#"{"a": 1}"#, ""),
    (
        r#"{"a": {"maximum": 2}}"#,
        r#"{"a": 3}"#,
        "argument 'a' value must be <= 2",
    ),
    (r#"{"a": {"maximum": 2}}"#, r#"{"a": "3"}"#, ""),
    (
        r#"{"a": {"type": "boolean", "minimum": 2}}"#,
        r#"{"a": true}"#,
        "",
    ),
    (
        r#"{"a": {"type": "string", "minLength": 2, "maxLength": 1}}"#,
        r#"{"a": ""}"#,
        "argument 'a' string length must be >= 2",
    ),
    (
        r#"{"a": {"type": "string", "maxLength": 1e400}}"#,
        r#"{"a": "x"}"#,
        "",
    ),
    (
        r#"{"a": {"type": "integer", "minimum": 0.5}}"#,
        r#"{"a": 0}"#,
        "argument 'a' value must be >= 0.5",
    ),
    (
        r#"{"a": {"type": "number", "maximum": 1.0}}"#,
        r#"{"a": 2}"#,
        "argument 'a' value must be <= 1",
    ),
    // required.
    (
        r#"{"a": {"required": true}}"#,
        "{}",
        "missing required argument 'a'",
    ),
    (r#"{"a": {"required": false}}"#, "{}", ""),
    (
        r#"{"properties": {"a": {"required": true}}}"#,
        "{}",
        "missing required argument 'a'",
    ),
    (
        r#"{"properties": {"a": {"required": false}}, "required": ["a"]}"#,
        "{}",
        "missing required argument 'a'",
    ),
    (
        r#"{"properties": {}, "required": ["b", "a", "b"]}"#,
        "{}",
        "missing required argument 'b'; missing required argument 'a'",
    ),
    (
        r#"{"properties": {}, "required": ["b"]}"#,
        r#"{"b": null}"#,
        "",
    ),
    (
        r#"{"type": "object", "required": ["b"]}"#,
        "{}",
        "missing required argument 'b'",
    ),
    // Not confused: properties and arguments with special names.
    ("{}", "{}", ""),
    ("{}", r#"{"a": 1}"#, ""),
    (r#"{"type": "object"}"#, r#"{"type": 1}"#, ""),
    (r#"{"properties": {}}"#, r#"{"a": 1}"#, ""),
    (
        r#"{"properties": {"type": "string", "required": true}}"#,
        "{}",
        "missing required argument 'properties'",
    ),
    (
        r#"{"properties": {"type": "string"}}"#,
        r#"{"properties": 1}"#,
        "argument 'properties' must be a string",
    ),
    (
        r#"{"properties": {"type": {"type": "string"}}}"#,
        r#"{"type": 1}"#,
        "argument 'type' must be a string",
    ),
    (
        r#"{"type": {"type": "string"}}"#,
        r#"{"type": 1}"#,
        "argument 'type' must be a string",
    ),
    (
        r#"{"required": {"type": "boolean"}}"#,
        r#"{"required": 1}"#,
        "argument 'required' must be a boolean",
    ),
    (
        r#"{"schemaVersion": {"type": "string"}}"#,
        r#"{"schemaVersion": 1}"#,
        "argument 'schemaVersion' must be a string",
    ),
    (
        r#"{"schemaVersion": "2025-10-09", "a": {"type": "string"}}"#,
        r#"{"schemaVersion": 1, "a": ""}"#,
        "",
    ),
    (
        r#"{"schemaVersion": "2025-10-09", "properties": {"a": {"type": "string"}}}"#,
        r#"{"a": 1}"#,
        "argument 'a' must be a string",
    ),
    (
        r#"{"items": {"type": "string", "required": true}}"#,
        "{}",
        "missing required argument 'items'",
    ),
    // isArray and items.
    (r#"{"a": {"isArray": true}}"#, r#"{"a": [1, ""]}"#, ""),
    (
        r#"{"a": {"isArray": true}}"#,
        r#"{"a": 1}"#,
        "argument 'a' must be an array",
    ),
    (
        r#"{"a": {"isArray": false, "type": "string"}}"#,
        r#"{"a": "x"}"#,
        "",
    ),
    (
        r#"{"a": {"isArray": true, "type": "string", "items": {"type": "integer"}}}"#,
        r#"{"a": [1]}"#,
        "",
    ),
    (
        r#"{"a": {"isArray": true, "type": "string", "items": {"type": "integer"}}}"#,
        r#"{"a": ["x"]}"#,
        "argument 'a[0]' must be an integer",
    ),
    (
        r#"{"a": {"isArray": true, "type": "string", "items": {"minLength": 2}}}"#,
        r#"{"a": ["x"]}"#,
        "argument 'a[0]' string length must be >= 2",
    ),
    (
        r#"{"a": {"isArray": true, "type": "string", "minLength": 3, "items": {"minLength": 2}}}"#,
        r#"{"a": ["xx"]}"#,
        "argument 'a[0]' string length must be >= 3",
    ),
    (
        r#"{"a": {"isArray": true, "type": "integer", "maximum": 3, "items": {"maximum": 5}}}"#,
        r#"{"a": [4]}"#,
        "argument 'a[0]' value must be <= 3",
    ),
    (
        r#"{"a": {"isArray": true, "type": "array", "items": {"type": "string"}}}"#,
        r#"{"a": [1]}"#,
        "argument 'a[0]' must be a string",
    ),
    (
        r#"{"a": {"type": "array", "minLength": 3, "items": {"type": "string"}}}"#,
        r#"{"a": ["x"]}"#,
        "",
    ),
    (
        r#"{"a": {"isArray": true, "type": "integer", "minLength": 3}}"#,
        r#"{"a": [1]}"#,
        "",
    ),
    (
        r#"{"a": {"type": "array", "items": {"type": "array"}}}"#,
        r#"{"a": [[], [1]]}"#,
        "",
    ),
    (
        r#"{"a": {"type": "array", "items": {"type": "array"}}}"#,
        r#"{"a": [1]}"#,
        "argument 'a[0]' must be an array",
    ),
    (
        r#"{"a": {"type": "string", "items": {"type": "integer"}}}"#,
        r#"{"a": "x"}"#,
        "",
    ),
    (
        r#"{"a": {"type": "array", "items": {"enum": ["x"]}}}"#,
        r#"{"a": ["x", "y"]}"#,
        "argument 'a[1]' must be one of the enum values",
    ),
    (
        r#"{"a": {"type": "array", "enum": ["x", "y"], "items": {"enum": ["y", "z"]}}}"#,
        r#"{"a": ["y", "x"]}"#,
        "argument 'a[1]' must be one of the enum values",
    ),
    (
        r#"{"a": {"type": "enum", "isArray": true, "enum": ["x"]}}"#,
        r#"{"a": ["x"]}"#,
        "",
    ),
    (
        r#"{"a": {"type": "enum", "isArray": true, "enum": ["x"]}}"#,
        r#"{"a": "x"}"#,
        "argument 'a' must be an array",
    ),
    // enum by string form.
    (r#"{"a": {"enum": ["1"]}}"#, r#"{"a": 1}"#, ""),
    (r#"{"a": {"enum": [1]}}"#, r#"{"a": "1"}"#, ""),
    (r#"{"a": {"enum": [1.0]}}"#, r#"{"a": 1}"#, ""),
    (
        r#"{"a": {"enum": ["1.0"]}}"#,
        r#"{"a": 1}"#,
        "argument 'a' must be one of the enum values",
    ),
    (r#"{"a": {"enum": ["true"]}}"#, r#"{"a": true}"#, ""),
    (r#"{"a": {"enum": [false]}}"#, r#"{"a": "false"}"#, ""),
    (r#"{"a": {"enum": [null]}}"#, r#"{"a": "null"}"#, ""),
    (r#"{"a": {"enum": ["null"]}}"#, r#"{"a": null}"#, ""),
    (r#"{"a": {"enum": [1e2]}}"#, r#"{"a": 100}"#, ""),
    (
        r#"{"a": {"enum": ["a"]}}"#,
        r#"{"a": ["a"]}"#,
        "argument 'a' must be one of the enum values",
    ),
    (
        r#"{"a": {"enum": ["A"]}}"#,
        r#"{"a": "a"}"#,
        "argument 'a' must be one of the enum values",
    ),
    (
        r#"{"a": {"type": "integer", "enum": ["1", "2"]}}"#,
        r#"{"a": 2}"#,
        "",
    ),
    (
        r#"{"a": {"type": "string", "enum": [1, 2]}}"#,
        r#"{"a": "2"}"#,
        "",
    ),
    (
        r#"{"a": {"type": "string", "minLength": 3, "enum": ["x"]}}"#,
        r#"{"a": "y"}"#,
        "argument 'a' string length must be >= 3; argument 'a' must be one of the enum values",
    ),
    // Permissive: malformed parts, unknown types and extensions are left out.
    (r#"{"a": {"type": "strng"}}"#, r#"{"a": 1}"#, ""),
    (r#"{"a": {"type": ["string", "null"]}}"#, r#"{"a": 1}"#, ""),
    (
        r#"{"a": {"type": "object", "properties": {"b": {"required": true}}}}"#,
        r#"{"a": {}}"#,
        "",
    ),
    (
        r#"{"a": {"type": "string", "pattern": "^a"}}"#,
        r#"{"a": "b"}"#,
        "",
    ),
    (
        r#"{"a": {"type": "array", "minItems": 2}}"#,
        r#"{"a": []}"#,
        "",
    ),
    (
        r#"{"a": {"type": "string", "minLength": "3"}}"#,
        r#"{"a": ""}"#,
        "",
    ),
    (
        r#"{"a": {"type": "string", "minLength": -1, "maxLength": 1.5}}"#,
        r#"{"a": "xx"}"#,
        "",
    ),
    (
        r#"{"a": {"type": "number", "minimum": "3"}}"#,
        r#"{"a": 1}"#,
        "",
    ),
    (r#"{"a": {"enum": "x"}}"#, r#"{"a": 1}"#, ""),
    (r#"{"a": {"enum": []}}"#, r#"{"a": 1}"#, ""),
    (r#"{"a": {"enum": [[1]]}}"#, r#"{"a": 1}"#, ""),
    (r#"{"a": {"type": "enum"}}"#, r#"{"a": 1}"#, ""),
    (r#"{"a": {"required": "yes"}}"#, "{}", ""),
    (
        r#"{"a": "string", "b": {"required": true}}"#,
        "{}",
        "missing required argument 'b'",
    ),
    (r#"{"properties": {"a": true}, "required": "a"}"#, "{}", ""),
    (
        r#"{"properties": {"a": {}}, "required": ["a", 1]}"#,
        "{}",
        "missing required argument 'a'",
    ),
    (
        r#"{"a": {"isArray": "yes", "type": "string"}}"#,
        r#"{"a": "x"}"#,
        "",
    ),
    (
        r#"{"a": {"type": "array", "items": ["x"]}}"#,
        r#"{"a": [1]}"#,
        "",
    ),
    (
        r#"{"a": {"description": 5, "type": "string"}}"#,
        r#"{"a": ""}"#,
        "",
    ),
    // Names in texts.
    (
        r#"{"a\nb'": {"required": true}}"#,
        "{}",
        r"missing required argument 'a\nb''",
    ),
    (
        r#"{"\u202e": {"required": true}}"#,
        "{}",
        r"missing required argument '\u{202e}'",
    ),
    (
        r#"{"": {"required": true}}"#,
        "{}",
        "missing required argument ''",
    ),
];

/// The same with the version of the extensions; the version is added.
const EXTENDED: &[(&str, &str, &str)] = &[
    (
        r#"{"a": {"type": "string", "pattern": "^a"}}"#,
        r#"{"a": "ab"}"#,
        "",
    ),
    (
        r#"{"a": {"type": "string", "pattern": "^a"}}"#,
        r#"{"a": "ba"}"#,
        "argument 'a' must match pattern '^a'",
    ),
    (
        r#"{"a": {"type": "string", "isArray": true, "pattern": "b$"}}"#,
        r#"{"a": ["ab", "ba"]}"#,
        "argument 'a[1]' must match pattern 'b$'",
    ),
    (
        r#"{"a": {"type": "string", "isArray": true, "pattern": "^a", "items": {"pattern": "b$"}}}"#,
        r#"{"a": ["ab", "b"]}"#,
        "argument 'a[1]' must match pattern '^a'",
    ),
    (r#"{"a": {"pattern": "^a"}}"#, r#"{"a": 1}"#, ""),
    (
        r#"{"a": {"type": "array", "minItems": 1, "maxItems": 2}}"#,
        r#"{"a": []}"#,
        "argument 'a' array length must be >= 1",
    ),
    (
        r#"{"a": {"type": "array", "minItems": 1, "maxItems": 2}}"#,
        r#"{"a": [1, 2, 3]}"#,
        "argument 'a' array length must be <= 2",
    ),
    (
        r#"{"a": {"isArray": true, "type": "string", "minItems": 1}}"#,
        r#"{"a": ["x"]}"#,
        "",
    ),
    (
        r#"{"f": {"type": "object", "properties": {"n": {"type": "string"}}, "required": ["n"]}}"#,
        r#"{"f": {"n": "x"}}"#,
        "",
    ),
    (
        r#"{"f": {"type": "object", "properties": {"n": {"type": "string"}}, "required": ["n"]}}"#,
        r#"{"f": {}}"#,
        "missing required argument 'f.n'",
    ),
    (
        r#"{"f": {"type": "object", "properties": {"n": {"type": "string", "required": true}}}}"#,
        r#"{"f": {"n": 1}}"#,
        "argument 'f.n' must be a string",
    ),
    (
        r#"{"f": {"type": "object", "required": true}}"#,
        "{}",
        "missing required argument 'f'",
    ),
    (
        r#"{"f": {"type": "object"}}"#,
        r#"{"f": []}"#,
        "argument 'f' must be an object",
    ),
    (
        r#"{"f": {"type": "array", "items": {"type": "object", "properties": {"n": {"required": true}}}}}"#,
        r#"{"f": [{"n": 1}, {}]}"#,
        "missing required argument 'f[1].n'",
    ),
    (
        r#"{"f": {"type": "object", "isArray": true, "properties": {"n": {"required": true}}}}"#,
        r#"{"f": [{}]}"#,
        "missing required argument 'f[0].n'",
    ),
    (
        r#"{"f": {"type": "array", "items": {"type": "array", "maxItems": 1, "items": {"type": "integer"}}}}"#,
        r#"{"f": [[1], [1, 2], ["x"]]}"#,
        "argument 'f[1]' array length must be <= 1; argument 'f[2][0]' must be an integer",
    ),
    (
        r#"{"f": {"type": "integer", "default": 5, "required": true}}"#,
        "{}",
        "missing required argument 'f'",
    ),
    (
        r#"{"f": {"type": "integer", "deprecated": true}}"#,
        r#"{"f": 1}"#,
        "",
    ),
];

/// Schemas that are refused, and why.
const REFUSED: &[(&str, &str)] = &[
    ("[]", "expected an object, found an array (at the root)"),
    ("5", "expected an object, found `5` (at the root)"),
    ("{", "found the end of the text at byte 1"),
    (
        r#"{"schemaVersion": "2024-01-01"}"#,
        "unknown schema version `2024-01-01`, known are `2025-10-09` `2026-11-21` (at `/schemaVersion`)",
    ),
    (
        r#"{"schemaVersion": "2025-10-9"}"#,
        "unknown schema version `2025-10-9`",
    ),
    (r#"{"schemaVersion": ""}"#, "unknown schema version ``"),
    (
        r#"{"schemaVersion": 2025}"#,
        "expected a string with a date, found `2025` (at `/schemaVersion`)",
    ),
    (
        r#"{"schemaVersion": null, "properties": {}}"#,
        "expected a string with a date, found `null`",
    ),
    (
        r#"{"schemaVersion": {}, "properties": {}}"#,
        "expected a string with a date, found an object",
    ),
    (
        r#"{"schemaVersion": "2025-10-09", "a": {"type": "object"}}"#,
        "expected one of string, integer, float, number, boolean, enum, array, found `\"object\"` (at `/a/type`)",
    ),
    (
        r#"{"schemaVersion": "2025-10-09", "a": {"type": 5}}"#,
        "(at `/a/type`)",
    ),
    (
        r#"{"schemaVersion": "2025-10-09", "a": "string"}"#,
        "expected an object with a property's schema, found `\"string\"` (at `/a`)",
    ),
    (
        r#"{"schemaVersion": "2025-10-09", "a": {"minLength": -1}}"#,
        "expected an integer of at least 0, found `-1` (at `/a/minLength`)",
    ),
    (
        r#"{"schemaVersion": "2025-10-09", "a": {"minLength": 1.5}}"#,
        "expected an integer of at least 0",
    ),
    (
        r#"{"schemaVersion": "2025-10-09", "a": {"maximum": "9"}}"#,
        "expected a number, found `\"9\"` (at `/a/maximum`)",
    ),
    (
        r#"{"schemaVersion": "2025-10-09", "a": {"enum": []}}"#,
        "expected an array of values, found an array (at `/a/enum`)",
    ),
    (
        r#"{"schemaVersion": "2025-10-09", "a": {"enum": [{}]}}"#,
        "expected strings, numbers, booleans or null in `enum`",
    ),
    (
        r#"{"schemaVersion": "2025-10-09", "a": {"type": "enum"}}"#,
        "expected an `enum` beside the type `enum`",
    ),
    (
        r#"{"schemaVersion": "2025-10-09", "a": {"isArray": 1}}"#,
        "expected a boolean, found `1` (at `/a/isArray`)",
    ),
    (
        r#"{"schemaVersion": "2025-10-09", "a": {"required": ["b"]}}"#,
        "expected a boolean, found an array",
    ),
    (
        r#"{"schemaVersion": "2025-10-09", "a": {"type": "array", "items": []}}"#,
        "expected an object, found an array (at `/a/items`)",
    ),
    (
        r#"{"schemaVersion": "2025-10-09", "a": {"description": 1}}"#,
        "expected a string, found `1`",
    ),
    (
        r#"{"schemaVersion": "2025-10-09", "properties": {}, "required": {}}"#,
        "expected an array of strings, found an object (at `/required`)",
    ),
    (
        r#"{"schemaVersion": "2025-10-09", "properties": {}, "required": [1]}"#,
        "expected a string, found `1` (at `/required/0`)",
    ),
    (
        r#"{"schemaVersion": "2026-11-21", "a": {"pattern": "("}}"#,
        "(at `/a/pattern`)",
    ),
    (
        r#"{"schemaVersion": "2026-11-21", "a": {"pattern": 5}}"#,
        "expected a string, found `5`",
    ),
    (
        r#"{"schemaVersion": "2026-11-21", "a": {"deprecated": 5}}"#,
        "expected a boolean, found `5`",
    ),
    (
        r#"{"schemaVersion": "2026-11-21", "a": {"type": "integer", "default": "x"}}"#,
        "the default is refused: argument 'a' must be an integer (at `/a/default`)",
    ),
    (
        r#"{"schemaVersion": "2026-11-21", "o": {"type": "object", "properties": {"x": {}, "a": {"type": "string", "default": 1}}}}"#,
        "the default is refused: argument 'a' must be a string (at `/o/properties/a/default`)",
    ),
    (
        r#"{"schemaVersion": "2026-11-21", "o": {"isArray": true, "type": "object", "properties": {}, "items": {"type": "object", "properties": {}}}}"#,
        "expected `properties` either beside or inside `items`",
    ),
    (r#"{"a": {}, "a": {}}"#, "duplicate"),
];

/// Schema, arguments, and the arguments with defaults.
const FILLED: &[(&str, &str, &str)] = &[
    (r#"{"a": {"default": 5}}"#, "{}", r#"{"a":5}"#),
    (r#"{"a": {"default": 5}}"#, r#"{"a": null}"#, ""),
    (
        r#"{"a": {"default": 5}}"#,
        r#"{ "b" : 1.0 }"#,
        r#"{ "b" : 1.0 ,"a":5}"#,
    ),
    (
        r#"{"a": {"default": [1.50]}, "b": {"default": "x\n"}}"#,
        "{}",
        r#"{"a":[1.50],"b":"x\n"}"#,
    ),
    (
        r#"{"a": {}, "b\"": {"default": {}}}"#,
        r#"{"a": 1}"#,
        r#"{"a": 1,"b\"":{}}"#,
    ),
    (
        r#"{"o": {"type": "object", "properties": {"x": {"default": 1}}}}"#,
        r#"{"o": {}}"#,
        r#"{"o": {"x":1}}"#,
    ),
    (
        r#"{"o": {"type": "object", "properties": {"x": {"default": 1}}}}"#,
        "{}",
        "",
    ),
    (
        r#"{"y": {"default": 2}, "o": {"isArray": true, "type": "object", "properties": {"x": {"default": 1}}}}"#,
        r#"{"o": [{}, {"x": 3}, {"z": 4}]}"#,
        r#"{"o": [{"x":1}, {"x": 3}, {"z": 4,"x":1}],"y":2}"#,
    ),
    (r#"{"a": {"default": 5}}"#, "[]", ""),
];

fn document(text: &str) -> OwnedDocument {
    OwnedDocument::read(text, &ReadLimits::default()).unwrap()
}

fn texts(schema: &ArgumentSchema, arguments: &str) -> String {
    match schema.check_bytes(arguments.as_bytes()).unwrap() {
        Answer::Accepted => String::new(),
        Answer::Refused(why) => why.to_string(),
        Answer::Undecided => "undecided".to_owned(),
    }
}

/// Checks one case, and that the published schema says the same.
fn case(schema_text: &str, arguments: &str, expected: &str) {
    let schema = ArgumentSchema::read(schema_text.as_bytes()).unwrap();
    assert_eq!(
        texts(&schema, arguments),
        expected,
        "{schema_text} {arguments}"
    );
    let published = schema.to_json_schema();
    let compiled = Compiler::new().compile(published.as_bytes());
    let verdict = compiled
        .unwrap_or_else(|error| panic!("{error}: {published}"))
        .check(&mut Workspace::new(), arguments.as_bytes())
        .unwrap();
    let accepted = expected.is_empty();
    assert_eq!(
        verdict == Verdict::Valid,
        accepted,
        "{published} {arguments}"
    );
}

fn extended(schema: &str) -> String {
    schema.replacen('{', r#"{"schemaVersion": "2026-11-21", "#, 1)
}

#[test]
fn both_shapes_of_the_example() {
    for (arguments, expected) in BOTH_SHAPES {
        case(DIRECT, arguments, expected);
        case(LIKE, arguments, expected);
    }
}

#[test]
fn each_rule_accepts_and_refuses() {
    for (schema, arguments, expected) in CASES {
        case(schema, arguments, expected);
    }
}

#[test]
fn extensions() {
    for (schema, arguments, expected) in EXTENDED {
        case(&extended(schema), arguments, expected);
    }
}

#[test]
fn refused_schemas() {
    for (schema, expected) in REFUSED {
        let error = ArgumentSchema::read(schema.as_bytes())
            .unwrap_err()
            .to_string();
        assert!(error.contains(expected), "{schema}: {error}");
        assert!(error.len() < 1_000);
    }
}

#[test]
fn defaults_and_deprecations() {
    for (schema, arguments, expected) in FILLED {
        let schema = ArgumentSchema::read(extended(schema).as_bytes()).unwrap();
        let arguments = document(arguments);
        let filled = schema.with_defaults(arguments.document().root());
        assert_eq!(filled.as_deref().unwrap_or(""), *expected);
    }
    let schema = extended(
        r#"{"a": {"deprecated": true}, "o": {"type": "object", "properties": {"b": {"deprecated": true}}}}"#,
    );
    let schema = ArgumentSchema::read(schema.as_bytes()).unwrap();
    let arguments = document(r#"{"o": {"b": 1}, "a": 2}"#);
    assert_eq!(
        schema.deprecated_used(arguments.document().root()),
        ["a", "b"]
    );
}

#[test]
fn versions() {
    let limits = ArgumentLimits::default();
    let read = |text: &str, beside| ArgumentSchema::read_with(text.as_bytes(), beside, &limits);
    let absent = read("{}", None).unwrap();
    assert_eq!(absent.version(), Version::LATEST);
    assert!(!absent.declares_version());
    let beside = read("{}", Some("2025-10-09")).unwrap();
    assert_eq!(beside.version(), Version::V20251009);
    assert!(beside.declares_version());
    assert!(read(r#"{"schemaVersion": "2025-10-09"}"#, Some("2025-10-09")).is_ok());
    let conflict = read(r#"{"schemaVersion": "2025-10-09"}"#, Some("2026-11-21")).unwrap_err();
    assert_eq!(
        conflict.to_string(),
        "schema version `2025-10-09` inside the schema, `2026-11-21` beside it (at the root)"
    );
    assert!(read("{}", Some("now")).is_err());
    let noted = read(r#"{"a": {"type": "strng", "minLength": true}}"#, None).unwrap();
    let warnings = noted
        .diagnoses()
        .iter()
        .filter(|one| one.severity() == Severity::Warning);
    let places: Vec<_> = warnings.map(Diagnosis::pointer).collect();
    assert_eq!(places, ["/a/type", "/a/minLength"]);
}

/// The page has a row for each version, and says what changes from each to the next.
#[test]
fn the_page_has_each_version_and_the_way_to_it() {
    let page = include_str!("../../../../docs/argument-schema.md");
    let rows = page.lines().filter_map(|line| line.strip_prefix("| 20"));
    let rows: Vec<String> = rows
        .filter_map(|row| Some(format!("20{}", row.split_once(" | ")?.0)))
        .collect();
    assert_eq!(rows, Version::ALL.map(Version::date));
    assert_eq!(Version::ALL.last(), Some(&Version::LATEST));
    for pair in Version::ALL.windows(2) {
        let way = format!("**From {} to {}**", pair[0], pair[1]);
        assert!(page.contains(&way), "{way}");
    }
}

#[test]
fn published_text() {
    let schema = ArgumentSchema::read(
        extended(r#"{"b": {"type": "float", "description": "x \u00e9", "required": true, "default": 1.0}, "a": {"type": "enum", "enum": [1, "x"], "deprecated": true}}"#).as_bytes(),
    )
    .unwrap();
    assert_eq!(
        schema.to_json_schema(),
        r#"{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{"b":{"type":"number","description":"x \u00e9","default":1.0},"a":{"enum":["1",1,"x"],"deprecated":true}},"required":["b"]}"#
    );
}

/// Numbers that a published schema could not contain are in no `enum`.
#[test]
fn long_numbers_in_enums() {
    let long = "7".repeat(1_025);
    let text = format!(r#"{{"a": {{"enum": ["{long}", "x"]}}}}"#);
    case(
        &text,
        &format!(r#"{{"a": {long}}}"#),
        "argument 'a' must be one of the enum values",
    );
    case(&text, &format!(r#"{{"a": "{long}"}}"#), "");
    let short = "7".repeat(1_024);
    let text = format!(r#"{{"a": {{"enum": ["{short}"], "minimum": {short}}}}}"#);
    case(&text, &format!(r#"{{"a": "{short}"}}"#), "");
}

/// Each limit at its value and one beyond.
#[test]
fn limits_hold() {
    let read = |text: &str, limits: &ArgumentLimits| {
        ArgumentSchema::read_with(text.as_bytes(), None, limits).map_err(|error| error.to_string())
    };
    let limits = ArgumentLimits {
        fields: 2,
        depth: 2,
        enum_members: 2,
        ..ArgumentLimits::default()
    };
    assert!(read(r#"{"a": {}, "b": {}}"#, &limits).is_ok());
    let error = read(r#"{"a": {}, "b": {}, "c": {}}"#, &limits).unwrap_err();
    assert_eq!(error, "more properties than the 2 allowed (at `/c`)");
    assert!(
        read(
            r#"{"properties": {"a": {}}, "required": ["b", "c"]}"#,
            &limits
        )
        .is_err()
    );
    assert!(read(r#"{"a": {"enum": [1, 2]}}"#, &limits).is_ok());
    assert!(read(r#"{"a": {"enum": [1, 2, 3]}}"#, &limits).is_err());
    let nested = |levels: usize| {
        let open = r#"{"type": "array", "items": "#.repeat(levels);
        extended(&format!(r#"{{"a": {open}{{}}{}}}"#, "}".repeat(levels)))
    };
    assert!(read(&nested(2), &limits).is_ok());
    let error = read(&nested(3), &limits).unwrap_err();
    assert!(error.contains("more levels than the 2 allowed"), "{error}");
    let deep = ArgumentLimits {
        depth: usize::MAX,
        ..ArgumentLimits::default()
    };
    assert!(read(&nested(48), &deep).is_ok());
    assert!(read(&nested(49), &deep).is_err());
    let published = read(&nested(48), &deep).unwrap().to_json_schema();
    assert!(Compiler::new().compile(published.as_bytes()).is_ok());
}

#[test]
fn many_refusals_stay_short() {
    let name = "n".repeat(1_000);
    let schema = format!(r#"{{"{name}": {{"type": "string", "isArray": true, "minLength": 3}}}}"#);
    let schema = ArgumentSchema::read(schema.as_bytes()).unwrap();
    let arguments = format!(r#"{{"{name}": [{}1]}}"#, "1,".repeat(100_000));
    let Answer::Refused(why) = schema.check_bytes(arguments.as_bytes()).unwrap() else {
        panic!("refused");
    };
    assert_eq!(why.list().len(), 16);
    assert!(!why.is_complete());
    let text = why.to_string();
    assert!(
        text.len() <= 2_048 && text.ends_with("; and more"),
        "{text}"
    );
}

#[test]
fn running_out_is_undecided() {
    let limits = ArgumentLimits {
        fuel: 100,
        ..ArgumentLimits::default()
    };
    let schema = br#"{"a": {"type": "array"}}"#;
    let schema = ArgumentSchema::read_with(schema, None, &limits).unwrap();
    let arguments = format!(r#"{{"a": [{}1]}}"#, "1,".repeat(200));
    assert_eq!(
        schema.check_bytes(arguments.as_bytes()).unwrap(),
        Answer::Undecided
    );
    assert_eq!(
        schema.check_bytes(br#"{"a": [1]}"#).unwrap(),
        Answer::Accepted
    );
}

/// The checker and the published schema agree on generated schemas and arguments.
#[test]
fn published_schema_agrees() {
    let mut dice = Texts(Dice(0x9e37_79b9_7f4a_7c15));
    let mut workspace = Workspace::new();
    let mut accepted = 0_u32;
    let mut total = 0_u32;
    for round in 0..3_000 {
        let text = dice.schema(round % 2 == 0);
        // Generated schemas have limits without effect, which a strict reading refuses.
        let limits = ArgumentLimits::default();
        let schema = ArgumentSchema::parse(text.as_bytes(), None, &limits).0;
        let schema = schema.unwrap_or_else(|| panic!("{text}"));
        let published = schema.to_json_schema();
        let compiled = Compiler::new().compile(published.as_bytes()).unwrap();
        for _ in 0..10 {
            let arguments = dice.arguments();
            let ours = schema.check_bytes(arguments.as_bytes()).unwrap();
            let theirs = compiled
                .check(&mut workspace, arguments.as_bytes())
                .unwrap();
            assert_eq!(
                ours == Answer::Accepted,
                theirs == Verdict::Valid,
                "{text}\n{published}\n{arguments}\n{ours:?}"
            );
            accepted += u32::from(ours == Answer::Accepted);
            total += 1;
        }
    }
    assert!(
        accepted > total / 10 && accepted < total / 10 * 9,
        "{accepted}"
    );
}

/// A permissive reader accepts any JSON object as a schema and never panics.
#[test]
fn any_json_is_survived() {
    let mut dice = Texts(Dice(7));
    for _ in 0..20_000 {
        let mut schema = dice.noise(4);
        if let Ok(read) = ArgumentSchema::read(schema.as_bytes()) {
            let arguments = dice.noise(3);
            let arguments = document(&arguments);
            let _ = read.check(arguments.document().root());
            let _ = read.with_defaults(arguments.document().root());
            assert!(
                Compiler::new()
                    .compile(read.to_json_schema().as_bytes())
                    .is_ok(),
                "{schema}"
            );
        }
        if schema.starts_with('{') && schema.len() > 2 && !schema.contains("schemaVersion") {
            schema = extended(&schema);
            if let Ok(read) = ArgumentSchema::read(schema.as_bytes()) {
                let published = read.to_json_schema();
                assert!(
                    Compiler::new().compile(published.as_bytes()).is_ok(),
                    "{schema}"
                );
            }
        }
    }
    assert_eq!(document("[]").document().root().len(), 0);
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
    fn schema(&mut self, plain: bool) -> String {
        let mut members = Vec::new();
        for name in ["a", "b", "c"] {
            if self.roll(4) > 0 {
                members.push(format!("\"{name}\":{}", self.property(!plain, 2)));
            }
        }
        let version = if plain {
            self.pick(&["", r#""schemaVersion":"2025-10-09""#])
        } else {
            r#""schemaVersion":"2026-11-21""#
        };
        if self.roll(2) == 0 {
            members.extend((!version.is_empty()).then(|| version.to_owned()));
            return format!("{{{}}}", members.join(","));
        }
        let mut whole = vec![format!("\"properties\":{{{}}}", members.join(","))];
        whole.extend((!version.is_empty()).then(|| version.to_owned()));
        if self.roll(2) == 0 {
            let names = self.pick(&[r#"["a"]"#, r#"["b","d"]"#, "[]"]);
            whole.push(format!("\"required\":{names}"));
        }
        format!("{{{}}}", whole.join(","))
    }

    fn property(&mut self, extended: bool, depth: usize) -> String {
        let mut parts = self.rule(extended, depth);
        if self.roll(4) == 0 && !parts.iter().any(|part| part.starts_with("\"required\"")) {
            parts.push(r#""required":true"#.to_owned());
        }
        if self.roll(3) == 0 && !parts.iter().any(|part| part.starts_with("\"properties\"")) {
            parts.push(r#""isArray":true"#.to_owned());
        }
        format!("{{{}}}", parts.join(","))
    }

    fn rule(&mut self, extended: bool, depth: usize) -> Vec<String> {
        let kinds = [
            "string", "integer", "float", "number", "boolean", "enum", "array", "object", "",
        ];
        let kind = kinds[self.roll(kinds.len())];
        let kind = if kind == "object" && (!extended || depth == 0) {
            "array"
        } else {
            kind
        };
        let mut parts = Vec::new();
        if !kind.is_empty() {
            parts.push(format!("\"type\":\"{kind}\""));
        }
        let mut add = |dice: &mut Self, name: &str, values: &[&str], odds: usize| {
            if dice.roll(odds) == 0 {
                let value = dice.pick(values);
                parts.push(format!("\"{name}\":{value}"));
            }
        };
        add(self, "minLength", &["0", "1", "2"], 4);
        add(self, "maxLength", &["1", "2.0", "3"], 4);
        add(self, "minimum", &["0", "0.5", "-1"], 4);
        add(self, "maximum", &["1", "1.5", "10"], 4);
        let odds = if kind == "enum" { 1 } else { 5 };
        add(
            self,
            "enum",
            &[
                "[1,2]",
                r#"["a","b","1"]"#,
                r#"[true,null,"x"]"#,
                r#"["1.50",1.5,0]"#,
            ],
            odds,
        );
        if extended {
            add(self, "pattern", &[r#""^a""#, r#""b""#], 5);
            add(self, "minItems", &["0", "1"], 5);
            add(self, "maxItems", &["1", "2"], 5);
        }
        if depth > 0 && self.roll(2) == 0 {
            let items = self.rule(extended, depth - 1).join(",");
            parts.push(format!("\"items\":{{{items}}}"));
        }
        if kind == "object" {
            let inner = self.property(extended, depth - 1);
            parts.push(format!("\"properties\":{{\"a\":{inner}}}"));
            if self.roll(3) == 0 {
                parts.push(r#""required":["a"]"#.to_owned());
            }
        }
        parts
    }

    fn arguments(&mut self) -> String {
        let mut members = Vec::new();
        for name in ["a", "b", "c", "d"] {
            if self.roll(3) > 0 {
                members.push(format!("\"{name}\":{}", self.value(2)));
            }
        }
        format!("{{{}}}", members.join(","))
    }

    fn value(&mut self, depth: usize) -> String {
        match self.roll(if depth == 0 { 12 } else { 20 }) {
            0 => "null".to_owned(),
            1 => self.pick(&["true", "false"]).to_owned(),
            2..=5 => self
                .pick(&["0", "1", "1.0", "2", "1.5", "0.5", "-3", "1e1", "15e-1"])
                .to_owned(),
            6..=11 => self
                .pick(&[
                    "\"\"", "\"a\"", "\"ab\"", "\"b\"", "\"1\"", "\"x\"", "\"null\"", "\"true\"",
                    "\"1.50\"", "\"abcd\"",
                ])
                .to_owned(),
            12..=16 => {
                let items: Vec<_> = (0..self.roll(3)).map(|_| self.value(depth - 1)).collect();
                format!("[{}]", items.join(","))
            }
            _ if self.roll(4) == 0 => "{}".to_owned(),
            _ => format!("{{\"a\":{}}}", self.value(depth - 1)),
        }
    }

    fn noise(&mut self, depth: usize) -> String {
        match self.roll(if depth == 0 { 6 } else { 10 }) {
            0 => "null".to_owned(),
            1 => "true".to_owned(),
            2 => self.pick(&["0", "-1", "1e999", "1.5"]).to_owned(),
            3..=5 => format!(
                "\"{}\"",
                self.pick(&[
                    "string",
                    "array",
                    "object",
                    "enum",
                    "a",
                    "",
                    "2026-11-21",
                    "^(a|",
                    "integer"
                ])
            ),
            6 => {
                let items: Vec<_> = (0..self.roll(4)).map(|_| self.noise(depth - 1)).collect();
                format!("[{}]", items.join(","))
            }
            _ => {
                let mut names = vec![
                    "type",
                    "properties",
                    "required",
                    "items",
                    "isArray",
                    "enum",
                    "minLength",
                    "maximum",
                    "pattern",
                    "default",
                    "deprecated",
                    "minItems",
                    "a",
                    "schemaVersion",
                ];
                let mut members = Vec::new();
                for _ in 0..self.roll(5) {
                    let name = names.swap_remove(self.roll(names.len()));
                    members.push(format!("\"{name}\":{}", self.noise(depth - 1)));
                }
                format!("{{{}}}", members.join(","))
            }
        }
    }
}

mod diagnoses;
