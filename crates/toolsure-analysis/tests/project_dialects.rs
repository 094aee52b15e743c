//! Schemas written in 2020-12, and for readers of draft 7: the official test suite and random schemas.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

use serde_json::Value;
use toolsure_analysis::Compiler;
use toolsure_analysis::project::{as_2020_12, for_draft_7};
use toolsure_json::{OwnedDocument, ReadLimits};
use toolsure_schema::{Dialect, Schema, Verdict, Workspace};
use toolsure_testkit::differential::instances::instance;
use toolsure_testkit::differential::random::Random;
use toolsure_testkit::differential::schemas::schema;

fn read(text: &str) -> OwnedDocument {
    let limits = ReadLimits {
        depth: 512,
        ..ReadLimits::default()
    };
    OwnedDocument::read(text, &limits).unwrap()
}

fn accepts(schema: &Schema, instance: &str) -> bool {
    let mut workspace = Workspace::new();
    schema.check(&mut workspace, instance.as_bytes()).unwrap() == Verdict::Valid
}

fn compile(schema: &str, dialect: Dialect) -> Option<Schema> {
    let compiler = Compiler::new().dialect(dialect);
    compiler.compile(schema.as_bytes()).ok()
}

/// The suite's schemas of a dialect that need no other document, with their instances.
fn suite(folder: &str) -> Vec<(String, Vec<String>)> {
    let tests = toolsure_testkit::place::shared()
        .join("suites/json-schema-test-suite/tests")
        .join(folder);
    let files = toolsure_testkit::place::files(&tests, "json").unwrap();
    let mut all = Vec::new();
    for file in files {
        let cases: Vec<Value> = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
        for case in cases {
            let tests = case.get("tests").and_then(Value::as_array).unwrap().iter();
            let data = tests.map(|test| test.get("data").unwrap().to_string());
            all.push((case.get("schema").unwrap().to_string(), data.collect()));
        }
    }
    all
}

/// A number that draft 4 does not take as an integer, or a value with one in it.
fn has_whole_fraction(instance: &str) -> bool {
    instance.contains(".0")
}

#[toolsure_needs::needs("suites/json-schema-test-suite")]
#[test]
fn a_schema_in_2020_12_gives_the_verdicts_of_its_dialect() {
    for (folder, dialect) in [
        ("draft4", Dialect::Draft4),
        ("draft6", Dialect::Draft6),
        ("draft7", Dialect::Draft7),
        ("draft2019-09", Dialect::Draft201909),
    ] {
        let (mut compared, mut refused) = (0, 0);
        for (schema, instances) in suite(folder) {
            let compiler = Compiler::new().default_dialect(dialect);
            let Ok(original) = compiler.compile(schema.as_bytes()) else {
                continue;
            };
            let converted = match as_2020_12(read(&schema).document().root(), &compiler) {
                Ok(None) => continue,
                Ok(Some(converted)) => converted,
                Err(_) => {
                    refused += 1;
                    continue;
                }
            };
            let again = compile(&converted, Dialect::Draft202012)
                .unwrap_or_else(|| panic!("{folder}: {schema} became {converted}"));
            for one in instances {
                compared += 1;
                if dialect == Dialect::Draft4 && has_whole_fraction(&one) {
                    continue;
                }
                assert_eq!(
                    accepts(&original, &one),
                    accepts(&again, &one),
                    "{folder}: {schema} became {converted}, which differs on {one}"
                );
            }
        }
        println!("{folder}: {compared} instances, {refused} schemas refused");
        assert!(compared > 100 && refused < 40, "{compared} {refused}");
    }
}

/// What the original accepts, the result accepts in draft 7 and in 2020-12.
fn accepts_as_much(schema: &str, instances: &[String], compiler: &Compiler) -> Option<usize> {
    let original = compiler.compile(schema.as_bytes()).ok()?;
    let listed = for_draft_7(read(schema).document().root(), compiler).ok()?;
    let text = listed.as_deref().unwrap_or(schema);
    let mut held = 0;
    for dialect in [Dialect::Draft7, Dialect::Draft202012] {
        if dialect == Dialect::Draft202012 && listed.is_none() {
            continue;
        }
        let listed = compile(text, dialect)?;
        for one in instances.iter().filter(|one| accepts(&original, one)) {
            held += 1;
            assert!(
                accepts(&listed, one),
                "{schema} became {text}, which refuses {one} in {dialect:?}"
            );
        }
    }
    Some(held)
}

#[toolsure_needs::needs("suites/json-schema-test-suite")]
#[test]
fn readers_of_draft_7_refuse_nothing_of_the_suite() {
    for (folder, dialect) in [
        ("draft2020-12", Dialect::Draft202012),
        ("draft2019-09", Dialect::Draft201909),
        ("draft7", Dialect::Draft7),
    ] {
        let compiler = Compiler::new().default_dialect(dialect);
        let (mut held, mut left) = (0, 0);
        for (schema, instances) in suite(folder) {
            match accepts_as_much(&schema, &instances, &compiler) {
                Some(count) => held += count,
                None => left += 1,
            }
        }
        println!("{folder}: {held} accepted instances, {left} schemas left");
        assert!(held > 400 && left < 100, "{held} {left}");
    }
}

