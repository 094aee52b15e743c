//! `cargo xtask corpus`: checks published tool listings, and labelled values for them.

use toolsure_testkit::corpus;
use toolsure_testkit::engines;
use toolsure_testkit::place::Material;
use toolsure_testkit::tally::Tally;

use crate::arguments::Arguments;

/// Compiles every schema, checks every value, and returns how many values got another verdict.
pub(crate) fn run(arguments: &Arguments) -> Result<u64, String> {
    let directory = Material::Corpus.directory(arguments.first())?;
    let listings = corpus::load(&directory)?;
    let mut total = Tally::default();
    for engine in engines::named(arguments.option("engine"))? {
        let outcome = corpus::run(&listings, engine.as_ref());
        println!(
            "{}: {} listings, {} schemas compiled, {} refused",
            engine.name(),
            listings.len(),
            outcome.compiled,
            outcome.refused.len()
        );
        for refused in &outcome.refused {
            println!("  refused: {refused}");
        }
        print!("{}", outcome.values.details());
        println!("{}: values: {}", engine.name(), outcome.values.line());
        total.add(outcome.values);
    }
    println!("{}", total.line());
    Ok(total.failed)
}
