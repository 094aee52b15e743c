//! Projections for machines: one JSON document.
//!
//! ```text
//! {
//!   "version": 1,
//!   "exit": 0,                          // the process's exit code
//!   "for": "openai-strict",
//!   "reports": [{                       // one per server or file
//!     "target": "listing.json",
//!     "fault": null,                    // why there is no listing, in words
//!     "tools": [{
//!       "index": 0,                     // its place in the listing
//!       "name": "find", "published": "find",
//!       "relation": "narrower",         // equal, wider, narrower, wider-and-narrower, undecided; null if refused
//!       "wider": null,                  // arguments that only the projected schema takes
//!       "narrower": {"q": "a"},         // arguments that only the original takes
//!       "why": null,                    // what is not known, if it is undecided
//!       "steps": [{"kind": "close", "pointer": "/inputSchema", "detail": "", "what": "…", "why": "…"}],
//!       "moreSteps": 0,
//!       "projected": {…},               // the tool as it is published; null if refused
//!       "refused": null                 // why it is left out, in words
//!     }]
//!   }]
//! }
//! ```
//!
//! A version may get new members, but its names and kinds do not change.

use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use toolsure_analysis::project::{Projected, RefusedTool, Relation};
use toolsure_analysis::readers::Reader;

use super::page::Page;
use crate::exit::{Exit, Failure};
use crate::render::json::harmless;

#[derive(Serialize)]
struct Document<'p> {
    version: u8,
    exit: u8,
    r#for: &'static str,
    reports: Vec<Report<'p>>,
}

#[derive(Serialize)]
struct Report<'p> {
    target: &'p str,
    fault: Option<String>,
    tools: Vec<Tool<'p>>,
}

/// Schemas and arguments are written unchanged, including numbers and the order of members.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Tool<'p> {
    index: usize,
    name: Option<&'p str>,
    published: Option<&'p str>,
    relation: Option<&'static str>,
    wider: Option<Box<RawValue>>,
    narrower: Option<Box<RawValue>>,
    why: Option<&'static str>,
    steps: Vec<Step<'p>>,
    more_steps: usize,
    projected: Option<Box<RawValue>>,
    refused: Option<String>,
}

#[derive(Serialize)]
struct Step<'p> {
    kind: &'static str,
    pointer: &'p str,
    detail: &'p str,
    what: &'static str,
    why: &'static str,
}

/// Renders all pages as one document.
pub(crate) fn render(pages: &[Page], reader: &Reader, exit: Exit) -> Result<String, Failure> {
    let reports: Result<Vec<Report<'_>>, serde_json::Error> = pages.iter().map(report).collect();
    let text = reports.and_then(|reports| {
        serde_json::to_string_pretty(&Document {
            version: 1,
            exit: exit.code(),
            r#for: reader.name,
            reports,
        })
    });
    let text = text.map_err(|error| Failure::usage(format!("cannot write the report: {error}")))?;
    Ok(format!("{}\n", harmless(&text)))
}

fn report(page: &Page) -> Result<Report<'_>, serde_json::Error> {
    let tools = page.projection.tools.iter();
    let tools = tools.map(|tool| match tool {
        Ok(tool) => projected(tool),
        Err(refused) => Ok(left_out(refused)),
    });
    Ok(Report {
        target: &page.listing.target,
        fault: page.listing.fault.as_ref().map(ToString::to_string),
        tools: tools.collect::<Result<_, _>>()?,
    })
}

fn projected(tool: &Projected) -> Result<Tool<'_>, serde_json::Error> {
    let relation = &tool.input.relation;
    let steps = tool.steps.iter().chain(&tool.input.steps);
    Ok(Tool {
        index: tool.index,
        name: Some(&tool.name),
        published: Some(&tool.published),
        relation: Some(relation.name()),
        wider: relation.wider().map(raw).transpose()?,
        narrower: relation.narrower().map(raw).transpose()?,
        why: match relation {
            Relation::Undecided { why, .. } => Some(why),
            _ => None,
        },
        steps: steps.map(step).collect(),
        more_steps: tool.input.more_steps,
        projected: Some(raw(&tool.text)?),
        refused: None,
    })
}

fn left_out(refused: &RefusedTool) -> Tool<'_> {
    Tool {
        index: refused.index,
        name: refused.name.as_deref(),
        published: None,
        relation: None,
        wider: None,
        narrower: None,
        why: None,
        steps: Vec::new(),
        more_steps: 0,
        projected: None,
        refused: Some(refused.reason.to_string()),
    }
}

fn step(step: &toolsure_analysis::project::Step) -> Step<'_> {
    Step {
        kind: step.kind.name(),
        pointer: &step.pointer,
        detail: &step.detail,
        what: step.kind.what(),
        why: step.kind.why(),
    }
}

/// JSON text unchanged, or as a string if `serde_json` cannot parse it.
fn raw(text: &str) -> Result<Box<RawValue>, serde_json::Error> {
    RawValue::from_string(text.to_owned()).or_else(|_| to_raw_value(text))
}
