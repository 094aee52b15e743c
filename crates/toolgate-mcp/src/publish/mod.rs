//! Tools of a server that is being written: refused at start-up if they can
//! never work.

mod definition;
#[cfg(feature = "schemars")]
mod rust_type;

use std::fmt;

pub use definition::ToolDefinition;

use crate::catalog::ToolSet;
use crate::contract::{MalformedTool, NameFault, SchemaStore, UncompilableTool};

/// Why a tool may not be published.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct RefusedTool {
    /// The tool's name.
    pub name: String,
    /// Why.
    pub reason: Refused,
}

/// What makes a tool useless from the start.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Refused {
    /// It is not what the protocol says a tool is.
    Malformed(MalformedTool),
    /// A schema does not compile.
    Uncompilable(UncompilableTool),
    /// The name breaks the protocol's rules.
    Name(NameFault),
    /// A Rust type cannot be the tool's input: other values than objects would
    /// be allowed.
    #[cfg(feature = "schemars")]
    InputType(&'static str),
}

impl fmt::Display for RefusedTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = toolgate_json::quote(&self.name, NAME);
        match &self.reason {
            Refused::Malformed(reason) => write!(f, "tool `{name}`: {reason}"),
            Refused::Uncompilable(reason) => write!(f, "tool `{name}` has an {reason}"),
            Refused::Name(reason) => write!(f, "tool `{name}`: {reason}"),
            #[cfg(feature = "schemars")]
            Refused::InputType(rust) => write!(
                f,
                "tool `{name}`: `{}` allows other values than objects, so it cannot be the input",
                toolgate_json::quote(rust, NAME)
            ),
        }
    }
}

impl std::error::Error for RefusedTool {}

/// The tools that can be published, and those that cannot with reasons. Compiles
/// every schema. Whether one refused tool stops the server is the caller's to
/// say: `refused` is for its log.
#[must_use]
pub fn publish(
    tools: impl IntoIterator<Item = ToolDefinition>,
    store: &SchemaStore,
) -> (ToolSet, Vec<RefusedTool>) {
    let mut set = ToolSet::new();
    let mut refused = Vec::new();
    for tool in tools {
        match tool.build(store) {
            Err(why) => refused.push(why),
            Ok(contract) => {
                if let Err(twice) = set.insert(contract) {
                    refused.push(RefusedTool {
                        name: twice.name().to_owned(),
                        reason: Refused::Malformed(MalformedTool::DuplicateName),
                    });
                }
            }
        }
    }
    (set, refused)
}

/// Characters of a name that a message repeats.
const NAME: usize = 128;
