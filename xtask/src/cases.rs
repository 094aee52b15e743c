//! `cargo xtask cases`: our own cases, on both instance representations.

use std::path::PathBuf;

use toolsure_testkit::tally::Tally;
use toolsure_testkit::{cases, engines, place};

use crate::arguments::Arguments;

/// Runs every case and returns how many tests failed.
pub(crate) fn run(arguments: &Arguments) -> Result<u64, String> {
    let directory = arguments
        .first()
        .map_or_else(|| place::workspace().join("testkit/cases"), PathBuf::from);
    let cases = cases::load(&directory)?;
    let mut tally = Tally::default();
    for engine in engines::named(arguments.option("engine"))? {
        for case in &cases {
            case.run(engine.as_ref(), &mut tally);
        }
    }
    print!("{}", tally.details());
    println!("{}", tally.line());
    Ok(tally.failed)
}
