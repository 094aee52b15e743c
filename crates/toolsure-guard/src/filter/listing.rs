//! Decides which tools of a page may be listed, and rewrites the page for its reader.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::Arc;

use toolsure_analysis::inline::{InlineLimits, inline_view};
use toolsure_json::quote;
use toolsure_mcp::catalog::Listing;
use toolsure_mcp::contract::{MalformedTool, UncompilableTool};
use toolsure_mcp::era::Era;
use toolsure_mcp::message::Edits;
use toolsure_mcp::project::{Listed, Lost, Projection};
use toolsure_mcp::provider::{ProviderTools, PublishedTool};
use toolsure_schema::Parser;

use super::awaiting_approval::Waiting;
use super::page_forms::original;
use super::remarks::Remarks;
use super::violation::SHOWN_NAME;
use super::{drift, results};
use crate::fault::Act;
use crate::policy::Rules;
use crate::policy::{BadTools, Mode, Policy};
use crate::record::Filter;
use crate::scope::{Found, Known, Scope, Tools};

/// A page on its way to its reader.
pub(crate) struct PageCase<'p> {
    pub(crate) rules: &'p Rules,
    pub(crate) listing: &'p Listing,
    /// The tools in the form for the provider that the policy names; the page lists those.
    pub(crate) provider: Option<&'p ProviderTools>,
    /// The list that the page is part of.
    pub(crate) tools: &'p Tools,
    /// The tools of the page by name, even if no known page leads to this page.
    pub(crate) own: HashMap<&'p str, &'p Arc<Known>>,
    pub(crate) scope: &'p Scope,
    pub(crate) cursor: Option<&'p str>,
    pub(crate) reader: Era,
    /// Whether the page keeps its unreadable tools, and so is passed on as received.
    pub(crate) keeps_unreadable: bool,
    /// Whether HTTP headers may repeat parts of calls.
    pub(crate) http: bool,
    /// Whether the reader may use a tool, by the server's name for it and the listed one; `None` is one of which
    /// only the names are known.
    pub(crate) is_allowed: &'p IsAllowed<'p>,
    /// Reads schemas as they are compiled.
    pub(crate) parser: &'p Parser,
}

/// Decides by the names of a tool whether it is for a reader.
pub(crate) type IsAllowed<'p> = dyn Fn((&str, &str), Option<&Known>) -> bool + 'p;

/// A page after the filter.
pub(crate) struct PresentedPage {
    pub(crate) text: String,
    pub(crate) remarks: Remarks,
    /// How many items differ from what the server wrote.
    pub(crate) rewritten: usize,
    /// Whether the page is to be passed on as received.
    pub(crate) keeps_unreadable: bool,
}

/// The findings on the tools of a page.
#[derive(Default)]
struct Judgement {
    remarks: Remarks,
    /// Whether a tool is withheld from clients in any mode.
    withholds: bool,
    waiting: Waiting,
    /// The names that several tools of the page have.
    twice: HashSet<String>,
}

/// Checks the tools of a page, and rewrites the page without those that are refused.
///
/// # Errors
///
/// The reason why the server is rejected because of its tools.
pub(crate) fn present(
    case: &PageCase<'_>,
    mut remarks: Remarks,
) -> Result<PresentedPage, Arc<str>> {
    if let Some(why) = rejection(case.rules, case.tools) {
        return Err(why);
    }
    let policy = &case.rules.policy;
    let inlined = policy
        .inline_refs
        .then(|| without_references(case.listing, case.parser));
    let listing = inlined.flatten();
    let listing = listing.as_ref().unwrap_or(case.listing);
    let mut judged = Judgement {
        twice: twice(case.listing),
        ..Judgement::default()
    };
    let page =
        projection(policy, case).list_keeping(listing, |listed| judge(case, listed, &mut judged));
    // A page keeps its unreadable tools, and is passed on as received, unless it has a tool to withhold.
    let mut unreadable = case.listing.unreadable().iter();
    let keeps_unreadable = case.keeps_unreadable
        && !judged.withholds
        && !unreadable.any(|isolated| is_withheld(case, isolated.name.as_deref()));
    for isolated in case.listing.unreadable() {
        remarks.push(
            Filter::Admission,
            Act::ServerListedBadTool,
            !keeps_unreadable,
            || {
                let tool = isolated.name.as_deref().map(Arc::from);
                (tool, isolated.reason.to_string())
            },
        );
    }
    remarks.append(judged.remarks);
    if let Some(detail) = judged.waiting.detail(&policy.drift, "tool", "tools")
        && case
            .scope
            .is_first(&case.rules.generation.to_string(), &detail)
    {
        remarks.push(Filter::Drift, Act::ApprovalNeeded, false, || (None, detail));
    }
    let rewritten = page.lost.iter().filter(|lost| lost.tool().is_none());
    let rewritten = rewritten
        .filter(|lost| !matches!(lost, Lost::Tool(_)))
        .count();
    for lost in &page.lost {
        part_not_listed(case, lost, &mut remarks);
    }
    Ok(PresentedPage {
        text: page.text,
        remarks,
        rewritten,
        keeps_unreadable,
    })
}

