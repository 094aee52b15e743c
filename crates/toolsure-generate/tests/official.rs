//! The schemas of the official suite, whose own instances say which can be matched and which can be broken.

use toolsure_generate::{Compiler, Generator, Options, Satisfiable};
use toolsure_schema::{Content, Dialect, Formats};
use toolsure_testkit::cases::Expected;
use toolsure_testkit::{official, place};

#[toolsure_needs::needs("suites")]
#[test]
fn schemas_with_a_valid_instance_get_one_and_no_proof_is_wrong() {
    let suite = place::shared().join("suites/json-schema-test-suite");
    let documents = official::documents(&suite).unwrap();
    let (mut schemas, mut matched, mut breakable, mut broken) = (0, 0, 0, 0);
    let mut without = Vec::new();
    for dialect in Dialect::ALL {
        for case in official::load(&suite, dialect, &documents).unwrap() {
            let mut compiler = Compiler::new().default_dialect(dialect);
            if case.formats {
                compiler = compiler.formats(Formats::Assert);
            }
            if case.content {
                compiler = compiler.content(Content::Assert);
            }
            for document in case.documents.iter() {
                compiler = compiler
                    .register(&document.uri, document.text.as_bytes())
                    .unwrap();
            }
            let Ok(generator) = Generator::new(&compiler, case.schema.as_bytes()) else {
                continue;
            };
            let expects = |wanted| case.tests.iter().any(|test| test.expected == wanted);
            let instances = generator.instances(&Options::default());
            let is_matched = instances.satisfiable == Satisfiable::Yes;
            if expects(Expected::Valid) {
                let is_refuted = matches!(instances.satisfiable, Satisfiable::No(_));
                assert!(!is_refuted, "{}: {:?}", case.schema, instances.satisfiable);
                schemas += 1;
                matched += usize::from(is_matched);
                if !is_matched {
                    without.push(format!("{} valid: {}", case.file, case.schema));
                }
            }
            if expects(Expected::Invalid) {
                breakable += 1;
                broken += usize::from(!instances.invalid.is_empty());
                if instances.invalid.is_empty() {
                    without.push(format!("{} invalid: {}", case.file, case.schema));
                }
            }
        }
    }
    println!(
        "{}\nmatched {matched} of {schemas}, broken {broken} of {breakable}",
        without.join("\n")
    );
    assert!(matched * 100 >= schemas * 99, "{matched} of {schemas}");
    assert!(broken * 100 >= breakable * 90, "{broken} of {breakable}");
}
