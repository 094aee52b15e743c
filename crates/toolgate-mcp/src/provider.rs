//! Tools for a model provider or a client that takes parts of JSON Schema only.
//!
//! [`ProviderTools`] publishes the [projection](toolgate_analysis::project) of each tool, maps the
//! calls that come back to calls of the original tools, and checks them against the original
//! schemas, whatever is claimed of the projection.

use std::collections::HashMap;
use std::sync::Arc;

use toolgate_analysis::project::{Mapping, Projected, Projector, RefusedTool};
use toolgate_json::{OwnedDocument, View};

use crate::catalog::ToolSet;
use crate::check::{Checker, Decision, Fault};
use crate::contract::ToolContract;

/// The tools of a set as one provider is shown them, with the way back.
///
/// ```
/// use toolgate_analysis::{lint::profile, project::Projector};
/// use toolgate_mcp::catalog::{Listing, ToolSet};
/// use toolgate_mcp::check::{Checker, Decision};
/// use toolgate_mcp::contract::SchemaStore;
/// use toolgate_mcp::provider::ProviderTools;
/// use toolgate_json::{OwnedDocument, ReadLimits};
///
/// let listing = Listing::read(br#"{"tools": [{"name": "find", "inputSchema": {"type": "object",
///     "properties": {"q": {"type": "string", "minLength": 2}, "limit": {"type": "integer", "minimum": 1}},
///     "required": ["q"], "additionalProperties": false}}]}"#.as_slice())?;
/// let mut tools = ToolSet::new();
/// tools.add(&listing, &SchemaStore::new())?;
/// let strict = Projector::new(profile("openai-strict").unwrap());
/// let provider = ProviderTools::new(&tools, &strict);
/// let shown = &provider.projected().next().unwrap().text;
/// assert!(shown.contains(r#""required":["q","limit"]"#));
///
/// // The model has to write each member; null stands for one that it leaves out.
/// let arguments = OwnedDocument::read(r#"{"q": "cats", "limit": null}"#, &ReadLimits::default())?;
/// let call = provider.call(&mut Checker::new(), "find", Some(arguments.document().root()));
/// assert_eq!(call.arguments, r#"{"q":"cats"}"#);
/// assert!(matches!(call.decision, Decision::Pass(_)));
///
/// // What the original schema refuses is refused, whatever the projected one says.
/// let arguments = OwnedDocument::read(r#"{"q": "cats", "limit": 0}"#, &ReadLimits::default())?;
/// let call = provider.call(&mut Checker::new(), "find", Some(arguments.document().root()));
/// assert!(matches!(call.decision, Decision::Refuse(_)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct ProviderTools {
    /// By published name.
    tools: HashMap<String, Published>,
    projected: Vec<Projected>,
    refused: Vec<RefusedTool>,
}

#[derive(Debug)]
struct Published {
    contract: Arc<ToolContract>,
    mapping: Mapping,
}

/// A call of a published tool as a call of the original one.
#[derive(Debug)]
#[non_exhaustive]
pub struct MappedCall {
    /// The original tool's name; the name that was called, if there is no such tool.
    pub name: String,
    /// The arguments for the original tool, as JSON text.
    pub arguments: String,
    /// Whether the original tool takes them.
    pub decision: Decision,
}

impl ProviderTools {
    /// Projects the tools of a set.
    #[must_use]
    pub fn new(tools: &ToolSet, projector: &Projector) -> Self {
        let contracts: Vec<&Arc<ToolContract>> = tools.tools().collect();
        let projection = projector.project(contracts.iter().map(|tool| tool.text()));
        let mut all = Self {
            tools: HashMap::new(),
            projected: Vec::new(),
            refused: Vec::new(),
        };
        for tool in projection.tools {
            match tool {
                Ok(tool) => {
                    if let Some(contract) = contracts.get(tool.index) {
                        let published = Published {
                            contract: Arc::clone(contract),
                            mapping: tool.input.mapping.clone(),
                        };
                        all.tools.insert(tool.published.clone(), published);
                    }
                    all.projected.push(tool);
                }
                Err(refused) => all.refused.push(refused),
            }
        }
        all
    }

    /// The tools as they are published, in the order of the set.
    pub fn projected(&self) -> impl ExactSizeIterator<Item = &Projected> {
        self.projected.iter()
    }

    /// The tools that cannot be projected, with reasons. They are not published.
    #[must_use]
    pub fn refused(&self) -> &[RefusedTool] {
        &self.refused
    }

    /// The original tool behind a published name.
    #[must_use]
    pub fn tool(&self, published: &str) -> Option<&Arc<ToolContract>> {
        self.tools.get(published).map(|tool| &tool.contract)
    }

    /// Maps a call back, and checks it against the original input schema.
    pub fn call(
        &self,
        checker: &mut Checker,
        published: &str,
        arguments: Option<View<'_>>,
    ) -> MappedCall {
        let written = arguments.map_or("{}", View::raw);
        let Some(tool) = self.tools.get(published) else {
            let text = format!("Unknown tool: {}", toolgate_json::quote(published, NAME));
            return MappedCall {
                name: published.to_owned(),
                arguments: written.to_owned(),
                decision: Decision::refuse(Fault::UnknownTool, Some(published), text),
            };
        };
        let name = tool.contract.name();
        let empty = OwnedDocument::empty_object();
        let view = arguments.unwrap_or(empty.document().root());
        let Some(mapped) = tool.mapping.back(view) else {
            let text = "the arguments are too large to be mapped to those of the tool".to_owned();
            return MappedCall {
                name: name.to_owned(),
                arguments: written.to_owned(),
                decision: Decision::refuse(Fault::MalformedCall(text.clone()), Some(name), text),
            };
        };
        let decision = checker.check_arguments_bytes(&tool.contract, mapped.as_bytes());
        MappedCall {
            name: name.to_owned(),
            arguments: mapped,
            decision,
        }
    }
}

/// Characters of a name that a message repeats.
const NAME: usize = 128;
