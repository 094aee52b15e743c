//! `ajv` through Node.

use std::path::PathBuf;
use std::process::Command;

use serde_json::{Value, json};
use toolsure_bench::workload::Set;

use crate::external;
use crate::measure::{Figure, figure};

/// Measures `ajv` on a set; of a set of many schemas it takes a part, since each takes
/// it milliseconds to compile.
///
/// # Errors
///
/// One line if Node or the package is not to be had, or `ajv` cannot compile the set.
pub(crate) fn measure(set: &Set) -> Result<Vec<(&'static str, Figure)>, String> {
    let home = home()?;
    let work: Vec<Value> = set
        .schemas
        .iter()
        .step_by(set.schemas.len().div_ceil(SCHEMAS).max(1))
        .map(|workload| json!({"schema": workload.schema, "instances": workload.valid}))
        .collect();
    let input = home.join("work.json");
    std::fs::write(&input, Value::Array(work).to_string())
        .map_err(|e| format!("`{}`: {e}", input.display()))?;
    let said = external::run(
        Command::new("node")
            .arg("measure.cjs")
            .arg(&input)
            .current_dir(&home),
    )?;
    let said: Value =
        serde_json::from_str(&said).map_err(|e| format!("node said `{said}`: {e}"))?;
    let mut found = Vec::new();
    for (name, key) in [
        ("compile/ajv", "compile"),
        ("bytes/ajv", "bytes"),
        ("value/ajv", "value"),
    ] {
        let list = said.get(key).and_then(Value::as_array);
        let taken = list.into_iter().flatten().filter_map(Value::as_f64);
        let figure = figure(taken.filter(|nanos| *nanos > 0.0).collect());
        found.push((
            name,
            figure.ok_or_else(|| format!("ajv compiles no schema of `{}`", set.name))?,
        ));
    }
    Ok(found)
}

/// The directory with the package and the script; made on first use.
fn home() -> Result<PathBuf, String> {
    let home = external::home("ajv")?;
    std::fs::write(home.join("measure.cjs"), SCRIPT).map_err(|e| e.to_string())?;
    if !home.join("node_modules/ajv").is_dir() {
        std::fs::write(home.join("package.json"), "{\"private\": true}")
            .map_err(|e| e.to_string())?;
        external::run(
            Command::new("npm")
                .args([
                    "install",
                    "--no-audit",
                    "--no-fund",
                    "ajv@8.20.0",
                    "ajv-draft-04@1.0.0",
                ])
                .current_dir(&home),
        )?;
    }
    Ok(home)
}

/// Schemas of a set that has many, about.
const SCHEMAS: usize = 600;

/// Compiles each schema with the class for its dialect, runs the instances long
/// enough for V8 to settle, and prints the time of each of several passes.
const SCRIPT: &str = r#"
const fs = require("fs");
const work = JSON.parse(fs.readFileSync(process.argv[2], "utf8"));
const options = { strict: false, validateFormats: false, logger: false };
const make = (schema) => {
  const dialect = String((schema && schema.$schema) || "");
  if (dialect.includes("2019-09")) return new (require("ajv/dist/2019").default)(options);
  if (dialect.includes("draft-04")) return new (require("ajv-draft-04").default)(options);
  if (dialect.includes("draft-06") || dialect.includes("draft-07")) {
    const ajv = new (require("ajv").default)(options);
    ajv.addMetaSchema(require("ajv/dist/refs/json-schema-draft-06.json"));
    return ajv;
  }
  return new (require("ajv/dist/2020").default)(options);
};
const now = () => Number(process.hrtime.bigint());
let compile = 0, ready = [];
for (const { schema, instances } of work) {
  const parsed = JSON.parse(schema), ajv = make(parsed);
  try {
    const start = now();
    const validate = ajv.compile(parsed);
    compile += now() - start;
    ready.push({ validate, texts: instances, values: instances.map((text) => JSON.parse(text)) });
  } catch (error) { /* a schema that ajv refuses is left out */ }
}
const count = ready.reduce((sum, { texts }) => sum + texts.length, 0);
const taken = (round) => {
  const passes = [];
  for (let pass = 0; pass < 9; pass++) {
    let runs = 0;
    const start = now();
    while (now() - start < 2e7) { round(); runs++; }
    passes.push((now() - start) / runs / count);
  }
  return passes;
};
let kept = 0;
const value = taken(() => { for (const { validate, values } of ready) for (const v of values) kept += validate(v) ? 1 : 0; });
const bytes = taken(() => { for (const { validate, texts } of ready) for (const t of texts) kept += validate(JSON.parse(t)) ? 1 : 0; });
console.log(JSON.stringify({ compile: ready.length ? [compile / ready.length] : [], bytes, value, kept }));
"#;
