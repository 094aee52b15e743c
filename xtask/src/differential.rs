//! `cargo xtask differential`: compares our engine with its peers on generated pairs.

use std::time::{SystemTime, UNIX_EPOCH};

use toolsure_testkit::differential::runner::{self, Engines};
use toolsure_testkit::engines;
use toolsure_testkit::peers::{Boon, Jsonschema};

use crate::arguments::Arguments;

/// Compares the engines and returns how many pairs are unexplained.
pub(crate) fn run(arguments: &Arguments) -> Result<u64, String> {
    let pairs = match arguments.first() {
        None => PAIRS,
        Some(word) => word
            .parse()
            .map_err(|_| format!("the number of pairs is not `{word}`"))?,
    };
    let seed = match arguments.number("seed")? {
        Some(seed) => seed,
        None => fresh_seed(),
    };
    println!("{pairs} pairs, --seed {seed}");
    let ours = engines::named(arguments.option("engine"))?;
    let (Some(bytes), Some(value)) = (ours.first(), ours.last()) else {
        return Err("no engine is named".to_owned());
    };
    // why: a peer's panic is caught and counted; its message would only clutter the report.
    std::panic::set_hook(Box::new(|_| {}));
    let outcome = runner::run(
        &Engines {
            bytes: bytes.as_ref(),
            value: value.as_ref(),
            peers: &[&Jsonschema::default(), &Boon],
        },
        pairs,
        seed,
    );
    drop(std::panic::take_hook());
    println!(
        "{} schemas, {} of {} instances valid",
        outcome.schemas,
        outcome.valid,
        outcome.tally.passed + outcome.tally.failed
    );
    for (rule, (count, example)) in &outcome.explained {
        println!("explained {count}: {rule}\n    {example}");
    }
    print!("{}", outcome.tally.details());
    println!("{}", outcome.tally.line());
    Ok(outcome.tally.failed)
}

/// Without `--seed`, each run has other pairs. The seed is printed, so that a run can be repeated.
fn fresh_seed() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs())
}

/// The number of pairs if none is given.
const PAIRS: u64 = 100_000;
