//! Models of small schemas, written out: resources with their anchors, subschemas with their keywords, and where each
//! reference leads. What builds a model and what resolves its references is held to every part of it.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::fmt::Write as _;

use toolsure_syntax::model::{Form, FormatUse, Model, ReferenceTarget, Shape, SubschemaId};
use toolsure_syntax::{CompileErrorKind, Formats, Options, Parser, Strictness, uri};

fn listing(model: &Model) -> String {
    let place = |id: SubschemaId| {
        let at = model.location(id);
        format!("{}#{}", at.document, at.pointer)
    };
    let mut out = String::new();
    for resource in &model.resources {
        let mut anchors: Vec<String> = resource
            .anchors
            .iter()
            .map(|(name, anchor)| {
                let kind = if anchor.dynamic { "~" } else { "" };
                format!(" {kind}{name}={}", place(anchor.sub))
            })
            .collect();
        anchors.sort();
        let recursive = if resource.recursive { " recursive" } else { "" };
        let scope: String = resource
            .scope
            .iter()
            .map(|(name, sub)| format!(" {}:{}", name.index(), place(*sub)))
            .collect();
        let (uri, root) = (&resource.uri, place(resource.root));
        writeln!(out, "<{uri}> {root}{}{recursive}{scope}", anchors.concat()).unwrap();
    }
    for (index, sub) in model.subs.iter().enumerate() {
        let at = place(SubschemaId::new(index));
        let uri = &model.resources.get(sub.resource.index()).unwrap().uri;
        let dialect = sub.rules.dialect.name();
        write!(out, "{at} <{uri}> {dialect}:").unwrap();
        if let Shape::Always(answer) = sub.shape {
            write!(out, " {answer}").unwrap();
        }
        for entry in model.entries(*sub).unwrap() {
            write!(out, " {}", entry.keyword.name()).unwrap();
            if let Form::Reference(id) = &entry.form {
                match model.target(*id).unwrap() {
                    ReferenceTarget::Static(to) => write!(out, "->{}", place(to)),
                    ReferenceTarget::Dynamic { initial, name } => {
                        write!(out, "->{}?{}", place(initial), name.index())
                    }
                }
                .unwrap();
            }
        }
        out.push('\n');
    }
    for warning in &model.warnings {
        let error = warning.error();
        writeln!(
            out,
            "left out: {}#{} ({})",
            error.document(),
            error.pointer(),
            error.code()
        )
        .unwrap();
    }
    out
}

/// The model of a schema, the document `urn:x:other` beside it.
fn model(schema: &str, set: impl FnOnce(&mut Options)) -> String {
    let mut options = Options::default();
    set(&mut options);
    let mut parser = Parser::new(options);
    let other = r##"{"$ref": "#there", "$defs": {"a": {"$anchor": "there"}, "b": {"$dynamicAnchor": "node"}}}"##;
    parser.register("urn:x:other", other.as_bytes()).unwrap();
    match parser.parse(schema.as_bytes()) {
        Ok(model) => listing(&model),
        Err(error) => format!("{} at {}", error.code(), error.pointer()),
    }
}

fn lines(expected: &[&str]) -> String {
    expected.iter().map(|line| format!("{line}\n")).collect()
}

#[test]
fn names_and_references() {
    for (schema, expected) in CASES {
        assert_eq!(model(schema, |_| ()), lines(expected), "{schema}");
    }
}

