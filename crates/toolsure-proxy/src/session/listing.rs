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
    /// The raw JSON text of each result of `tools/list`, with the tools in it.
    pub pages: Vec<String>,
}

impl Session {
    /// Pages through `tools/list`.
    ///
    /// # Errors
    ///
    /// A [`Fault`]; also for a cursor that repeats and for a listing over its [`Limits`](crate::Limits).
    pub async fn list_tools(&mut self) -> Result<Listing, Fault> {
        let most = self.options.limits.tools;
        let mut tools = Vec::new();
        let pages = self.pages("tools/list", |reply| {
            add_tools(reply, &mut tools)?;
            if tools.len() > most {
                let what = "the number of tools";
                return Err(Fault::too_large(Phase::List, what, "tools", most));
            }
            Ok(())
        });
        let pages = match pages.await? {
            Ok(pages) => pages,
            // A server without tools need not know the method.
            Err(error) if error.code == METHOD_NOT_FOUND && !self.server.declares_tools => {
                Vec::new()
            }
            Err(error) => return Err(refused("tools/list", &error)),
        };
        Ok(Listing { tools, pages })
    }

    /// Pages through another list, such as `prompts/list`: the raw JSON text of each result. There is none
    /// if the server does not know the method.
    ///
    /// # Errors
    ///
    /// As for [`list_tools`](Self::list_tools).
    pub async fn list(&mut self, method: &str) -> Result<Vec<String>, Fault> {
        match self.pages(method, |_| Ok(())).await? {
            Ok(pages) => Ok(pages),
            Err(error) if error.code == METHOD_NOT_FOUND => Ok(Vec::new()),
            Err(error) => Err(refused(method, &error)),
        }
    }

    async fn pages(
        &mut self,
        method: &str,
        mut on_page: impl FnMut(&Reply) -> Result<(), Fault>,
    ) -> Result<Result<Vec<String>, RpcError>, Fault> {
        let limits = self.options.limits;
        let mut pages = Vec::new();
        let mut seen = HashSet::new();
        let mut bytes = 0_usize;
        let mut params = "{}".to_owned();
        loop {
            let reply = match self.ask(Phase::List, method, &params).await? {
                Answer::Result(reply) => reply,
                Answer::Error(error) => return Ok(Err(error)),
            };
            let text = reply.raw(reply.result());
            bytes = bytes.saturating_add(text.len());
            if bytes > limits.listing_bytes {
                let (what, most) = ("the listing", limits.listing_bytes);
                return Err(Fault::too_large(Phase::List, what, "listing bytes", most));
            }
            pages.push(text.to_owned());
            check_result_type(method, &reply, self.server.era)?;
            on_page(&reply)?;
            let Some(cursor) = next_cursor(method, &reply)? else {
                return Ok(Ok(pages));
            };
            if pages.len() >= limits.pages {
                let what = format!("the number of pages of `{method}`");
                return Err(Fault::too_large(Phase::List, &what, "pages", limits.pages));
            }
            params = format!(r#"{{"cursor":{}}}"#, cursor.raw);
            if !seen.insert(cursor.text.clone()) {
                let shown = quote(&cursor.text, 60).to_string();
                return Err(Fault::new(
                    Party::Server,
                    FaultKind::RepeatedCursor,
                    Phase::List,
                    format!("`{method}` gives the cursor `{shown}` a second time"),
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
fn next_cursor(method: &str, reply: &Reply) -> Result<Option<Cursor>, Fault> {
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
            &format!("`nextCursor` in the result of `{method}` is not a string"),
            cursor.raw().as_bytes(),
        )),
    }
}

fn add_tools(reply: &Reply, all: &mut Vec<String>) -> Result<(), Fault> {
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
    all.extend(tools.items().map(|tool| reply.raw(tool).to_owned()));
    Ok(())
}

/// An unknown `resultType` is invalid (2026-07-28, basic, "Results"); without one, the result is
/// complete.
fn check_result_type(method: &str, reply: &Reply, era: Era) -> Result<(), Fault> {
    match reply.result().member("resultType") {
        Some(kind) if era.has_result_types() && kind.string() != "complete" => {
            Err(Fault::nonsense(
                Phase::List,
                &format!("the result of `{method}` is not complete, its `resultType` is"),
                kind.raw().as_bytes(),
            ))
        }
        _ => Ok(()),
    }
}

fn refused(method: &str, error: &RpcError) -> Fault {
    let message = format!(
        "the server refuses `{method}`: error {} `{}`",
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
