//! Events for a client's author: refusals, and tools removed from lists.

use std::fmt;
use std::sync::Arc;

use toolsure_json::quote;
use toolsure_mcp::check::Refusal;
use toolsure_mcp::contract::Isolated;
use toolsure_schema::Exhausted;

/// An event for the client's log: a message was refused or changed, or passed unchecked.
#[derive(Debug)]
#[non_exhaustive]
pub enum ClientEvent<'a> {
    /// A malformed tool was removed from the list.
    Isolated(&'a Isolated),
    /// A tool that rmcp's types cannot hold was removed from the list.
    Unreadable {
        /// Its index in the list's array.
        index: usize,
        /// The deserialiser's error.
        reason: &'a str,
    },
    /// A call was refused and not sent.
    CallRefused(&'a Refusal),
    /// A result broke its tool's contract and was replaced by an error.
    ResultRefused(&'a Refusal),
    /// A result cannot be checked and was replaced by an error: nobody knows which tool created its
    /// task, or it is of a kind that the protocol version does not have.
    ResultUncheckable {
        /// The tool, if it is known.
        tool: Option<&'a str>,
        /// Why.
        reason: &'a str,
    },
    /// The result of a task passed unchecked, because the tool that created the task is unknown and
    /// the policy lets undecided messages pass.
    TaskUnchecked {
        /// The task.
        task: &'a str,
    },
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
    /// The server's list, or a part of it, could not be read. Calls of tools outside the part that
    /// was read are refused, unless
    /// [`ClientLayer::on_unread_list`](super::ClientLayer::on_unread_list) lets them pass.
    UnreadList {
        /// Why.
        reason: &'a str,
    },
    /// A call passed unchecked, because the policy allows it: its tool may be in a part
    /// of the server's list that could not be read.
    Unchecked {
        /// The tool.
        tool: &'a str,
        /// Why the list could not be read.
        reason: &'a str,
    },
    /// A member of a page other than `tools` was left out, because rmcp's types cannot
    /// hold it.
    MemberLeftOut {
        /// The member.
        member: &'static str,
        /// The deserialiser's error.
        reason: &'a str,
    },
}

impl fmt::Display for ClientEvent<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Isolated(tool) => write!(f, "isolated: {tool}"),
            Self::Unreadable { index, reason } => {
                let reason = quote(reason, SHOWN);
                write!(f, "isolated: tool at index {index}: {reason}")
            }
            Self::CallRefused(why) => write!(f, "call refused: {why}"),
            Self::ResultRefused(why) => write!(f, "result refused: {why}"),
            Self::ResultUncheckable { reason, .. } => write!(f, "result refused: {reason}"),
            Self::TaskUnchecked { task } => {
                let task = quote(task, SHOWN);
                write!(
                    f,
                    "task `{task}`: its result passed unchecked, the tool that created it is unknown"
                )
            }
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
            Self::UnreadList { reason } => {
                let reason = quote(reason, SHOWN);
                write!(f, "the list of tools could not be read: {reason}")
            }
            Self::Unchecked { tool, reason } => {
                let (tool, reason) = (quote(tool, SHOWN), quote(reason, SHOWN));
                write!(
                    f,
                    "tool `{tool}`: passed unchecked, the list of tools could not be read: {reason}"
                )
            }
            Self::MemberLeftOut { member, reason } => {
                let reason = quote(reason, SHOWN);
                write!(f, "`{member}` of a list of tools is left out: {reason}")
            }
        }
    }
}

/// The function that receives events.
pub(crate) type Observer = Arc<dyn Fn(&ClientEvent<'_>) + Send + Sync>;

/// Writes events to `tracing`.
pub(crate) fn trace(event: &ClientEvent<'_>) {
    match event {
        ClientEvent::CallRefused(_) => tracing::debug!("{event}"),
        _ => tracing::warn!("{event}"),
    }
}

/// The most characters of a peer's text that an event shows.
const SHOWN: usize = 200;
