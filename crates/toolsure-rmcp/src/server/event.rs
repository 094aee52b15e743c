//! Events for a server's author: refusals, and losses for older clients.

use std::fmt;
use std::sync::Arc;

use toolsure_json::quote;
use toolsure_mcp::check::Refusal;
use toolsure_mcp::era::Era;
use toolsure_mcp::message::MethodFault;
use toolsure_mcp::project::Lost;
use toolsure_mcp::publish::RefusedTool;
use toolsure_schema::Exhausted;

/// An event for the server's log: a message was refused or changed, or passed undecided.
#[derive(Debug)]
#[non_exhaustive]
pub enum ServerEvent<'a> {
    /// A tool can never work. It is not listed and cannot be called.
    ToolRefused(&'a RefusedTool),
    /// A call was refused before its handler ran.
    CallRefused(&'a Refusal),
    /// A handler's result broke its tool's contract and was not sent.
    ResultRefused(&'a Refusal),
    /// A message has the method of a request but no `id`. The handler did not get it.
    MessageRefused(&'a MethodFault),
    /// A check reached its limit, and the policy let the message pass.
    Undecided {
        /// The tool.
        tool: &'a str,
        /// Which limit.
        bound: Exhausted,
    },
    /// The program's own validator could not decide, and the policy let the message pass.
    UndecidedByHost {
        /// The tool.
        tool: &'a str,
    },
    /// Something was left out or changed because a client of this era cannot read it.
    Lost {
        /// The client's era.
        reader: Era,
        /// The tool.
        tool: &'a str,
        /// What was lost.
        lost: &'a Lost,
    },
}

impl fmt::Display for ServerEvent<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ToolRefused(why) => write!(f, "not published: {why}"),
            Self::CallRefused(why) => write!(f, "call refused: {why}"),
            Self::ResultRefused(why) => write!(f, "result refused: {why}"),
            Self::MessageRefused(why) => write!(f, "message refused: {why}"),
            Self::Undecided { tool, bound } => {
                let tool = quote(tool, SHOWN);
                write!(f, "tool `{tool}`: passed undecided ({bound})")
            }
            Self::UndecidedByHost { tool } => {
                let tool = quote(tool, SHOWN);
                write!(
                    f,
                    "tool `{tool}`: passed undecided by the program's own engine"
                )
            }
            Self::Lost { reader, tool, lost } => {
                let tool = quote(tool, SHOWN);
                write!(f, "tool `{tool}`, for a reader of {reader}: {lost}")
            }
        }
    }
}

/// The function that receives events.
pub(crate) type Observer = Arc<dyn Fn(&ServerEvent<'_>) + Send + Sync>;

/// Writes events to `tracing`.
pub(crate) fn trace(event: &ServerEvent<'_>) {
    match event {
        ServerEvent::ToolRefused(_) | ServerEvent::ResultRefused(_) => tracing::error!("{event}"),
        ServerEvent::MessageRefused(_)
        | ServerEvent::Undecided { .. }
        | ServerEvent::UndecidedByHost { .. } => {
            tracing::warn!("{event}");
        }
        ServerEvent::CallRefused(_) | ServerEvent::Lost { .. } => tracing::debug!("{event}"),
    }
}

/// The most characters of a tool's name that an event shows.
const SHOWN: usize = 128;
