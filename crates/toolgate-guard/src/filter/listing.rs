//! Which tools of a page may be listed, and how the page is told to its reader.

use std::sync::Arc;

use toolgate_analysis::inline::{InlineLimits, inline_view};
use toolgate_json::quote;
use toolgate_mcp::catalog::Listing;
use toolgate_mcp::contract::Isolated;
use toolgate_mcp::era::Era;
use toolgate_mcp::message::Edits;
use toolgate_mcp::project::{Listed, Lost, Projection};

use super::{drift, results};
use crate::fault::Act;
use crate::guard::Rules;
use crate::policy::{BadTools, Mode, Policy};
use crate::record::Filter;
use crate::scope::{Found, Tools};
use crate::share::SharedState;

/// A page on its way to its reader.
pub(crate) struct PageCase<'p> {
    pub(crate) rules: &'p Rules,
    pub(crate) listing: &'p Listing,
    /// The list that the page is part of.
    pub(crate) tools: &'p Tools,
    /// What is shared with other guards.
    pub(crate) shared: Option<&'p SharedState>,
    pub(crate) cursor: Option<&'p str>,
    pub(crate) reader: Era,
    /// Whether the page goes on with tools that cannot be read, so as it came.
    pub(crate) keeps_unreadable: bool,
    /// Whether HTTP headers will repeat parts of calls.
    pub(crate) http: bool,
}

/// What became of a page.
pub(crate) struct Presented {
    pub(crate) text: String,
    pub(crate) remarks: Vec<Remark>,
    /// How many things its reader is told otherwise than the server wrote them.
    pub(crate) rewritten: usize,
}

/// Something that is to be said of a tool.
#[derive(Debug)]
pub(crate) struct Remark {
    pub(crate) filter: Filter,
    pub(crate) act: Act,
    pub(crate) tool: Option<Arc<str>>,
    pub(crate) detail: String,
    /// Whether the tool, or what is wrong with it, was left out.
    pub(crate) left_out: bool,
}

/// Judges the tools of a page and tells the rest.
///
/// # Errors
///
/// The server is rejected for its tools; why.
pub(crate) fn tell(case: &PageCase<'_>) -> Result<Presented, Arc<str>> {
    if let Some(why) = rejection(case.rules, case.tools) {
        return Err(why);
    }
    let policy = &case.rules.policy;
    let inlined = policy.inline_refs.then(|| without_references(case.listing));
    let listing = inlined.flatten();
    let listing = listing.as_ref().unwrap_or(case.listing);
    let mut remarks = Vec::new();
    for isolated in unreadable(case.listing) {
        remarks.push(Remark::bad(isolated, !case.keeps_unreadable));
    }
    let told =
        projection(policy, case).list_keeping(listing, |listed| judge(case, listed, &mut remarks));
    let rewritten = told
        .lost
        .iter()
        .filter(|lost| !matches!(lost, Lost::Tool(_)))
        .count();
    Ok(Presented {
        text: told.text,
        remarks,
        rewritten,
    })
}

/// Why no tool of this list may be used at all, if so.
pub(crate) fn rejection(rules: &Rules, tools: &Tools) -> Option<Arc<str>> {
    let policy = &rules.policy;
    if policy.bad_tools != BadTools::RejectServer {
        return None;
    }
    tools.rejected(rules.generation, || {
        let bad = tools.isolated().find_map(|isolated| {
            let terms = policy.terms(isolated.name.as_deref().unwrap_or_default());
            (terms.listing == Mode::Enforce).then(|| isolated.to_string())
        });
        let why = bad.or_else(|| {
            tools.all().find_map(|tool| {
                let name = tool.contract.name();
                if policy.terms(name).listing != Mode::Enforce {
                    return None;
                }
                let why = tool.contract.verify().err()?;
                Some(format!("tool `{}` has an {why}", quote(name, NAME)))
            })
        })?;
        Some(Arc::from(format!(
            "the server is rejected for its tools: {why}"
        )))
    })
}

fn projection(policy: &Policy, case: &PageCase<'_>) -> Projection {
    let projection = results::projection(policy, case.reader);
    if case.http {
        projection.over_http()
    } else {
        projection
    }
}

