//! A server's list as the gate reads it, each tool from its own text, and as
//! rmcp can read it: without the tools and members that it cannot hold.

use std::collections::HashSet;
use std::sync::Arc;

use rmcp::model::{ListToolsResult, ServerResult, Tool};
use serde::de::DeserializeOwned;
use serde_json::Value;
use toolgate_json::{Key as _, Kind, Node as _, View};
use toolgate_mcp::catalog::{Listing, UnreadableListing};
use toolgate_mcp::contract::{Isolated, MalformedTool};
use toolgate_mcp::era::Era;
use toolgate_mcp::project::{Lost, Projection};

use super::ClientEvent;
use crate::recover;

/// A page of a server's tools.
#[derive(Debug)]
pub(super) struct Page {
    /// For contracts.
    pub(super) listing: Listing,
    /// Why the rest of the list cannot be fetched.
    pub(super) unread: Option<Arc<str>>,
    /// Malformed tools, and tools with the name of another.
    isolated: Vec<Isolated>,
}

impl Page {
    /// Reads a page of tools; a malformed one does not spoil the others.
    ///
    /// # Errors
    ///
    /// It is not JSON, has no array of tools, or is over a bound.
    pub(super) fn read(text: String) -> Result<Self, UnreadableListing> {
        let listing = Listing::read(text)?;
        let cursor = listing.result().member("nextCursor").map(View::kind);
        let unread = match cursor {
            None | Some(Kind::String | Kind::Null) => None,
            Some(_) => Some(Arc::from(
                "where its next page begins cannot be read: `nextCursor` must be a string",
            )),
        };
        let lost = Projection::to(Era::V2026_07_28).list(&listing).lost;
        let isolated = lost.into_iter().filter_map(|lost| match lost {
            Lost::Tool(isolated) => Some(isolated),
            _ => None,
        });
        Ok(Self {
            isolated: isolated.collect(),
            listing,
            unread,
        })
    }

    pub(super) fn next_cursor(&self) -> Option<&str> {
        self.listing.next_cursor()
    }

    /// `ttlMs`, if it is one.
    pub(super) fn ttl_ms(&self) -> Option<u64> {
        let ttl = self.listing.result().member("ttlMs")?;
        (ttl.kind() == Kind::Number).then(|| ttl.number().as_u64())?
    }

    /// The malformed tools, and those with the name of another.
    pub(super) fn isolated(&self) -> &[Isolated] {
        &self.isolated
    }

    /// The page in rmcp's types. `told` hears of the tools and members that are
    /// left out because these types cannot hold them.
    pub(super) fn typed(&self, mut told: impl FnMut(&ClientEvent<'_>)) -> ListToolsResult {
        let mut page = ListToolsResult::default();
        for (key, value) in self.listing.result().members() {
            let told = &mut told;
            match key.text() {
                "resultType" => page.result_type = member("resultType", value, told),
                "_meta" => page.meta = member("_meta", value, told),
                "nextCursor" => page.next_cursor = member("nextCursor", value, told),
                "ttlMs" => page.ttl_ms = member("ttlMs", value, told),
                "cacheScope" => page.cache_scope = member("cacheScope", value, told),
                "tools" => page.tools = self.tools(value, told),
                _ => {}
            }
        }
        page
    }

    fn tools(&self, tools: View<'_>, told: &mut impl FnMut(&ClientEvent<'_>)) -> Vec<Tool> {
        // Tools that cannot be read are not in the text, and have the index of
        // the array that they came in.
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
                Err(reason) => told(&ClientEvent::Unreadable {
                    index,
                    reason: &reason,
                }),
            }
        }
        typed
    }
}

/// A member of a page beside its tools; nothing if rmcp's types cannot hold it.
fn member<T: DeserializeOwned>(
    name: &'static str,
    value: View<'_>,
    told: &mut impl FnMut(&ClientEvent<'_>),
) -> Option<T> {
    if value.kind() == Kind::Null {
        return None;
    }
    match read(value.raw()) {
        Ok(value) => Some(value),
        Err(reason) => {
            told(&ClientEvent::MemberLeftOut {
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

/// Puts the text that a page was read from beside it, on its way through rmcp's
/// types.
#[cfg(feature = "http-client")]
pub(super) fn attach(page: &mut ListToolsResult, text: String) {
    let meta = page.meta.get_or_insert_default();
    meta.insert(TEXT.to_owned(), Value::String(text));
}

/// A page of which only the text was read.
pub(super) fn of_text(text: String) -> ListToolsResult {
    let mut page = ListToolsResult::default();
    let meta = page.meta.get_or_insert_default();
    meta.insert(TEXT_ALONE.to_owned(), Value::String(text));
    page
}

/// The text of a page that comes from a part of the gate below, or what rmcp's
/// types have left of it; with the names of the tools that have come through
/// these types, if it did.
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

/// Levels of a tool or of a member of a page that rmcp is given: it may write the page and
/// read it again, and serde_json reads 128 levels of a whole message.
const DEPTH: usize = 120;

/// The member of `_meta` that holds a page's text between two parts of a gate.
const TEXT: &str = "toolgate/page-text";
/// The same where nothing but the text was read.
const TEXT_ALONE: &str = "toolgate/page-text-alone";
