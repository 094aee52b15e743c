//! Blaze through its command line: the verdict on its own parsed document.
//!
//! The package measures nothing else: no parsing and no compiling. It would repeat
//! one instance after the other, which no user does; so the instances are items of
//! one array, and the schema is below `items`.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use toolsure_bench::workload::{Set, Workload};

use crate::external;
use crate::measure::{Figure, figure};

/// Measures Blaze on a set; of a set of many schemas it takes a part, since
/// each costs processes.
///
/// # Errors
///
/// One line if Python or the package is not to be had, or nothing could be measured.
pub(crate) fn measure(set: &Set) -> Result<Vec<(&'static str, Figure)>, String> {
    let home = external::home("blaze")?;
    let program = home.join("python/bin/jsonschema");
    if !program.is_file() {
        external::run(
            Command::new("python3")
                .args(["-m", "venv"])
                .arg(home.join("python")),
        )?;
        external::run(Command::new(home.join("python/bin/pip")).args(["install", "-q", PACKAGE]))?;
    }
    let step = set.schemas.len().div_ceil(SCHEMAS).max(1);
    let mut passes = [(0.0, 0.0); PASSES];
    let mut why = String::new();
    for workload in set.schemas.iter().step_by(step) {
        let count = f64::from(u32::try_from(workload.valid.len()).unwrap_or(u32::MAX));
        for (nanos, instances) in &mut passes {
            match one(&program, &home, workload) {
                Ok(taken) => {
                    *nanos += taken;
                    *instances += count;
                }
                Err(reason) => why = reason,
            }
        }
    }
    let whole = passes.iter().filter(|(_, instances)| *instances > 0.0);
    let means = whole.map(|(nanos, instances)| nanos / instances);
    let figure = figure(means.collect()).ok_or(format!("blaze measures nothing: {why}"))?;
    Ok(vec![("value/blaze", figure)])
}

/// Nanoseconds for all valid instances of one schema.
fn one(program: &Path, home: &Path, workload: &Workload) -> Result<f64, String> {
    if workload.valid.is_empty() {
        return Err("no instances".to_owned());
    }
    let (file, all) = (home.join("schema.json"), home.join("instances.json"));
    let schema = of_items(&workload.schema)?;
    std::fs::write(&file, schema).map_err(|e| e.to_string())?;
    std::fs::write(&all, format!("[{}]", workload.valid.join(","))).map_err(|e| e.to_string())?;
    let said = external::run(
        Command::new(program)
            .arg("validate")
            .args([&file, &all])
            .args(["--benchmark", "--fast", "--loop", LOOP]),
    )?;
    said.lines()
        .find_map(nanos)
        .ok_or_else(|| format!("blaze said `{}`", said.trim()))
}

/// The mean of a line `FILE: PASS MEAN +- DEVIATION us (…)`.
fn nanos(line: &str) -> Option<f64> {
    let (_, rest) = line.split_once(": PASS ")?;
    let (mean, _) = rest.split_once(" +- ")?;
    mean.trim().parse::<f64>().ok().map(|micros| micros * 1e3)
}

/// A schema of arrays whose items match `schema`. Its references keep their meaning,
/// since it becomes a resource with an absolute name of its own.
fn of_items(schema: &str) -> Result<String, String> {
    let parsed = serde_json::from_str::<Value>(schema).map_err(|e| e.to_string())?;
    let Value::Object(mut inner) = parsed else {
        return Err("a boolean schema".to_owned());
    };
    let dialect = inner
        .get("$schema")
        .and_then(Value::as_str)
        .unwrap_or("https://json-schema.org/draft/2020-12/schema")
        .to_owned();
    let id = if dialect.contains("draft-04") {
        "id"
    } else {
        "$id"
    };
    let old = dialect.contains("/draft-0");
    let absolute = |name: &Value| name.as_str().is_some_and(|name| name.contains("://"));
    if !inner.get(id).is_some_and(absolute) {
        inner.insert(id.to_owned(), "tag:toolsure,2026:inner".into());
    }
    inner.insert("$schema".to_owned(), dialect.clone().into());
    let name = inner.get(id).cloned().unwrap_or_default();
    let place = if old { "definitions" } else { "$defs" };
    Ok(json!({
        "$schema": dialect, id: "tag:toolsure,2026:outer", "type": "array",
        "items": {"$ref": name}, place: {"inner": inner},
    })
    .to_string())
}

/// The package of the command line, on PyPI.
const PACKAGE: &str = "sourcemeta-jsonschema==17.3.0";
/// How often all instances are repeated.
const LOOP: &str = "100";
/// How often the program is run on each schema.
const PASSES: usize = 3;
/// Schemas of a set that has many, about.
const SCHEMAS: usize = 200;
