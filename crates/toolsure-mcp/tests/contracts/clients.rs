//! What clients are told of schemas accepts what the originals accept, and they
//! can compile it and check by it at a bounded cost.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

use crate::support::random::{Random, value};
use crate::support::{at, json, listing, shared_files, tool};
use toolsure_json::{Node as _, ReadLimits};
use toolsure_mcp::catalog::Listing;
use toolsure_mcp::clients::{CostlySchemas, sanitize, simplify};
use toolsure_mcp::contract::SchemaStore;
use toolsure_mcp::project::Lost;
use toolsure_schema::{Verdict, Workspace};

const INPUT: &str = r#"{"type":"object"}"#;

/// The output schema as it is told, if it is told at all; the same if as it is.
fn told(output: &str, costly: CostlySchemas) -> Option<String> {
    let store = SchemaStore::lenient();
    let page = listing(&[&tool("t", INPUT, Some(output))]);
    let page = simplify(&page, &store, costly, |_| true)
        .unwrap()
        .map_or(page, |told| told.listing);
    let document = json(page.text());
    at(document.document(), "/result/tools/0/outputSchema").map(str::to_owned)
}

/// A page is rewritten under the bounds that it was read under, and one that does not fit them
/// afterwards is an error, not a page that needs no rewriting.
#[test]
fn a_page_over_the_default_bounds_is_sanitized() {
    let deep = format!("{}{}", "[".repeat(17_000), "]".repeat(17_000));
    let page = format!(r#"{{"tools":[],"nextCursor":null,"_meta":{{"a":{deep}}}}}"#);
    assert!(Listing::read(page.as_str()).is_err());
    let limits = ReadLimits {
        depth: 20_000,
        ..ReadLimits::default()
    };
    let page = Listing::read_within(page, &limits).unwrap();
    let mended = sanitize(&page, &SchemaStore::new(), true, |_| true);
    let mended = mended.unwrap().unwrap();
    assert!(!mended.listing.text().contains("nextCursor"));
}

/// An assertion that is left out under a name counts for every spelling of the name.
#[test]
fn what_refers_to_a_loosened_schema_is_loosened() {
    for reference in ["#name", "#n%61me", "#/$defs/d", "#/%24defs/d"] {
        let original = format!(
            r##"{{"type":"object","properties":{{"x":{{"not":{{"$ref":"{reference}"}}}}}},"$defs":{{"d":{{"$anchor":"name","type":"string","pattern":"^(a+)+$"}}}}}}"##
        );
        let told = told(&original, CostlySchemas::Simplify).unwrap();
        assert!(!told.contains("a+"), "{told}");
        for schema in [&original, &told] {
            let schema = SchemaStore::lenient().schema(schema).unwrap();
            let verdict = schema.check(&mut Workspace::new(), r#"{"x":"b"}"#);
            assert_eq!(verdict.unwrap(), Verdict::Valid, "{reference}: {told}");
        }
    }
}

/// Each loosened assertion where it counts for its parent, and against it.
#[test]
fn told_schemas_accept_what_the_originals_accept() {
    let costly = r#"{"pattern":"^(a+)+$"}"#;
    let others = [
        "true",
        r#"{"type":"string"}"#,
        r#"{"properties":{"a":{"type":"integer"}},"required":["a"]}"#,
        r#"{"items":{"type":"number"}}"#,
    ];
    let shapes = [
        "@P",
        r#"{"not":@P}"#,
        r#"{"not":{"not":@P}}"#,
        r#"{"oneOf":[@P,@R]}"#,
        r#"{"oneOf":[@P,@R],"anyOf":[true]}"#,
        r#"{"if":@P,"then":@R}"#,
        r#"{"if":@P,"else":@R}"#,
        r#"{"if":@R,"then":@P,"else":{"not":@P}}"#,
        r#"{"contains":@P,"maxContains":1}"#,
        r#"{"contains":@P,"minContains":0}"#,
        r#"{"items":@P,"uniqueItems":true}"#,
        r#"{"properties":{"a":@P,"b":@R},"additionalProperties":{"not":@P}}"#,
        r#"{"patternProperties":{"^(a+)+$":@R},"additionalProperties":false}"#,
        r#"{"patternProperties":{"^[\\w-.]$":@R},"additionalProperties":@P}"#,
        r#"{"anyOf":[{"properties":{"a":@P}},@R],"unevaluatedProperties":false}"#,
        r#"{"if":@P,"then":{"properties":{"a":true}},"unevaluatedProperties":false}"#,
        r##"{"$ref":"#/$defs/p","not":{"$ref":"#/$defs/q"},"$defs":{"p":@R,"q":{"allOf":[@P]}}}"##,
        r##"{"$schema":"http://json-schema.org/draft-07/schema#","not":{"$ref":"http://json-schema.org/draft-07/schema#"}}"##,
        r#"{"not":{"$ref":"https://json-schema.org/draft/2020-12/schema"}}"#,
        r#"{"enum":[],"not":@R}"#,
        r#"{"oneOf":[{"enum":[]},@R]}"#,
        r#"{"propertyNames":@P,"dependentSchemas":{"a":{"not":@P}}}"#,
    ];
    let mut workspace = Workspace::new();
    let store = SchemaStore::lenient();
    let (mut changed, mut accepted) = (0, 0);
    for shape in shapes {
        for other in others {
            let original = shape.replace("@P", costly).replace("@R", other);
            let was = store.schema(&original).unwrap();
            let Some(now) = told(&original, CostlySchemas::Simplify) else {
                continue;
            };
            changed += u32::from(now != original);
            let is = store.schema(&now).unwrap();
            let mut random = Random::new(7);
            for _ in 0..200 {
                let value = value(&mut random, 3);
                let before = was.check(&mut workspace, value.as_bytes()).unwrap();
                let after = is.check(&mut workspace, value.as_bytes()).unwrap();
                accepted += u32::from(before == Verdict::Valid);
                assert!(
                    before != Verdict::Valid || after == Verdict::Valid,
                    "{original}\n{now}\n{value}"
                );
            }
        }
    }
    assert!(changed > 50 && accepted > 2_000, "{changed} {accepted}");
}

/// Lenient compilation and `simplify` leave out the same keywords above a subschema that accepts
/// more: the one if a part is invalid, the other if it is costly.
#[test]
fn told_schemas_are_loosened_as_lenient_compilation_loosens() {
    let store = SchemaStore::lenient();
    for (shape, expected) in LOOSENED {
        let costly = shape.replace("@P", r#"{"pattern":"^(a+)+$"}"#);
        let invalid = shape.replace("@P", r#"{"type":"bogus"}"#);
        let told = told(&costly, CostlySchemas::Simplify);
        assert_eq!(told.as_deref(), Some(*expected), "{shape}");
        let listing = |schema: &str| store.schema(schema).unwrap().listing();
        assert_eq!(listing(&invalid), listing(expected), "{shape}");
    }
}

/// Schemas with a subschema `@P`, and what they become if it accepts everything.
const LOOSENED: &[(&str, &str)] = &[
    (r#"{"not":@P,"minLength":1}"#, r#"{"minLength":1}"#),
    (r#"{"not":{"not":@P},"minLength":1}"#, r#"{"minLength":1}"#),
    (
        r#"{"items":{"not":{"properties":{"a":@P}}}}"#,
        r#"{"items":{}}"#,
    ),
    (
        r##"{"not":{"$ref":"#/$defs/p"},"$defs":{"p":{"allOf":[@P]}}}"##,
        r##"{"$defs":{"p":{"allOf":[{}]}}}"##,
    ),
    (
        r#"{"if":@P,"then":{"minLength":1},"else":{"minLength":2}}"#,
        "{}",
    ),
    (
        r#"{"if":{"minLength":1},"then":@P,"else":{"type":"null"}}"#,
        r#"{"if":{"minLength":1},"then":{},"else":{"type":"null"}}"#,
    ),
    (r#"{"contains":@P,"minContains":2,"maxContains":3}"#, "{}"),
    (
        r#"{"contains":@P,"minContains":2}"#,
        r#"{"contains":{},"minContains":2}"#,
    ),
    (
        r#"{"oneOf":[@P,{"minLength":1}]}"#,
        r#"{"anyOf":[{},{"minLength":1}]}"#,
    ),
    (
        r#"{"oneOf":[@P,{"minLength":1}],"anyOf":[{"minLength":2},{"type":"null"}]}"#,
        r#"{"anyOf":[{"minLength":2},{"type":"null"}]}"#,
    ),
    (
        r#"{"if":@P,"then":{"properties":{"a":true}},"unevaluatedProperties":false}"#,
        "{}",
    ),
    (
        r#"{"contains":@P,"maxContains":1,"unevaluatedItems":false}"#,
        "{}",
    ),
    (
        r#"{"anyOf":[@P,{"minLength":1}],"allOf":[@P,{"maxLength":9}]}"#,
        r#"{"anyOf":[{},{"minLength":1}],"allOf":[{},{"maxLength":9}]}"#,
    ),
];

/// What cannot be told in another form is told in none; what can, exactly so.
#[test]
fn schemas_are_told_as_clients_compile_them() {
    for (original, expected) in [
        (
            r#"{"type":"object","$id":"word"}"#,
            Some(r#"{"type":"object"}"#),
        ),
        (
            r##"{"$id":"urn:x","properties":{"a":{"$ref":"urn:x#/$defs/b"}},"$defs":{"b":{}}}"##,
            Some(r##"{"properties":{"a":{"$ref":"#/$defs/b"}},"$defs":{"b":{}}}"##),
        ),
        (r#"{"properties":{"a":{"$id":"x"}}}"#, None),
        (
            r#"{"$schema":"http://json-schema.org/draft-04/schema#"}"#,
            None,
        ),
        (
            r#"{"$schema":"https://json-schema.org/draft-07/schema"}"#,
            Some(r#"{"$schema":"http://json-schema.org/draft-07/schema#"}"#),
        ),
        (r#"{"enum":[]}"#, Some(r#"{"not":{}}"#)),
        (r#"{"nullable":true}"#, Some("{}")),
        (
            r#"{"type":"string","nullable":true}"#,
            Some(r#"{"type":"string","nullable":true}"#),
        ),
        (r#"{"pattern":"^\\p{L}$"}"#, Some("{}")),
        (r#"{"pattern":"a\\-b"}"#, Some(r#"{"pattern":"a-b"}"#)),
        (r#"{"uniqueItems":true}"#, Some("{}")),
        (
            r#"{"uniqueItems":true,"items":{"type":"string"}}"#,
            Some(r#"{"uniqueItems":true,"items":{"type":"string"}}"#),
        ),
        (r#"{"x":{"$anchor":"a b"}}"#, Some("{}")),
        (r#"{"dependencies":null}"#, Some("{}")),
        (
            r##"{"properties":{"c":{"allOf":[{"$ref":"#"},{"$ref":"#"}]}}}"##,
            Some(r#"{"properties":{"c":{}}}"#),
        ),
    ] {
        let now = told(original, CostlySchemas::Simplify);
        assert_eq!(now.as_deref(), expected, "{original}");
    }
    let wide: Vec<String> = (0..300).map(|n| format!(r#"{{"const":{n}}}"#)).collect();
    let now = told(
        &format!(r#"{{"oneOf":[{}]}}"#, wide.join(",")),
        CostlySchemas::Simplify,
    );
    assert!(now.unwrap().starts_with(r#"{"enum":[0,1,2"#));
}

/// Real tools are hardly ever told otherwise, and always accept what they accepted.
#[toolsure_needs::needs("corpus/listings")]
#[test]
fn real_tools_are_told_as_they_are() {
    let (mut tools, mut otherwise, mut checked) = (0, 0, 0);
    let mut workspace = Workspace::new();
    let instances = shared_files("corpus/instances", "jsonl");
    for (name, text) in shared_files("corpus/listings", "json") {
        let page = Listing::read(text.as_str()).unwrap();
        let store = SchemaStore::lenient();
        assert!(
            sanitize(&page, &store, true, |_| true).unwrap().is_none(),
            "{name}"
        );
        tools += page.result().member("tools").unwrap().len();
        let Some(now) = simplify(&page, &store, CostlySchemas::Simplify, |_| true).unwrap() else {
            continue;
        };
        otherwise += now.lost.len();
        assert!(
            !now.lost
                .iter()
                .any(|lost| matches!(lost, Lost::Withdrawn { .. }))
        );
        let schemas = |page: &Listing, tool: &str, part: &str| {
            let tools = page.result().member("tools").unwrap();
            let mut named = tools
                .items()
                .filter(|t| t.member("name").unwrap().string() == tool);
            let schema = named.next()?.member(part)?;
            Some(store.schema(schema.raw()).unwrap())
        };
        for (_, lines) in instances.iter().filter(|(of, _)| *of == name) {
            for line in lines.lines() {
                let line = json(line);
                let line = line.document().root();
                let tool = line.member("tool").unwrap().string();
                let part = format!("{}Schema", line.member("which").unwrap().string());
                let (Some(was), Some(is)) = (
                    schemas(&page, tool, &part),
                    schemas(&now.listing, tool, &part),
                ) else {
                    continue;
                };
                let instance = line.member("instance").unwrap();
                if was.check(&mut workspace, instance) == Verdict::Valid {
                    checked += 1;
                    let after = is.check(&mut workspace, instance);
                    assert_eq!(after, Verdict::Valid, "{name} {tool} {}", instance.raw());
                }
            }
        }
    }
    assert!(tools > 5_000 && otherwise < 100, "{otherwise} of {tools}");
    assert!(checked > 100, "{checked}");
}

/// ajv takes a property that every JavaScript object inherits as present, with a function as its value.
#[test]
fn names_that_objects_inherit_are_not_held_by_clients() {
    for (schema, expected) in [
        (
            r#"{"type":"object","properties":{"toString":{"type":"string","description":"d"},"a":{"type":"string"}}}"#,
            r#"{"type":"object","properties":{"toString":{"description":"d"},"a":{"type":"string"}}}"#,
        ),
        (
            r##"{"type":"object","properties":{"constructor":{"anyOf":[{"type":"null"},{"$ref":"#/$defs/d"}]}},"$defs":{"d":{}}}"##,
            r#"{"type":"object","properties":{"constructor":{}},"$defs":{"d":{}}}"#,
        ),
        (
            r#"{"type":"object","dependentRequired":{"valueOf":["b"]},"minProperties":1}"#,
            r#"{"type":"object","minProperties":1}"#,
        ),
        (
            r#"{"type":"object","not":{"properties":{"toString":{"type":"null"}}},"minProperties":1}"#,
            r#"{"type":"object","minProperties":1}"#,
        ),
    ] {
        let told = told(schema, CostlySchemas::Simplify).unwrap();
        assert_eq!(told, expected);
    }
}
