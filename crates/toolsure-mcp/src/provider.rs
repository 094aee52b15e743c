//! Tools for a model provider or a client that supports only parts of JSON Schema.
//!
//! [`ProviderTools`] publishes the [projection](toolsure_analysis::project) of each tool, maps
//! calls of the published tools to calls of the original tools, and checks them against the
//! original schemas, whatever the projection claims.

use std::collections::HashMap;
use std::sync::Arc;

use toolsure_analysis::project::{
    MappedArguments, Projected, Projector, RefusedTool, UnmappedArguments,
};
use toolsure_json::{Node as _, OwnedDocument, View};

use crate::catalog::{Listing, ToolSet, UnreadableListing};
use crate::check::{Checker, Decision, Fault};
use crate::contract::{ToolContract, may_have_headers};
use crate::message::Edits;

/// The tools of a set in the form that one provider gets, with the mapping back.
///
/// ```
/// use toolsure_analysis::{project::Projector, readers::reader};
/// use toolsure_mcp::catalog::{Listing, ToolSet};
/// use toolsure_mcp::check::{Checker, Decision};
/// use toolsure_mcp::contract::SchemaStore;
/// use toolsure_mcp::provider::ProviderTools;
/// use toolsure_json::{OwnedDocument, ReadLimits};
///
/// let listing = Listing::read(br#"{"tools": [{"name": "find", "inputSchema": {"type": "object",
///     "properties": {"q": {"type": "string", "minLength": 2}, "limit": {"type": "integer", "minimum": 1}},
///     "required": ["q"], "additionalProperties": false}}]}"#.as_slice())?;
/// let mut tools = ToolSet::new();
/// tools.add(&listing, &SchemaStore::new())?;
/// let strict = Projector::new(reader("openai-strict").unwrap());
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
    tools: Vec<PublishedTool>,
    refused: Vec<RefusedTool>,
    by_published: HashMap<String, usize>,
    /// By the name that the server knows: the index among the tools, or among the refused tools.
    by_name: HashMap<String, Result<usize, usize>>,
}

/// A tool in the form that a provider gets, with the original.
///
/// ```
/// use toolsure_analysis::{project::Projector, readers::reader};
/// use toolsure_json::{OwnedDocument, ReadLimits};
/// use toolsure_mcp::catalog::{Listing, ToolSet};
/// use toolsure_mcp::contract::SchemaStore;
/// use toolsure_mcp::provider::ProviderTools;
///
/// let page = Listing::read(r#"{"tools": [{"name": "find", "inputSchema": {"type": "object",
///     "properties": {"q": {"type": "string"}}, "additionalProperties": false}}]}"#)?;
/// let mut tools = ToolSet::new();
/// tools.add(&page, &SchemaStore::new())?;
/// let strict = Projector::new(reader("openai-strict").unwrap());
/// let provider = ProviderTools::of(tools.tools(), &strict);
/// let find = provider.published("find").ok_or("published")?;
/// assert_eq!((find.contract().name(), find.has_header_annotations()), ("find", false));
/// let arguments = OwnedDocument::read(r#"{"q": null}"#, &ReadLimits::default())?;
/// let mapped = find.map_back(Some(arguments.document().root()))?.ok_or("mapped")?;
/// assert_eq!((mapped.text.as_str(), mapped.conversions[0].pointer.as_str()), ("{}", "/q"));
///
/// assert!(provider.tool("find").is_some() && provider.refused().is_empty());
/// assert!(provider.of_tool("find").is_some_and(|found| found.is_ok()));
/// assert!(provider.page(&page)?.text().contains(&find.projected().text));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct PublishedTool {
    contract: Arc<ToolContract>,
    projected: Projected,
}

/// A call of a published tool, mapped to a call of the original tool.
#[derive(Debug)]
#[non_exhaustive]
pub struct MappedCall {
    /// The original tool's name; the called name, if there is no such tool.
    pub name: String,
    /// The arguments for the original tool, as JSON text.
    pub arguments: String,
    /// Whether the original tool accepts them.
    pub decision: Decision,
}

impl PublishedTool {
    /// The original tool.
    #[must_use]
    pub fn contract(&self) -> &Arc<ToolContract> {
        &self.contract
    }

    /// What is published, and how it was made.
    #[must_use]
    pub fn projected(&self) -> &Projected {
        &self.projected
    }

    /// Whether the published schema may have `x-mcp-header` annotations (2026-07-28, server/tools).
    /// If a profile does not allow them, a client cannot know the headers.
    #[must_use]
    pub fn has_header_annotations(&self) -> bool {
        may_have_headers(&self.projected.input.text)
    }

