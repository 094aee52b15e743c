//! The official annotation tests: the annotations that a schema gives to each value of an instance.
//!
//! Every case runs under each of the five dialects that its `compatibility` admits, on both
//! instance representations. Annotations are compared as JSON, in the suite's order (the latest
//! first).

use std::path::Path;

use serde_json::Value;
use toolsure_json::{OwnedDocument, ReadLimits};
use toolsure_schema::{Annotations, ValueNode};

use crate::Dialect;
use crate::engine::{Document, Setup};
use crate::ours::{self, Ours};
use crate::place;
use crate::raw;
use crate::tally::Tally;

/// Runs every annotation test under `suite`.
///
/// # Errors
///
/// One line that names what cannot be read.
pub fn run(suite: &Path) -> Result<Tally, String> {
    let folder = suite.join("annotations/tests");
    let mut tally = Tally::default();
    for path in place::files(&folder, "json")? {
        let text = place::text(&path)?;
        let file = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        for case in raw::items(raw::member(&text, "suite").unwrap_or_default()) {
            let compatibility = raw::string(raw::member(case, "compatibility").unwrap_or("\"\""));
            for dialect in Dialect::ALL {
                if admits(&compatibility, dialect)? {
                    one_case(&file, case, dialect, &mut tally);
                }
            }
        }
    }
    if tally.passed + tally.failed == 0 {
        return Err(format!("`{}` holds no tests", folder.display()));
    }
    Ok(tally)
}

fn one_case(file: &str, case: &str, dialect: Dialect, tally: &mut Tally) {
    let description = raw::string(raw::member(case, "description").unwrap_or_default());
    let place = format!("annotations/{file} [{dialect}]: {description}");
    let documents: Vec<Document> =
        raw::members(raw::member(case, "externalSchemas").unwrap_or("{}"))
            .into_iter()
            .map(|(uri, text)| Document {
                uri,
                text: text.to_owned(),
            })
            .collect();
    let setup = Setup {
        documents: &documents,
        ..Setup::new(raw::member(case, "schema").unwrap_or_default(), dialect)
    };
    let mut compiled = match ours::compile(&setup) {
        Ok(compiled) => compiled,
        Err(refusal) => return tally.fail(format!("{place}: refused: {refusal}")),
    };
    for test in raw::items(raw::member(case, "tests").unwrap_or_default()) {
        let instance = raw::member(test, "instance").unwrap_or_default();
        let said = match collected(&mut compiled, instance) {
            Ok(said) => said,
            Err(reason) => {
                tally.fail(format!("{place}: {reason}"));
                continue;
            }
        };
        for assertion in raw::items(raw::member(test, "assertions").unwrap_or_default()) {
            for (way, annotations) in ["bytes", "value"].into_iter().zip(&said) {
                tally.record(
                    asserted(assertion, annotations)
                        .map_err(|reason| format!("{place}: {way}: {reason}")),
                );
            }
        }
    }
}

/// The annotations for both representations.
fn collected(compiled: &mut Ours, instance: &str) -> Result<[Annotations; 2], String> {
    let document =
        OwnedDocument::read(instance, &ReadLimits::default()).map_err(|e| e.to_string())?;
    let value: Value = serde_json::from_str(instance).map_err(|e| e.to_string())?;
    let Ours { schema, workspace } = compiled;
    Ok([
        schema.annotations(workspace, document.document().root()),
        schema.annotations(workspace, ValueNode::new(&value)),
    ])
}

fn asserted(assertion: &str, annotations: &Annotations) -> Result<(), String> {
    let location = raw::string(raw::member(assertion, "location").unwrap_or("\"\""));
    let keyword = raw::string(raw::member(assertion, "keyword").unwrap_or_default());
    let expected: Vec<(String, Value)> =
        raw::members(raw::member(assertion, "expected").unwrap_or_default())
            .into_iter()
            .map(|(place, value)| (place, serde_json::from_str(value).unwrap_or_default()))
            .collect();
    let got: Vec<(String, Value)> = annotations
        .of(&location, &keyword)
        .map(|annotation| {
            let value = serde_json::from_str(&annotation.value).unwrap_or_default();
            (annotation.schema_location.clone(), value)
        })
        .collect();
    if got == expected {
        Ok(())
    } else {
        Err(format!(
            "`{keyword}` at `{location}`: {got:?}, not {expected:?}"
        ))
    }
}

/// Whether a `compatibility` such as `"6,<=2019"` admits the dialect.
fn admits(compatibility: &str, dialect: Dialect) -> Result<bool, String> {
    let release = release(dialect);
    for part in compatibility
        .split(',')
        .map(str::trim)
        .filter(|part| !part.is_empty())
    {
        let number = part.trim_start_matches("<=").trim_start_matches('=');
        let number: u32 = number
            .parse()
            .map_err(|_| format!("`{compatibility}` is not a compatibility"))?;
        let fits = if part.starts_with("<=") {
            release <= number
        } else if part.starts_with('=') {
            release == number
        } else {
            release >= number
        };
        if !fits {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The number of a dialect in `compatibility`.
fn release(dialect: Dialect) -> u32 {
    match dialect {
        Dialect::Draft4 => 4,
        Dialect::Draft6 => 6,
        Dialect::Draft7 => 7,
        Dialect::Draft201909 => 2019,
        Dialect::Draft202012 => 2020,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compatibility_is_a_range_of_releases() {
        assert_eq!(admits("", Dialect::Draft4), Ok(true));
        assert_eq!(admits("6,<=2019", Dialect::Draft7), Ok(true));
        assert_eq!(admits("6,<=2019", Dialect::Draft202012), Ok(false));
        assert_eq!(admits("=2020", Dialect::Draft201909), Ok(false));
        assert!(admits("next", Dialect::Draft4).is_err());
    }
}
