//! What a server's author is told: what was refused and what was lost.

use std::fmt;
use std::sync::Arc;

use toolgate_json::quote;
use toolgate_mcp::check::Refusal;
use toolgate_mcp::era::Era;
use toolgate_mcp::project::Lost;
use toolgate_mcp::publish::RefusedTool;
use toolgate_schema::Exhausted;

/// Something that a gate did to a message, for the server's log.
#[derive(Debug)]
#[non_exhaustive]
pub enum ServerEvent<'a> {
    /// A tool is not listed and cannot be called: it can never work.
    ToolRefused(&'a RefusedTool),
    /// A call was answered without its handler.
    CallRefused(&'a Refusal),
    /// A handler's result broke its tool's contract and did not leave.
    ResultRefused(&'a Refusal),
    /// A check reached its bound, and the policy let the message pass.
    Undecided {
        /// The tool.
        tool: &'a str,
        /// Which bound.
        bound: Exhausted,
    },
    /// The program's own engine gave up, and the policy let the message pass.
    UndecidedByHost {
        /// The tool.
        tool: &'a str,
    },
    /// A reader of this era was not told something.
    Lost {
        /// The reader's era.
        reader: Era,
        /// The tool.
        tool: &'a str,
        /// What.
        lost: &'a Lost,
    },
}

impl fmt::Display for ServerEvent<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ToolRefused(why) => write!(f, "not published: {why}"),
            Self::CallRefused(why) => write!(f, "call refused: {why}"),
            Self::ResultRefused(why) => write!(f, "result refused: {why}"),
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

/// Who is told of events.
pub(crate) type Observer = Arc<dyn Fn(&ServerEvent<'_>) + Send + Sync>;

/// Tells the log of the program, by `tracing`.
pub(crate) fn trace(event: &ServerEvent<'_>) {
    match event {
        ServerEvent::ToolRefused(_) | ServerEvent::ResultRefused(_) => tracing::error!("{event}"),
        ServerEvent::Undecided { .. } | ServerEvent::UndecidedByHost { .. } => {
            tracing::warn!("{event}");
        }
        ServerEvent::CallRefused(_) | ServerEvent::Lost { .. } => tracing::debug!("{event}"),
    }
}

/// Characters of a tool's name that an event repeats.
const SHOWN: usize = 128;
