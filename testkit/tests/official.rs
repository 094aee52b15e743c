//! The official suite, on both instance representations; ignored if it is missing.

use toolgate_testkit::Dialect;
use toolgate_testkit::engine::Engine;
use toolgate_testkit::{annotations, engines, official, output, place::Material};

#[toolgate_needs::needs("suites/json-schema-test-suite", "$TOOLGATE_SUITE")]
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
