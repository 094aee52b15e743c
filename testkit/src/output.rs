//! The official output tests: each output must match the schema that the test gives.
//!
//! Our own engine checks the outputs, because it has the output metaschemas bundled. The folder
//! `v1` tests the newer output formats; its schemas use only features of 2020-12 and are compiled
//! as 2020-12.

use std::path::Path;

use serde_json::Value;
use toolsure_json::{OwnedDocument, ReadLimits};
use toolsure_schema::{OutputFormat, ValueNode};

use crate::Dialect;
use crate::engine::{Answer, Document, Setup};
use crate::ours::{self, Ours};
use crate::place;
use crate::raw;
use crate::tally::Tally;

/// Runs every output test under `suite`.
///
/// # Errors
///
/// One line that names what cannot be read.
pub fn run(suite: &Path) -> Result<Tally, String> {
    let mut tally = Tally::default();
    for (name, dialect) in [
        ("draft2019-09", Dialect::Draft201909),
        ("draft2020-12", Dialect::Draft202012),
        ("v1", Dialect::Draft202012),
    ] {
        let folder = suite.join("output-tests").join(name);
        // Releases of the suite before 2026 do not have this folder.
        if name == "v1" && !folder.is_dir() {
            continue;
        }
        let metaschema = Document {
            uri: format!(
                "https://json-schema.org/{}/output/schema",
                name.replace("draft", "draft/")
            ),
            text: as_dialect(&place::text(&folder.join("output-schema.json"))?),
        };
        for path in place::files(&folder.join("content"), "json")? {
            let text = as_dialect(&place::text(&path)?);
            let file = path
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            for case in raw::items(&text) {
                let place = format!(
                    "output-tests/{name}/{file}: {}",
                    raw::string(raw::member(case, "description").unwrap_or_default())
                );
                one_case(&place, case, dialect, &metaschema, &mut tally);
            }
        }
    }
    Ok(tally)
}

/// Material for the unnamed next release, declared as 2020-12.
fn as_dialect(text: &str) -> String {
    text.replace(
        "\"https://json-schema.org/v1\"",
        &format!("\"{}\"", Dialect::Draft202012.uri()),
    )
}

fn one_case(place: &str, case: &str, dialect: Dialect, metaschema: &Document, tally: &mut Tally) {
    let setup = Setup::new(raw::member(case, "schema").unwrap_or_default(), dialect);
    let mut compiled = match ours::compile(&setup) {
        Ok(compiled) => compiled,
        Err(refusal) => return tally.fail(format!("{place}: refused: {refusal}")),
    };
    for test in raw::items(raw::member(case, "tests").unwrap_or_default()) {
        let description = raw::string(raw::member(test, "description").unwrap_or_default());
        let data = raw::member(test, "data").unwrap_or_default();
        for (name, wanted) in raw::members(raw::member(test, "output").unwrap_or_default()) {
            let result = written(&mut compiled, data, &name)
                .and_then(|outputs| judged(&outputs, wanted, dialect, metaschema));
            tally.record(
                result.map_err(|reason| format!("{place}: {description}: {name}: {reason}")),
            );
        }
    }
}

/// The output for both representations.
fn written(compiled: &mut Ours, data: &str, name: &str) -> Result<[String; 2], String> {
    let format = OutputFormat::from_name(name).ok_or_else(|| format!("no format is `{name}`"))?;
    let document = OwnedDocument::read(data, &ReadLimits::default()).map_err(|e| e.to_string())?;
    let value: Value = serde_json::from_str(data).map_err(|e| e.to_string())?;
    let Ours { schema, workspace } = compiled;
    Ok([
        schema.output(workspace, document.document().root(), format),
        schema.output(workspace, ValueNode::new(&value), format),
    ])
}

fn judged(
    outputs: &[String],
    wanted: &str,
    dialect: Dialect,
    metaschema: &Document,
) -> Result<(), String> {
    let setup = Setup {
        documents: std::slice::from_ref(metaschema),
        ..Setup::new(wanted, dialect)
    };
    let mut wanted = ours::compile(&setup).map_err(|e| format!("the test's schema: {e}"))?;
    for output in outputs {
        match wanted.check_bytes(output.as_bytes()) {
            Answer::Valid => {}
            other => return Err(format!("{other}: {output}")),
        }
    }
    Ok(())
}
