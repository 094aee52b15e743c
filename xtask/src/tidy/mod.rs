//! `cargo xtask tidy`: rules that the compiler and clippy do not check.
//!
//! `layers.toml` has the order of the crates, the packages that crates without I/O must not depend
//! on, and the few modules and packages with restricted use. Modules of one crate must not import
//! each other in a cycle, and neither must its files. Files of toolsure-guard and toolsure-proxy
//! must not call each other in a ring through methods of one type. Every file must begin with
//! `//!`, have at most 500 lines of code, and contain no leftovers. The lists in `api/` must match
//! the sources, and `docs/guard.svg` must match `picture`. Names in `ARCHITECTURE.md` and
//! `docs/seeds.md`, the commands in the README and `CONTRIBUTING.md`, and what links of pages lead to,
//! must exist, and the words of `xtask/words.toml` must not occur. Another crate must use each public type of toolsure-guard
//! and toolsure-proxy. `--modules CRATE` prints what each module imports, `--files CRATE` what each
//! file imports.

mod architecture;
mod cycles;
mod files;
mod forbidden;
mod layers;
mod links;
mod readme;
mod rings;
mod seeds;
mod source;
mod unused;
mod words;

use toolsure_testkit::place;
use toolsure_testkit::tally::Tally;

use crate::api;
use crate::arguments::Arguments;
use crate::picture::{self, guard};
use layers::Layers;

/// Runs every check and returns how many failed.
pub(crate) fn run(arguments: &Arguments) -> Result<u64, String> {
    let layers = Layers::read(place::workspace())?;
    if let Some(name) = arguments.option("modules") {
        print!("{}", layers::listing(place::workspace(), name)?);
        return Ok(0);
    }
    if let Some(name) = arguments.option("files") {
        print!("{}", cycles::listing(place::workspace(), name)?);
        return Ok(0);
    }
    let mut tally = Tally::default();
    files::check(place::workspace(), &mut tally)?;
    layers::check(place::workspace(), &layers, &mut tally)?;
    cycles::check(place::workspace(), &layers, &mut tally)?;
    rings::check(place::workspace(), &mut tally)?;
    forbidden::check(&layers, &mut tally)?;
    api::check(place::workspace(), &mut tally)?;
    tally.record(picture::compare(
        place::workspace(),
        guard::FILE,
        &guard::picture(),
    ));
    architecture::check(place::workspace(), &mut tally)?;
    readme::check(place::workspace(), &mut tally)?;
    links::check(place::workspace(), &mut tally)?;
    seeds::check(place::workspace(), &mut tally)?;
    words::check(place::workspace(), &mut tally)?;
    unused::check(place::workspace(), &mut tally)?;
    print!("{}", tally.details());
    println!("{}", tally.line());
    Ok(tally.failed)
}
