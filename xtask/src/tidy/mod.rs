//! `cargo xtask tidy`: rules that the compiler and clippy do not check.
//!
//! `layers.toml` has the order of the crates, the packages that crates without I/O must not depend
//! on, and the few modules and packages with restricted use. Modules of one crate must not import
//! each other in a cycle, and neither must its files. Every file must begin with `//!`, have at most 500 lines of code, and
//! contain no leftovers. The lists in `api/` must match the sources, and `docs/guard.svg` must
//! match `picture`. Names in `ARCHITECTURE.md`, `docs/seeds.md` and the README's commands must
//! exist, and the words of `xtask/words.toml` must not occur. `--modules CRATE` prints what each
//! module imports, `--files CRATE` what each file imports.

mod architecture;
mod cycles;
mod files;
mod forbidden;
mod layers;
mod readme;
mod seeds;
mod source;
mod words;

use std::collections::BTreeMap;

use serde::Deserialize;
use toolgate_testkit::place;
use toolgate_testkit::tally::Tally;

use crate::api;
use crate::arguments::Arguments;
use crate::picture;

/// Runs every check and returns how many failed.
pub(crate) fn run(arguments: &Arguments) -> Result<u64, String> {
    let layers = read()?;
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
    forbidden::check(&layers, &mut tally)?;
    api::check(place::workspace(), &mut tally)?;
    picture::check(place::workspace(), &mut tally);
    architecture::check(place::workspace(), &mut tally)?;
    readme::check(place::workspace(), &mut tally)?;
    seeds::check(place::workspace(), &mut tally)?;
    words::check(place::workspace(), &mut tally)?;
    print!("{}", tally.details());
    println!("{}", tally.line());
    Ok(tally.failed)
}

/// The content of `layers.toml`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Layers {
    /// The crates, from top to bottom.
    crates: Vec<String>,
    #[serde(rename = "no-io")]
    no_io: NoIo,
    /// By crate and module: the modules that it may import.
    #[serde(default)]
    modules: BTreeMap<String, BTreeMap<String, Vec<String>>>,
    /// By crate and package: the modules that may name it.
    #[serde(default)]
    packages: BTreeMap<String, BTreeMap<String, Vec<String>>>,
    /// By crate and import (`"one -> other"`): why it may close a cycle.
    #[serde(default)]
    cycles: BTreeMap<String, BTreeMap<String, String>>,
    /// By crate and import of a file (`"plan/names -> plan/slots"`): why it may close a cycle.
    #[serde(default, rename = "file-cycles")]
    file_cycles: BTreeMap<String, BTreeMap<String, String>>,
}

/// Crates that do no I/O.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct NoIo {
    crates: Vec<String>,
    /// Packages that must not be in their dependency trees.
    forbidden: Vec<String>,
}

fn read() -> Result<Layers, String> {
    let text = place::text(&place::workspace().join("layers.toml"))?;
    toml::from_str(&text).map_err(|e| format!("layers.toml: {e}"))
}
