//! All pages of `tools/list`, as the raw text of each tool.

use std::collections::HashSet;

use toolsure_json::{Kind, Node, quote};
use toolsure_mcp::era::Era;
use toolsure_mcp::message::METHOD_NOT_FOUND;

use super::Session;
use crate::fault::{Fault, FaultKind, Party, Phase};
use crate::message::{Answer, Reply, RpcError};

/// The tools of a server, in its order.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Listing {
    /// The raw JSON text of each tool, complete and unchecked.
    pub tools: Vec<String>,
    /// The number of pages.
    pub pages: usize,
}

impl Session {
    /// Pages through `tools/list`.
    ///
    /// # Errors
    ///
    /// A [`Fault`]; also for a cursor that repeats and for a listing over its [`Limits`](crate::Limits).
    pub async fn list_tools(&mut self) -> Result<Listing, Fault> {
        let limits = self.options.limits;
        let mut listing = Listing::default();
        let mut seen = HashSet::new();
        let mut bytes = 0_usize;
        let mut params = "{}".to_owned();
        loop {
            let reply = match self.ask(Phase::List, "tools/list", &params).await? {
                Answer::Result(reply) => reply,
                // A server without tools need not know the method.
                Answer::Error(error)
                    if error.code == METHOD_NOT_FOUND && !self.server.declares_tools =>
                {
                    return Ok(listing);
                }
                Answer::Error(error) => return Err(refused(&error)),
            };
            listing.pages = listing.pages.saturating_add(1);
            bytes = bytes.saturating_add(reply.result().raw().len());
            if bytes > limits.listing_bytes {
                return Err(Fault::too_large(
                    Phase::List,
                    "the listing",
                    "listing bytes",
                    limits.listing_bytes,
                ));
            }
            check_result_type(&reply, self.server.era)?;
            add_tools(&reply, &mut listing)?;
            if listing.tools.len() > limits.tools {
                return Err(Fault::too_large(
                    Phase::List,
                    "the number of tools",
                    "tools",
                    limits.tools,
                ));
            }
            let Some(cursor) = next_cursor(&reply)? else {
                return Ok(listing);
            };
            if listing.pages >= limits.pages {
                return Err(Fault::too_large(
                    Phase::List,
                    "the number of pages of `tools/list`",
                    "pages",
                    limits.pages,
                ));
            }
            params = format!(r#"{{"cursor":{}}}"#, cursor.raw);
            if !seen.insert(cursor.text.clone()) {
                let shown = quote(&cursor.text, 60).to_string();
                return Err(Fault::protocol(
                    Phase::List,
                    format!("`tools/list` gives the cursor `{shown}` a second time"),
                ));
            }
        }
    }
}

struct Cursor {
    text: String,
    raw: String,
}

/// Only a missing or `null` cursor ends the listing; an empty string is a cursor.
fn next_cursor(reply: &Reply) -> Result<Option<Cursor>, Fault> {
    match reply.result().member("nextCursor") {
        None => Ok(None),
        // Serialisers that do not skip absent members write `null`; it never means another page.
        Some(cursor) if cursor.kind() == Kind::Null => Ok(None),
        Some(cursor) if cursor.kind() == Kind::String => Ok(Some(Cursor {
            text: cursor.string().to_owned(),
            raw: reply.raw(cursor).to_owned(),
        })),
        Some(cursor) => Err(Fault::nonsense(
            Phase::List,
            "`nextCursor` in the result of `tools/list` is not a string",
            cursor.raw().as_bytes(),
        )),
    }
}

fn add_tools(reply: &Reply, listing: &mut Listing) -> Result<(), Fault> {
    let result = reply.result();
    let tools = result
        .member("tools")
        .filter(|tools| tools.kind() == Kind::Array)
        .ok_or_else(|| {
            Fault::nonsense(
                Phase::List,
                "the result of `tools/list` has no array `tools`",
                result.raw().as_bytes(),
            )
        })?;
    listing
        .tools
        .extend(tools.items().map(|tool| reply.raw(tool).to_owned()));
    Ok(())
}

/// An unknown `resultType` is invalid (2026-07-28, basic, "Results"); without one, the result is
/// complete.
fn check_result_type(reply: &Reply, era: Era) -> Result<(), Fault> {
    match reply.result().member("resultType") {
        Some(kind) if era.has_result_types() && kind.string() != "complete" => {
            Err(Fault::nonsense(
                Phase::List,
                "the result of `tools/list` is not complete, its `resultType` is",
                kind.raw().as_bytes(),
            ))
        }
        _ => Ok(()),
    }
}

fn refused(error: &RpcError) -> Fault {
    let message = format!(
        "the server refuses `tools/list`: error {} `{}`",
        error.code,
        quote(&error.message, 200)
    );
    Fault::new(
        Party::Server,
        FaultKind::Refused(error.code),
        Phase::List,
        message,
    )
}
