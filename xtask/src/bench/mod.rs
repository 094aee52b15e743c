//! `cargo xtask bench`: runs all benchmarks, and draws the charts.

mod chart;
mod plot;

use std::path::Path;
use std::process::Command;

use serde_json::Value;
use toolsure_testkit::place;

use crate::arguments::Arguments;
use crate::build;

/// Measures the sets (words select some), growth, a long listing and memory, and writes the results
/// to `target/bench/*.json`. With `--plot`, also draws the charts in `docs/` from them.
/// `--drawn yes` only draws earlier results.
pub(crate) fn run(arguments: &Arguments) -> Result<u64, String> {
    let room = build::target()?.join("bench");
    std::fs::create_dir_all(&room).map_err(|e| format!("`{}`: {e}", room.display()))?;
    let file = |name: &str| room.join(name);
    if arguments.option("drawn").is_none() {
        let bench = build::release("toolsure-bench")?;
        let memory = bench.with_file_name("toolsure-bench-memory");
        let passes = arguments.option("passes").unwrap_or("7");
        let sets = || arguments.words.iter();
        measure(
            Command::new(&bench)
                .args(["--ajv", "--blaze", "--passes", passes, "--json"])
                .arg(file("sets.json"))
                .args(sets()),
        )?;
        measure(
            Command::new(&bench)
                .args(["--growth", "--passes", passes, "--json"])
                .arg(file("growth.json")),
        )?;
        measure(
            Command::new(&bench)
                .args(["--listing", "--passes", passes, "--json"])
                .arg(file("listing.json")),
        )?;
        measure(
            Command::new(&memory)
                .arg("--json")
                .arg(file("memory.json"))
                .args(sets()),
        )?;
    }
    if arguments.option("plot").is_some() || arguments.option("drawn").is_some() {
        let docs = place::workspace().join("docs");
        let sets = read(&file("sets.json"))?;
        let growth = read(&file("growth.json"))?;
        for (name, drawn) in [
            ("speed.svg", plot::sets(&sets)),
            ("growth-instance.svg", plot::growth(&growth, "instance")),
            ("growth-schema.svg", plot::growth(&growth, "schema")),
        ] {
            let path = docs.join(name);
            std::fs::write(&path, drawn).map_err(|e| format!("`{}`: {e}", path.display()))?;
            println!("{}", path.display());
        }
    }
    Ok(0)
}

fn measure(command: &mut Command) -> Result<(), String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let status = command.status().map_err(|e| format!("`{name}`: {e}"))?;
    match status.success() {
        true => Ok(()),
        false => Err(format!("`{name}`: {status}")),
    }
}

fn read(path: &Path) -> Result<Value, String> {
    let text = std::fs::read_to_string(path).map_err(|e| format!("`{}`: {e}", path.display()))?;
    serde_json::from_str(&text).map_err(|e| format!("`{}`: {e}", path.display()))
}
