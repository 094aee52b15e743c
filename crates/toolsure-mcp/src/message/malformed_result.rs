//! Why a value is not a tool result.

use std::fmt;

use toolsure_json::Kind;

use super::content::ContentFault;
use super::write::kind_name;

/// Why a value is not a tool result.
///
/// ```
/// use toolsure_json::{OwnedDocument, ReadLimits};
/// use toolsure_mcp::message::ToolResult;
///
/// let result = OwnedDocument::read(r#"{"isError": 1}"#, &ReadLimits::default())?;
/// let fault = ToolResult::decode_untagged(result.document().root()).unwrap_err();
/// assert_eq!(fault.member(), "isError");
/// # Ok::<(), toolsure_json::ReadError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MalformedResult {
    member: &'static str,
    why: Why,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Why {
    Kind {
        expected: &'static str,
        found: Kind,
    },
    /// The name of another member differs from this one only in case.
    Lookalike,
    Block(ContentFault),
    /// A result that is not final lacks this required member.
    Without(&'static str),
}

impl MalformedResult {
    /// `member` is not what is expected.
    pub(super) fn new(member: &'static str, expected: &'static str, found: Kind) -> Self {
        Self {
            member,
            why: Why::Kind { expected, found },
        }
    }

    /// The name of another member differs from that of `member` only in case.
    pub(super) fn lookalike(member: &'static str) -> Self {
        let why = Why::Lookalike;
        Self { member, why }
    }

    /// A block of `content` is malformed.
    pub(super) fn block(fault: ContentFault) -> Self {
        let why = Why::Block(fault);
        Self {
            member: "content",
            why,
        }
    }

    /// `member` is required, and is not `what` it must be.
    pub(super) fn without(member: &'static str, what: &'static str) -> Self {
        let why = Why::Without(what);
        Self { member, why }
    }

    /// The member that is wrong; `result` for the whole.
    #[must_use]
    pub fn member(&self) -> &'static str {
        self.member
    }
}

impl fmt::Display for MalformedResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let member = self.member;
        match self.why {
            Why::Kind { expected, found } => {
                let found = kind_name(found);
                write!(f, "`{member}` must be {expected}, found {found}")
            }
            Why::Block(fault) => fault.fmt(f),
            Why::Without(what) => write!(f, "`{member}` must be {what}"),
            Why::Lookalike => {
                write!(
                    f,
                    "the name of a member differs from `{member}` only in upper and lower case"
                )
            }
        }
    }
}

impl std::error::Error for MalformedResult {}
