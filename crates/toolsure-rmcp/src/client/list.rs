//! A page of a server's tools, in two forms: tool by tool for contracts, and as rmcp's types
//! without the tools and members that these cannot hold.

use std::collections::HashSet;

use rmcp::model::{ListToolsResult, ServerResult, Tool};
use serde::de::DeserializeOwned;
use serde_json::Value;
use toolsure_json::{Key as _, Kind, Node as _, View};
use toolsure_mcp::catalog::{Listing, UnreadableListing};
use toolsure_mcp::contract::{Isolated, MalformedTool};
use toolsure_mcp::era::Era;
use toolsure_mcp::project::{Lost, Projection};

use super::ClientEvent;
use crate::recover;

/// A page of a server's tools.
#[derive(Debug)]
pub(super) struct Page {
    /// The page that contracts are made from.
    pub(super) listing: Listing,
    /// Malformed tools, and tools whose name another tool has.
    isolated: Vec<Isolated>,
}

impl Page {
    /// Reads a page of tools. A malformed one does not affect the others.
    ///
    /// # Errors
    ///
    /// The text is not JSON, has no array of tools, or exceeds a limit.
    pub(super) fn read(text: String) -> Result<Self, UnreadableListing> {
        let listing = Listing::read(text)?;
        let lost = Projection::to(Era::V2026_07_28).list(&listing).lost;
        let isolated = lost.into_iter().filter_map(|lost| match lost {
            Lost::Tool(isolated) => Some(isolated),
            _ => None,
        });
        Ok(Self {
            isolated: isolated.collect(),
            listing,
        })
    }

    pub(super) fn next_cursor(&self) -> Option<&str> {
        self.listing.next_cursor()
    }

    /// Malformed tools, and tools whose name another tool has.
    pub(super) fn isolated(&self) -> &[Isolated] {
        &self.isolated
    }

    /// The page in rmcp's types. Calls `report` for each tool and member that these types
    /// cannot hold, which is left out.
    pub(super) fn typed(&self, mut report: impl FnMut(&ClientEvent<'_>)) -> ListToolsResult {
        let mut page = ListToolsResult::default();
        for (key, value) in self.listing.result().members() {
            let report = &mut report;
            match key.text() {
                "resultType" => page.result_type = member("resultType", value, report),
                "_meta" => page.meta = member("_meta", value, report),
                "nextCursor" => page.next_cursor = member("nextCursor", value, report),
                "ttlMs" => page.ttl_ms = member("ttlMs", value, report),
                "cacheScope" => page.cache_scope = member("cacheScope", value, report),
                "tools" => page.tools = self.tools(value, report),
                _ => {}
            }
        }
        page
    }

    fn tools(&self, tools: View<'_>, report: &mut impl FnMut(&ClientEvent<'_>)) -> Vec<Tool> {
        // Tools that cannot be read are not in the text. Their `index` is the index in the array
        // that the server sent.
        let isolated = self.isolated.iter();
        let isolated = isolated.filter(|tool| !matches!(tool.reason, MalformedTool::Json(_)));
        let isolated: HashSet<usize> = isolated.map(|tool| tool.index).collect();
        let mut typed = Vec::new();
        for (index, tool) in tools.items().enumerate() {
            if isolated.contains(&index) {
                continue;
            }
            match read::<Tool>(tool.raw()) {
                Ok(tool) => typed.push(tool),
                Err(reason) => report(&ClientEvent::Unreadable {
                    index,
                    reason: &reason,
                }),
            }
        }
        typed
    }
}

/// Reads a member of a page other than `tools`. `None` if rmcp's types cannot hold it.
fn member<T: DeserializeOwned>(
    name: &'static str,
    value: View<'_>,
    report: &mut impl FnMut(&ClientEvent<'_>),
) -> Option<T> {
    if value.kind() == Kind::Null {
        return None;
    }
    match read(value.raw()) {
        Ok(value) => Some(value),
        Err(reason) => {
            report(&ClientEvent::MemberLeftOut {
                member: name,
                reason: &reason,
            });
            None
        }
    }
}

fn read<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    if recover::depth(text) > DEPTH {
        return Err(format!("more than {DEPTH} levels of objects and arrays"));
    }
    serde_json::from_str(text).map_err(|error| error.to_string())
}

/// Attaches the text of a page to it, so that the text is not lost in rmcp's types.
#[cfg(feature = "http-client")]
pub(super) fn attach(page: &mut ListToolsResult, text: String) {
    let meta = page.meta.get_or_insert_default();
    meta.insert(TEXT.to_owned(), Value::String(text));
}

/// A page that has only its text.
pub(super) fn of_text(text: String) -> ListToolsResult {
    let mut page = ListToolsResult::default();
    let meta = page.meta.get_or_insert_default();
    meta.insert(TEXT_ALONE.to_owned(), Value::String(text));
    page
}

/// The text of a page: as the transport below attached it, or else serialised from rmcp's types. If
/// the page was in rmcp's types, also the names of the tools that they have kept.
pub(super) fn take_text(
    result: ServerResult,
) -> Result<(String, Option<HashSet<String>>), serde_json::Error> {
    let ServerResult::ListToolsResult(mut page) = result else {
        return Ok((serde_json::to_string(&result)?, None));
    };
    let mut take = |name| page.meta.as_mut().and_then(|meta| meta.remove(name));
    if let Some(Value::String(text)) = take(TEXT_ALONE) {
        return Ok((text, None));
    }
    let text = match take(TEXT) {
        Some(Value::String(text)) => text,
        _ => serde_json::to_string(&page)?,
    };
    let names = page.tools.iter().map(|tool| tool.name.to_string());
    Ok((text, Some(names.collect())))
}

/// The maximum nesting depth of a tool or member that is given to rmcp. rmcp may write the page and
/// read it again, and serde_json reads 128 levels of a whole message.
const DEPTH: usize = 120;

/// The member of `_meta` that carries the text of a page from one part of the layer to the other.
const TEXT: &str = "toolsure/page-text";
/// As `TEXT`, for a page that has only its text.
const TEXT_ALONE: &str = "toolsure/page-text-alone";
