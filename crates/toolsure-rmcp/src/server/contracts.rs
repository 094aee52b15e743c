//! The contracts of a server's tools, made once per definition.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use rmcp::model::Tool;
use toolsure_mcp::catalog::ToolSet;
use toolsure_mcp::contract::{SchemaStore, ToolContract};
use toolsure_mcp::publish::{RefusedTool, admit, admit_for_host};

/// A tool's contract, or why it can never work.
pub(crate) type Outcome = Result<Arc<ToolContract>, Arc<RefusedTool>>;

/// The contract of each tool, by name. A changed definition gets a new contract; an
/// unchanged one is not read again.
#[derive(Debug, Default)]
pub(crate) struct Contracts {
    store: SchemaStore,
    /// Whether the program checks with its own engine.
    for_host: bool,
    known: RwLock<HashMap<Arc<str>, Known>>,
}

#[derive(Debug, Clone)]
struct Known {
    tool: Tool,
    outcome: Outcome,
}

impl Contracts {
    pub(crate) fn new(store: SchemaStore, for_host: bool) -> Self {
        Self {
            store,
            for_host,
            known: RwLock::default(),
        }
    }

    pub(crate) fn store(&self) -> &SchemaStore {
        &self.store
    }

    /// The contract of this definition, and whether it is new.
    pub(crate) fn of(&self, tool: &Tool) -> (Outcome, bool) {
        {
            let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
            if let Some(known) = known.get(&*tool.name).filter(|known| known.tool == *tool) {
                return (known.outcome.clone(), false);
            }
        }
        let outcome = self.make(tool);
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        // A server that keeps inventing names must not fill the memory.
        if known.len() >= ToolSet::TOOLS {
            known.clear();
        }
        let entry = Known {
            tool: tool.clone(),
            outcome: outcome.clone(),
        };
        known.insert(Arc::from(&*tool.name), entry);
        (outcome, true)
    }

    /// The latest contract of the tool with this name.
    pub(crate) fn last(&self, name: &str) -> Option<Outcome> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        known.get(name).map(|known| known.outcome.clone())
    }

    /// Forgets all definitions. Compiled schemas stay in the store.
    pub(crate) fn forget(&self) {
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        known.clear();
    }

    fn make(&self, tool: &Tool) -> Outcome {
        // A `Tool` is strings and JSON values, whose serialisation cannot fail;
        // an empty text would be refused, because it is not JSON.
        let text = serde_json::to_vec(tool).unwrap_or_default();
        let admit = if self.for_host { admit_for_host } else { admit };
        admit(&tool.name, &text, &self.store)
            .map(Arc::new)
            .map_err(Arc::new)
    }
}
