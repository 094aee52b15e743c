//! A fixed sample of generated pairs. `cargo xtask differential` generates new ones.

use toolsure_testkit::differential::runner::{self, Engines};
use toolsure_testkit::ours::{Bytes, Value};
use toolsure_testkit::peers::{Boon, Jsonschema};

#[test]
fn every_disagreement_is_explained() {
    let engines = Engines {
        bytes: &Bytes,
        value: &Value,
        peers: &[&Jsonschema::default(), &Boon],
    };
    let outcome = runner::run(&engines, 10_000, 2106);
    let tally = &outcome.tally;
    assert_eq!(tally.failed, 0, "{}\n{}", tally.line(), tally.details());
    let share = outcome.valid * 100 / (tally.passed + tally.failed);
    assert!(
        (20..80).contains(&share),
        "{share} % of the pairs are valid"
    );
}
