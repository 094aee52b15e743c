//! `cargo xtask instructions`: counts the instructions of fixed pieces of work with callgrind, and
//! compares them with `bench/instructions.txt`. A set that takes more than it may is counted again, and
//! the least of three counts is compared: hash tables have another seed in each process, and one with
//! an unlucky seed takes up to 3 % more.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use serde_json::json;
use toolsure_bench::sets::{self, Choice};
use toolsure_bench::workload::Set;
use toolsure_testkit::place;
use toolsure_testkit::tally::Tally;

use crate::arguments::Arguments;
use crate::build;

/// Counts, and compares with the file or writes it (`--write`). Words select sets.
pub(crate) fn run(arguments: &Arguments) -> Result<u64, String> {
    let program = build::release("toolsure-counted")?;
    let room = build::target()?.join("instructions");
    let _ = std::fs::remove_dir_all(&room);
    std::fs::create_dir_all(&room).map_err(|e| format!("`{}`: {e}", room.display()))?;
    let choice = Choice {
        names: arguments.words.clone(),
        only: None,
    };
    let file = place::workspace().join("bench/instructions.txt");
    let known = known(&file)?;
    let mut counts = Counts::new();
    for set in sets::chosen(&choice)? {
        let work = room.join(format!("{}.json", set.name));
        std::fs::write(&work, piece(&set)).map_err(|e| format!("`{}`: {e}", work.display()))?;
        for _ in 0..ATTEMPTS {
            let mut rises = false;
            for (phase, count) in counted(&program, &work, &room)? {
                let least = counts.entry((set.name.clone(), phase)).or_insert(count);
                *least = count.min(*least);
            }
            for (key, now) in counts.iter().filter(|((name, _), _)| *name == set.name) {
                rises |= known
                    .get(key)
                    .is_some_and(|before| ratio(*now, *before) > 1.0 + RISE);
            }
            if !rises {
                break;
            }
        }
    }
    if arguments.option("write").is_some() {
        std::fs::write(&file, written(&counts))
            .map_err(|e| format!("`{}`: {e}", file.display()))?;
        println!("{}: {} counts", file.display(), counts.len());
        return Ok(0);
    }
    let mut tally = Tally::default();
    println!(
        "{:<28} {:<8} {:>12} {:>12} {:>8}",
        "set", "phase", "before", "now", "change"
    );
    for ((set, phase), now) in &counts {
        let Some(before) = known.get(&(set.clone(), phase.clone())) else {
            tally.record(Err(format!("{set} {phase}: not in the file; refresh it")));
            continue;
        };
        let change = ratio(*now, *before);
        println!(
            "{set:<28} {phase:<8} {before:>12} {now:>12} {:>+7.2}%",
            (change - 1.0) * 100.0
        );
        tally.record(if change > 1.0 + RISE {
            Err(format!(
                "{set} {phase}: from {before} to {now} instructions"
            ))
        } else {
            Ok(())
        });
    }
    if tally.failed > 0 {
        print!("{}", tally.details());
        println!("if the rise is meant: cargo xtask instructions --write");
    }
    println!("{}", tally.line());
    Ok(tally.failed)
}

/// A fixed part of a set, as JSON.
fn piece(set: &Set) -> String {
    let step = set.schemas.len().div_ceil(SCHEMAS).max(1);
    let most = if set.schemas.len() > 1 { FEW } else { MANY };
    let schemas = set.schemas.iter().step_by(step);
    let written = schemas.map(|one| {
        let (valid, invalid) = (some(&one.valid, most), some(&one.invalid, most));
        // Members in a fixed order, whatever `serde_json` does in this build: counts depend on it.
        format!(
            r#"{{"schema":{},"valid":{},"invalid":{}}}"#,
            json!(one.schema),
            json!(valid),
            json!(invalid)
        )
    });
    format!("[{}]", written.collect::<Vec<_>>().join(","))
}

