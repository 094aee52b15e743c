//! Ours beside the peers: one process, interleaved, minimum and median over passes.
//!
//! ```text
//! toolgate-bench [SET…] [--passes N] [--json FILE] [--ajv] [--only synthetic|bench|corpus]
//! toolgate-bench --callgrind SET --phase compile|bytes|value|idle
//! ```
//!
//! Every SET is a schema (or, for `mcp-corpus`, all the tool schemas of the
//! published listings) with its instances. `../shared/bench` and
//! `../shared/corpus` are used when they are there; the synthetic sets always.

mod ajv;
mod arguments;
mod callgrind;
mod measure;
mod report;
mod sets;
mod synthetic;
mod work;

use std::process::ExitCode;

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
    if let Some(set) = &arguments.callgrind {
        return callgrind::run(set, arguments.phase.as_deref().unwrap_or("bytes"));
    }
    if serde_json_is_exact() {
        eprintln!(
            "warning: serde_json was built with `arbitrary_precision`, which slows every figure \
             that parses a Value; build with `--package toolgate-bench` alone"
        );
    }
    let mut rows = Vec::new();
    for set in sets::chosen(&arguments)? {
        eprintln!(
            "{} ({} schemas, {} instances)",
            set.name,
            set.schemas.len(),
            set.instances()
        );
        match measure::measure(&set, arguments.passes) {
            Ok(mut row) => {
                if arguments.ajv {
                    row.ajv = ajv::measure(&set)
                        .map_err(|why| eprintln!("  ajv: {why}"))
                        .ok();
                }
                rows.push(row);
            }
            Err(why) => eprintln!("  skipped: {why}"),
        }
    }
    print!("{}", report::table(&rows));
    if let Some(path) = &arguments.json {
        std::fs::write(path, report::json(&rows)).map_err(|e| format!("`{path}`: {e}"))?;
    }
    Ok(())
}

/// Whether another package of this build has made `serde_json` keep digits.
fn serde_json_is_exact() -> bool {
    let digits = "1.0000000000000000000000001";
    let written = serde_json::from_str(digits).map(|value: serde_json::Value| value.to_string());
    written.is_ok_and(|written| written == digits)
}