const CASES: &[(&str, &[&str])] = &[
    // Ids, anchors and dynamic anchors belong to the innermost resource.
    (
        r##"{"$id": "https://a.example/r/one", "$anchor": "top", "$defs": {"in": {"$id": "two", "$anchor": "top", "$dynamicAnchor": "node", "items": {"$ref": "#top"}}, "to": {"$ref": "two#node"}, "dyn": {"$dynamicRef": "two#node"}, "fixed": {"$dynamicRef": "#top"}}, "$ref": "/r/two"}"##,
        &[
            "<https://a.example/r/one> # top=#",
            "<https://a.example/r/two> #/$defs/in top=#/$defs/in ~node=#/$defs/in 0:#/$defs/in",
            "# <https://a.example/r/one> 2020-12: $id $anchor $defs $ref->#/$defs/in",
            "#/$defs/in <https://a.example/r/two> 2020-12: $id $anchor $dynamicAnchor items",
            "#/$defs/to <https://a.example/r/one> 2020-12: $ref->#/$defs/in",
            "#/$defs/dyn <https://a.example/r/one> 2020-12: $dynamicRef->#/$defs/in?0",
            "#/$defs/fixed <https://a.example/r/one> 2020-12: $dynamicRef->#",
            "#/$defs/in/items <https://a.example/r/two> 2020-12: $ref->#/$defs/in",
        ],
    ),
    // The first of two equal names keeps it.
    (
        r##"{"$defs": {"a": {"$anchor": "x"}, "b": {"$anchor": "x"}, "c": {"$id": "urn:y"}, "d": {"$id": "urn:y"}}, "allOf": [{"$ref": "#x"}, {"$ref": "urn:y"}]}"##,
        &[
            "<> # x=#/$defs/a",
            "<urn:y> #/$defs/c",
            "<urn:y> #/$defs/d",
            "# <> 2020-12: $defs allOf",
            "#/$defs/a <> 2020-12: $anchor",
            "#/$defs/b <> 2020-12: $anchor",
            "#/$defs/c <urn:y> 2020-12: $id",
            "#/$defs/d <urn:y> 2020-12: $id",
            "#/allOf/0 <> 2020-12: $ref->#/$defs/a",
            "#/allOf/1 <> 2020-12: $ref->#/$defs/c",
        ],
    ),
    // Pointers lead to places that are no schemas' too, once each, and into embedded resources.
    (
        r##"{"x": {"y": {"$anchor": "late", "not": true}}, "allOf": [{"$ref": "#/x/y"}, {"$ref": "#/x/y"}, {"$ref": "#/x/y/not"}, {"$ref": "#late"}, {"$ref": "#/allOf/0"}]}"##,
        &[
            "<> # late=#/x/y",
            "# <> 2020-12:  allOf",
            "#/allOf/0 <> 2020-12: $ref->#/x/y",
            "#/allOf/1 <> 2020-12: $ref->#/x/y",
            "#/allOf/2 <> 2020-12: $ref->#/x/y/not",
            "#/allOf/3 <> 2020-12: $ref->#/x/y",
            "#/allOf/4 <> 2020-12: $ref->#/allOf/0",
            "#/x/y <> 2020-12: $anchor not",
            "#/x/y/not <> 2020-12: true",
        ],
    ),
    (
        r##"{"$defs": {"r": {"$id": "urn:r", "x": {"$ref": "#/y"}, "y": {}}}, "allOf": [{"$ref": "#/$defs/r/x"}]}"##,
        &[
            "<> #",
            "<urn:r> #/$defs/r",
            "# <> 2020-12: $defs allOf",
            "#/$defs/r <urn:r> 2020-12: $id  ",
            "#/allOf/0 <> 2020-12: $ref->#/$defs/r/x",
            "#/$defs/r/x <urn:r> 2020-12: $ref->#/$defs/r/y",
            "#/$defs/r/y <urn:r> 2020-12:",
        ],
    ),
    // Older dialects: ids with anchors, siblings of a reference, a dialect inside another.
    (
        r##"{"$schema": "http://json-schema.org/draft-07/schema#", "$id": "urn:root", "definitions": {"a": {"$id": "#named"}, "b": {"$id": "urn:b#both"}, "c": {"$id": "urn:never", "$ref": "#named", "minLength": 1, "definitions": {"d": true}}}, "items": [{"$ref": "urn:b#both"}, {"$ref": "#"}]}"##,
        &[
            "<urn:root> # named=#/definitions/a",
            "<urn:b> #/definitions/b both=#/definitions/b",
            "# <urn:root> draft7: $schema $id definitions items",
            "#/definitions/a <urn:root> draft7: $id",
            "#/definitions/b <urn:b> draft7: $id",
            "#/definitions/c <urn:root> draft7: $ref->#/definitions/a definitions",
            "#/items/0 <urn:root> draft7: $ref->#/definitions/b",
            "#/items/1 <urn:root> draft7: $ref->#",
            "#/definitions/c/definitions/d <urn:root> draft7: true",
        ],
    ),
    (
        r##"{"$schema": "http://json-schema.org/draft-04/schema#", "id": "urn:four", "definitions": {"a": {"id": "#named", "$id": "urn:no"}}, "not": {"$ref": "#named"}}"##,
        &[
            "<urn:four> # named=#/definitions/a",
            "# <urn:four> draft4: $schema id definitions not",
            "#/definitions/a <urn:four> draft4: id ",
            "#/not <urn:four> draft4: $ref->#/definitions/a",
        ],
    ),
    (
        r##"{"$schema": "http://json-schema.org/draft-07/schema#", "definitions": {"new": {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "urn:new", "$ref": "#n", "$defs": {"n": {"$anchor": "n", "prefixItems": [true]}}}, "old": {"$schema": "https://json-schema.org/draft/2020-12/schema", "prefixItems": [true]}}}"##,
        &[
            "<> #",
            "<urn:new> #/definitions/new n=#/definitions/new/$defs/n",
            "# <> draft7: $schema definitions",
            "#/definitions/new <urn:new> 2020-12: $schema $id $ref->#/definitions/new/$defs/n $defs",
            "#/definitions/old <> draft7: $schema ",
            "#/definitions/new/$defs/n <urn:new> 2020-12: $anchor prefixItems",
            "#/definitions/new/$defs/n/prefixItems/0 <urn:new> 2020-12: true",
        ],
    ),
    // Recursive references.
    (
        r##"{"$schema": "https://json-schema.org/draft/2019-09/schema", "$id": "urn:rec", "$recursiveAnchor": true, "items": {"$recursiveRef": "#"}, "not": {"$recursiveAnchor": true}, "$defs": {"plain": {"$id": "urn:plain", "items": {"$recursiveRef": "#"}}, "other": {"$id": "urn:other", "$recursiveAnchor": true, "items": {"$recursiveRef": "#"}, "not": {"items": {"$ref": "#"}}}}}"##,
        &[
            "<urn:rec> # recursive 0:#",
            "<urn:plain> #/$defs/plain",
            "<urn:other> #/$defs/other recursive 0:#/$defs/other",
            "# <urn:rec> 2019-09: $schema $id $recursiveAnchor items not $defs",
            "#/items <urn:rec> 2019-09: $recursiveRef->#?0",
            "#/not <urn:rec> 2019-09: $recursiveAnchor",
            "#/$defs/plain <urn:plain> 2019-09: $id items",
            "#/$defs/other <urn:other> 2019-09: $id $recursiveAnchor items not",
            "#/$defs/plain/items <urn:plain> 2019-09: $recursiveRef->#/$defs/plain",
            "#/$defs/other/items <urn:other> 2019-09: $recursiveRef->#/$defs/other?0",
            "#/$defs/other/not <urn:other> 2019-09: items",
            "#/$defs/other/not/items <urn:other> 2019-09: $ref->#/$defs/other",
        ],
    ),
    // Two names that dynamic references look up.
    (
        r##"{"$id": "urn:two", "$dynamicAnchor": "a", "$defs": {"b": {"$dynamicAnchor": "b"}, "c": {"$id": "urn:c", "$dynamicAnchor": "a", "$anchor": "b"}}, "items": {"$dynamicRef": "#b"}, "contains": {"$dynamicRef": "#a"}, "not": {"items": {"$dynamicRef": "#a"}}}"##,
        &[
            "<urn:two> # ~a=# ~b=#/$defs/b 0:#/$defs/b 1:#",
            "<urn:c> #/$defs/c b=#/$defs/c ~a=#/$defs/c 1:#/$defs/c",
            "# <urn:two> 2020-12: $id $dynamicAnchor $defs items contains not",
            "#/$defs/b <urn:two> 2020-12: $dynamicAnchor",
            "#/$defs/c <urn:c> 2020-12: $id $dynamicAnchor $anchor",
            "#/items <urn:two> 2020-12: $dynamicRef->#/$defs/b?0",
            "#/contains <urn:two> 2020-12: $dynamicRef->#?1",
            "#/not <urn:two> 2020-12: items",
            "#/not/items <urn:two> 2020-12: $dynamicRef->#?1",
        ],
    ),
    // Registered documents, whose resources and anchors are theirs.
    (
        r##"{"allOf": [{"$ref": "urn:x:other"}, {"$dynamicRef": "urn:x:other#node"}, {"$ref": "urn:x:other#/$defs/a"}]}"##,
        &[
            "<> #",
            "<urn:x:other> urn:x:other# there=urn:x:other#/$defs/a ~node=urn:x:other#/$defs/b 0:urn:x:other#/$defs/b",
            "# <> 2020-12: allOf",
            "#/allOf/0 <> 2020-12: $ref->urn:x:other#",
            "#/allOf/1 <> 2020-12: $dynamicRef->urn:x:other#/$defs/b?0",
            "#/allOf/2 <> 2020-12: $ref->urn:x:other#/$defs/a",
            "urn:x:other# <urn:x:other> 2020-12: $ref->urn:x:other#/$defs/a $defs",
            "urn:x:other#/$defs/a <urn:x:other> 2020-12: $anchor",
            "urn:x:other#/$defs/b <urn:x:other> 2020-12: $dynamicAnchor",
        ],
    ),
    // References to nothing that nothing comes to are left out, others refuse the schema.
    (
        r##"{"$defs": {"a": {"$ref": "#nowhere", "minLength": 1}}, "type": "string"}"##,
        &[
            "<> #",
            "# <> 2020-12: $defs type",
            "#/$defs/a <> 2020-12: $ref minLength",
            "left out: #/$defs/a/$ref (unresolved-ref)",
        ],
    ),
];

