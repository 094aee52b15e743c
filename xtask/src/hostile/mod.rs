//! `cargo xtask hostile`: runs every hostile pair through the library and the command line.
//!
//! Each pair runs in fresh processes, so that a crash, a hang or a leak cannot affect another pair.
//! There are four ways: the library over bytes, the library over a `serde_json::Value`, and the
//! command line with the schema alone (compile) and with the pair (compile and validation). The
//! library has a stack of 256 KiB, the command, which is unoptimised here, one of 512 KiB. CPU time is that of the thread or the child; memory is the peak of resident
//! pages above the level before. A measurement above its limit is repeated, and the minimum of
//! five counts, because other load can only add to it.

mod measure;
mod probe;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use toolsure_testkit::hostile::{self, End, Pair};
use toolsure_testkit::place::Material;
use toolsure_testkit::tally::Tally;

use crate::arguments::Arguments;
use crate::build;
pub(crate) use measure::{Cost, Way};
pub(crate) use probe::run as probe;

/// Runs every pair in every way, and returns how many broke a rule or a limit.
pub(crate) fn run(arguments: &Arguments) -> Result<u64, String> {
    let directory = directory(arguments.first())?;
    let ways: Vec<Way> = match arguments.option("ways") {
        None => Way::ALL.to_vec(),
        Some(names) => names
            .split(',')
            .map(|name| Way::from_name(name).ok_or_else(|| format!("there is no way `{name}`")))
            .collect::<Result<_, _>>()?,
    };
    let command = ways
        .iter()
        .any(|way| matches!(way, Way::CommandCompile | Way::CommandCheck));
    let toolsure = match arguments.option("toolsure") {
        Some(path) => PathBuf::from(path),
        None if command => build::toolsure()?,
        None => PathBuf::new(),
    };
    if command {
        canary(&toolsure)?;
    }
    let only = arguments.option("only");
    let mut total = Tally::default();
    let mut runs: Vec<(String, Way, Cost)> = Vec::new();
    for pair in hostile::load(&directory)? {
        if only.is_some_and(|only| !pair.name.contains(only)) {
            continue;
        }
        let mut compile_cost = Cost::default();
        for way in ways.iter().copied() {
            let place = format!("{} {} ({})", pair.name, pair.size, way.name());
            let (result, cost) = one(&pair, way, &toolsure, compile_cost)?;
            if way == Way::CommandCompile {
                compile_cost = cost;
            }
            runs.push((format!("{} {}", pair.name, pair.size), way, cost));
            total.record(result.map_err(|reason| format!("{place}: {reason}")));
        }
    }
    print_worst(&runs);
    print!("{}", total.details());
    println!("{}", total.line());
    Ok(total.failed)
}

/// Runs one pair in one way: checks the rule for passing, then the limits.
fn one(
    pair: &Pair,
    way: Way,
    toolsure: &Path,
    compile: Cost,
) -> Result<(Result<(), String>, Cost), String> {
    let mut least: Option<Cost> = None;
    let mut result = Ok(());
    for attempt in 0..ATTEMPTS {
        if attempt > 0 {
            std::thread::sleep(PAUSE);
        }
        let (end, cost) = measure::measure(pair, way, toolsure)?;
        let cost = least.map_or(cost, |least| least.min(cost));
        least = Some(cost);
        result = match way {
            // why: the schema alone has no verdict on the instance.
            Way::CommandCompile => match end {
                End::Broken(reason) => Err(reason),
                _ => Ok(()),
            },
            _ => pair.judge(&end),
        };
        if result.is_err() {
            break;
        }
        result = bounds(pair, way, cost, compile);
        if result.is_ok() {
            break;
        }
    }
    Ok((result, least.unwrap_or_default()))
}

fn bounds(pair: &Pair, way: Way, cost: Cost, compile: Cost) -> Result<(), String> {
    let check_cpu = match way {
        // why: the process compiles again before it validates.
        Way::CommandCheck => cost.check_micros.saturating_sub(compile.compile_micros),
        _ => cost.check_micros,
    };
    for (what, micros) in [("compile", cost.compile_micros), ("validation", check_cpu)] {
        if micros > CPU_MICROS {
            return Err(format!(
                "{what} took {} ms of CPU, allowed are {}",
                micros / 1000,
                CPU_MICROS / 1000
            ));
        }
    }
    let input = match way {
        // why: the library is measured when the input is already in memory.
        Way::Bytes | Way::Value => 0,
        Way::CommandCompile => size(&pair.schema),
        Way::CommandCheck => size(&pair.schema) + size(&pair.instance),
    };
    let allowed = MEMORY_KIB + input / 1024;
    for (what, kib) in [
        ("compile", cost.compile_kib),
        ("validation", cost.check_kib),
    ] {
        if kib > allowed {
            return Err(format!("{what} took {kib} KiB, allowed are {allowed}"));
        }
    }
    Ok(())
}

