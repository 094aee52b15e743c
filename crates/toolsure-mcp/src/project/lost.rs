//! What a reader of another era does not get.

use std::fmt;

use toolsure_json::quote;

use crate::contract::{Isolated, SchemaPart};
use crate::era::Era;

/// Something that a projection changed or left out because the reader's era cannot express it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Lost {
    /// A tool is not listed: no reader of the era could read the list with it.
    Tool(Isolated),
    /// A tool is listed without its output schema.
    OutputSchema {
        /// The tool.
        tool: String,
    },
    /// A tool's output schema and its values are wrapped in the member `result` of an object.
    Wrapped {
        /// The tool.
        tool: String,
    },
    /// A tool's output schema, whose keywords apply to objects, is sent with `"type": "object"`.
    /// Values are unchanged.
    Stamped {
        /// The tool.
        tool: String,
    },
    /// A tool's output schema, which allows only objects but does not say so itself, is put in the
    /// `allOf` of a schema that does. Values are unchanged.
    Enclosed {
        /// The tool.
        tool: String,
    },
    /// A member was left out because the protocol does not allow its value.
    Member {
        /// The tool; `None` for a member of the page.
        tool: Option<String>,
        /// Its path, with `.` between names.
        member: String,
        /// What it must be.
        expected: &'static str,
    },
    /// A part was rewritten into what it says in the form that the protocol wants. Nothing is lost.
    Repaired {
        /// The tool; `None` for a member of the page.
        tool: Option<String>,
        /// What was changed.
        what: String,
    },
    /// An output schema that does not compile was left out.
    Withdrawn {
        /// The tool.
        tool: String,
        /// Why.
        why: String,
    },
    /// A schema is sent in a form that more clients can compile, or check at a bounded cost. It
    /// accepts at least everything that the original accepts.
    Schema {
        /// The tool.
        tool: String,
        /// The changed schema.
        part: SchemaPart,
        /// What was changed, and why.
        what: String,
    },
    /// Boolean schemas among a tool's `properties` are written as objects.
    BooleanProperties {
        /// The tool.
        tool: String,
        /// How many.
        count: usize,
    },
    /// A result is sent without its structured content.
    StructuredContent,
    /// The structured content of a result is wrapped in the member `result` of an object.
    WrappedContent,
    /// Members that the reader's era does not have are left out.
    Members(Vec<&'static str>),
}

impl Lost {
    /// The tool that it concerns, if there is one and it has a name.
    ///
    /// ```
    /// use toolsure_mcp::project::Lost;
    ///
    /// let lost = Lost::OutputSchema { tool: "find".to_owned() };
    /// assert_eq!((lost.tool(), Lost::StructuredContent.tool()), (Some("find"), None));
    /// ```
    #[must_use]
    pub fn tool(&self) -> Option<&str> {
        match self {
            Self::Tool(isolated) => isolated.name.as_deref(),
            Self::OutputSchema { tool }
            | Self::Wrapped { tool }
            | Self::Enclosed { tool }
            | Self::Stamped { tool }
            | Self::Withdrawn { tool, .. }
            | Self::Schema { tool, .. }
            | Self::BooleanProperties { tool, .. } => Some(tool),
            Self::Member { tool, .. } | Self::Repaired { tool, .. } => tool.as_deref(),
            Self::StructuredContent | Self::WrappedContent | Self::Members(_) => None,
        }
    }
}

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tool(isolated) => write!(f, "not listed: {isolated}"),
            Self::OutputSchema { tool } => {
                write!(
                    f,
                    "tool `{}` is listed without its output schema",
                    quote(tool, NAME)
                )
            }
            Self::Wrapped { tool } => write!(
                f,
                "the output of tool `{}` is wrapped as `{{\"result\": …}}`",
                quote(tool, NAME)
            ),
            Self::Stamped { tool } => write!(
                f,
                "the output schema of tool `{}` is sent with `\"type\": \"object\"`",
                quote(tool, NAME)
            ),
            Self::Enclosed { tool } => write!(
                f,
                "the output schema of tool `{}` is sent inside the `allOf` of an object schema",
                quote(tool, NAME)
            ),
            Self::Member {
                tool,
                member,
                expected,
            } => {
                write!(f, "`{}`", quote(member, NAME))?;
                if let Some(tool) = tool {
                    write!(f, " of tool `{}`", quote(tool, NAME))?;
                }
                write!(f, " is left out: it must be {expected}")
            }
            Self::Repaired { tool, what } => match tool {
                Some(tool) => write!(f, "tool `{}`: {what}", quote(tool, NAME)),
                None => f.write_str(what),
            },
            Self::Withdrawn { tool, why } => write!(
                f,
                "tool `{}` is listed without its output schema: {why}",
                quote(tool, NAME)
            ),
            Self::Schema { tool, part, what } => write!(
                f,
                "`{}` of tool `{}` is simplified: {what}",
                part.member(),
                quote(tool, NAME)
            ),
            Self::BooleanProperties { tool, count } => write!(
                f,
                "{count} boolean schemas among the properties of tool `{}` are written as objects",
                quote(tool, NAME)
            ),
            Self::StructuredContent => f.write_str("the structured content is left out"),
            Self::WrappedContent => {
                f.write_str("the structured content is wrapped as `{\"result\": …}`")
            }
            Self::Members(members) => write!(f, "left out: {}", members.join(", ")),
        }
    }
}

/// A result type that an era does not have: the request must be answered in another way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnsupportedResult {
    /// The result's `resultType`.
    pub result_type: &'static str,
    /// The era of the reader.
    pub reader: Era,
}

impl fmt::Display for UnsupportedResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "a result of type `{}` cannot be sent to a reader of {}",
            self.result_type, self.reader
        )
    }
}

impl std::error::Error for UnsupportedResult {}

/// The maximum number of characters of a tool's name in a message.
const NAME: usize = 128;
