//! Builds a tool's definition, member by member.

use std::sync::Arc;

use toolsure_json::{OwnedDocument, ReadLimits, json_string};

use super::refused_tool::{Refused, RefusedTool};
use crate::argument::ArgumentSchema;
use crate::contract::{ARGUMENT_SCHEMA, MalformedTool, NameFault, SchemaStore, ToolContract};
use crate::message::Edits;

/// A tool that is being built for publication.
///
/// ```
/// use toolsure_mcp::contract::SchemaStore;
/// use toolsure_mcp::publish::ToolDefinition;
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
    argument_schema: Option<String>,
    members: Vec<(String, String)>,
}

impl ToolDefinition {
    /// A tool that accepts any object.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            description: None,
            title: None,
            input: Ok(r#"{"type":"object"}"#.to_owned()),
            output: None,
            argument_schema: None,
            members: Vec::new(),
        }
    }

    /// Sets the text for models.
    #[must_use]
    pub fn description(mut self, text: impl Into<String>) -> Self {
        self.description = Some(text.into());
        self
    }

    /// Sets the text for people.
    ///
    /// ```
    /// use toolsure_mcp::contract::SchemaStore;
    /// use toolsure_mcp::publish::ToolDefinition;
    ///
    /// let tool = ToolDefinition::new("add").title("Add").build(&SchemaStore::new())?;
    /// assert!(tool.text().contains(r#""title":"Add""#));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn title(mut self, text: impl Into<String>) -> Self {
        self.title = Some(text.into());
        self
    }

    /// Sets the input schema, as JSON text; it is published as written.
    #[must_use]
    pub fn input(mut self, schema: impl Into<String>) -> Self {
        self.input = Ok(schema.into());
        self
    }

    /// Sets the input by an [argument schema](crate::argument), as JSON text.
    ///
    /// Publishes the same contract as JSON Schema, and the argument schema as written in `_meta`
    /// under [`ARGUMENT_SCHEMA`], for readers that support it. A checker that uses argument schemas
    /// ([`Checker::argument_schemas`](crate::check::Checker::argument_schemas)) refuses arguments
    /// with the argument schema's error texts.
    ///
    /// ```
    /// use toolsure_mcp::contract::SchemaStore;
    /// use toolsure_mcp::publish::ToolDefinition;
    ///
    /// let tool = ToolDefinition::new("search")
    ///     .argument_schema(r#"{"q": {"type": "string", "required": true, "minLength": 3}}"#)
    ///     .build(&SchemaStore::new())?;
    /// assert!(tool.input_text().contains(r#""required":["q"]"#));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn argument_schema(mut self, schema: impl Into<String>) -> Self {
        let schema = schema.into();
        let read = ArgumentSchema::read(schema.as_bytes());
        self.input = read
            .map(|schema| schema.to_json_schema())
            .map_err(|error| Refused::ArgumentSchema(Arc::new(error)));
        self.argument_schema = Some(schema);
        self
    }

    /// Sets the output schema, as JSON text; it is published as written.
    ///
    /// ```
    /// use toolsure_mcp::contract::SchemaStore;
    /// use toolsure_mcp::publish::ToolDefinition;
    ///
    /// let tool = ToolDefinition::new("add").output(r#"{"type": "number"}"#).build(&SchemaStore::new())?;
    /// assert_eq!(tool.output_text(), Some(r#"{"type": "number"}"#));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn output(mut self, schema: impl Into<String>) -> Self {
        self.output = Some(schema.into());
        self
    }

    /// Adds another member (`annotations`, `icons`, a vendor extension) with its value as JSON
    /// text.
    ///
    /// ```
    /// use toolsure_mcp::contract::SchemaStore;
    /// use toolsure_mcp::publish::ToolDefinition;
    ///
    /// let tool = ToolDefinition::new("add")
    ///     .member("annotations", r#"{"readOnlyHint": true}"#)
    ///     .build(&SchemaStore::new())?;
    /// assert!(tool.text().contains(r#""annotations":{"readOnlyHint": true}"#));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn member(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.members.push((name.into(), value.into()));
        self
    }

    /// The contract, with its schemas compiled.
    ///
    /// # Errors
    ///
    /// The tool can never work: its text is not JSON or not a tool, its name breaks the rules, or a
    /// schema does not compile.
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
        let mut text = format!("{{\"name\":{}", json_string(&self.name));
        let said = [("title", &self.title), ("description", &self.description)];
        for (member, value) in said {
            if let Some(value) = value {
                text.push_str(&format!(",\"{member}\":{}", json_string(value)));
            }
        }
        text.push_str(&format!(",\"inputSchema\":{input}"));
        if let Some(output) = &self.output {
            text.push_str(&format!(",\"outputSchema\":{output}"));
        }
        let mut argument = self.argument_schema.as_deref();
        for (member, value) in &self.members {
            text.push_str(&format!(",{}:", json_string(member)));
            match argument.filter(|_| member == "_meta") {
                Some(schema) => text.push_str(&with_member(value, schema)?),
                None => text.push_str(value),
            }
            argument = argument.filter(|_| member != "_meta");
        }
        if let Some(schema) = argument {
            text.push_str(&format!(r#","_meta":{{"{ARGUMENT_SCHEMA}":{schema}}}"#));
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

/// A `_meta` with the argument schema as its first member.
fn with_member(meta: &str, schema: &str) -> Result<String, Refused> {
    let malformed = |error| Refused::Malformed(MalformedTool::Json(error));
    let document = OwnedDocument::read(meta, &ReadLimits::default()).map_err(malformed)?;
    let mut edits = Edits::new();
    let member = format!(r#""{ARGUMENT_SCHEMA}":{schema}"#);
    edits.prepend_member(document.document().root(), &member);
    Ok(edits.apply(meta))
}
