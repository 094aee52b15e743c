//! Output schemas for clients that read every schema in one dialect, whatever it declares.
//!
//! Clients of 2026-07-28, and some of older versions, take only 2020-12. The TypeScript SDK 1, which
//! knows versions before 2026-07-28 only, compiles all schemas as draft 7.

use toolsure_analysis::project::{as_2020_12, for_draft_7};
use toolsure_json::{Kind, Node as _};

use super::RewrittenListing;
use crate::catalog::{Listing, UnreadableListing};
use crate::contract::{SchemaPart, SchemaStore};
use crate::era::Era;
use crate::message::Edits;
use crate::project::Lost;

/// Rewrites the output schemas of a page so that no client of the version `reader` refuses a result
/// that the original accepts, because it reads the schema in another dialect: they are in 2020-12, and
/// for versions before 2026-07-28 without what draft 7 reads more narrowly. The tools for which
/// `of_tool` returns false, and schemas that have no such form, stay as they are.
///
/// `None` if the page needs no change.
///
/// # Errors
///
/// The rewritten page cannot be read again, because it exceeds a limit.
///
/// ```
/// use toolsure_mcp::catalog::Listing;
/// use toolsure_mcp::clients::unify_dialects;
/// use toolsure_mcp::contract::SchemaStore;
/// use toolsure_mcp::era::Era;
///
/// let page = Listing::read(br#"{"tools": [{"name": "pair", "inputSchema": {"type": "object"}, "outputSchema":
///   {"type": "object", "properties": {"p": {"prefixItems": [{}], "items": false}}}}]}"#.as_slice())?;
/// let reader = Era::V2025_11_25;
/// let listed = unify_dialects(&page, &SchemaStore::new(), reader, |_| true)?.ok_or("no change")?;
/// assert!(listed.listing.text().contains(r#""maxItems":1"#));
/// let reader = Era::V2026_07_28;
/// assert!(unify_dialects(&page, &SchemaStore::new(), reader, |_| true)?.is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn unify_dialects(
    listing: &Listing,
    store: &SchemaStore,
    reader: Era,
    of_tool: impl Fn(&str) -> bool,
) -> Result<Option<RewrittenListing>, UnreadableListing> {
    let (mut edits, mut lost) = (Edits::new(), Vec::new());
    let part = SchemaPart::Output;
    for tool in listing.tools().items() {
        let name = tool.member("name").map_or("", |name| name.string());
        let schema = tool.member(part.member());
        let Some(schema) = schema.filter(|schema| schema.kind() == Kind::Object) else {
            continue;
        };
        if !of_tool(name) {
            continue;
        }
        let (text, what) = match reader.has_sessions() {
            true => (for_draft_7(schema, store.compiler()), OLD),
            false => (as_2020_12(schema, store.compiler()), NEW),
        };
        if let Ok(Some(text)) = text {
            edits.replace(schema, text);
            lost.push(Lost::Schema {
                tool: name.to_owned(),
                part,
                what: what.to_owned(),
            });
        }
    }
    if edits.is_empty() {
        return Ok(None);
    }
    let listing = listing.rewritten(edits.apply(listing.text()))?;
    Ok(Some(RewrittenListing { listing, lost }))
}

const OLD: &str = "it is in 2020-12, without keywords that mean something else in draft 7, because some clients read all schemas in one of the two";
const NEW: &str = "it is in 2020-12, because some clients read all schemas in that dialect";
