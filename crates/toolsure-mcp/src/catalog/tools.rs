//! The tools of one server at one time.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use super::listing::{Listing, UnreadableListing};
use super::scan;
use crate::contract::{Isolated, MalformedTool, SchemaStore, ToolContract, UncompilableTool};

/// A server's listed tools: a snapshot that never changes.
///
/// ```
/// use toolsure_mcp::catalog::{Listing, ToolSet};
/// use toolsure_mcp::contract::{SchemaStore, ToolContract};
///
/// let store = SchemaStore::new();
/// let mut tools = ToolSet::new();
/// assert!(tools.is_empty());
/// tools.add(&Listing::read(r#"{"tools": [
///     {"name": "find", "inputSchema": {"type": "object", "required": 1}}, {"name": "look"}]}"#)?, &store)?;
/// assert!(tools.tool("find").is_some() && tools.tool("look").is_none());
/// assert_eq!((tools.len(), tools.isolated().len()), (1, 1));
/// let look = tools.isolated_tool("look").map(|tool| tool.reason.code());
/// assert_eq!(look, Some("tool-member-missing"));
/// assert_eq!(tools.uncompilable().count(), 1); // `required` of `find`
///
/// let mut newer = ToolSet::new();
/// let tool = br#"{"name": "search", "inputSchema": {"type": "object"}}"#;
/// assert!(newer.insert(ToolContract::read(tool, &store)?).is_ok());
/// newer.carry_over(&tools);
/// let names: Vec<&str> = newer.tools().map(|tool| tool.name()).collect();
/// assert_eq!(names, ["search", "find"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Default)]
pub struct ToolSet {
    tools: Vec<Arc<ToolContract>>,
    by_name: HashMap<Arc<str>, usize>,
    isolated: Vec<Isolated>,
    bytes: usize,
}

impl ToolSet {
    /// The maximum number of tools in a set.
    pub const TOOLS: usize = 100_000;
    /// The maximum number of bytes of the listings of a set.
    pub const BYTES: usize = 256 << 20;