/// The first texts, up to a number and, after the first, up to a size.
fn some(texts: &[String], most: usize) -> &[String] {
    let mut bytes = 0;
    let fits = texts.iter().take(most).take_while(|text| {
        let fits = bytes == 0 || bytes + text.len() <= BYTES;
        bytes += text.len();
        fits
    });
    texts.get(..fits.count()).unwrap_or_default()
}

type Counts = BTreeMap<(String, String), u64>;

/// Runs the work under callgrind. Returns the cost of each phase, including all its callees.
fn counted(program: &Path, work: &Path, room: &Path) -> Result<Vec<(String, u64)>, String> {
    let profile = room.join("profile");
    let output = Command::new("valgrind")
        .args([
            "--tool=callgrind",
            "--compress-strings=no",
            "--compress-pos=no",
        ])
        .arg(format!("--callgrind-out-file={}", profile.display()))
        .arg(program)
        .arg(work)
        .output()
        .map_err(|e| format!("`valgrind`: {e}"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!(
            "`{}` under valgrind: {}",
            work.display(),
            said.trim()
        ));
    }
    let text =
        std::fs::read_to_string(&profile).map_err(|e| format!("`{}`: {e}", profile.display()))?;
    let phases = phases(&text);
    if phases.is_empty() {
        return Err(format!("`{}`: no phase was counted", work.display()));
    }
    Ok(phases)
}

/// The calls of `counted_PHASE` in a profile: after `cfn=` with the name comes `calls=`, then a
/// line with the position and the cost.
fn phases(profile: &str) -> Vec<(String, u64)> {
    let mut found = Vec::new();
    let mut lines = profile.lines();
    while let Some(line) = lines.next() {
        let Some((_, name)) = line
            .strip_prefix("cfn=")
            .and_then(|n| n.split_once("::counted_"))
        else {
            continue;
        };
        let calls = lines.by_ref().find(|line| line.starts_with("calls="));
        let cost = calls.and_then(|_| lines.next()?.split_whitespace().last()?.parse().ok());
        let name = name.split("::").next().unwrap_or(name);
        found.extend(cost.map(|cost| (name.to_owned(), cost)));
    }
    found
}

/// The counts in the file: one `SET PHASE COUNT` per line; `#` begins a comment.
fn known(file: &Path) -> Result<Counts, String> {
    let text = std::fs::read_to_string(file).map_err(|e| format!("`{}`: {e}", file.display()))?;
    let mut counts = Counts::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [set, phase, count] = words.as_slice() else {
            return Err(format!("`{}`: odd line `{line}`", file.display()));
        };
        let count = count
            .parse()
            .map_err(|_| format!("`{count}` is not a count"))?;
        counts.insert(((*set).to_owned(), (*phase).to_owned()), count);
    }
    Ok(counts)
}

fn written(counts: &Counts) -> String {
    let mut text = String::from(
        "# Instructions of fixed pieces of work, by callgrind. Made by `cargo xtask instructions --write`;\n\
         # `cargo xtask instructions` fails where one rises by more than 2 %.\n",
    );
    for ((set, phase), count) in counts {
        let _ = writeln!(text, "{set} {phase} {count}");
    }
    text
}

fn ratio(now: u64, before: u64) -> f64 {
    let float = |count: u64| f64::from(u32::try_from(count / 16).unwrap_or(u32::MAX)).max(1.0);
    float(now) / float(before)
}

/// How often a set is counted that takes more than it may.
const ATTEMPTS: usize = 3;
/// A larger rise is a failure.
const RISE: f64 = 0.02;
/// The approximate number of schemas that are used from a large set.
const SCHEMAS: usize = 150;
/// Instances per schema, in a set of one schema and in larger sets.
const MANY: usize = 40;
const FEW: usize = 2;
/// The maximum number of bytes of a schema's valid, or invalid, instances.
const BYTES: usize = 60_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_profile_says_what_a_phase_took() {
        let profile = "fn=toolsure::main\n10 5\ncfn=toolsure_counted::counted_bytes\n\
            calls=1 0\n12 4711\ncfn=other\ncalls=1 0\n13 9\n";
        assert_eq!(phases(profile), [("bytes".to_owned(), 4711)]);
    }
}
