//! Explaining hostile pairs stays within its bounds. Needs `../shared` and
//! Python to make them; ignored without it.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a panic is how a test fails"
)]

use std::process::Command;
use std::time::{Duration, Instant};

use toolsure_schema::{Compiler, Formats, OutputFormat, Report, Verdict, Workspace};

/// In a thread with as little stack as a small runtime gives.
#[toolsure_needs::needs("hostile/generate.py")]
#[test]
fn hostile_pairs_are_explained_within_bounds() {
    let generator = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/hostile/generate.py");
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("hostile");
    let made = Command::new("python3").arg(generator).arg(&folder).output();
    assert!(made.unwrap().status.success());
    let worker = std::thread::Builder::new()
        .stack_size(256 << 10)
        .spawn(move || run(&folder));
    worker.unwrap().join().unwrap();
}

fn run(folder: &std::path::Path) {
    let index = std::fs::read_to_string(folder.join("index.jsonl")).unwrap();
    let mut times = Vec::new();
    let mut wrong = Vec::new();
    for line in index.lines() {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        let name = format!("{}.{}", line["name"].as_str().unwrap(), line["n"]);
        let schema = std::fs::read(folder.join(line["schema"].as_str().unwrap())).unwrap();
        let instance = std::fs::read(folder.join(line["instance"].as_str().unwrap())).unwrap();
        let mut compiler = Compiler::new();
        if line["format"] == true {
            compiler = compiler.formats(Formats::Assert);
        }
        let Ok(schema) = compiler.compile(&schema) else {
            continue;
        };
        let mut workspace = Workspace::new();
        let start = Instant::now();
        let Ok(report) = schema.explain(&mut workspace, &instance) else {
            continue;
        };
        let explained = start.elapsed();
        let summary = report.summary().to_string();
        let plan = schema.check(&mut workspace, &instance).unwrap();
        let both = (report.verdict, plan);
        let opposite = matches!(
            both,
            (Verdict::Valid, Verdict::Invalid) | (Verdict::Invalid, Verdict::Valid)
        );
        if opposite {
            wrong.push(format!("{name}: {both:?}"));
        }
        if summary.len() > 2_200 || report.findings.len() > Report::FINDINGS {
            wrong.push(format!("{name}: {} bytes of summary", summary.len()));
        }
        let start = Instant::now();
        let output = schema
            .output(&mut workspace, &instance, OutputFormat::Hierarchical)
            .unwrap();
        let written = start.elapsed();
        assert!(output.len() < 40 << 20, "{name}: {} bytes", output.len());
        if explained.max(written) > LIMIT {
            wrong.push(format!("{name}: {explained:?}, {written:?}"));
        }
        times.push((
            explained,
            written,
            name,
            report.complete,
            report.findings.len(),
        ));
    }
    times.sort_by_key(|entry| std::cmp::Reverse(entry.0.max(entry.1)));
    for entry in times.iter().take(12) {
        eprintln!("{entry:?}");
    }
    assert!(times.len() > 100, "only {} pairs", times.len());
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// The fuel of two evaluations is worth less; the rest is for a busy machine.
const LIMIT: Duration = Duration::from_secs(5);