/// Whether a tool stays on the page.
fn judge(case: &PageCase<'_>, listed: &Listed<'_>, remarks: &mut Vec<Remark>) -> bool {
    let policy = &case.rules.policy;
    let name = listed.name.unwrap_or_default();
    let terms = policy.terms(name);
    let tool = || listed.name.map(Arc::from);
    if terms.hidden {
        remarks.push(Remark {
            filter: Filter::Admission,
            act: Act::ToolHidden,
            tool: tool(),
            detail: String::new(),
            left_out: true,
        });
        return false;
    }
    let bad = match listed.fault {
        Some(fault) => Some((Act::ServerListedBadTool, fault.to_string())),
        None if case.tools.is_earlier(case.cursor, name) => Some((
            Act::ServerListedBadTool,
            "a tool on an earlier page has the same name".to_owned(),
        )),
        None if terms.listing == Mode::Off || policy.bad_tools == BadTools::Pass => None,
        None => uncompilable(case.tools, name),
    };
    if let Some((act, detail)) = bad {
        let left_out = terms.listing == Mode::Enforce && policy.bad_tools != BadTools::Pass;
        if terms.listing != Mode::Off {
            remarks.push(Remark {
                filter: Filter::Admission,
                act,
                tool: tool(),
                detail,
                left_out,
            });
        }
        return !left_out;
    }
    let Found::Tool(known) = case.tools.find(name) else {
        return true;
    };
    match drift::compare(&policy.drift, case.shared, &known, true) {
        None => true,
        Some((act, mode)) => {
            let left_out = mode == Mode::Enforce;
            remarks.push(Remark {
                filter: Filter::Drift,
                act,
                tool: tool(),
                detail: String::new(),
                left_out,
            });
            !left_out
        }
    }
}

fn uncompilable(tools: &Tools, name: &str) -> Option<(Act, String)> {
    let Found::Tool(known) = tools.find(name) else {
        return None;
    };
    let why = known.contract.verify().err()?;
    Some((Act::ServerListedUncompilableTool, why.to_string()))
}

/// Pinned tools that a whole list no longer has.
pub(crate) fn removed(rules: &Rules, tools: &Tools) -> Vec<Remark> {
    let drift = &rules.policy.drift;
    let (Some(lock), true) = (&drift.lock, tools.is_whole()) else {
        return Vec::new();
    };
    let gone = lock
        .tools()
        .filter(|(name, _)| !matches!(tools.find(name), Found::Tool(_)));
    gone.map(|(name, _)| Remark {
        filter: Filter::Drift,
        act: Act::ServerRemovedTool,
        tool: Some(Arc::from(name)),
        detail: String::new(),
        left_out: false,
    })
    .collect()
}

/// The page with schemas that have no references, if any has one.
fn without_references(listing: &Listing) -> Option<Listing> {
    let mut edits = Edits::new();
    let tools = toolgate_json::Node::member(listing.result(), "tools")?;
    for tool in toolgate_json::Node::items(tools) {
        for member in ["inputSchema", "outputSchema"] {
            let schema = toolgate_json::Node::member(tool, member);
            let Some(schema) = schema.filter(|schema| has_references(schema.raw())) else {
                continue;
            };
            let inlined = inline_view(schema, &InlineLimits::default());
            if inlined.untouched.is_none() && inlined.text != schema.raw() {
                edits.replace(schema, inlined.text);
            }
        }
    }
    if edits.is_empty() {
        return None;
    }
    Listing::read(edits.apply(listing.text())).ok()
}

/// Whether a reference can stand in a schema's text, spelled out or with escapes.
fn has_references(schema: &str) -> bool {
    schema.contains("Ref\"") || schema.contains("$ref") || schema.contains("\\u")
}

/// The tools of a page that were cut out of it because they cannot be read.
fn unreadable(listing: &Listing) -> impl Iterator<Item = Isolated> {
    let isolated = listing.isolated().into_iter();
    isolated.filter(|tool| matches!(tool.reason, toolgate_mcp::contract::MalformedTool::Json(_)))
}

impl Remark {
    fn bad(isolated: Isolated, left_out: bool) -> Self {
        Self {
            filter: Filter::Admission,
            act: Act::ServerListedBadTool,
            detail: isolated.reason.to_string(),
            tool: isolated.name.map(Arc::from),
            left_out,
        }
    }
}

/// Characters of a tool's name that a message repeats.
const NAME: usize = 128;
