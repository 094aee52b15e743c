//! Each limit of a schema: what is exactly as large as it allows is admitted, and what is larger by
//! one is refused at the place that goes over.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

use toolsure_pattern::Pattern;
use toolsure_syntax::{CompileError, CompileErrorKind, LimitName, Limits, Options, Parser};

/// A schema, the field of the limit, the least value that admits it, and the place that a smaller one refuses.
struct Bound {
    name: LimitName,
    schema: String,
    least: usize,
    place: &'static str,
}

fn bound(name: LimitName, schema: impl Into<String>, least: usize, place: &'static str) -> Bound {
    Bound {
        name,
        schema: schema.into(),
        least,
        place,
    }
}

fn bounds() -> Vec<Bound> {
    use LimitName as L;
    let size = |text: &str| {
        let pattern = Pattern::new(text, &toolsure_pattern::Limits::default());
        pattern.unwrap().size()
    };
    vec![
        bound(
            L::Depth,
            r#"{"not": {"items": {"not": {}}}}"#,
            3,
            "/not/items/not",
        ),
        bound(
            L::Depth,
            r#"{"properties": {"a": true}}"#,
            1,
            "/properties/a",
        ),
        // Where a reference leads to no place of a schema, depth begins again.
        bound(
            L::Depth,
            r##"{"$ref": "#/x/y", "x": {"y": {"not": {"not": {}}}}}"##,
            2,
            "/x/y/not/not",
        ),
        bound(
            L::Subschemas,
            r#"{"properties": {"a": {}, "b": {}}}"#,
            3,
            "/properties/b",
        ),
        bound(
            L::Subschemas,
            r##"{"$ref": "#/x/y", "x": {"y": {}}}"##,
            2,
            "/x/y",
        ),
        bound(
            L::EnumMembers,
            r#"{"items": {"enum": [1, 2, 3]}}"#,
            3,
            "/items/enum",
        ),
        bound(L::PatternBytes, r#"{"pattern": "abcd"}"#, 4, "/pattern"),
        bound(
            L::PatternBytes,
            r#"{"patternProperties": {"abcd": {}}}"#,
            4,
            "/patternProperties/abcd",
        ),
        bound(L::PatternDepth, r#"{"pattern": "((a)b)"}"#, 2, "/pattern"),
        bound(
            L::PatternSize,
            r#"{"pattern": "a{3}[x-z]"}"#,
            size("a{3}[x-z]"),
            "/pattern",
        ),
        // Equal patterns are compiled once, and counted once.
        bound(
            L::PatternsSize,
            r#"{"pattern": "ab", "items": {"pattern": "ab"}, "patternProperties": {"cde": {"pattern": "cde"}}}"#,
            size("ab") + size("cde"),
            "/patternProperties/cde",
        ),
        bound(
            L::PatternsSize,
            r#"{"allOf": [{"pattern": "ab"}, {"pattern": "cde"}, {"pattern": "f"}]}"#,
            size("ab") + size("cde") + size("f"),
            "/allOf/2/pattern",
        ),
        bound(
            L::ReferenceBytes,
            r##"{"items": {"$ref": "#/$defs/abc"}, "$defs": {"abc": {}}}"##,
            11,
            "/items/$ref",
        ),
        bound(
            L::ReferenceBytes,
            r##"{"$dynamicRef": "#abc", "$dynamicAnchor": "abc"}"##,
            4,
            "/$dynamicRef",
        ),
        bound(L::ReferenceBytes, r#"{"$id": "urn:a:bc"}"#, 8, "/$id"),
        bound(
            L::ReferenceBytes,
            r##"{"$schema": "http://json-schema.org/draft-07/schema#", "not": {"$id": "#abcdef"}}"##,
            7,
            "/not/$id",
        ),
        bound(L::SchemaBytes, r#"{"type": "string"}"#, 18, ""),
        bound(L::SchemaNesting, r#"{"const": [[1]]}"#, 3, ""),
        bound(L::SchemaNodes, r#"{"const": [1, 2]}"#, 5, ""),
        bound(L::SchemaDigits, r#"{"maximum": 12345}"#, 5, ""),
    ]
}

fn set(limits: &mut Limits, name: LimitName, value: usize) {
    let field = match name {
        LimitName::SchemaBytes => &mut limits.schema_bytes,
        LimitName::SchemaNesting => &mut limits.schema_nesting,
        LimitName::SchemaNodes => &mut limits.schema_nodes,
        LimitName::SchemaDigits => &mut limits.schema_digits,
        LimitName::Depth => &mut limits.depth,
        LimitName::Subschemas => &mut limits.subschemas,
        LimitName::EnumMembers => &mut limits.enum_members,
        LimitName::PatternBytes => &mut limits.pattern_bytes,
        LimitName::PatternDepth => &mut limits.pattern_depth,
        LimitName::PatternSize => &mut limits.pattern_size,
        LimitName::PatternsSize => &mut limits.patterns_size,
        LimitName::ReferenceBytes => &mut limits.reference_bytes,
        LimitName::Registrations => &mut limits.registrations,
        other => unreachable!("{other} bounds no schema's text"),
    };
    *field = value;
}

fn parse(schema: &str, name: LimitName, value: usize) -> Result<(), CompileError> {
    let mut options = Options::default();
    set(&mut options.limits, name, value);
    Parser::new(options).parse(schema.as_bytes()).map(|_| ())
}

#[test]
fn every_limit_admits_its_value_and_refuses_one_more() {
    let bounds = bounds();
    for Bound {
        name,
        schema,
        least,
        place,
    } in &bounds
    {
        assert_eq!(
            parse(schema, *name, *least),
            Ok(()),
            "{name} {least}: {schema}"
        );
        let error = parse(schema, *name, least - 1).unwrap_err();
        let limit = error.limit().map(|limit| (limit.name, limit.allowed));
        let allowed = u64::try_from(least - 1).unwrap();
        assert_eq!(limit, Some((*name, allowed)), "{schema}: {error}");
        assert_eq!(error.pointer(), *place, "{schema}: {error}");
    }
    // The compiler has the limit of compiled subschemas, and the next test that of registered documents.
    for name in LimitName::ALL {
        let is_elsewhere = matches!(name, LimitName::PlanNodes | LimitName::Registrations);
        let is_here = bounds.iter().any(|bound| bound.name == name);
        assert_ne!(is_here, is_elsewhere, "{name}");
    }
}

#[test]
fn registered_documents_are_counted() {
    let mut options = Options::default();
    set(&mut options.limits, LimitName::Registrations, 2);
    let mut parser = Parser::new(options);
    for uri in ["urn:a:1", "urn:a:2"] {
        assert_eq!(parser.register(uri, b"{}"), Ok(()), "{uri}");
    }
    let error = parser.register("urn:a:3", b"{}").unwrap_err();
    assert_eq!(
        error.limit().map(|limit| limit.name),
        Some(LimitName::Registrations)
    );
}

/// What a program gets that sets nothing, as `docs` and the settings tell it.
#[test]
fn the_limits_of_a_schema_that_hold_unless_they_are_set() {
    let limits = Limits::default();
    let pattern = toolsure_pattern::Limits::default();
    for (name, value, expected) in [
        ("schema_bytes", limits.schema_bytes, 1_048_576),
        ("schema_nesting", limits.schema_nesting, 512),
        ("schema_nodes", limits.schema_nodes, 500_000),
        ("schema_digits", limits.schema_digits, 4_096),
        ("depth", limits.depth, 64),
        ("subschemas", limits.subschemas, 10_000),
        ("enum_members", limits.enum_members, 20_000),
        ("pattern_bytes", limits.pattern_bytes, pattern.length),
        ("pattern_depth", limits.pattern_depth, pattern.depth),
        ("pattern_size", limits.pattern_size, pattern.size),
        ("patterns_size", limits.patterns_size, 6_291_456),
        ("registrations", limits.registrations, 1_024),
        ("reference_bytes", limits.reference_bytes, 8_192),
    ] {
        assert_eq!(value, expected, "{name}");
    }
}

/// Names are compared with what a reference says, to suggest the one that was meant, until 50,000 were.
#[test]
fn suggestions_for_references_to_nothing_are_bounded() {
    let suggested = |names: usize| {
        let mut members: Vec<String> = (1..names).map(|n| format!("\"{n}\":0")).collect();
        members.push(r#""a~name":0"#.to_owned());
        let schema = format!(
            r##"{{"x": {{"y/": {{{}}}}}, "$defs": {{"a": {{"$ref": "#/x/y~1/a~0nmae"}}, "b": {{"$ref": "#/x/y~1/a~0nmae"}}}}}}"##,
            members.join(",")
        );
        let model = Parser::default().parse(schema.as_bytes()).unwrap();
        let warnings = model.warnings.iter();
        let suggested = warnings.map(|warning| match warning.error().kind() {
            CompileErrorKind::UnresolvedRef { closest, .. } => closest.clone(),
            other => panic!("{other:?}"),
        });
        suggested.collect::<Vec<_>>()
    };
    let meant = || Some("#/x/y~1/a~0name".to_owned());
    assert_eq!(suggested(10), [meant(), meant()]);
    assert_eq!(suggested(24_999), [meant(), meant()]);
    assert_eq!(suggested(25_000), [meant(), None]);
    assert_eq!(suggested(49_999), [meant(), None]);
    assert_eq!(suggested(50_000), [None, None]);
}

/// A message repeats at most 200 characters of a reference, an URI or a keyword, and 64 of a value.
#[test]
fn errors_repeat_a_bounded_part_of_a_schema() {
    let long = "x".repeat(300);
    let row =
        |code: &'static str, schema: &str, most: usize| (code, schema.replace("LONG", &long), most);
    let longest_run = |text: &str| text.split(|c| c != 'x').map(str::len).max().unwrap();
    for (code, schema, most) in [
        // `urn:` and 196 more.
        row("unsupported-dialect", r#"{"$schema": "urn:LONG"}"#, 196),
        row(
            "unsupported-dialect",
            r#"{"$defs": {"a": {"$id": "urn:a", "$schema": "urn:LONG"}}}"#,
            196,
        ),
        row("ref-denied", r#"{"$ref": "urn:LONG"}"#, 196),
        row("ref-denied", r#"{"$dynamicRef": "urn:LONG#a"}"#, 196),
        row("unresolved-ref", r##"{"$ref": "#/$defs/LONG"}"##, 192),
        row("unresolved-ref", r##"{"$ref": "#LONG"}"##, 199),
        row(
            "unresolved-ref",
            r##"{"$ref": "#/x-LONG/a", "x-LONG": {}}"##,
            196,
        ),
        row(
            "unresolved-ref",
            r##"{"$ref": "#/$defs/LONGy", "$defs": {"LONGz": {}}}"##,
            199,
        ),
        row(
            "cyclic-ref",
            r##"{"$ref": "#/$defs/LONG", "$defs": {"LONG": {"$ref": "#/$defs/LONG"}}}"##,
            191,
        ),
        row("invalid-schema", r#"{"type": "LONG"}"#, 63),
        row("json", r#"{"LONG": 1, "LONG": 2}"#, 63),
    ] {
        let error = Parser::default().parse(schema.as_bytes()).unwrap_err();
        assert_eq!(error.code(), code, "{error}");
        let help = error.help().unwrap_or_default();
        let repeated = [error.to_string(), help].map(|text| longest_run(&text));
        assert_eq!(*repeated.iter().max().unwrap(), most, "{error}");
        if let CompileErrorKind::UnsupportedDialect { declared: text, .. }
        | CompileErrorKind::RefDenied {
            reference: text, ..
        }
        | CompileErrorKind::UnresolvedRef {
            reference: text, ..
        } = error.kind()
        {
            assert_eq!(text.chars().count(), 200, "{text}");
        }
    }
    let digits = format!(r#"{{"minLength": -{}}}"#, "1".repeat(300));
    let error = Parser::default().parse(digits.as_bytes()).unwrap_err();
    let run = error.to_string().split(|c| c != '1').map(str::len).max();
    assert_eq!(run, Some(62), "{error}");
}
