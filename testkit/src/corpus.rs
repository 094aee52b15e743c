//! The corpus: tool listings of published servers, and labelled values for their tools.
//!
//! `listings/NAME.json` contains `{"tools": [{"name", "inputSchema", "outputSchema"}]}`.
//! `instances/NAME.jsonl` contains one `{"tool", "which", "instance", "valid"}` per line, labelled
//! by validators that do not assert `format`.

use std::collections::HashMap;
use std::path::Path;

use crate::Dialect;
use crate::engine::{Compiled, Engine, Setup};
use crate::place;
use crate::raw;
use crate::tally::Tally;

/// One server's listing with its labelled values.
#[derive(Clone, Debug)]
pub struct Listing {
    /// The file name without its extension.
    pub name: String,
    /// Every schema of every tool, in listing order.
    pub schemas: Vec<ToolSchema>,
    /// The labelled values.
    pub values: Vec<Labelled>,
}

/// A schema of a tool.
#[derive(Clone, Debug)]
pub struct ToolSchema {
    /// The tool's name.
    pub tool: String,
    /// Which of the tool's two schemas this is.
    pub side: Side,
    /// The schema's text.
    pub text: String,
}

/// Which schema of a tool a value is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// `inputSchema`: the arguments of a call.
    Input,
    /// `outputSchema`: the structured result.
    Output,
}

/// A value with its expected verdict.
#[derive(Clone, Debug)]
pub struct Labelled {
    /// The tool's name.
    pub tool: String,
    /// The schema that it is checked against.
    pub side: Side,
    /// The value's text.
    pub text: String,
    /// Whether the schema accepts it.
    pub valid: bool,
}

/// The results of the corpus on one engine.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// The labelled values whose verdict matched the label, and the others.
    pub values: Tally,
    /// How many schemas compiled.
    pub compiled: u64,
    /// Every schema that was refused: the server, the tool, the reason.
    pub refused: Vec<String>,
}

/// Reads every listing under `corpus`.
///
/// # Errors
///
/// One line that names what cannot be read.
pub fn load(corpus: &Path) -> Result<Vec<Listing>, String> {
    let mut listings = Vec::new();
    for path in place::files(&corpus.join("listings"), "json")? {
        let name = path
            .file_stem()
            .map(|stem| stem.to_string_lossy().into_owned())
            .unwrap_or_default();
        let text = place::text(&path)?;
        let mut schemas = Vec::new();
        for tool in raw::items(raw::member(&text, "tools").unwrap_or_default()) {
            let tool_name = raw::string(raw::member(tool, "name").unwrap_or_default());
            for (key, side) in [("inputSchema", Side::Input), ("outputSchema", Side::Output)] {
                if let Some(schema) = raw::member(tool, key).filter(|text| *text != "null") {
                    schemas.push(ToolSchema {
                        tool: tool_name.clone(),
                        side,
                        text: schema.to_owned(),
                    });
                }
            }
        }
        let instances = corpus.join("instances").join(format!("{name}.jsonl"));
        let values = if instances.is_file() {
            values(&instances)?
        } else {
            Vec::new()
        };
        listings.push(Listing {
            name,
            schemas,
            values,
        });
    }
    Ok(listings)
}

/// A compiled schema, or why there is none.
type Judge = Result<Box<dyn Compiled>, String>;

/// Compiles every schema and checks every labelled value with one engine.
#[must_use]
pub fn run(listings: &[Listing], engine: &dyn Engine) -> Outcome {
    let mut outcome = Outcome::default();
    for listing in listings {
        let mut compiled: HashMap<(&str, Side), Judge> = HashMap::new();
        for schema in &listing.schemas {
            let result = engine
                .compile(&Setup::new(&schema.text, Dialect::Draft202012))
                .map_err(|refusal| refusal.to_string());
            match &result {
                Ok(_) => outcome.compiled += 1,
                Err(reason) => outcome.refused.push(format!(
                    "{}: {} ({:?}): {reason}",
                    listing.name, schema.tool, schema.side
                )),
            }
            compiled.insert((&schema.tool, schema.side), result);
        }
        for value in &listing.values {
            let judged = match compiled.get_mut(&(value.tool.as_str(), value.side)) {
                None => Err("the listing has no such schema".to_owned()),
                Some(Err(reason)) => Err(format!("its schema is refused: {reason}")),
                Some(Ok(schema)) => {
                    let answer = schema.check(&value.text);
                    if answer.verdict() == Some(value.valid) {
                        Ok(())
                    } else {
                        Err(format!("{answer}, labelled valid: {}", value.valid))
                    }
                }
            };
            outcome.values.record(judged.map_err(|reason| {
                let shown: String = value.text.chars().take(200).collect();
                format!(
                    "{} on {}: {} ({:?}): {reason}: `{shown}`",
                    engine.name(),
                    listing.name,
                    value.tool,
                    value.side
                )
            }));
        }
    }
    outcome
}

fn values(path: &Path) -> Result<Vec<Labelled>, String> {
    let text = place::text(path)?;
    let mut found = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let lacks = || {
            format!(
                "`{}` line {}: not a labelled value",
                path.display(),
                number + 1
            )
        };
        found.push(Labelled {
            tool: raw::string(raw::member(line, "tool").ok_or_else(lacks)?),
            side: match raw::member(line, "which") {
                Some("\"input\"") => Side::Input,
                Some("\"output\"") => Side::Output,
                _ => return Err(lacks()),
            },
            text: raw::member(line, "instance").ok_or_else(lacks)?.to_owned(),
            valid: match raw::member(line, "valid") {
                Some("true") => true,
                Some("false") => false,
                _ => return Err(lacks()),
            },
        });
    }
    Ok(found)
}