#[test]
fn lenient_models_accept_at_least_what_their_authors_meant() {
    for (schema, expected) in LENIENT {
        let found = model(schema, |options| options.strictness = Strictness::Lenient);
        assert_eq!(found, lines(expected), "{schema}");
    }
}

const LENIENT: &[(&str, &[&str])] = &[
    // A keyword is left out, and above it what would accept less for that.
    (
        r##"{"not": {"type": "bogus"}, "if": {"properties": {"a": {"type": "bogus"}}}, "then": {}, "unevaluatedProperties": false, "items": {"type": "bogus"}}"##,
        &[
            "<> #",
            "# <> 2020-12: then items",
            "#/not <> 2020-12:",
            "#/if <> 2020-12: properties",
            "#/then <> 2020-12:",
            "#/unevaluatedProperties <> 2020-12: false",
            "#/items <> 2020-12:",
            "#/if/properties/a <> 2020-12:",
            "left out: #/not/type (invalid-schema)",
            "left out: #/items/type (invalid-schema)",
            "left out: #/if/properties/a/type (invalid-schema)",
            "left out: #/not (invalid-schema)",
            "left out: #/if (invalid-schema)",
            "left out: #/unevaluatedProperties (invalid-schema)",
        ],
    ),
    (
        r##"{"oneOf": [{"type": "bogus"}, {}], "items": {"oneOf": [{"minimum": "1"}], "anyOf": [{}], "unevaluatedItems": false}}"##,
        &[
            "<> #",
            "# <> 2020-12: anyOf items",
            "#/oneOf/0 <> 2020-12:",
            "#/oneOf/1 <> 2020-12:",
            "#/items <> 2020-12: anyOf",
            "#/items/oneOf/0 <> 2020-12:",
            "#/items/anyOf/0 <> 2020-12:",
            "#/items/unevaluatedItems <> 2020-12: false",
            "left out: #/oneOf/0/type (invalid-schema)",
            "left out: #/items/oneOf/0/minimum (invalid-schema)",
            "left out: #/oneOf (invalid-schema)",
            "left out: #/items/oneOf (invalid-schema)",
            "left out: #/items/unevaluatedItems (invalid-schema)",
        ],
    ),
    (
        r##"{"contains": {"type": "bogus"}, "items": {"contains": {"type": "bogus"}, "maxContains": 1, "unevaluatedItems": false}}"##,
        &[
            "<> #",
            "# <> 2020-12: contains items",
            "#/contains <> 2020-12:",
            "#/items <> 2020-12: maxContains",
            "#/items/contains <> 2020-12:",
            "#/items/unevaluatedItems <> 2020-12: false",
            "left out: #/contains/type (invalid-schema)",
            "left out: #/items/contains/type (invalid-schema)",
            "left out: #/items/contains (invalid-schema)",
            "left out: #/items/unevaluatedItems (invalid-schema)",
        ],
    ),
    // Through references, static and dynamic, and not past a keyword that looks at other values.
    (
        r##"{"not": {"$ref": "#/$defs/a"}, "$defs": {"a": {"required": "x"}}, "allOf": [{"not": {"title": 5}}], "x": {}}"##,
        &[
            "<> #",
            "# <> 2020-12: $defs allOf ",
            "#/not <> 2020-12: $ref->#/$defs/a",
            "#/$defs/a <> 2020-12:",
            "#/allOf/0 <> 2020-12: not",
            "#/allOf/0/not <> 2020-12:",
            "left out: #/$defs/a/required (invalid-schema)",
            "left out: #/allOf/0/not/title (invalid-schema)",
            "left out: #/not (invalid-schema)",
        ],
    ),
    (
        r##"{"$dynamicAnchor": "n", "not": {"$dynamicRef": "#n"}, "$defs": {"in": {"$id": "urn:in", "$dynamicAnchor": "n", "type": "bogus"}}}"##,
        &[
            "<> # ~n=# 0:#",
            "<urn:in> #/$defs/in ~n=#/$defs/in 0:#/$defs/in",
            "# <> 2020-12: $dynamicAnchor $defs",
            "#/not <> 2020-12: $dynamicRef->#?0",
            "#/$defs/in <urn:in> 2020-12: $id $dynamicAnchor",
            "left out: #/$defs/in/type (invalid-schema)",
            "left out: #/not (invalid-schema)",
        ],
    ),
    (
        r##"{"properties": 5, "allOf": [{"items": [true]}], "unevaluatedProperties": false, "unevaluatedItems": false, "propertyNames": {"unevaluatedProperties": false}}"##,
        &[
            "<> #",
            "# <> 2020-12: allOf propertyNames",
            "#/allOf/0 <> 2020-12: items",
            "#/unevaluatedProperties <> 2020-12: false",
            "#/unevaluatedItems <> 2020-12: false",
            "#/propertyNames <> 2020-12: unevaluatedProperties",
            "#/allOf/0/items <> 2020-12: true",
            "#/propertyNames/unevaluatedProperties <> 2020-12: false",
            "left out: #/properties (invalid-schema)",
            "left out: #/allOf/0/items (invalid-schema)",
            "left out: #/unevaluatedProperties (invalid-schema)",
            "left out: #/unevaluatedItems (invalid-schema)",
        ],
    ),
    // What is no schema accepts everything; a pattern that is none takes the rest of the names with it.
    (
        r##"{"not": 5, "properties": {"a": null}, "patternProperties": {"(": {}, "b": {}}, "additionalProperties": false, "unevaluatedProperties": false}"##,
        &[
            "<> #",
            "# <> 2020-12: properties patternProperties",
            "#/not <> 2020-12: true",
            "#/properties/a <> 2020-12: true",
            "#/patternProperties/b <> 2020-12:",
            "left out: #/not (invalid-schema)",
            "left out: #/properties/a (invalid-schema)",
            "left out: #/patternProperties/( (pattern)",
        ],
    ),
    (
        r##"{"nullable": true, "type": "string", "items": {"nullable": false}, "oneOf": [{"description": 5}]}"##,
        &[
            "<> #",
            "# <> 2020-12:  type items oneOf",
            "#/items <> 2020-12: ",
            "#/oneOf/0 <> 2020-12:",
            "left out: #/nullable (invalid-schema)",
            "left out: #/oneOf/0/description (invalid-schema)",
        ],
    ),
    (
        r##"{"required": ["a", 5], "dependentRequired": {"a": ["b", 5], "c": ["d"]}}"##,
        &[
            "<> #",
            "# <> 2020-12: dependentRequired",
            "left out: #/required/1 (invalid-schema)",
            "left out: #/dependentRequired/a/1 (invalid-schema)",
        ],
    ),
];

