//! What is said about schemas: each member at each position is enforced, only describes, or is told.

use super::*;
use crate::argument::field::ArgumentType;
use crate::argument::member::members;
use crate::argument::position::Position;

/// The codes that say that a member is not enforced.
const UNENFORCED: &[&str] = &[
    "later-version",
    "unknown-member",
    "json-schema-keyword",
    "no-effect",
];

/// A member's values that refuse some argument if the member is enforced at all.
const VALUES: &[(&str, &[&str])] = &[
    ("minLength", &["3"]),
    ("maxLength", &["1"]),
    ("minimum", &["5"]),
    ("maximum", &["1"]),
    ("enum", &[r#"["zz", 7, true]"#]),
    ("pattern", &[r#""^z""#]),
    ("items", &[r#"{"type": "boolean", "enum": [true]}"#]),
    ("minItems", &["2"]),
    ("maxItems", &["0"]),
    (
        "properties",
        &[r#"{"n": {"type": "string", "required": true}}"#],
    ),
    ("required", &["true", r#"["n"]"#]),
    ("isArray", &["true"]),
    // Members of JSON Schema and mistakes.
    ("format", &[r#""email""#]),
    ("const", &["7"]),
    ("multipleOf", &["2"]),
    ("exclusiveMinimum", &["3"]),
    ("exclusiveMaximum", &["3"]),
    ("additionalProperties", &["false"]),
    ("oneOf", &[r#"[{"type": "string"}]"#]),
    ("anyOf", &["[]"]),
    ("allOf", &["[]"]),
    ("not", &["{}"]),
    ("$ref", &[r##""#""##]),
    ("uniqueItems", &["true"]),
    ("contentEncoding", &[r#""base64""#]),
    ("minLenght", &["3"]),
    ("requird", &["true"]),
    ("nullable", &["true"]),
    ("schemaVersion", &[r#""2025-10-09""#]),
];

/// Members that describe; those with a version that enforces them are in the tables of members.
const DESCRIBING: &[(&str, &str)] = &[
    ("title", r#""A title.""#),
    ("description", r#""A description.""#),
    ("$comment", r#""x""#),
    ("examples", "[1]"),
    ("default", "null"),
    ("deprecated", "true"),
    ("readOnly", "true"),
    ("x-order", "1"),
];

/// Arguments of which an enforced member refuses at least one that is accepted without it, or the
/// other way round.
fn probes() -> Vec<String> {
    let scalars = [
        "null",
        "false",
        "true",
        r#""""#,
        r#""xx""#,
        r#""zzzz""#,
        "0",
        "3",
        "9",
        "7",
        "{}",
    ];
    let mut values: Vec<String> = scalars.iter().map(ToString::to_string).collect();
    values.extend([r#"{"n": "x"}"#, r#"{"n": 1}"#, "[]"].map(str::to_owned));
    for _ in 0..2 {
        let inner = values.clone();
        values.extend(inner.iter().map(|value| format!("[{value}]")));
    }
    let mut probes: Vec<String> = values
        .iter()
        .map(|value| format!(r#"{{"a": {value}}}"#))
        .collect();
    probes.push("{}".to_owned());
    probes
}

fn parse(text: &str, version: Option<&str>) -> (Option<ArgumentSchema>, Vec<Diagnosis>) {
    ArgumentSchema::parse(text.as_bytes(), version, &ArgumentLimits::default())
}

/// Every member × its values × every type × `isArray` × the type of `items` × every version, in a
/// property and in `items`: a member changes what is accepted, or is told not to.
#[test]
fn each_member_is_enforced_or_told() {
    let probes: Vec<_> = probes().iter().map(|probe| document(probe)).collect();
    let types = ArgumentType::ALL.map(|kind| format!(r#""type": "{}""#, kind.name()));
    let mut told = std::collections::BTreeSet::new();
    let mut enforced = std::collections::BTreeSet::new();
    for version in [None, Some("2025-10-09"), Some("2026-11-21")] {
        for position in [Position::Property, Position::Items] {
            for kind in types.iter().map(String::as_str).chain([""]) {
                for array in ["", r#""isArray": true"#] {
                    for inner in [
                        "",
                        r#""items": {"type": "string"}"#,
                        r#""items": {"type": "integer"}"#,
                    ] {
                        let base: Vec<&str> = [kind, array, inner]
                            .into_iter()
                            .filter(|part| !part.is_empty())
                            .collect();
                        for (member, values) in VALUES {
                            // A member is not written twice.
                            if base
                                .iter()
                                .any(|part| part.starts_with(&format!("\"{member}\"")))
                            {
                                continue;
                            }
                            for value in *values {
                                let added = format!(r#""{member}": {value}"#);
                                let both = |parts: &[&str]| {
                                    let parts = parts.join(", ");
                                    match position {
                                        Position::Items => format!(
                                            r#"{{"a": {{"type": "array", "items": {{{parts}}}}}}}"#
                                        ),
                                        _ => format!(r#"{{"a": {{{parts}}}}}"#),
                                    }
                                };
                                let without = both(&base);
                                let with = both(&[base.as_slice(), &[added.as_str()]].concat());
                                let (without, _) = parse(&without, version);
                                let (changed, found) = parse(&with, version);
                                let pointer = match position {
                                    Position::Items => {
                                        format!("/a/items/{}", member.replace('/', "~1"))
                                    }
                                    _ => format!("/a/{member}"),
                                };
                                let here: Vec<_> = found
                                    .iter()
                                    .filter(|one| one.pointer() == pointer)
                                    .collect();
                                let is_told = here.iter().any(|one| {
                                    UNENFORCED.contains(&one.code())
                                        && one.severity() > Severity::Note
                                });
                                let malformed = here.iter().any(|one| one.code() == "malformed");
                                let (without, changed) = (without.unwrap(), changed.unwrap());
                                let changes = probes.iter().any(|probe| {
                                    let answer = |schema: &ArgumentSchema| {
                                        schema.check(probe.document().root()) == Answer::Accepted
                                    };
                                    answer(&without) != answer(&changed)
                                });
                                // `isArray` beside the type `array` repeats it.
                                let repeats = *member == "isArray" && kind.contains("array");
                                assert_eq!(
                                    changes,
                                    !is_told && !malformed && !repeats,
                                    "{version:?} {with} {found:?}"
                                );
                                if changes { &mut enforced } else { &mut told }.insert(*member);
                            }
                        }
                    }
                }
            }
        }
    }
    // Every limit was enforced somewhere and told elsewhere.
    let limits = members(Position::Property).iter().map(|member| member.0);
    for member in limits.filter(|member| VALUES.iter().any(|known| known.0 == *member)) {
        assert!(enforced.contains(member), "{member}");
        assert!(
            told.contains(member) || matches!(member, "enum" | "isArray"),
            "{member}"
        );
    }
}

/// Each member of the tables has a value above, so that a new one cannot be forgotten.
#[test]
fn each_member_of_the_tables_is_tried() {
    for position in [Position::Root, Position::Property, Position::Items] {
        for (member, _) in members(position) {
            let tried = VALUES.iter().any(|known| known.0 == *member)
                || DESCRIBING.iter().any(|known| known.0 == *member)
                || *member == "type";
            assert!(tried, "{member}");
        }
    }
}

/// What only describes is a note where the converted schema does not have it, and never refused.
#[test]
fn describing_members_are_noted_unless_they_are_converted() {
    for (member, value) in DESCRIBING {
        for (schema, pointer) in [
            (
                format!(r#"{{"properties": {{}}, "{member}": {value}}}"#),
                format!("/{member}"),
            ),
            (
                format!(r#"{{"a": {{"{member}": {value}}}}}"#),
                format!("/a/{member}"),
            ),
            (
                format!(r#"{{"a": {{"type": "array", "items": {{"{member}": {value}}}}}}}"#),
                format!("/a/items/{member}"),
            ),
        ] {
            let (read, found) = parse(&schema, Some("2026-11-21"));
            let worst = found.iter().map(Diagnosis::severity).max();
            assert!(worst <= Some(Severity::Note), "{schema} {found:?}");
            let noted = found
                .iter()
                .any(|one| one.pointer() == pointer && one.code() == "annotation");
            let converted = read
                .unwrap()
                .to_json_schema()
                .contains(&format!("\"{member}\":"));
            assert_eq!(noted, !converted, "{schema} {found:?}");
        }
    }
}

/// A warning: its place, its code and a part of its text.
type Warning = (&'static str, &'static str, &'static str);
/// A schema, and all of its warnings.
const TOLD: &[(&str, &[Warning])] = &[
    (
        r#"{"a": {"type": "string", "minLenght": 3, "requird": true}}"#,
        &[
            (
                "/a/minLenght",
                "unknown-member",
                "did you mean `minLength`?",
            ),
            ("/a/requird", "unknown-member", "did you mean `required`?"),
        ],
    ),
    (
        r#"{"properties": {"a": {}}, "requred": ["a"]}"#,
        &[("/requred", "unknown-member", "did you mean `required`?")],
    ),
    (
        r#"{"a": {}, "required": ["a"]}"#,
        &[("/required", "required-list", "add `properties`")],
    ),
    (
        r#"{"a": {}, "requred": ["a"]}"#,
        &[("/requred", "required-list", "add `properties`")],
    ),
    (
        r#"{"propertis": {"a": {"type": "string"}}}"#,
        &[("/propertis", "unknown-member", "did you mean `properties`?")],
    ),
    (
        r#"{"properties": {"a": {}}, "a": {"type": "string"}}"#,
        &[("/a", "unknown-member", "")],
    ),
    (r#"{"property": {"type": "string"}}"#, &[]),
    (
        r#"{"properties": {}, "type": "array"}"#,
        &[("/type", "malformed", "`object`")],
    ),
    (
        r#"{"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object"}"#,
        &[
            ("", "not-an-argument-schema", "this is a JSON Schema"),
            ("/$schema", "json-schema-keyword", ""),
        ],
    ),
    (
        r#"{"type": "object", "properties": {}, "additionalProperties": false}"#,
        &[
            ("", "not-an-argument-schema", "this is a JSON Schema"),
            ("/additionalProperties", "json-schema-keyword", ""),
        ],
    ),
    (
        r#"{"a": {"type": "string", "minLength": 3, "maxLength": 2}}"#,
        &[(
            "/a/minLength",
            "contradiction",
            "the lower limit 3 is above the upper limit 2",
        )],
    ),
    (
        r#"{"a": {"type": "string", "minLength": 2, "maxLength": 2}}"#,
        &[],
    ),
    (
        r#"{"a": {"type": "number", "minimum": 0.2, "maximum": 0.1}}"#,
        &[("/a/minimum", "contradiction", "")],
    ),
    (
        r#"{"a": {"type": "string", "isArray": true, "minLength": 3, "items": {"maxLength": 2}}}"#,
        &[("/a/items", "contradiction", "")],
    ),
    (
        r#"{"a": {"type": "integer", "enum": ["1", "x", 2.5, 3]}}"#,
        &[
            ("/a/enum/1", "never-matches", ""),
            ("/a/enum/2", "never-matches", ""),
        ],
    ),
    (
        r#"{"a": {"type": "string", "maxLength": 1, "enum": ["a", "bb"]}}"#,
        &[("/a/enum/1", "never-matches", "")],
    ),
    (
        r#"{"a": {"type": "array", "enum": ["a", "b"], "items": {"enum": ["b", "c"]}}}"#,
        &[
            ("/a/enum/0", "never-matches", ""),
            ("/a/items/enum/1", "never-matches", ""),
        ],
    ),
];

#[test]
fn what_is_not_enforced_is_told_with_its_place() {
    for (schema, expected) in TOLD {
        for (version, severity) in [
            (None, Severity::Warning),
            (Some("2026-11-21"), Severity::Error),
        ] {
            let found = diagnose(schema.as_bytes(), version, &ArgumentLimits::default());
            let told: Vec<_> = found
                .iter()
                .filter(|one| one.severity() > Severity::Note)
                .collect();
            assert_eq!(told.len(), expected.len(), "{schema} {told:?}");
            for (one, (pointer, code, text)) in told.iter().zip(*expected) {
                assert_eq!((one.pointer(), one.code()), (*pointer, *code), "{schema}");
                assert!(one.to_string().contains(text), "{schema} {one}");
                assert_eq!(one.severity(), severity, "{schema}");
            }
        }
    }
}

/// What is no argument schema is refused whatever the version.
#[test]
fn other_things_are_called_by_their_name() {
    let tool = r#"{"name": "search", "inputSchema": {"type": "object"}}"#;
    for (text, name) in [
        (tool.to_owned(), "a tool"),
        (format!("[{tool}]"), "a listing of tools"),
        (format!(r#"{{"tools": [{tool}]}}"#), "a listing of tools"),
        (
            r#"{"jsonrpc": "2.0", "id": 1, "result": {"tools": []}}"#.to_owned(),
            "a listing of tools",
        ),
        (r#"{"$ref": "a", "$defs": {}}"#.to_owned(), "a JSON Schema"),
        (
            r#"{"type": "array", "items": {"type": "string"}}"#.to_owned(),
            "a JSON Schema",
        ),
        (
            r#"{"anyOf": [{"type": "string"}]}"#.to_owned(),
            "a JSON Schema",
        ),
    ] {
        let error = ArgumentSchema::read(text.as_bytes())
            .unwrap_err()
            .to_string();
        assert!(
            error.starts_with(&format!("this is {name}")),
            "{text} {error}"
        );
    }
    for text in [
        r#"{"name": {"type": "string"}, "inputSchema": {"type": "string"}, "tools": {"type": "array"}}"#,
        r#"{"$ref": {"type": "string"}, "anyOf": {"type": "string"}}"#,
    ] {
        assert!(ArgumentSchema::read(text.as_bytes()).is_ok(), "{text}");
    }
}

/// The schema is refused if and only if a diagnosis is an error, and then with the first of them.
#[test]
fn a_schema_is_refused_by_its_first_error() {
    let mut dice = Texts(Dice(11));
    let mut refused = 0;
    for _ in 0..5_000 {
        let text = dice.noise(4);
        let found = diagnose(text.as_bytes(), None, &ArgumentLimits::default());
        let first = found.iter().find(|one| one.severity() == Severity::Error);
        let error = ArgumentSchema::read(text.as_bytes()).err();
        assert_eq!(
            first.map(ToString::to_string),
            error.map(|error| error.to_string()),
            "{text}"
        );
        refused += u32::from(first.is_some());
    }
    assert!((100..4_900).contains(&refused), "{refused}");
    // All errors are told, and not only the first.
    let schema = br#"{"schemaVersion": "2025-10-09", "a": {"type": 5}, "b": {"minimum": "x", "format": "uri"}}"#;
    let found = diagnose(schema, None, &ArgumentLimits::default());
    let errors = found.iter().filter(|one| one.severity() == Severity::Error);
    let places: Vec<_> = errors.map(Diagnosis::pointer).collect();
    assert_eq!(places, ["/a/type", "/b/minimum", "/b/format"]);
}

#[test]
fn the_number_of_diagnoses_is_bounded() {
    let many = |count: usize| {
        let members: Vec<_> = (0..count).map(|at| format!(r#""u{at}": 1"#)).collect();
        let schema = format!(
            r#"{{"a": {{"description": "An a.", {}}}}}"#,
            members.join(",")
        );
        diagnose(schema.as_bytes(), None, &ArgumentLimits::default()).len()
    };
    assert_eq!(
        (many(MOST_DIAGNOSES), many(MOST_DIAGNOSES + 1)),
        (MOST_DIAGNOSES, MOST_DIAGNOSES)
    );
}

/// What the notation recommends is noted, and never more than that.
#[test]
fn recommendations_are_notes() {
    for (schema, expected) in [
        (
            r#"{"a": {"type": "string", "description": "An a."}}"#,
            &[][..],
        ),
        (r#"{"a": {"type": "string"}}"#, &["/a"]),
        (
            r#"{"a": {"type": "string", "description": "an a"}}"#,
            &["/a/description"],
        ),
        (
            r#"{"a": {"type": "array", "description": "All."}}"#,
            &["/a"],
        ),
        (
            r#"{"a": {"type": "array", "items": {"type": "string"}, "description": "All."}}"#,
            &[],
        ),
        (
            r#"{"a": {"type": "string", "isArray": true, "description": "All."}}"#,
            &[],
        ),
        (
            r#"{"properties": {"a": {"type": "string", "isArray": true, "description": "All."}}}"#,
            &["/properties/a/isArray"],
        ),
    ] {
        let found = diagnose(
            schema.as_bytes(),
            Some("2025-10-09"),
            &ArgumentLimits::default(),
        );
        let places: Vec<_> = found.iter().map(Diagnosis::pointer).collect();
        assert_eq!(places, expected, "{schema} {found:?}");
        assert!(found.iter().all(|one| one.severity() == Severity::Note));
    }
}

/// An `enum` is published without the values that its type or limits refuse.
#[test]
fn values_that_cannot_match_are_not_published() {
    for (rule, published) in [
        (
            r#""type": "integer", "enum": ["1", "x", 2.5, 3]"#,
            r#""type":"integer","enum":[1,3]"#,
        ),
        (
            r#""type": "string", "enum": [1, true]"#,
            r#""type":"string","enum":["1","true"]"#,
        ),
        (
            r#""type": "boolean", "enum": ["true", "x", null]"#,
            r#""type":"boolean","enum":[true]"#,
        ),
        (r#""enum": ["null", 1]"#, r#""enum":["1",1,"null",null]"#),
        (
            r#""type": "string", "maxLength": 1, "enum": ["a", "bb"]"#,
            r#""type":"string","maxLength":1,"enum":["a"]"#,
        ),
        (
            r#""type": "integer", "enum": ["x"]"#,
            r#""type":"integer","not":{}"#,
        ),
    ] {
        let schema = ArgumentSchema::read(format!(r#"{{"a": {{{rule}}}}}"#).as_bytes()).unwrap();
        let expected = format!(r#""properties":{{"a":{{{published}}}}}"#);
        let text = schema.to_json_schema();
        assert!(text.contains(&expected), "{rule} {text}");
    }
}
