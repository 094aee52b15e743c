//! The official suite, on both instance representations; ignored if it is missing.

use toolsure_testkit::Dialect;
use toolsure_testkit::engine::Engine;
use toolsure_testkit::{annotations, engines, official, output, place::Material};

#[toolsure_needs::needs("suites/json-schema-test-suite", "$TOOLSURE_SUITE")]
#[test]
fn every_test_of_the_official_suite_passes() {
    let suite = Material::Suite.directory(None).unwrap();
    let ours = engines::named(None).unwrap();
    let ours: Vec<&dyn Engine> = ours.iter().map(AsRef::as_ref).collect();
    for dialect in Dialect::ALL {
        let tally = official::run(&suite, dialect, &ours).unwrap();
        assert_eq!(
            tally.failed,
            0,
            "{dialect}: {}\n{}",
            tally.line(),
            tally.details()
        );
        assert!(tally.passed > 1_500, "{dialect}: {}", tally.line());
    }
    for (name, tally) in [
        ("annotations", annotations::run(&suite).unwrap()),
        ("output-tests", output::run(&suite).unwrap()),
    ] {
        assert_eq!(
            tally.failed,
            0,
            "{name}: {}\n{}",
            tally.line(),
            tally.details()
        );
    }
}
