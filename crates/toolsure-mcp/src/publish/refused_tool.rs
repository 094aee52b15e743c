//! Why a tool may not be published.

use std::fmt;
use std::sync::Arc;

use crate::argument::SchemaError;
use crate::contract::{MalformedTool, NameFault, UncompilableTool};

/// Why a tool may not be published.
///
/// ```
/// use toolsure_mcp::publish::{Refused, RefusedTool};
///
/// let refused = RefusedTool::new("find", Refused::Unrepresentable("no icon".to_owned()));
/// assert_eq!(refused.to_string(), "tool `find` cannot be published: no icon");
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct RefusedTool {
    /// The tool's name.
    pub name: String,
    /// Why.
    pub reason: Refused,
}

/// Why a tool can never work.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Refused {
    /// The protocol does not allow it.
    Malformed(MalformedTool),
    /// A schema does not compile.
    Uncompilable(UncompilableTool),
    /// Its argument schema is invalid.
    ArgumentSchema(Arc<SchemaError>),
    /// The name breaks the protocol's rules.
    Name(NameFault),
    /// A Rust type cannot be the tool's input, because it would allow values that are not objects.
    #[cfg(feature = "schemars")]
    InputType(&'static str),
    /// The library that implements the protocol for the server cannot represent it, for the reason
    /// that it gives.
    Unrepresentable(String),
}

impl fmt::Display for RefusedTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = toolsure_json::quote(&self.name, NAME);
        match &self.reason {
            Refused::Malformed(reason) => write!(f, "tool `{name}`: {reason}"),
            Refused::Uncompilable(reason) => write!(f, "tool `{name}` has an {reason}"),
            Refused::ArgumentSchema(reason) => {
                write!(f, "tool `{name}` has an invalid argument schema: {reason}")
            }
            Refused::Name(reason) => write!(f, "tool `{name}`: {reason}"),
            #[cfg(feature = "schemars")]
            Refused::InputType(rust) => write!(
                f,
                "tool `{name}`: `{}` allows other values than objects, so it cannot be the input",
                toolsure_json::quote(rust, NAME)
            ),
            Refused::Unrepresentable(reason) => write!(
                f,
                "tool `{name}` cannot be published: {}",
                toolsure_json::quote(reason, NAME)
            ),
        }
    }
}

impl std::error::Error for RefusedTool {}

impl RefusedTool {
    /// The refusal of the tool with this name.
    pub fn new(name: impl Into<String>, reason: Refused) -> Self {
        Self {
            name: name.into(),
            reason,
        }
    }
}

/// The maximum number of characters of a name in a message.
const NAME: usize = 128;
