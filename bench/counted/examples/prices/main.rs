//! Nanoseconds of CPU time per unit of fuel, for each operation on one value and each format.
//!
//! `cargo run --release -p toolsure-counted --example prices [WORD…]`: words choose rows by a part of
//! their name. A unit is meant to stand for 10 to 40 ns; a row far above that is a price that is too low.
//! `… --example prices SCHEMA INSTANCE`: what one check of two files takes, formats asserted.
//! Linux only, since it reads the thread's CPU time from `/proc`.

mod rows;

use std::hint::black_box;

use rows::{Row, rows};
use serde_json::{Value, json};
use toolsure_schema::{Compiler, Content, Formats, Limits, ValueNode, Workspace};

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let [schema, instance] = words.as_slice()
        && let (Ok(schema), Ok(instance)) = (std::fs::read(schema), std::fs::read(instance))
    {
        return pair(&schema, &instance);
    }
    println!(
        "{:<36} {:>10} {:>10} {:>8}",
        "row", "ns/item", "units/item", "ns/unit"
    );
    for row in rows() {
        if words.is_empty() || words.iter().any(|word| row.name.contains(word)) {
            measure(&row);
        }
    }
}

/// What one check takes with the default limits.
fn pair(schema: &[u8], instance: &[u8]) {
    let schema = match Compiler::new().formats(Formats::Assert).compile(schema) {
        Ok(schema) => schema,
        Err(error) => return println!("{error}"),
    };
    let mut workspace = Workspace::new();
    let mut took = |what: &str| {
        let before = cpu();
        let verdict = schema.check(&mut workspace, instance);
        let verdict = verdict.map_or_else(|e| e.to_string(), |verdict| verdict.to_string());
        let (spent, units) = ((cpu() - before) / 1e6, workspace.fuel_used());
        println!("{what}: {spent:.0} ms for {units} units, {verdict}");
    };
    took("first");
    took("again");
}

fn measure(row: &Row) {
    let limits = Limits {
        fuel: u64::MAX,
        ..Limits::default()
    };
    let compiler = Compiler::new()
        .formats(Formats::AssertWithNumbers)
        .content(Content::Assert)
        .limits(limits);
    let schema = match compiler.compile_value(&json!({"items": row.schema})) {
        Ok(schema) => schema,
        Err(error) => {
            println!("{:<36} {error}", row.name);
            return;
        }
    };
    let size = row.item.to_string().len();
    let count = (1_000_000 / size.max(1)).clamp(1, 50_000);
    let instance = Value::Array(vec![row.item.clone(); count]);
    let mut workspace = Workspace::new();
    let mut best = f64::MAX;
    let mut verdict = None;
    // The kernel counts a thread's time in steps of some milliseconds.
    let mut rounds = 1_u32;
    while best == f64::MAX {
        let before = cpu();
        for _ in 0..rounds {
            verdict = Some(black_box(
                schema.check(&mut workspace, ValueNode::new(&instance)),
            ));
        }
        let spent = cpu() - before;
        if spent > ENOUGH || verdict.is_some_and(|verdict| !verdict.is_valid()) {
            best = spent / f64::from(rounds);
        }
        rounds *= 4;
    }
    let items = f64::from(u32::try_from(count).unwrap_or(u32::MAX));
    let units = f64::from(u32::try_from(workspace.fuel_used()).unwrap_or(u32::MAX));
    let verdict = verdict.map_or(String::new(), |verdict| verdict.to_string());
    println!(
        "{:<36} {:>10.1} {:>10.2} {:>8.1} {verdict}",
        row.name,
        best / items,
        units / items,
        best / units
    );
}

/// Nanoseconds that are measured at least.
const ENOUGH: f64 = 60e6;

/// CPU time of this thread in nanoseconds.
fn cpu() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let first = text.split(' ').next().unwrap_or_default();
    first.parse().unwrap_or(0.0)
}
