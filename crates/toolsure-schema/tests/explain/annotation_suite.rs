//! The official annotation tests, for every dialect each is compatible with.
//! Needs `../shared`; ignored without it.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

use serde_json::Value;
use toolsure_schema::{Compiler, Dialect, ValueNode, Workspace};

#[toolsure_needs::needs("suites/json-schema-test-suite")]
#[test]
fn annotations_are_what_the_suite_expects() {
    crate::stack::in_small_stack(|| {
        let suite = crate::shared::shared("suites/json-schema-test-suite/annotations/tests");
        let mut count = 0;
        for path in crate::shared::files(&suite) {
            // The order of `expected` is part of the expectation, and a map of
            // serde_json may not keep it.
            let text = std::fs::read_to_string(&path).unwrap();
            let limits = toolsure_json::ReadLimits::default();
            let document = toolsure_json::OwnedDocument::read(text.as_str(), &limits).unwrap();
            let file = read(&path);
            for (number, case) in file["suite"].as_array().unwrap().iter().enumerate() {
                for (dialect, release) in [
                    (Dialect::Draft4, 4),
                    (Dialect::Draft6, 6),
                    (Dialect::Draft7, 7),
                    (Dialect::Draft201909, 2019),
                    (Dialect::Draft202012, 2020),
                ] {
                    if !compatible(case["compatibility"].as_str().unwrap_or(""), release) {
                        continue;
                    }
                    let mut compiler = Compiler::new().default_dialect(dialect);
                    if let Value::Object(external) = &case["externalSchemas"] {
                        for (uri, schema) in external {
                            let text = schema.to_string();
                            compiler = compiler.register(uri, text.as_bytes()).unwrap();
                        }
                    }
                    let schema = compiler.compile(case["schema"].to_string().as_bytes());
                    let schema = schema.unwrap_or_else(|error| panic!("{case}: {error}"));
                    for (at, test) in case["tests"].as_array().unwrap().iter().enumerate() {
                        let node = ValueNode::new(&test["instance"]);
                        let annotations = schema.annotations(&mut Workspace::new(), node);
                        assert!(annotations.complete);
                        for (assertion, _) in test["assertions"].as_array().unwrap().iter().zip(0..)
                        {
                            count += 1;
                            let place = assertion["location"].as_str().unwrap();
                            let keyword = assertion["keyword"].as_str().unwrap();
                            let found: Vec<(String, Value)> = annotations
                                .of(place, keyword)
                                .map(|one| {
                                    let value = serde_json::from_str(&one.value).unwrap();
                                    (one.schema_location.clone(), value)
                                })
                                .collect();
                            let pointer = format!("/suite/{number}/tests/{at}/assertions");
                            let expected = in_order(&document, &pointer, assertion);
                            assert_eq!(
                                found,
                                expected,
                                "{}: {} under {dialect:?} on {}",
                                path.display(),
                                case["description"],
                                test["instance"]
                            );
                        }
                    }
                }
            }
        }
        assert!(count > 200, "only {count} assertions");
    });
}

/// The expected annotations in the order they are written.
fn in_order(
    document: &toolsure_json::OwnedDocument,
    assertions: &str,
    assertion: &Value,
) -> Vec<(String, Value)> {
    use toolsure_json::{Key, Node};
    let all = document.document().at_pointer(assertions).unwrap();
    let own = all
        .items()
        .find(|view| serde_json::from_str::<Value>(view.raw()).unwrap() == *assertion)
        .unwrap();
    let expected = own.member("expected").unwrap();
    expected
        .members()
        .map(|(key, value)| {
            let value = serde_json::from_str(value.raw()).unwrap();
            (key.text().to_owned(), value)
        })
        .collect()
}

/// What the suite's README says of `compatibility`.
fn compatible(constraints: &str, release: u32) -> bool {
    constraints
        .split(',')
        .filter(|one| !one.is_empty())
        .all(|one| {
            if let Some(most) = one.strip_prefix("<=") {
                release <= most.parse().unwrap()
            } else if let Some(only) = one.strip_prefix('=') {
                release == only.parse::<u32>().unwrap()
            } else {
                release >= one.parse().unwrap()
            }
        })
}

/// A file as JSON.
fn read(path: &std::path::Path) -> Value {
    let text = std::fs::read_to_string(path).unwrap();
    serde_json::from_str(&text).unwrap()
}