/// `TOOLSURE_DIALECT_SCHEMAS` sets the number of schemas.
#[test]
fn readers_of_draft_7_refuse_nothing_that_random_schemas_accept() {
    let count = std::env::var("TOOLSURE_DIALECT_SCHEMAS");
    let count: usize = count.map_or(1_500, |text| text.parse().unwrap());
    let seed = std::env::var("TOOLSURE_SEED").map_or(7, |text| text.parse().unwrap());
    let mut random = Random::new(seed);
    let mut held = 0;
    for _ in 0..count {
        let schema = schema(&mut random, Dialect::Draft202012);
        let instances: Vec<String> = (0..12)
            .map(|_| instance(&mut random, &schema).to_string())
            .collect();
        let compiler = Compiler::new().dialect(Dialect::Draft202012);
        held += accepts_as_much(&schema.to_string(), &instances, &compiler).unwrap_or(0);
    }
    println!("{held} accepted instances");
    assert!(held > count);
}

/// Rows: a schema, what is listed for readers of draft 7 (`=` if it is listed as it is).
#[test]
fn what_draft_7_reads_more_narrowly_is_loosened() {
    for (schema, listed) in [
        (r#"{"items":{"type":"string"},"contains":{"const":1}}"#, "="),
        (r#"{"prefixItems":[{"type":"string"}]}"#, "="),
        (
            r#"{"prefixItems":[{"type":"string"}],"items":false}"#,
            r#"{"prefixItems":[{"type":"string"}],"maxItems":1}"#,
        ),
        (
            r#"{"prefixItems":[{}],"maxItems":1,"items":false}"#,
            r#"{"prefixItems":[{}],"maxItems":1}"#,
        ),
        (
            r#"{"prefixItems":[{"type":"string"}],"items":{"type":"null"}}"#,
            r#"{"prefixItems":[{"type":"string"}],"items":{"anyOf":[{"type":"string"},{"type":"null"}]}}"#,
        ),
        (
            r#"{"contains":{"const":1},"minContains":0,"maxContains":2}"#,
            "{}",
        ),
        (
            r#"{"contains":{"const":1},"minContains":2,"maxContains":3}"#,
            "=",
        ),
        (r#"{"not":{"dependentRequired":{"a":["b"]}}}"#, "{}"),
        (r#"{"not":{"required":["b"]}}"#, "="),
        (
            r##"{"not":{"$ref":"#/$defs/a"},"$defs":{"a":{"prefixItems":[{}]}}}"##,
            r#"{"$defs":{"a":{"prefixItems":[{}]}}}"#,
        ),
        (
            r##"{"not":{"$ref":"#/$defs/a"},"$defs":{"a":{"minItems":2}}}"##,
            "=",
        ),
        (
            r#"{"oneOf":[{"unevaluatedItems":false},{"type":"null"}]}"#,
            r#"{"anyOf":[{"unevaluatedItems":false},{"type":"null"}]}"#,
        ),
        (
            r#"{"if":{"prefixItems":[{"const":1}]},"then":{"minItems":1},"else":{"minItems":2},"unevaluatedItems":false}"#,
            r#"{"anyOf":[{"minItems":1},{"minItems":2}]}"#,
        ),
        (
            r#"{"dependencies":{"a":["b"]}}"#,
            r#"{"dependentRequired":{"a":["b"]}}"#,
        ),
        (
            r#"{"type":"string","nullable":true}"#,
            r#"{"type":"string"}"#,
        ),
        (r#"{"format":"date","formatMinimum":"2030-01-01"}"#, "{}"),
        // Both keywords name `a`: each holds.
        (
            r#"{"dependentSchemas":{"a":false},"dependencies":{"a":{"minProperties":2},"b":["c"]}}"#,
            r#"{"dependentSchemas":{"a":{"allOf":[false,{"minProperties":2}]}},"dependentRequired":{"b":["c"]}}"#,
        ),
        (r#"{"multipleOf":0.01}"#, "{}"),
        (r#"{"multipleOf":0.25}"#, "="),
        (r#"{"multipleOf":3}"#, "="),
        (
            r#"{"properties":{"at":{"format":"date-time"}}}"#,
            r#"{"properties":{"at":{}}}"#,
        ),
        (
            r#"{"$schema":"http://json-schema.org/draft-07/schema#","items":[{"type":"string"}],"additionalItems":false}"#,
            r#"{"prefixItems":[{"type":"string"}],"maxItems":1}"#,
        ),
    ] {
        let became = for_draft_7(read(schema).document().root(), &Compiler::new()).unwrap();
        assert_eq!(became.as_deref().unwrap_or("="), listed, "{schema}");
    }
}
