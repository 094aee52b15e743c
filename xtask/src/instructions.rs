//! `cargo xtask instructions`: how many instructions the benchmarks take, by callgrind.

use std::path::Path;
use std::process::Command;

use toolgate_testkit::tally::Tally;

use crate::arguments::Arguments;
use crate::build;

/// Runs the benchmark's callgrind mode on each dataset named (or its default ones).
pub(crate) fn run(arguments: &Arguments) -> Result<u64, String> {
    let bench = build::bench()?;
    let sets: Vec<&str> = if arguments.words.is_empty() {
        DATASETS.to_vec()
    } else {
        arguments.words.iter().map(String::as_str).collect()
    };
    let mut tally = Tally::default();
    println!(
        "{:<32} {:>16} {:>16} {:>16}",
        "dataset", "compile", "bytes", "value"
    );
    for set in sets {
        let idle = count(&bench, set, "idle")?;
        let mut counts = Vec::new();
        for phase in ["compile", "bytes", "value"] {
            let counted = count(&bench, set, phase)?;
            counts.push(counted.saturating_sub(idle));
        }
        let [compile, bytes, value] = counts.as_slice() else {
            continue;
        };
        println!("{set:<32} {compile:>16} {bytes:>16} {value:>16}");
        tally.record(if [compile, bytes, value].iter().all(|count| **count > 0) {
            Ok(())
        } else {
            Err(format!("{set}: a phase took no instructions"))
        });
    }
    println!("{}", tally.line());
    Ok(tally.failed)
}

/// The instructions of one run; the run without the work (`idle`) is what to take off.
fn count(bench: &Path, set: &str, phase: &str) -> Result<u64, String> {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(bench)
        .args(["--callgrind", set, "--phase", phase])
        .output()
        .map_err(|e| format!("`valgrind`: {e}"))?;
    let said = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        return Err(format!("`{set}` under valgrind: {}", said.trim()));
    }
    said.lines()
        .filter_map(|line| line.split_once("Collected :"))
        .find_map(|(_, number)| number.trim().parse().ok())
        .ok_or_else(|| format!("valgrind says no count for `{set}`"))
}

/// Sets that need nothing from outside the repository.
const DATASETS: [&str; 4] = [
    "synthetic-flat",
    "synthetic-union",
    "synthetic-array",
    "synthetic-deep",
];
