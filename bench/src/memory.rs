//! Memory, by an allocator that counts: what a compiled schema keeps, how often
//! compiling allocates, and what a warm check allocates (nothing).
//!
//! ```text
//! toolsure-bench-memory [SET…] [--only synthetic|bench|corpus] [--json FILE]
//! ```

use std::process::ExitCode;

use allocation_counter::{AllocationInfo, measure};
use serde_json::{Value, json};
use toolsure_bench::sets::{self, Choice};
use toolsure_bench::workload::{Set, Workload};
use toolsure_schema::{Compiler, Workspace};
use toolsure_testkit::Dialect;
use toolsure_testkit::engine::Setup;
use toolsure_testkit::peers::Jsonschema;

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
    let mut choice = Choice::default();
    let mut file = None;
    let mut given = std::env::args().skip(1);
    while let Some(word) = given.next() {
        match word.as_str() {
            "--only" => choice.only = given.next(),
            "--json" => file = given.next(),
            other if other.starts_with('-') => return Err(format!("there is no `{other}`")),
            _ => choice.names.push(word),
        }
    }
    println!(
        "{:<24} {:>8} {:>8} {:>8} {:>8} {:>8} {:>9} {:>9}",
        "set", "schemas", "bytes", "kept", "ratio", "js ratio", "allocs", "warm"
    );
    let mut rows = Vec::new();
    for set in sets::chosen(&choice)? {
        rows.push(row(&set));
    }
    println!("ratio: bytes kept by a compiled schema over those of its text, geometric mean;");
    println!(
        "allocs: of one compile, mean; warm: allocations of all checks of valid instances from bytes, once warm"
    );
    match file {
        Some(path) => {
            let text = serde_json::to_string_pretty(&rows).unwrap_or_default();
            std::fs::write(&path, text + "\n").map_err(|e| format!("`{path}`: {e}"))
        }
        None => Ok(()),
    }
}

/// Measures a set and prints its line.
fn row(set: &Set) -> Value {
    let (mut bytes, mut kept, mut allocations, mut warm) = (0, 0, 0, 0);
    let (mut ours, mut theirs) = (Mean::default(), Mean::default());
    for workload in &set.schemas {
        let own = compiled(workload, &mut warm);
        let length = number(workload.schema.len());
        let retained = u64::try_from(own.bytes_current).unwrap_or(0);
        bytes += length;
        kept += retained;
        allocations += own.count_total;
        ours.add(retained, length);
        let retained = u64::try_from(jsonschema(workload).bytes_current).unwrap_or(0);
        theirs.add(retained, length);
    }
    let schemas = number(set.schemas.len()).max(1);
    println!(
        "{:<24} {schemas:>8} {:>8} {:>8} {:>8.2} {:>8.2} {:>9} {warm:>9}",
        set.name,
        bytes / schemas,
        kept / schemas,
        ours.value(),
        theirs.value(),
        allocations / schemas,
    );
    json!({
        "set": set.name, "origin": set.origin, "schemas": schemas, "bytes": bytes, "kept": kept,
        "ratio": ours.value(), "jsonschema_ratio": theirs.value(),
        "compile_allocations": allocations, "warm_allocations": warm,
    })
}

/// What compiling ours keeps; adds what the checks allocate once warm.
fn compiled(workload: &Workload, warm: &mut u64) -> AllocationInfo {
    let compiler = Compiler::new();
    let mut schema = None;
    let info = measure(|| schema = compiler.compile(workload.schema.as_bytes()).ok());
    if let Some(schema) = schema {
        let mut workspace = Workspace::new();
        let mut round = || {
            for text in &workload.valid {
                let _ = schema.check(&mut workspace, text.as_bytes());
            }
        };
        round();
        *warm += measure(round).count_total;
    }
    info
}

fn jsonschema(workload: &Workload) -> AllocationInfo {
    let setup = Setup::new(&workload.schema, Dialect::Draft202012);
    let parsed: Value = serde_json::from_str(&workload.schema).unwrap_or_default();
    let peer = Jsonschema::default();
    let mut validator = None;
    let info = measure(|| validator = peer.validator(&parsed, &setup).ok());
    drop(validator);
    info
}

/// A geometric mean of ratios.
#[derive(Default)]
struct Mean {
    sum: f64,
    count: f64,
}

impl Mean {
    fn add(&mut self, part: u64, whole: u64) {
        let float = |n: u64| f64::from(u32::try_from(n).unwrap_or(u32::MAX));
        if part > 0 && whole > 0 {
            self.sum += (float(part) / float(whole)).ln();
            self.count += 1.0;
        }
    }

    fn value(&self) -> f64 {
        (self.sum / self.count.max(1.0)).exp()
    }
}

fn number(n: usize) -> u64 {
    u64::try_from(n).unwrap_or(u64::MAX)
}
