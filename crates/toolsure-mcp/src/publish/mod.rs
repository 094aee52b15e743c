//! Publishes a server's own tools; refuses at start-up those that can never work.

mod definition;
mod refused_tool;
#[cfg(feature = "schemars")]
mod rust_type;

pub use definition::ToolDefinition;
pub use refused_tool::{Refused, RefusedTool};
#[cfg(feature = "schemars")]
pub use rust_type::allows_objects_only;

use crate::catalog::ToolSet;
use crate::contract::{MalformedTool, SchemaStore, ToolContract, UncompilableTool};

/// The contract of a tool that was defined elsewhere, with its schemas compiled. `tool` is its
/// JSON, as in `tools/list`. The name is not checked.
///
/// ```
/// use toolsure_mcp::contract::SchemaStore;
/// use toolsure_mcp::publish::admit;
///
/// let tool = br#"{"name": "find", "inputSchema": {"type": "object", "required": 1}}"#;
/// let refused = admit("find", tool, &SchemaStore::new()).unwrap_err();
/// assert!(refused.to_string().starts_with("tool `find` has an invalid inputSchema"));
/// ```
///
/// # Errors
///
/// The tool can never work: it is not a valid tool, or a schema does not compile.
pub fn admit(name: &str, tool: &[u8], store: &SchemaStore) -> Result<ToolContract, RefusedTool> {
    verified(name, tool, store, ToolContract::verify)
}

/// The same for a program that checks with its own engine
/// ([`ToolContract::verify_for_host`]).
///
/// ```
/// use toolsure_mcp::contract::SchemaStore;
/// use toolsure_mcp::publish::{admit, admit_for_host};
///
/// let tool = br#"{"name": "find", "inputSchema": {"type": "object", "$schema": "urn:ours"}}"#;
/// assert!(admit("find", tool, &SchemaStore::new()).is_err());
/// assert!(admit_for_host("find", tool, &SchemaStore::new()).is_ok());
/// ```
///
/// # Errors
///
/// The tool can never work: it is not a valid tool, or the engine must not get a schema.
pub fn admit_for_host(
    name: &str,
    tool: &[u8],
    store: &SchemaStore,
) -> Result<ToolContract, RefusedTool> {
    verified(name, tool, store, ToolContract::verify_for_host)
}

fn verified(
    name: &str,
    tool: &[u8],
    store: &SchemaStore,
    verify: fn(&ToolContract) -> Result<(), UncompilableTool>,
) -> Result<ToolContract, RefusedTool> {
    let refused = |reason| RefusedTool::new(name, reason);
    let contract =
        ToolContract::read(tool, store).map_err(|why| refused(Refused::Malformed(why)))?;
    verify(&contract).map_err(|why| refused(Refused::Uncompilable(why)))?;
    Ok(contract)
}

/// The tools that can be published, and those that cannot, with reasons. Compiles every schema. The
/// caller decides whether one refused tool stops the server; `refused` is for its log.
///
/// ```
/// use toolsure_mcp::contract::SchemaStore;
/// use toolsure_mcp::publish::{ToolDefinition, publish};
///
/// let tools = ["add", "add", "no spaces"].map(ToolDefinition::new);
/// let (tools, refused) = publish(tools, &SchemaStore::new());
/// assert_eq!((tools.len(), refused.len()), (1, 2));
/// ```
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
                    let reason = Refused::Malformed(MalformedTool::DuplicateName);
                    refused.push(RefusedTool::new(twice.name(), reason));
                }
            }
        }
    }
    (set, refused)
}