/// Makes sure that the command understands its arguments: its exit code for wrong usage is also the
/// one for unreadable input, which passes.
fn canary(toolsure: &Path) -> Result<(), String> {
    let folder = build::target()?.join("hostile-canary");
    std::fs::create_dir_all(&folder).map_err(|e| format!("`{}`: {e}", folder.display()))?;
    let write = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::write(&path, text).map_err(|e| format!("`{}`: {e}", path.display()))?;
        Ok::<PathBuf, String>(path)
    };
    for (instance, valid) in [("\"2026-11-22\"", true), ("\"2026-13-22\"", false)] {
        let pair = Pair {
            name: "canary".to_owned(),
            size: 1,
            schema: write("schema.json", "{\"format\": \"date\"}")?,
            instance: write("instance.json", instance)?,
            expect: Some(valid),
            decide: true,
            formats: true,
        };
        let (end, _) = measure::measure(&pair, Way::CommandCheck, toolsure)?;
        pair.judge(&end)
            .map_err(|why| format!("`{}` on {instance}: {why}", toolsure.display()))?;
    }
    Ok(())
}

fn size(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(0, |metadata| metadata.len())
}

/// The directory of the pairs. If it has no index, its generator writes the pairs.
fn directory(named: Option<&str>) -> Result<PathBuf, String> {
    let directory = Material::Hostile.directory(named)?;
    if directory.join("index.jsonl").is_file() {
        return Ok(directory);
    }
    let generator = directory.join("generate.py");
    let output = build::target()?.join("hostile");
    println!("writing the pairs of `{}`", generator.display());
    let status = Command::new("python3")
        .arg(&generator)
        .arg(&output)
        .status()
        .map_err(|e| format!("`python3 {}`: {e}", generator.display()))?;
    if status.success() {
        Ok(output)
    } else {
        Err(format!("`python3 {}`: {status}", generator.display()))
    }
}

fn print_worst(runs: &[(String, Way, Cost)]) {
    println!("\nthe most expensive:");
    println!(
        "{:<44} {:<16} {:>12} {:>12} {:>13} {:>13}",
        "pair", "way", "compile ms", "check ms", "compile KiB", "check KiB"
    );
    let mut shown: Vec<&(String, Way, Cost)> = Vec::new();
    for way in Way::ALL {
        for key in [Cost::micros, Cost::kib] {
            let mut ranked: Vec<_> = runs.iter().filter(|(_, run, _)| *run == way).collect();
            ranked.sort_by_key(|(_, _, cost)| std::cmp::Reverse(key(cost)));
            for run in ranked.into_iter().take(WORST) {
                if !shown.iter().any(|other| std::ptr::eq(*other, run)) {
                    shown.push(run);
                }
            }
        }
    }
    for (pair, way, cost) in shown {
        println!(
            "{pair:<44} {:<16} {:>12} {:>12} {:>13} {:>13}",
            way.name(),
            millis(cost.compile_micros),
            millis(cost.check_micros),
            cost.compile_kib,
            cost.check_kib
        );
    }
    println!("(the command's figures hold its start-up; its check repeats the compile)\n");
}

fn millis(micros: u64) -> String {
    format!("{}.{:01}", micros / 1000, micros % 1000 / 100)
}

/// 100 ms each for compile and validation.
const CPU_MICROS: u64 = 100_000;
/// 64 MiB above the input's own size, each for compile and validation.
const MEMORY_KIB: u64 = 64 * 1024;
/// How often a pair is measured before it counts as above its limit.
const ATTEMPTS: usize = 5;
/// The time between two measurements of a pair: what else runs on the machine slows down all that follow each other at once.
const PAUSE: Duration = Duration::from_secs(2);
/// How many of the most expensive runs are shown for each way and measure.
const WORST: usize = 4;
