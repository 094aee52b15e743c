//! A tool's definition, built member by member.

use super::{Refused, RefusedTool};
use crate::contract::{NameFault, SchemaStore, ToolContract};
use crate::message::write::string;

/// A tool on its way to being published.
///
/// ```
/// use toolgate_mcp::contract::SchemaStore;
/// use toolgate_mcp::publish::ToolDefinition;
///
/// let tool = ToolDefinition::new("add")
///     .description("adds two numbers")
///     .input(r#"{"type": "object", "properties": {"a": {"type": "number"}}}"#)
///     .build(&SchemaStore::new())?;
/// assert_eq!(tool.name(), "add");
///
/// let refused = ToolDefinition::new("add").input(r#"{"type": "array"}"#).build(&SchemaStore::new());
/// assert_eq!(
///     refused.unwrap_err().to_string(),
///     r#"tool `add`: the root of `inputSchema` must have `"type": "object"`, found `"array"`"#
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct ToolDefinition {
    name: String,
    description: Option<String>,
    title: Option<String>,
    input: Result<String, Refused>,
    output: Option<String>,
    members: Vec<(String, String)>,
}

impl ToolDefinition {
    /// A tool that takes any object.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            description: None,
            title: None,
            input: Ok(r#"{"type":"object"}"#.to_owned()),
            output: None,
            members: Vec::new(),
        }
    }

    /// Sets what models read.
    #[must_use]
    pub fn description(mut self, text: impl Into<String>) -> Self {
        self.description = Some(text.into());
        self
    }

    /// Sets what people read.
    #[must_use]
    pub fn title(mut self, text: impl Into<String>) -> Self {
        self.title = Some(text.into());
        self
    }

    /// Sets the input schema, as JSON text; it is published as it is written.
    #[must_use]
    pub fn input(mut self, schema: impl Into<String>) -> Self {
        self.input = Ok(schema.into());
        self
    }

    /// Sets the output schema, as JSON text; it is published as it is written.
    #[must_use]
    pub fn output(mut self, schema: impl Into<String>) -> Self {
        self.output = Some(schema.into());
        self
    }

    /// Adds another member (`annotations`, `icons`, a vendor's own) with its
    /// value as JSON text.
    #[must_use]
    pub fn member(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.members.push((name.into(), value.into()));
        self
    }

    /// The contract, with its schemas compiled.
    ///
    /// # Errors
    ///
    /// The tool can never work: its text is not JSON or no tool, its name breaks
    /// the rules, a schema does not compile.
    pub fn build(self, store: &SchemaStore) -> Result<ToolContract, RefusedTool> {
        let Self { name, .. } = &self;
        let name = name.clone();
        self.contract(store)
            .map_err(|reason| RefusedTool { name, reason })
    }

    fn contract(self, store: &SchemaStore) -> Result<ToolContract, Refused> {
        if let Some(fault) = NameFault::of(&self.name) {
            return Err(Refused::Name(fault));
        }
        let input = self.input.clone()?;
        let mut text = format!("{{\"name\":{}", string(&self.name));
        let said = [("title", &self.title), ("description", &self.description)];
        for (member, value) in said {
            if let Some(value) = value {
                text.push_str(&format!(",\"{member}\":{}", string(value)));
            }
        }
        text.push_str(&format!(",\"inputSchema\":{input}"));
        if let Some(output) = &self.output {
            text.push_str(&format!(",\"outputSchema\":{output}"));
        }
        for (member, value) in &self.members {
            text.push_str(&format!(",{}:{value}", string(member)));
        }
        text.push('}');
        let contract = ToolContract::read(text.as_bytes(), store).map_err(Refused::Malformed)?;
        contract.verify().map_err(Refused::Uncompilable)?;
        Ok(contract)
    }

    #[cfg(feature = "schemars")]
    pub(super) fn with_input(mut self, input: Result<String, Refused>) -> Self {
        self.input = input;
        self
    }
}
