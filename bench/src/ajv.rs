//! `ajv` through Node: installed below the target directory, run on the same sets.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::measure::Ajv;
use crate::sets::Set;

/// Measures `ajv` on a set.
///
/// # Errors
///
/// One line if Node or the package is not to be had, or `ajv` cannot compile the set.
pub(crate) fn measure(set: &Set) -> Result<Ajv, String> {
    let home = home()?;
    let work: Vec<Value> = set
        .schemas
        .iter()
        .map(|workload| json!({"schema": workload.schema, "instances": workload.valid}))
        .collect();
    let input = home.join("work.json");
    std::fs::write(&input, Value::Array(work).to_string())
        .map_err(|e| format!("`{}`: {e}", input.display()))?;
    let said = run(Command::new("node")
        .arg("measure.cjs")
        .arg(&input)
        .current_dir(&home))?;
    let said: Value =
        serde_json::from_str(&said).map_err(|e| format!("node said `{said}`: {e}"))?;
    let number = |key: &str| {
        said.get(key)
            .and_then(Value::as_f64)
            .filter(|number| *number > 0.0)
            .ok_or_else(|| format!("ajv compiles no schema of `{}`", set.name))
    };
    Ok(Ajv {
        compile: number("compile")?,
        bytes: number("bytes")?,
        value: number("value")?,
    })
}

/// The directory with the package and the script; made on first use.
fn home() -> Result<PathBuf, String> {
    let own = std::env::current_exe().map_err(|e| e.to_string())?;
    let target = own
        .parent()
        .and_then(Path::parent)
        .ok_or("this program has no target directory")?;
    let home = target.join("ajv");
    std::fs::create_dir_all(&home).map_err(|e| format!("`{}`: {e}", home.display()))?;
    std::fs::write(home.join("measure.cjs"), SCRIPT).map_err(|e| e.to_string())?;
    if !home.join("node_modules/ajv").is_dir() {
        std::fs::write(home.join("package.json"), "{\"private\": true}")
            .map_err(|e| e.to_string())?;
        run(Command::new("npm")
            .args(["install", "--no-audit", "--no-fund", "ajv", "ajv-draft-04"])
            .current_dir(&home))?;
    }
    Ok(home)
}

fn run(command: &mut Command) -> Result<String, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|e| format!("`{name}`: {e}"))?;
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    } else {
        let said = String::from_utf8_lossy(&output.stderr);
        Err(format!(
            "`{name}`: {}",
            said.lines().next().unwrap_or("failed")
        ))
    }
}

/// Compiles each schema with the class for its dialect, runs the instances long
/// enough for V8 to settle, and prints the least time of several passes.
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
const least = (round) => {
  let best = Infinity;
  for (let pass = 0; pass < 9; pass++) {
    let runs = 0;
    const start = now();
    while (now() - start < 2e7) { round(); runs++; }
    best = Math.min(best, (now() - start) / runs / count);
  }
  return best;
};
let kept = 0;
const value = least(() => { for (const { validate, values } of ready) for (const v of values) kept += validate(v) ? 1 : 0; });
const bytes = least(() => { for (const { validate, texts } of ready) for (const t of texts) kept += validate(JSON.parse(t)) ? 1 : 0; });
console.log(JSON.stringify({ compile: ready.length ? compile / ready.length : 0, bytes, value, kept }));
"#;
