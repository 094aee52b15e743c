//! What a repair changed, for the record.

use std::fmt;

use toolsure_json::quote;

/// A change that makes a message readable.
///
/// ```
/// use toolsure_mcp::clients::Change;
///
/// let path = "content[0].annotations".to_owned();
/// let change = Change::LeftOut { path, expected: "an object" };
/// assert_eq!(change.to_string(), "`content[0].annotations` is left out: it must be an object");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Change {
    /// A member or an element was left out because the protocol does not allow its value.
    LeftOut {
        /// Its path, with `.` between names and `[index]` for elements.
        path: String,
        /// What it must be.
        expected: &'static str,
    },
    /// An object was left out because it lacks a member, or has it in a form that the protocol does not allow.
    LeftOutFor {
        /// Its path.
        path: String,
        /// The name of the member.
        member: &'static str,
        /// What the member must be.
        expected: &'static str,
    },
    /// A value was replaced by what it says, in the form that the protocol wants.
    Replaced {
        /// Its path.
        path: String,
        /// What is in its place.
        to: &'static str,
    },
    /// A required member that has one possible value was added.
    Added {
        /// Its path.
        path: String,
        /// Its value, as JSON text.
        value: &'static str,
    },
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::LeftOut { path, expected } => {
                let path = quote(path, PATH);
                write!(f, "`{path}` is left out: it must be {expected}")
            }
            Self::LeftOutFor {
                path,
                member,
                expected,
            } => {
                let path = quote(path, PATH);
                write!(f, "`{path}` is left out: its `{member}` must be {expected}")
            }
            Self::Replaced { path, to } => {
                write!(f, "`{}` is replaced by {to}", quote(path, PATH))
            }
            Self::Added { path, value } => {
                write!(f, "`{}` is added: {value}", quote(path, PATH))
            }
        }
    }
}

/// The maximum number of characters of a path in a message.
const PATH: usize = 128;
