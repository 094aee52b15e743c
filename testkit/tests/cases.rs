//! Our own cases, on both instance representations.

use toolsure_testkit::{cases, engines, place, tally::Tally};

#[test]
fn every_case_gets_its_answer_on_both_representations() {
    let directory = place::workspace().join("testkit/cases");
    let cases = cases::load(&directory).unwrap();
    let mut tally = Tally::default();
    for engine in engines::named(None).unwrap() {
        for case in &cases {
            case.run(engine.as_ref(), &mut tally);
        }
    }
    assert_eq!(tally.failed, 0, "{}\n{}", tally.line(), tally.details());
    assert!(tally.passed > 5_000, "{}", tally.line());
}
