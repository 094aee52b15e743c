//! The plain evaluation sits the official test suite, required and optional,
//! and answers what the plan answers. Needs `../shared`; ignored without it.

use toolsure_schema::{Compiler, Content, Dialect, Formats, OutputFormat, Verdict, Workspace};

/// The members of an array, or of an object's array, as they were written:
/// a JSON library would change some of the numbers.
fn raw(view: toolsure_json::View<'_>) -> &str {
    view.raw()
}

#[toolsure_needs::needs("suites/json-schema-test-suite")]
#[test]
fn every_verdict_of_the_official_suite() {
    crate::stack::in_small_stack(|| {
        use toolsure_json::{Node, OwnedDocument, ReadLimits};
        let suite = crate::shared::shared("suites/json-schema-test-suite");
        let mut remotes = Vec::new();
        for path in crate::shared::files(&suite.join("remotes")) {
            let inside = path.strip_prefix(suite.join("remotes")).unwrap();
            if inside.starts_with("draft3") || inside.starts_with("v1") {
                continue;
            }
            let uri = format!("http://localhost:1234/{}", inside.display());
            remotes.push((uri, std::fs::read(&path).unwrap()));
        }
        let limits = ReadLimits {
            depth: 512,
            ..ReadLimits::default()
        };
        let mut wrong = Vec::new();
        let mut count = 0;
        for (folder, dialect) in [
            ("draft4", Dialect::Draft4),
            ("draft6", Dialect::Draft6),
            ("draft7", Dialect::Draft7),
            ("draft2019-09", Dialect::Draft201909),
            ("draft2020-12", Dialect::Draft202012),
        ] {
            let mut compiler = Compiler::new().default_dialect(dialect);
            for (uri, text) in &remotes {
                compiler = compiler.register(uri, text).unwrap();
            }
            let folder = suite.join("tests").join(folder);
            for path in crate::shared::files(&folder) {
                let inside = path.strip_prefix(&folder).unwrap();
                let compiler = if inside.ends_with("optional/content.json") {
                    compiler.clone().content(Content::Assert)
                } else if inside.starts_with("optional/format") {
                    compiler.clone().formats(Formats::Assert)
                } else {
                    compiler.clone()
                };
                let document = OwnedDocument::read(std::fs::read(&path).unwrap(), &limits).unwrap();
                for case in document.document().root().items() {
                    let about = case.member("description").unwrap().string();
                    let source = raw(case.member("schema").unwrap());
                    let schema = match compiler.compile(source.as_bytes()) {
                        Ok(schema) => schema,
                        Err(error) => {
                            wrong.push(format!("{}: {about}: {error}", path.display()));
                            continue;
                        }
                    };
                    let mut workspace = Workspace::new();
                    for test in case.member("tests").unwrap().items() {
                        count += 1;
                        let data = raw(test.member("data").unwrap()).as_bytes();
                        let valid = test.member("valid").unwrap().boolean();
                        let expected = if valid {
                            Verdict::Valid
                        } else {
                            Verdict::Invalid
                        };
                        let plan = schema.check(&mut workspace, data).unwrap();
                        let report = schema.explain(&mut workspace, data).unwrap();
                        let value: serde_json::Value = serde_json::from_slice(data).unwrap();
                        let told =
                            report.verdict != Verdict::Invalid || !report.findings.is_empty();
                        let name = format!(
                            "{}: {about}: {}",
                            path.display(),
                            test.member("description").unwrap().string()
                        );
                        if report.verdict != expected || !report.complete || !told {
                            wrong.push(format!("explain: {name}: {report:?}"));
                        }
                        if plan != expected {
                            wrong.push(format!("plan: {name}: {plan}"));
                        }
                        let again = schema.explain(&mut workspace, &value);
                        if again.findings.len() != report.findings.len()
                            && !inside.to_string_lossy().contains("bignum")
                        {
                            wrong.push(format!("value: {name}: {again:?}"));
                        }
                        for fuel in [u64::MAX, 40, 20, 10, 5] {
                            let mut workspace = Workspace::new().explanation_fuel(fuel);
                            let unused = compiler.compile(source.as_bytes()).unwrap();
                            let first = unused.explain(&mut workspace, &value);
                            let later = schema.explain(&mut workspace, &value);
                            if first != later || (fuel == u64::MAX && first != again) {
                                wrong.push(format!("first, with {fuel}: {name}: {later:?}"));
                            }
                        }
                        for format in OutputFormat::ALL {
                            let text = schema.output(&mut workspace, data, format).unwrap();
                            let output: serde_json::Value = serde_json::from_str(&text).unwrap();
                            if output["valid"] != valid {
                                wrong.push(format!("output: {name}: {text}"));
                            }
                        }
                        assert_eq!(
                            report.summary().lines().count() == 0,
                            report.verdict == Verdict::Valid,
                            "{name}"
                        );
                    }
                }
            }
        }
        for line in &wrong {
            eprintln!("{line}");
        }
        assert!(count > 7_500, "only {count} tests");
        assert!(wrong.is_empty(), "{} of {count} are wrong", wrong.len());
    });
}
