//! Why a listed tool is malformed: one reason, which names the tool.

use std::fmt;

use toolsure_json::{Kind, Node as _, ReadError, View, quote};

use super::headers::HeaderFault;
use crate::message::write::{NAME, kind_name};

/// What is wrong with a tool's definition.
///
/// Errors inside a schema are found when it is compiled; these are violations of what the protocol
/// itself requires of a tool (schema.json, `Tool`), for which typed readers reject the whole list.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum MalformedTool {
    /// Its text is not JSON, has duplicate keys, or exceeds a limit.
    Json(ReadError),
    /// It is not an object.
    NotAnObject(Kind),
    /// A required member is missing.
    Missing(&'static str),
    /// A member has a type that the protocol does not allow.
    Member {
        /// The member; a path with `.` for a member inside a schema.
        member: &'static str,
        /// What it must be.
        expected: &'static str,
        /// What it is.
        found: Kind,
    },
    /// The root of `inputSchema` has no `type`.
    InputTypeMissing,
    /// The root of `inputSchema` has a `type` other than `object`.
    InputTypeNotObject {
        /// Its JSON text, cut.
        found: String,
    },
    /// An earlier tool has the same name.
    DuplicateName,
    /// Its name has a character that is not seen ([`is_unseen`](toolsure_analysis::tool::is_unseen)).
    UnseenInName(char),
    /// The name of a member differs only in case from this one, so that some readers take it for that one.
    Lookalike(&'static str),
    /// Readers of an era cannot read it.
    Era {
        /// The era's version.
        version: &'static str,
        /// What they require.
        expected: &'static str,
    },
    /// Its `x-mcp-header` annotations break the rules (2026-07-28, HTTP).
    Header(HeaderFault),
}

impl MalformedTool {
    /// A stable code for machines.
    ///
    /// ```
    /// assert_eq!(toolsure_mcp::contract::MalformedTool::DuplicateName.code(), "tool-duplicate");
    /// ```
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Json(_) => "tool-json",
            Self::NotAnObject(_) => "tool-not-object",
            Self::Missing(_) => "tool-member-missing",
            Self::Member { .. } => "tool-member-type",
            Self::InputTypeMissing | Self::InputTypeNotObject { .. } => "input-root-type",
            Self::DuplicateName => "tool-duplicate",
            Self::UnseenInName(_) => "tool-name",
            Self::Lookalike(_) => "tool-member-case",
            Self::Era { .. } => "tool-era",
            Self::Header(_) => "tool-header",
        }
    }
}

impl fmt::Display for MalformedTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Json(error) => error.fmt(f),
            Self::NotAnObject(found) => {
                write!(f, "a tool must be an object, found {}", kind_name(*found))
            }
            Self::Missing(member) => write!(f, "`{member}` is missing"),
            Self::Member {
                member,
                expected,
                found,
            } => {
                write!(
                    f,
                    "`{member}` must be {expected}, found {}",
                    kind_name(*found)
                )
            }
            Self::InputTypeMissing => f.write_str(
                "the root of `inputSchema` must have `\"type\": \"object\"`, found no `type`",
            ),
            Self::InputTypeNotObject { found } => write!(
                f,
                "the root of `inputSchema` must have `\"type\": \"object\"`, found `{}`",
                quote(found, FOUND)
            ),
            Self::DuplicateName => f.write_str("another tool before it has the same name"),
            Self::UnseenInName(odd) => {
                let code = u32::from(*odd);
                write!(
                    f,
                    "`name` has the character U+{code:04X}, which is not seen"
                )
            }
            Self::Lookalike(member) => write!(
                f,
                "a member's name differs from `{member}` only in case, so some readers take it for that one"
            ),
            Self::Era { version, expected } => {
                write!(f, "{expected} for readers of {version}")
            }
            Self::Header(fault) => fault.fmt(f),
        }
    }
}

impl std::error::Error for MalformedTool {}

/// A tool that was left out of a catalog, or of the list for one reader.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Isolated {
    /// Its name, if it has one.
    pub name: Option<String>,
    /// Its index in the original array.
    pub index: usize,
    /// Why.
    pub reason: MalformedTool,
}

impl Isolated {
    /// A tool of a list, identified by its index there.
    pub(crate) fn of(tool: View<'_>, index: usize, reason: MalformedTool) -> Self {
        let name = tool
            .member("name")
            .filter(|name| name.kind() == Kind::String);
        Self {
            name: name.map(|name| name.string().to_owned()),
            index,
            reason,
        }
    }
}

impl fmt::Display for Isolated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.name {
            Some(name) => write!(f, "tool `{}`: {}", quote(name, NAME), self.reason),
            None => write!(f, "tool at index {}: {}", self.index, self.reason),
        }
    }
}

/// The maximum number of characters of a wrong `type` in a message.
const FOUND: usize = 64;