/// The names that several tools of a page have.
fn twice(listing: &Listing) -> HashSet<String> {
    let tools = toolsure_json::Node::member(listing.result(), "tools");
    let tools = tools.into_iter().flat_map(toolsure_json::Node::items);
    let names = tools.filter_map(|tool| toolsure_json::Node::member(tool, "name"));
    let mut once = HashSet::new();
    let again = names.filter(|name| !once.insert(toolsure_json::Node::string(*name)));
    again
        .map(|name| toolsure_json::Node::string(name).to_owned())
        .collect()
}

/// Adds a remark on a part of a tool that the reader's protocol version cannot express, once for each
/// definition.
fn part_not_listed(case: &PageCase<'_>, lost: &Lost, remarks: &mut Remarks) {
    let Some(published) = lost.tool().filter(|_| !matches!(lost, Lost::Tool(_))) else {
        return;
    };
    let name = original(case.provider, published);
    let definition = case.own.get(name).map_or("", |tool| tool.contract.text());
    let what = lost.to_string();
    let listing = case.rules.policy.terms(name).listing;
    if listing != Mode::Off && case.scope.is_first(definition, &what) {
        remarks.push(Filter::Admission, Act::ToolPartNotListed, true, || {
            (Some(Arc::from(name)), what)
        });
    }
}

/// Why no tool of this list may be used, if the whole list is rejected.
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
                Some(format!("tool `{}` has an {why}", quote(name, SHOWN_NAME)))
            })
        })?;
        Some(Arc::from(format!(
            "the server is rejected because of its tools: {why}"
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
fn judge(case: &PageCase<'_>, listed: &Listed<'_>, judged: &mut Judgement) -> bool {
    let Judgement {
        remarks,
        withholds,
        waiting,
        twice,
    } = judged;
    let policy = &case.rules.policy;
    let published = listed.name.unwrap_or_default();
    let name = original(case.provider, published);
    let terms = policy.terms(name);
    let tool = || listed.name.map(|_| Arc::from(name));
    if !(case.is_allowed)((name, published), case.own.get(name).map(|known| &***known)) {
        *withholds = true;
        return false;
    }
    if terms.hidden {
        remarks.push(Filter::Admission, Act::ToolHidden, true, || {
            (tool(), String::new())
        });
        *withholds = true;
        return false;
    }
    let bad = match listed.fault {
        Some(fault) => Some((Act::ServerListedBadTool, Bad::Tool(fault))),
        None if case.tools.is_earlier(case.cursor, name) => {
            Some((Act::ServerListedBadTool, Bad::OnEarlierPage))
        }
        None if terms.listing == Mode::Off || policy.bad_tools == BadTools::Pass => None,
        None => uncompilable(case, name),
    };
    if let Some((act, detail)) = bad {
        let left_out = terms.listing == Mode::Enforce && policy.bad_tools != BadTools::Pass;
        if terms.listing != Mode::Off {
            remarks.push(Filter::Admission, act, left_out, || {
                (tool(), detail.to_string())
            });
        }
        if left_out {
            return false;
        }
    }
    // Of two tools with one name, it is unknown which one a malformed one is.
    let is_it = listed.fault.is_none() || !twice.contains(name);
    let known = case.own.get(name).filter(|_| is_it);
    let drifted = match known {
        Some(known) => drift::compare(&policy.drift, case.scope, known, true),
        None => drift::unknown(&policy.drift, name),
    };
    if let Some(drifted) = drifted {
        let left_out = drifted.mode == Mode::Enforce;
        waiting.add(&drifted);
        let (detail, digest) = (drifted.detail, drifted.digest);
        remarks.push_with(Filter::Drift, drifted.act, left_out, digest, || {
            (tool(), detail)
        });
        if left_out {
            *withholds = true;
            return false;
        }
    }
    match unprojected(case, name, published) {
        Some(why) => {
            let left_out = terms.listing == Mode::Enforce;
            if terms.listing != Mode::Off {
                let act = Act::ToolNotProjected;
                remarks.push(Filter::Admission, act, left_out, || (tool(), why));
            }
            !left_out
        }
        None => {
            if let Some(Ok(projected)) = case.provider.and_then(|all| all.of_tool(name))
                && let Some(steps) = steps(projected)
            {
                let act = Act::ToolProjected;
                remarks.push(Filter::Admission, act, true, || (tool(), steps));
            }
            true
        }
    }
}

/// Whether a tool of which at most the name can be read is withheld from clients in any mode.
fn is_withheld(case: &PageCase<'_>, name: Option<&str>) -> bool {
    let policy = &case.rules.policy;
    let name = name.unwrap_or_default();
    let drifted = drift::unknown(&policy.drift, name);
    policy.terms(name).hidden
        || !(case.is_allowed)((name, name), None)
        || drifted.is_some_and(|drifted| drifted.mode == Mode::Enforce)
}

/// Why the tool has no form for the provider, if it has none.
fn unprojected(case: &PageCase<'_>, name: &str, published: &str) -> Option<String> {
    match case.provider?.of_tool(name)? {
        Err(refused) => Some(refused.reason.to_string()),
        Ok(_) => {
            let first = case.tools.published(case.rules, published)?;
            let other = first.tool(published)?;
            (other.name() != name).then(|| {
                let other = quote(other.name(), SHOWN_NAME);
                format!("a tool on an earlier page, `{other}`, has the same name for the provider")
            })
        }
    }
}

/// The steps that rewrote a tool for its provider, if there were any.
fn steps(tool: &PublishedTool) -> Option<String> {
    let tool = tool.projected();
    let mut names: Vec<&str> = Vec::new();
    for step in tool.steps.iter().chain(&tool.input.steps) {
        if !names.contains(&step.kind.name()) {
            names.push(step.kind.name());
        }
    }
    (!names.is_empty()).then(|| names.join(", "))
}

/// Why a tool must not be listed.
enum Bad<'l> {
    Tool(&'l MalformedTool),
    OnEarlierPage,
    Uncompilable(UncompilableTool),
}

impl fmt::Display for Bad<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tool(reason) => reason.fmt(f),
            Self::OnEarlierPage => f.write_str("a tool on an earlier page has the same name"),
            Self::Uncompilable(why) => why.fmt(f),
        }
    }
}

