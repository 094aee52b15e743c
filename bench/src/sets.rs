//! Finds the workloads to run: ours, the public benchmarks and the corpus.

use std::collections::HashMap;

use toolsure_testkit::corpus::{self, Side};
use toolsure_testkit::place::{self, Material};
use toolsure_testkit::raw;

use crate::workload::{Set, Workload};
use crate::{mutate, synthetic};

/// Which sets to run.
#[derive(Clone, Debug, Default)]
pub struct Choice {
    /// Sets by name (a part of the name is enough); none means all.
    pub names: Vec<String>,
    /// Only sets of this origin.
    pub only: Option<String>,
}

/// The sets that were chosen.
///
/// # Errors
///
/// One line if a file is not in its layout or nothing is left to run.
pub fn chosen(choice: &Choice) -> Result<Vec<Set>, String> {
    let wanted = |name: &str, origin: &str| {
        let named =
            choice.names.is_empty() || choice.names.iter().any(|part| name.contains(part.as_str()));
        named && choice.only.as_deref().is_none_or(|only| only == origin)
    };
    let mut sets = synthetic::sets();
    sets.retain(|set| wanted(&set.name, set.origin));
    match Material::Bench.directory(None) {
        Ok(directory) => {
            for path in place::files(&directory, "jsonl")? {
                let name = path.file_stem().unwrap_or_default().to_string_lossy();
                if !wanted(&name, "bench") {
                    continue;
                }
                sets.push(Set {
                    schemas: public(&place::text(&path)?),
                    name: name.into_owned(),
                    origin: "bench",
                });
            }
        }
        Err(why) => eprintln!("without the public benchmarks: {why}"),
    }
    let corpus: Vec<(Side, &str)> = CORPUS
        .into_iter()
        .filter(|(_, name)| wanted(name, "corpus"))
        .collect();
    if !corpus.is_empty() {
        match Material::Corpus.directory(None) {
            Ok(directory) => sets.extend(published(&corpus::load(&directory)?, &corpus)),
            Err(why) => eprintln!("without the corpus: {why}"),
        }
    }
    if sets.is_empty() {
        return Err("no set has that name".to_owned());
    }
    Ok(sets)
}

/// A file of the public benchmarks: `{"schema": text, "instances": [text, …]}` a line,
/// every instance valid.
fn public(text: &str) -> Vec<Workload> {
    text.lines()
        .map(|line| {
            let schema = raw::string(raw::member(line, "schema").unwrap_or_default());
            let valid: Vec<String> = raw::items(raw::member(line, "instances").unwrap_or_default())
                .into_iter()
                .map(raw::string)
                .collect();
            Workload {
                invalid: mutate::broken(&schema, &valid),
                schema,
                valid,
            }
        })
        .collect()
}

/// The corpus as two sets: arguments of calls, and results.
fn published(listings: &[corpus::Listing], chosen: &[(Side, &str)]) -> Vec<Set> {
    let mut sets = Vec::new();
    for &(side, name) in chosen {
        let mut schemas = Vec::new();
        for listing in listings {
            let mut values: HashMap<&str, (Vec<String>, Vec<String>)> = HashMap::new();
            for value in listing.values.iter().filter(|value| value.side == side) {
                // Generated issue keys of 4 kB, a few, would be half of all that patterns read.
                if value.text.split('"').any(|part| part.len() > LONGEST_TEXT) {
                    continue;
                }
                let (valid, invalid) = values.entry(&value.tool).or_default();
                let list = if value.valid { valid } else { invalid };
                list.push(value.text.clone());
            }
            for schema in listing.schemas.iter().filter(|schema| schema.side == side) {
                if let Some((valid, invalid)) = values.remove(schema.tool.as_str()) {
                    schemas.push(Workload {
                        schema: schema.text.clone(),
                        valid,
                        invalid,
                    });
                }
            }
        }
        sets.push(Set {
            name: name.to_owned(),
            origin: "corpus",
            schemas,
        });
    }
    sets
}

/// Values of the corpus with a longer string are left out: two in a thousand.
const LONGEST_TEXT: usize = 1_024;
/// The sets of the corpus: what the tools are called with, and what they answer.
const CORPUS: [(Side, &str); 2] = [
    (Side::Input, "mcp-arguments"),
    (Side::Output, "mcp-results"),
];