#[test]
fn rings_are_refused_by_their_places() {
    let ring = |schema: &str| {
        let error = Parser::default().parse(schema.as_bytes()).unwrap_err();
        match error.kind() {
            CompileErrorKind::CyclicRef { cycle } => cycle.join(" "),
            other => panic!("{other:?}"),
        }
    };
    for (schema, expected) in [
        (r##"{"$ref": "#"}"##, "#"),
        (
            r##"{"$ref": "#/$defs/a", "$defs": {"a": {"allOf": [{}, {"$ref": "#/$defs/b"}]}, "b": {"not": {"$ref": "#/$defs/a"}}}}"##,
            "#/$defs/a #/$defs/a/allOf/1 #/$defs/b #/$defs/b/not",
        ),
    ] {
        assert_eq!(ring(schema), expected, "{schema}");
    }
}

/// Which formats assert: those of the options, and those of a metaschema that asks for it.
#[test]
fn formats_assert_where_options_or_a_metaschema_say_so() {
    let meta = r#"{"$id": "urn:meta", "$schema": "https://json-schema.org/draft/2020-12/schema", "$vocabulary": {"https://json-schema.org/draft/2020-12/vocab/core": true, "https://json-schema.org/draft/2020-12/vocab/format-assertion": true}}"#;
    let asserted = |formats: Formats, schema: &str| {
        let mut options = Options::default();
        options.formats = formats;
        let mut parser = Parser::new(options);
        parser.register("urn:meta", meta.as_bytes()).unwrap();
        let model = parser.parse(schema.as_bytes()).unwrap();
        let forms = model.entries.iter().map(|entry| &entry.form);
        let found = forms.filter_map(|form| match form {
            Form::Format(FormatUse::Text(_)) => Some("text"),
            Form::Format(FormatUse::Number(_)) => Some("number"),
            _ => None,
        });
        found.collect::<Vec<_>>().join(" ")
    };
    let (text, number, unknown) = ("date", "int32", "shoe-size");
    for (formats, plain, by_metaschema) in [
        (Formats::Annotate, ["", "", ""], ["text", "", ""]),
        (Formats::Assert, ["text", "", ""], ["text", "", ""]),
        (
            Formats::AssertWithNumbers,
            ["text", "number", ""],
            ["text", "number", ""],
        ),
        (
            Formats::AssertNumbers,
            ["", "number", ""],
            ["text", "number", ""],
        ),
    ] {
        let expected = plain.into_iter().zip(by_metaschema);
        for (name, (plain, by_metaschema)) in [text, number, unknown].into_iter().zip(expected) {
            let schema = format!(r#"{{"format": "{name}"}}"#);
            assert_eq!(asserted(formats, &schema), plain, "{formats:?} {name}");
            let schema = format!(r#"{{"$schema": "urn:meta", "format": "{name}"}}"#);
            assert_eq!(
                asserted(formats, &schema),
                by_metaschema,
                "{formats:?} {name}"
            );
        }
    }
}

#[test]
fn texts_that_are_almost_schemes_and_escapes() {
    for (reference, expected) in [
        ("1a:b", "http://a/b/1a:b"),
        ("a_b:c", "http://a/b/a_b:c"),
        (":c", "http://a/b/:c"),
        ("a+1-.:c", "a+1-.:c"),
    ] {
        assert_eq!(
            uri::resolve("http://a/b/c", reference),
            expected,
            "{reference}"
        );
    }
    for (text, expected) in [
        ("%4a%4F%7e", Some("JO~")),
        ("%0g", None),
        ("%g0", None),
        ("%-1", None),
        ("%4", None),
        ("é%41", Some("éA")),
    ] {
        assert_eq!(uri::percent_decode(text).as_deref(), expected, "{text}");
    }
}

/// What is wrong in a keyword is said of the keyword, which must not sound as if it were a schema itself.
#[test]
fn a_part_that_is_no_schema_is_refused_in_terms_of_its_keyword() {
    for (schema, expected) in [
        (
            r#"{"properties": {"a": 1}}"#,
            "`properties` must be an object of schemas, which are objects or booleans, found the number 1",
        ),
        (
            r#"{"anyOf": [{}, "x"]}"#,
            "`anyOf` must be an array of schemas, which are objects or booleans, found the string `x`",
        ),
        (
            r#"{"not": null}"#,
            "`not` must be a schema: an object or a boolean, found null",
        ),
    ] {
        let error = Parser::default().parse(schema.as_bytes()).unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
    }
}