fn uncompilable<'l>(case: &PageCase<'_>, name: &str) -> Option<(Act, Bad<'l>)> {
    let known = case.own.get(name)?;
    let why = known.contract.verify().err()?;
    Some((Act::ServerListedUncompilableTool, Bad::Uncompilable(why)))
}

/// Adds remarks on pinned tools that are missing from a complete list, each once under one policy: a server may list
/// them to other clients.
pub(crate) fn removed(rules: &Rules, tools: &Tools, scope: &Scope, remarks: &mut Remarks) {
    let drift = &rules.policy.drift;
    let (Some(lock), true) = (&drift.lock, tools.is_whole()) else {
        return;
    };
    for name in lock.tools() {
        let is_missing = !matches!(tools.find(name), Found::Tool(_));
        if is_missing && scope.is_first(name, &format!("removed {}", rules.generation)) {
            remarks.push(Filter::Drift, Act::ServerRemovedTool, false, || {
                (Some(Arc::from(name)), String::new())
            });
        }
    }
}

/// Adds remarks on rules that match no tool of a complete list.
pub(crate) fn idle_rules(rules: &Rules, tools: &Tools, remarks: &mut Remarks) {
    if !tools.is_whole() {
        return;
    }
    let bad = || tools.isolated().filter_map(|tool| tool.name.as_deref());
    let idle = rules.idle(|rule| tools.names().chain(bad()).any(|name| rule.applies(name)));
    for rule in idle {
        remarks.push(Filter::Admission, Act::RuleWithoutTool, false, || {
            let pattern = quote(&rule.name, PATTERN);
            let detail = format!(
                "no listed tool is named `{pattern}` (without a prefix), so its rule has no effect"
            );
            (None, detail)
        });
    }
}

/// The page with all references in schemas inlined, if there are any.
fn without_references(listing: &Listing, parser: &Parser) -> Option<Listing> {
    let mut edits = Edits::new();
    let tools = toolsure_json::Node::member(listing.result(), "tools")?;
    for tool in toolsure_json::Node::items(tools) {
        for member in ["inputSchema", "outputSchema"] {
            let schema = toolsure_json::Node::member(tool, member);
            let Some(schema) = schema.filter(|schema| has_references(schema.raw())) else {
                continue;
            };
            let inlined = inline_view(schema, parser, &InlineLimits::default());
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

/// Whether a schema's text may contain a reference, written plainly or with escapes.
fn has_references(schema: &str) -> bool {
    schema.contains("Ref\"") || schema.contains("$ref") || schema.contains("\\u")
}

/// Maximum characters of a pattern that a remark repeats.
const PATTERN: usize = 128;
