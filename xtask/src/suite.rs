//! `cargo xtask suite`: the official suite on both instance representations.

use toolgate_testkit::annotations;
use toolgate_testkit::dialect::Dialect;
use toolgate_testkit::engine::Engine;
use toolgate_testkit::engines;
use toolgate_testkit::official;
use toolgate_testkit::output;
use toolgate_testkit::place::Material;
use toolgate_testkit::tally::Tally;

use crate::arguments::Arguments;

/// Runs the suite and returns how many tests failed.
pub(crate) fn run(arguments: &Arguments) -> Result<u64, String> {
    let suite = Material::Suite.directory(arguments.first())?;
    let chosen = engines::named(arguments.option("engine"))?;
    let engines: Vec<&dyn Engine> = chosen.iter().map(AsRef::as_ref).collect();
    let mut total = Tally::default();
    for dialect in Dialect::ALL {
        let tally = official::run(&suite, dialect, &engines)?;
        print!("{}", tally.details());
        println!("{dialect}: {}", tally.line());
        total.add(tally);
    }
    // why: the peers have no such interface behind the trait.
    if arguments.option("engine").is_none() {
        for (name, tally) in [
            ("annotations", annotations::run(&suite)?),
            ("output-tests", output::run(&suite)?),
        ] {
            print!("{}", tally.details());
            println!("{name}: {}", tally.line());
            total.add(tally);
        }
    }
    println!("{}", total.line());
    Ok(total.failed)
}