    /// Maps the arguments of a call of the published tool to those of the original tool, and says what
    /// was converted; `None` if they are the same. Does not check them.
    ///
    /// # Errors
    ///
    /// The reason of [`Mapping::map_back`](toolsure_analysis::project::Mapping::map_back).
    pub fn map_back(
        &self,
        arguments: Option<View<'_>>,
    ) -> Result<Option<MappedArguments>, UnmappedArguments> {
        let mapping = &self.projected.input.mapping;
        if mapping.is_plain() {
            return Ok(None);
        }
        let empty = OwnedDocument::empty_object();
        let view = arguments.unwrap_or(empty.document().root());
        mapping.map_back(view).map(Some)
    }
}

impl ProviderTools {
    /// Projects the tools of a set.
    #[must_use]
    pub fn new(tools: &ToolSet, projector: &Projector) -> Self {
        Self::of(tools.tools(), projector)
    }

    /// Projects the given tools, in this order.
    #[must_use]
    pub fn of<'t>(
        contracts: impl IntoIterator<Item = &'t Arc<ToolContract>>,
        projector: &Projector,
    ) -> Self {
        let contracts: Vec<_> = contracts.into_iter().collect();
        let projection = projector.project(contracts.iter().map(|tool| tool.text()));
        let mut all = Self {
            tools: Vec::new(),
            refused: Vec::new(),
            by_published: HashMap::new(),
            by_name: HashMap::new(),
        };
        for (contract, projected) in contracts.into_iter().zip(projection.tools) {
            let place = match projected {
                Ok(projected) => {
                    let place = all.tools.len();
                    all.by_published.insert(projected.published.clone(), place);
                    all.tools.push(PublishedTool {
                        contract: Arc::clone(contract),
                        projected,
                    });
                    Ok(place)
                }
                Err(refused) => {
                    all.refused.push(refused);
                    Err(all.refused.len().saturating_sub(1))
                }
            };
            // Of two tools with one name, only the first is published.
            let known = all
                .by_name
                .entry(contract.name().to_owned())
                .or_insert(place);
            if known.is_err() {
                *known = place;
            }
        }
        all
    }

    /// The published tools, in the order of the set.
    pub fn projected(&self) -> impl ExactSizeIterator<Item = &Projected> {
        self.tools.iter().map(PublishedTool::projected)
    }

    /// The tools that cannot be projected, with reasons. They are not published.
    #[must_use]
    pub fn refused(&self) -> &[RefusedTool] {
        &self.refused
    }

    /// The original tool for a published name.
    #[must_use]
    pub fn tool(&self, published: &str) -> Option<&Arc<ToolContract>> {
        self.published(published).map(PublishedTool::contract)
    }

    /// The published tool with this name.
    #[must_use]
    pub fn published(&self, name: &str) -> Option<&PublishedTool> {
        self.tools.get(*self.by_published.get(name)?)
    }

    /// What happened to a tool, by the name that the server knows: how it is published, or why it
    /// is not. `None` if it was not in the set.
    #[must_use]
    pub fn of_tool(&self, name: &str) -> Option<Result<&PublishedTool, &RefusedTool>> {
        match self.by_name.get(name)? {
            Ok(place) => self.tools.get(*place).map(Ok),
            Err(place) => self.refused.get(*place).map(Err),
        }
    }

    /// One of the server's pages with the published tools in place of the originals. Everything
    /// else on the page stays, including tools that are malformed or cannot be projected.
    ///
    /// # Errors
    ///
    /// The rewritten page exceeds a limit.
    pub fn page(&self, page: &Listing) -> Result<Listing, UnreadableListing> {
        let mut edits = Edits::new();
        for tool in page.tools().items() {
            let name = tool.member("name").map_or("", |name| name.string());
            if let Some(Ok(published)) = self.of_tool(name) {
                edits.replace(tool, published.projected.text.as_str());
            }
        }
        page.rewritten(edits.apply(page.text()))
    }

    /// Maps a call back and checks it against the original input schema.
    pub fn call(
        &self,
        checker: &mut Checker,
        published: &str,
        arguments: Option<View<'_>>,
    ) -> MappedCall {
        let written = arguments.map_or("{}", View::raw);
        let Some(tool) = self.published(published) else {
            let text = format!("Unknown tool: {}", toolsure_json::quote(published, NAME));
            return MappedCall {
                name: published.to_owned(),
                arguments: written.to_owned(),
                decision: Decision::refuse(Fault::UnknownTool, Some(published), text),
            };
        };
        let name = tool.contract.name().to_owned();
        match tool.map_back(arguments) {
            Ok(mapped) => {
                let arguments = mapped.map_or_else(|| written.to_owned(), |mapped| mapped.text);
                MappedCall {
                    decision: checker.check_arguments_bytes(&tool.contract, arguments.as_bytes()),
                    arguments,
                    name,
                }
            }
            Err(why) => MappedCall {
                arguments: written.to_owned(),
                decision: Decision::refuse(
                    Fault::MalformedCall(why.to_string()),
                    Some(&name),
                    why.to_string(),
                ),
                name,
            },
        }
    }
}

/// The maximum number of characters of a name in a message.
const NAME: usize = 128;
