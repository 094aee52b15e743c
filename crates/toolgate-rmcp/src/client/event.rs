//! What a client's author is told: what was refused and isolated.

use std::fmt;
use std::sync::Arc;

use toolgate_json::quote;
use toolgate_mcp::check::Refusal;
use toolgate_mcp::contract::Isolated;
use toolgate_schema::Exhausted;

/// Something that a gate did to a message, for the client's log.
#[derive(Debug)]
#[non_exhaustive]
pub enum ClientEvent<'a> {
    /// A listed tool is malformed, and was taken out of the list.
    Isolated(&'a Isolated),
    /// A listed tool that rmcp's types cannot hold was taken out of the list.
    Unreadable {
        /// Its place in the list's array.
        index: usize,
        /// Why, by the deserialiser.
        reason: &'a str,
    },
    /// A call was answered without being sent.
    CallRefused(&'a Refusal),
    /// A result broke its tool's contract and was not received.
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
    /// The server's list, or the rest of it, could not be read. Calls of tools
    /// that are not known from what could are refused, unless
    /// [`ClientGate::on_unread_list`](super::ClientGate::on_unread_list) lets
    /// them pass.
    UnreadList {
        /// Why.
        reason: &'a str,
    },
    /// A call passed unchecked, because the policy says so: its tool may stand in
    /// a part of the server's list that could not be read.
    Unchecked {
        /// The tool.
        tool: &'a str,
        /// Why the list could not be read.
        reason: &'a str,
    },
    /// A member of a page beside its tools was left out: rmcp's types cannot
    /// hold it.
    MemberLeftOut {
        /// The member.
        member: &'static str,
        /// Why, by the deserialiser.
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

/// Who is told of events.
pub(crate) type Observer = Arc<dyn Fn(&ClientEvent<'_>) + Send + Sync>;

/// Tells the log of the program, by `tracing`.
pub(crate) fn trace(event: &ClientEvent<'_>) {
    match event {
        ClientEvent::CallRefused(_) => tracing::debug!("{event}"),
        _ => tracing::warn!("{event}"),
    }
}

/// Characters of foreign text that an event repeats.
const SHOWN: usize = 200;
