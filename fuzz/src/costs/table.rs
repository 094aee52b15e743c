//! The table: every shape at four sizes, with how it grows.

use std::process::Command;

use super::measure::{Cost, growth, real};
use super::operations::Prepared;
use super::shapes::SHAPES;

/// Prints the table, of all shapes or of those whose name has one of the words in it; whether all
/// are within their bounds.
///
/// With `instructions`, each shape is also run under `valgrind` at two sizes, and grows by what was
/// counted there.
///
/// # Errors
///
/// `valgrind` cannot be run.
pub fn run(words: &[String], instructions: bool) -> Result<bool, String> {
    println!(
        "{:<58} {:>9} {:>9} {:>6} {:>9} {:>6} {:>10}{}",
        "entry point, input",
        "KiB",
        "CPU ms",
        "grows",
        "peak MiB",
        "grows",
        "output KiB",
        if instructions {
            "  instructions grow"
        } else {
            ""
        }
    );
    let mut over = Vec::new();
    let mut count = 0_usize;
    for (index, shape) in SHAPES.iter().enumerate() {
        let title = format!("{}: {}", shape.operation.name(), shape.name);
        if !words.is_empty() && !words.iter().any(|word| title.contains(word.as_str())) {
            continue;
        }
        count += 1;
        let (least, most) = (
            Cost::of(shape, SIZES.0, RUNS),
            Cost::of(shape, SIZES.1, RUNS),
        );
        let of_cpu = growth(
            (least.input, nanoseconds(&least)),
            (most.input, nanoseconds(&most)),
        );
        let of_memory = growth((least.input, least.allocated), (most.input, most.allocated));
        let counted = match instructions {
            true => format!("  {:>8.2}", by_instructions(index)?),
            false => String::new(),
        };
        let (millis, mebibytes) = (most.cpu.as_secs_f64() * 1e3, real(most.peak) / 1_048_576.0);
        println!(
            "{title:<58} {:>9} {millis:>9.1} {of_cpu:>6.2} {mebibytes:>9.1} {of_memory:>6.2} {:>10}{counted}",
            most.input / 1_024,
            most.output / 1_024,
        );
        let listing = shape.name.starts_with("listing") || shape.name == "two listings";
        let allowed = if listing { LISTING_MS } else { ONE_MS };
        if millis > allowed || mebibytes > MOST_MIB {
            over.push(format!("{title}: {millis:.0} ms, {mebibytes:.1} MiB"));
        }
    }
    println!(
        "{count} shapes, {} over {ONE_MS} ms ({LISTING_MS} ms for a listing) or {MOST_MIB} MiB",
        over.len()
    );
    for line in &over {
        println!("  {line}");
    }
    Ok(over.is_empty())
}

/// Runs one shape once, for `valgrind`.
///
/// # Errors
///
/// There is no such shape.
pub fn one(words: &[String]) -> Result<bool, String> {
    let number = |at: usize| words.get(at).and_then(|word| word.parse::<usize>().ok());
    let (Some(shape), Some(size)) = (number(0), number(1)) else {
        return Err("costs-one SHAPE SIZE".to_owned());
    };
    let shape = SHAPES.get(shape).ok_or("there is no such shape")?;
    let mut prepared = Prepared::new(shape.operation, (shape.make)(size));
    // The second run is what is counted, less the first: see `by_instructions`.
    let times = number(2).unwrap_or(1);
    for _ in 0..times {
        shape.operation.run(&mut prepared);
    }
    Ok(true)
}

/// How a shape grows by the instructions of one run: those of two runs less those of one.
fn by_instructions(shape: usize) -> Result<f64, String> {
    let mut costs = Vec::new();
    for size in COUNTED {
        let twice = counted(shape, size, 2)?;
        let once = counted(shape, size, 1)?;
        costs.push((size, twice.saturating_sub(once)));
    }
    match costs.as_slice() {
        [small, large] => Ok(growth(*small, *large)),
        _ => Err("two sizes are counted".to_owned()),
    }
}

fn counted(shape: usize, size: usize, times: usize) -> Result<u64, String> {
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let run = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(own)
        .arg("costs-one")
        .args([shape, size, times].map(|number| number.to_string()))
        .output()
        .map_err(|error| format!("valgrind: {error}"))?;
    let said = String::from_utf8_lossy(&run.stderr);
    let line = said
        .lines()
        .find_map(|line| line.split("Collected : ").nth(1));
    let count = line.and_then(|count| count.trim().parse().ok());
    count.ok_or_else(|| format!("valgrind counted nothing: {said}"))
}

fn nanoseconds(cost: &Cost) -> u64 {
    u64::try_from(cost.cpu.as_nanos()).unwrap_or(u64::MAX)
}

/// The input's sizes of the table, in bytes.
const SIZES: (usize, usize) = (128 << 10, 1_000_000);
/// Those that instructions are counted at.
const COUNTED: [usize; 2] = [32 << 10, 128 << 10];
/// The time is the least of so many.
const RUNS: usize = 3;
/// What one schema or instance may take.
const ONE_MS: f64 = 100.0;
/// What a listing may take.
const LISTING_MS: f64 = 1_000.0;
/// What any may take at once.
const MOST_MIB: f64 = 64.0;
