//! Removes the members of a page for which clients reject the whole page.

use toolsure_analysis::tool::{PAGE, SCHEMA, TOOL};
use toolsure_json::{Kind, Node as _, View};

use super::change::Change;
use super::clean::{Also, Cleaner};
use super::place::{Changes, Place};
use crate::catalog::{Listing, UnreadableListing};
use crate::contract::{SchemaPart, SchemaStore, UncompilableTool};
use crate::message::Edits;
use crate::project::Lost;

/// A page that was fixed.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct RewrittenListing {
    /// The page; its tools have the same indexes.
    pub listing: Listing,
    /// What was left out.
    pub lost: Vec<Lost>,
}

/// Leaves out the members of tools, and of the page, that the protocol does not allow as they are,
/// and output schemas that do not compile in `store`. The root of an input schema without `type` gets
/// `"type": "object"`, which accepts the same calls, and an empty array where an object belongs (PHP's
/// empty object) becomes `{}`. The tools themselves stay, and so do `name` and `inputSchema`: a tool in
/// which these are malformed otherwise stays malformed.
///
/// Members of a tool are left out if `of_tool` returns true for the tool's name, those of the page
/// if `of_page` is true.
///
/// `None` if the page needs no change.
///
/// # Errors
///
/// The rewritten page cannot be read again, because it exceeds a limit.
///
/// ```
/// use toolsure_mcp::catalog::Listing;
/// use toolsure_mcp::clients::sanitize;
/// use toolsure_mcp::contract::SchemaStore;
///
/// let page = Listing::read(br#"{"tools": [{"name": "look", "annotations": {"readOnlyHint": "yes"},
///   "inputSchema": {"type": "object"}}], "nextCursor": null}"#.as_slice())?;
/// let mended = sanitize(&page, &SchemaStore::new(), true, |_| true)?.ok_or("nothing to mend")?;
/// assert_eq!(mended.listing.text(),
///   r#"{"tools": [{"name": "look", "annotations": {},
///   "inputSchema": {"type": "object"}}]}"#);
/// assert_eq!(mended.lost.len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn sanitize(
    listing: &Listing,
    store: &SchemaStore,
    of_page: bool,
    of_tool: impl Fn(&str) -> bool,
) -> Result<Option<RewrittenListing>, UnreadableListing> {
    let (mut edits, mut lost) = (Edits::new(), Vec::new());
    if of_page {
        let mut cleaner = Cleaner::of(&mut edits);
        cleaner.object(&PAGE, listing.result(), &Place::Root, Also::default());
        lost.extend(members(None, cleaner.changes));
    }
    for tool in listing.tools().items() {
        let name = tool
            .member("name")
            .filter(|name| name.kind() == Kind::String)
            .map_or("", |name| name.string());
        if tool.kind() == Kind::Object && of_tool(name) {
            sanitize_tool(tool, name, listing.text(), store, &mut edits, &mut lost);
        }
    }
    if edits.is_empty() {
        return Ok(None);
    }
    let listing = listing.rewritten(edits.apply(listing.text()))?;
    Ok(Some(RewrittenListing { listing, lost }))
}

fn sanitize_tool(
    tool: View<'_>,
    name: &str,
    source: &str,
    store: &SchemaStore,
    edits: &mut Edits,
    lost: &mut Vec<Lost>,
) {
    let mut also = Also::default();
    let output = tool
        .member("outputSchema")
        .filter(|output| output.kind() == Kind::Object);
    if let Some(error) = output.and_then(|output| uncompilable(output, source, store)) {
        also.gone.push("outputSchema");
        lost.push(Lost::Withdrawn {
            tool: name.to_owned(),
            why: error.to_string(),
        });
    }
    let mut cleaner = Cleaner::of(edits);
    let input = tool.member("inputSchema");
    if input.is_none_or(|input| cleaner.input_root(input, &Place::Root.member("inputSchema"))) {
        for part in [SchemaPart::Input, SchemaPart::Output] {
            let schema = tool.member(part.member());
            let schema = schema.filter(|schema| schema.raw().contains('['));
            if let Some(schema) = schema
                && !also.gone.contains(&part.member())
            {
                cleaner.empty_objects(schema, &Place::Root.member(part.member()));
            }
        }
    }
    cleaner.object(&TOOL, tool, &Place::Root, also);
    lost.extend(members(Some(name), cleaner.changes));
}

/// Why an output schema does not compile, after its own invalid members are left out.
fn uncompilable(output: View<'_>, source: &str, store: &SchemaStore) -> Option<UncompilableTool> {
    let mut edits = Edits::new();
    let mut cleaner = Cleaner::of(&mut edits);
    cleaner.empty_objects(output, &Place::Root);
    cleaner.object(&SCHEMA, output, &Place::Root, Also::default());
    let span = output.span();
    let text = edits.apply_within(source, span.start, span.end);
    let part = SchemaPart::Output;
    let error = store.schema(&text).err()?;
    Some(UncompilableTool { part, error })
}

fn members(tool: Option<&str>, changes: Changes) -> impl Iterator<Item = Lost> {
    let tool = tool.map(str::to_owned);
    let further = (changes.further > 0).then(|| Lost::Repaired {
        tool: tool.clone(),
        what: format!(
            "{} further members are left out or replaced",
            changes.further
        ),
    });
    let first = changes.first.into_iter().map(move |change| match change {
        Change::LeftOut { path, expected } => Lost::Member {
            tool: tool.clone(),
            member: path,
            expected,
        },
        change => Lost::Repaired {
            tool: tool.clone(),
            what: change.to_string(),
        },
    });
    first.chain(further)
}
