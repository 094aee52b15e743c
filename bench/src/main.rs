//! Ours beside the peers: interleaved, minimum and median over passes.
//!
//! ```text
//! toolsure-bench [SET…] [--passes N] [--json FILE] [--ajv] [--blaze] [--only synthetic|bench|corpus]
//! toolsure-bench --growth [--json FILE]
//! toolsure-bench --listing [--passes N] [--json FILE]
//! ```
//!
//! Every SET is a schema (or, for the corpus, all the tool schemas of the
//! published listings) with its instances. `../shared/bench` and
//! `../shared/corpus` are used when they are there; the synthetic sets always.
//! `toolsure-bench-memory` takes the figures of memory: an allocator that counts
//! would slow these.

mod ajv;
mod arguments;
mod blaze;
mod external;
mod growth;
mod listing;
mod measure;
mod report;
mod work;

use std::process::ExitCode;

use toolsure_bench::sets;

use crate::arguments::Arguments;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("error: {reason}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), String> {
    let arguments = Arguments::parse(std::env::args().skip(1))?;
    if serde_json_is_exact() {
        eprintln!(
            "warning: serde_json was built with `arbitrary_precision`, which slows every figure \
             that parses a Value; build with `--package toolsure-bench` alone"
        );
    }
    let written = if arguments.growth {
        let grown = growth::measure(arguments.passes)?;
        print!("{}", report::growth_table(&grown));
        report::growth_json(&grown)
    } else if arguments.listing {
        let listing = listing::measure(arguments.passes)?;
        print!("{}", listing.table());
        listing.json()
    } else {
        let rows = rows(&arguments)?;
        print!("{}", report::table(&rows));
        report::json(&rows)
    };
    match &arguments.json {
        Some(path) => std::fs::write(path, written).map_err(|e| format!("`{path}`: {e}")),
        None => Ok(()),
    }
}

fn rows(arguments: &Arguments) -> Result<Vec<measure::Row>, String> {
    let mut rows = Vec::new();
    for set in sets::chosen(&arguments.choice)? {
        eprintln!(
            "{} ({} schemas, {} instances)",
            set.name,
            set.schemas.len(),
            set.instances()
        );
        let mut row = match measure::measure(&set, arguments.passes) {
            Ok(row) => row,
            Err(why) => {
                eprintln!("  skipped: {why}");
                continue;
            }
        };
        if arguments.ajv {
            row.add(ajv::measure(&set));
        }
        if arguments.blaze {
            row.add(blaze::measure(&set));
        }
        rows.push(row);
    }
    Ok(rows)
}

/// Whether another package of this build has made `serde_json` keep digits.
fn serde_json_is_exact() -> bool {
    let digits = "1.0000000000000000000000001";
    let written = serde_json::from_str(digits).map(|value: serde_json::Value| value.to_string());
    written.is_ok_and(|written| written == digits)
}
