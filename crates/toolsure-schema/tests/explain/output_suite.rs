//! The official output tests: each output is held to the schema that its test
//! gives. Needs `../shared`; ignored without it.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

use toolsure_schema::{Compiler, Dialect, OutputFormat, Verdict, Workspace};

#[toolsure_needs::needs("suites/json-schema-test-suite")]
#[test]
fn outputs_are_what_the_suite_expects() {
    crate::stack::in_small_stack(|| {
        let suite = crate::shared::shared("suites/json-schema-test-suite/output-tests");
        let mut count = 0;
        for (folder, uri) in [
            (
                "draft2019-09",
                "https://json-schema.org/draft/2019-09/output/schema",
            ),
            (
                "draft2020-12",
                "https://json-schema.org/draft/2020-12/output/schema",
            ),
            ("v1", "https://json-schema.org/v1/output/schema"),
        ] {
            let folder = suite.join(folder);
            let metaschema = read(&folder.join("output-schema.json")).to_string();
            // v1 has no dialect here; its tests use what it shares with 2020-12.
            let metaschema = metaschema.replace(r#""https://json-schema.org/v1""#, V2020);
            let compiler = Compiler::new()
                .register(uri, metaschema.as_bytes())
                .unwrap();
            for path in crate::shared::files(&folder.join("content")) {
                for case in read(&path).as_array().unwrap() {
                    let schema = case["schema"].to_string();
                    let schema = schema.replace(r#""https://json-schema.org/v1""#, V2020);
                    let schema = compiler.compile(schema.as_bytes()).unwrap();
                    for test in case["tests"].as_array().unwrap() {
                        for (format, expected) in test["output"].as_object().unwrap() {
                            count += 1;
                            let format = OutputFormat::from_name(format).unwrap();
                            let mut workspace = Workspace::new();
                            let data = test["data"].to_string();
                            let output = schema
                                .output(&mut workspace, data.as_bytes(), format)
                                .unwrap();
                            let dialect = match uri.contains("2019") {
                                true => Dialect::Draft201909,
                                false => Dialect::Draft202012,
                            };
                            let expected = compiler
                                .clone()
                                .default_dialect(dialect)
                                .compile(expected.to_string().as_bytes())
                                .unwrap();
                            let report =
                                expected.explain(&mut workspace, output.as_bytes()).unwrap();
                            assert_eq!(
                                report.verdict,
                                Verdict::Valid,
                                "{}: {}: {output}\n{}",
                                path.display(),
                                test["description"],
                                report.summary()
                            );
                        }
                    }
                }
            }
        }
        assert!(count >= 11, "only {count} outputs");
    });
}

/// Every format's output, on instances of all shapes, is valid by the schema of
/// its specification.
#[test]
fn outputs_have_the_published_shape() {
    let schema = Compiler::new()
        .compile(
            br##"{
                "$id": "https://example.com/thing",
                "type": "object",
                "properties": {
                    "name": {"type": "string", "title": "Name", "minLength": 1},
                    "tags": {"type": "array", "items": {"enum": ["a", "b"]}, "contains": {"const": "a"}},
                    "any": {"anyOf": [{"type": "integer"}, {"$ref": "#/$defs/deep"}]},
                    "never": false
                },
                "patternProperties": {"^x-": {"default": 1}},
                "propertyNames": {"maxLength": 5},
                "required": ["name"],
                "unevaluatedProperties": false,
                "$defs": {"deep": {"not": {"type": "string"}, "x-unknown": [1, {"a": 2}]}}
            }"##,
        )
        .unwrap();
    let shape = Compiler::new()
        .compile(br##"{"$ref": "https://json-schema.org/draft/2020-12/output/schema#/$defs/outputUnit"}"##)
        .unwrap();
    let mut workspace = Workspace::new();
    for instance in [
        r#"{"name": "a", "tags": ["a", "b"], "any": {}, "x-a": 1}"#,
        r#"{"name": "", "tags": ["c"], "any": "s", "never": 1, "x-a": 1, "toolong": 1}"#,
        r#"{"tags": []}"#,
        "[]",
        "{}",
    ] {
        for format in [
            OutputFormat::Basic,
            OutputFormat::Detailed,
            OutputFormat::Verbose,
        ] {
            let output = schema
                .output(&mut workspace, instance.as_bytes(), format)
                .unwrap();
            let report = shape.explain(&mut workspace, output.as_bytes()).unwrap();
            assert!(report.verdict.is_valid(), "{output}\n{}", report.summary());
        }
    }
}

const V2020: &str = r#""https://json-schema.org/draft/2020-12/schema""#;

/// A file as JSON.
fn read(path: &std::path::Path) -> serde_json::Value {
    let text = std::fs::read_to_string(path).unwrap();
    serde_json::from_str(&text).unwrap()
}
