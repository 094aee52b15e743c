//! A server's list as rmcp can read it: without the tools it cannot.

use rmcp::model::{ListToolsResult, ServerResult, Tool};
use serde_json::Value;
use toolgate_mcp::catalog::{Listing, UnreadableListing};
use toolgate_mcp::era::Era;
use toolgate_mcp::project::{Lost, Projection};

use super::{ClientEvent, ClientGate};

/// A page that was read tool by tool.
pub(super) struct Page {
    /// For contracts.
    pub(super) listing: Listing,
    /// For rmcp.
    pub(super) result: ListToolsResult,
}

/// Reads a page of tools, of which none can spoil the others. `told` hears of
/// those that are left out.
pub(super) fn read(
    text: &str,
    mut told: impl FnMut(&ClientEvent<'_>),
) -> Result<Page, UnreadablePage> {
    let listing = Listing::read(text).map_err(UnreadablePage::Listing)?;
    let projected = Projection::to(Era::V2026_07_28).list(&listing);
    for lost in &projected.lost {
        if let Lost::Tool(isolated) = lost {
            told(&ClientEvent::Isolated(isolated));
        }
    }
    let whole: Value = serde_json::from_str(&projected.text).map_err(UnreadablePage::Typed)?;
    let mut result = match whole {
        Value::Object(mut message) if message.contains_key("jsonrpc") => {
            message.remove("result").unwrap_or_default()
        }
        result => result,
    };
    let tools = result.get_mut("tools").map(Value::take);
    if let Some(slot) = result.get_mut("tools") {
        *slot = Value::Array(Vec::new());
    }
    let mut result: ListToolsResult =
        serde_json::from_value(result).map_err(UnreadablePage::Typed)?;
    if let Some(Value::Array(tools)) = tools {
        for (index, tool) in tools.into_iter().enumerate() {
            match serde_json::from_value::<Tool>(tool) {
                Ok(tool) => result.tools.push(tool),
                Err(error) => told(&ClientEvent::Unreadable {
                    index,
                    reason: &error.to_string(),
                }),
            }
        }
    }
    Ok(Page { listing, result })
}

/// Puts the text that a page was read from beside it, on its way through rmcp's
/// types.
pub(super) fn attach(result: &mut ListToolsResult, text: &str) {
    let meta = result.meta.get_or_insert_default();
    meta.insert(TEXT.to_owned(), Value::String(text.to_owned()));
}

/// The text that was attached to a page, or what rmcp's types have left of it.
pub(super) fn text_of(result: &ServerResult) -> Result<String, serde_json::Error> {
    if let ServerResult::ListToolsResult(page) = result
        && let Some(Value::String(text)) = page.meta.as_ref().and_then(|meta| meta.get(TEXT))
    {
        return Ok(text.clone());
    }
    serde_json::to_string(result)
}

impl ClientGate {
    /// Reads a page, and tells of the tools that are left out.
    pub(super) fn page(&self, text: &str) -> Result<Page, UnreadablePage> {
        read(text, |event| self.tell(event))
    }
}

/// The member of `_meta` that holds a page's text between two parts of a gate.
const TEXT: &str = "toolgate/page-text";

/// Why a page cannot be read at all.
#[derive(Debug, thiserror::Error)]
pub(super) enum UnreadablePage {
    /// Not even tool by tool.
    #[error(transparent)]
    Listing(UnreadableListing),
    /// Something beside the tools is not as rmcp has it.
    #[error(transparent)]
    Typed(serde_json::Error),
}