    /// No tools.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The tools of the given pages, in order.
    ///
    /// ```
    /// use toolsure_mcp::catalog::ToolSet;
    /// use toolsure_mcp::contract::SchemaStore;
    ///
    /// let page = br#"{"tools": [{"name": "find", "inputSchema": {"type": "object"}}, {}]}"#;
    /// let tools = ToolSet::of_pages([page.as_slice()], &SchemaStore::new())?;
    /// assert!(tools.tool("find").is_some());
    /// assert_eq!((tools.len(), tools.isolated().len()), (1, 1));
    /// # Ok::<(), toolsure_mcp::catalog::UnreadableListing>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The same as for [`add`](Self::add).
    pub fn of_pages<'p>(
        pages: impl IntoIterator<Item = &'p [u8]>,
        store: &SchemaStore,
    ) -> Result<Self, UnreadableListing> {
        let mut set = Self::new();
        for page in pages {
            match scan::Page::read(page) {
                Some(page) => set.add_scanned(&page, store)?,
                None => set.add(&Listing::read(page)?, store)?,
            }
        }
        Ok(set)
    }

    /// Adds the tools of a page in which no tool is malformed.
    fn add_scanned(
        &mut self,
        listed: &scan::Page<'_>,
        store: &SchemaStore,
    ) -> Result<(), UnreadableListing> {
        self.take_bytes(listed.text)?;
        let page: Arc<str> = Arc::from(listed.text);
        self.reserve(listed.tools.len());
        for (index, tool) in listed.tools.iter().enumerate() {
            self.take_tool()?;
            if self.insert(ToolContract::new(tool, &page, store)).is_err() {
                self.isolated.push(Isolated {
                    name: Some(tool.name.to_owned()),
                    index,
                    reason: MalformedTool::DuplicateName,
                });
            }
        }
        Ok(())
    }

    fn reserve(&mut self, tools: usize) {
        self.tools.reserve(tools);
        self.by_name.reserve(tools);
    }

    fn take_bytes(&mut self, text: &str) -> Result<(), UnreadableListing> {
        self.bytes += text.len();
        if self.bytes > Self::BYTES {
            return Err(UnreadableListing::Bytes {
                allowed: Self::BYTES,
            });
        }
        Ok(())
    }

    fn take_tool(&self) -> Result<(), UnreadableListing> {
        if self.tools.len() >= Self::TOOLS {
            return Err(UnreadableListing::Tools {
                allowed: Self::TOOLS,
            });
        }
        Ok(())
    }

    /// Adds the tools of the next page. Nothing is compiled.
    ///
    /// # Errors
    ///
    /// There are more tools, or more bytes of tools, than a set accepts.
    pub fn add(&mut self, listing: &Listing, store: &SchemaStore) -> Result<(), UnreadableListing> {
        self.take_bytes(listing.text())?;
        self.isolated.extend_from_slice(listing.unreadable());
        let page: Arc<str> = Arc::from(listing.text());
        for (index, (view, definition)) in listing.definitions().enumerate() {
            self.take_tool()?;
            let reason = match definition {
                Ok(definition) => {
                    let contract = ToolContract::new(&definition.spans(), &page, store)
                        .replacing(listing.original(index));
                    match self.insert(contract) {
                        Ok(()) => continue,
                        Err(_) => MalformedTool::DuplicateName,
                    }
                }
                Err(reason) => reason,
            };
            self.isolated.push(Isolated::of(view, index, reason));
        }
        Ok(())
    }

    /// Adds one tool.
    ///
    /// # Errors
    ///
    /// Returns the contract if there is already a tool with its name.
    pub fn insert(&mut self, contract: ToolContract) -> Result<(), Box<ToolContract>> {
        if self.by_name.contains_key(contract.name()) {
            return Err(Box::new(contract));
        }
        self.by_name
            .insert(contract.shared_name(), self.tools.len());
        self.tools.push(Arc::new(contract));
        Ok(())
    }

    /// Adds the tools of an older list for which this one has neither a tool nor an isolated tool
    /// with the same name. This keeps known tools when only part of the new list could be read.
    pub fn carry_over(&mut self, older: &Self) {
        for tool in older.tools() {
            let name = tool.name();
            if self.tool(name).is_none() && self.isolated_tool(name).is_none() {
                self.by_name.insert(tool.shared_name(), self.tools.len());
                self.tools.push(Arc::clone(tool));
            }
        }
    }

    /// The tool with this name.
    #[must_use]
    pub fn tool(&self, name: &str) -> Option<&Arc<ToolContract>> {
        self.tools.get(*self.by_name.get(name)?)
    }

    /// Why there is no tool with this name although the server listed one.
    #[must_use]
    pub fn isolated_tool(&self, name: &str) -> Option<&Isolated> {
        self.isolated
            .iter()
            .find(|tool| tool.name.as_deref() == Some(name))
    }

    /// The tools, in listing order.
    pub fn tools(&self) -> impl ExactSizeIterator<Item = &Arc<ToolContract>> {
        self.tools.iter()
    }

    /// The listed entries that are not valid tools.
    #[must_use]
    pub fn isolated(&self) -> &[Isolated] {
        &self.isolated
    }

    /// How many tools there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.tools.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }

    /// Compiles every tool's schemas and returns the tools whose schemas do not compile, for
    /// callers that drop such tools from lists.
    pub fn uncompilable(&self) -> impl Iterator<Item = (&Arc<ToolContract>, UncompilableTool)> {
        let tools = self.tools.iter();
        tools.filter_map(|tool| tool.verify().err().map(|why| (tool, why)))
    }
}

impl fmt::Debug for ToolSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolSet")
            .field("tools", &self.tools.len())
            .field("isolated", &self.isolated)
            .finish_non_exhaustive()
    }
}
