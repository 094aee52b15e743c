//! One page of a tool list; each tool is judged on its own.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use toolsure_json::{Kind, Node as _, NodeId, OwnedDocument, ReadError, ReadLimits, View};

use super::salvage;
use crate::argument::{InPlace, in_place};
use crate::contract::{Definition, Isolated, MalformedTool, definition_limits};
use crate::message::{Edits, MalformedList, ToolList};

/// A page of tools as a server sent it: a JSON-RPC response to `tools/list`, or only its result.
///
/// No tool can spoil the page for the others. A tool that the protocol does not allow is listed in
/// [`isolated`](Self::isolated) with the reason; a tool whose text cannot be parsed (duplicate
/// keys, half a surrogate pair, an endless number) is cut out of [`text`](Self::text) before the
/// page is parsed. An `inputSchema` that is an argument schema is replaced by the equivalent JSON
/// Schema ([`in_place`]).
///
/// ```
/// use toolsure_json::{Node as _, ReadLimits};
/// use toolsure_mcp::catalog::Listing;
///
/// let page = r#"{"tools": [{"name": "find", "name": "again"}, {"name": "look"}]}"#;
/// let page = Listing::read_within(page, &ReadLimits::default())?;
/// assert_eq!(page.unreadable().len(), 1); // it has a key twice
/// assert!(!page.text().contains("again"));
/// assert_eq!(page.result().member("tools").map(|tools| tools.len()), Some(1));
/// assert_eq!((page.isolated().len(), page.next_cursor()), (2, None));
/// # Ok::<(), toolsure_mcp::catalog::UnreadableListing>(())
/// ```
#[derive(Debug, Clone)]
pub struct Listing {
    document: OwnedDocument,
    /// The array of tools.
    tools: NodeId,
    /// The cursor of the next page.
    cursor: Option<NodeId>,
    /// The limits for reading the page, and for reading it again after a rewrite.
    limits: ReadLimits,
    /// Tools cut out before parsing; their indexes are those of the original array.
    unreadable: Vec<Isolated>,
    /// The argument schemas that were found in place of input schemas.
    recognised: Vec<Recognised>,
    /// The tools whose input schemas were replaced, as the server wrote them, by index in the text.
    originals: BTreeMap<usize, Arc<str>>,
}

/// An argument schema that a tool lists in place of its input schema.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Recognised {
    /// The tool's name, if it has one.
    pub tool: Option<String>,
    /// The schema.
    pub schema: InPlace,
    index: usize,
}

impl Listing {
    /// Reads a page.
    ///
    /// ```
    /// use toolsure_mcp::catalog::Listing;
    ///
    /// let page = Listing::read(r#"{"tools": [{"name": "find"}], "nextCursor": "2"}"#)?;
    /// assert_eq!(page.next_cursor(), Some("2"));
    /// assert_eq!(page.isolated().len(), 1); // it has no `inputSchema`
    /// assert!(Listing::read("{}").is_err());
    /// # Ok::<(), toolsure_mcp::catalog::UnreadableListing>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The page outside its tools is not JSON or exceeds a limit, or it has no array of tools.
    pub fn read(page: impl Into<Vec<u8>>) -> Result<Self, UnreadableListing> {
        Self::read_within(page, &definition_limits())
    }

    /// Like [`read`](Self::read), with the given limits. The defaults are 64 MiB, 16,384 levels and
    /// 8 million values and keys.
    ///
    /// # Errors
    ///
    /// The same as for [`read`](Self::read).
    pub fn read_within(
        page: impl Into<Vec<u8>>,
        limits: &ReadLimits,
    ) -> Result<Self, UnreadableListing> {
        let page = page.into();
        let (document, unreadable) = match OwnedDocument::read(page.as_slice(), limits) {
            Ok(document) => (document, Vec::new()),
            Err(error) => salvage::readable(&page, limits).ok_or(UnreadableListing::Json(error))?,
        };
        let mut listing = Self::of_document(document, limits)?;
        listing.unreadable = unreadable;
        let mut recognised = Vec::new();
        for (index, tool) in listing.tools().items().enumerate() {
            if let Some(schema) = tool.member("inputSchema").and_then(in_place) {
                let tool = name_of(tool);
                recognised.push(Recognised {
                    tool,
                    schema,
                    index,
                });
            }
        }
        listing.recognised = recognised;
        let converted = listing.recognised.iter().filter_map(|found| {
            let text = found.schema.json_schema().ok()?;
            Some((found.index, text.to_owned()))
        });
        let converted = converted.collect();
        listing.with_inputs(&converted)
    }

    /// The page with the input schemas that `replaced` returns for the names of tools, in place of those
    /// that the server wrote.
    ///
    /// ```
    /// use toolsure_mcp::catalog::Listing;
    ///
    /// let page = Listing::read(r#"{"tools": [{"name": "find", "inputSchema": {}}]}"#)?;
    /// assert_eq!(page.isolated().len(), 1);
    /// let page = page.replacing_inputs(|_| Some(r#"{"type":"object"}"#.to_owned()))?;
    /// assert!(page.isolated().is_empty());
    /// # Ok::<(), toolsure_mcp::catalog::UnreadableListing>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The rewritten page exceeds a limit.
    pub fn replacing_inputs(
        self,
        replaced: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, UnreadableListing> {
        let tools = self.tools().items().enumerate();
        let inputs = tools.filter_map(|(index, tool)| Some((index, replaced(&name_of(tool)?)?)));
        let inputs = inputs.collect();
        self.with_inputs(&inputs)
    }

    /// The page without the output schemas of the tools for whose names `hidden` returns true.
    ///
    /// ```
    /// use toolsure_mcp::catalog::Listing;
    ///
    /// let page = r#"{"tools": [{"name": "find", "inputSchema": {"type": "object"}, "outputSchema": {}}]}"#;
    /// let page = Listing::read(page)?.without_outputs(|name| name == "find")?;
    /// assert!(!page.text().contains("outputSchema"));
    /// # Ok::<(), toolsure_mcp::catalog::UnreadableListing>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The rewritten page exceeds a limit.
    pub fn without_outputs(self, hidden: impl Fn(&str) -> bool) -> Result<Self, UnreadableListing> {
        self.with_tools_edited(|_, tool, edits| {
            let is_hidden = name_of(tool).is_some_and(|name| hidden(&name));
            if is_hidden && tool.member("outputSchema").is_some() {
                edits.remove_member(tool, "outputSchema");
            }
        })
    }

    /// Replaces the input schemas of tools, by index; a tool without one gets none.
    fn with_inputs(self, inputs: &BTreeMap<usize, String>) -> Result<Self, UnreadableListing> {
        self.with_tools_edited(|index, tool, edits| {
            let input = tool.member("inputSchema");
            if let (Some(text), Some(input)) = (inputs.get(&index), input)
                && input.raw() != text
            {
                edits.replace(input, text.as_str());
            }
        })
    }

    /// Edits tools, and remembers how the server wrote them.
    fn with_tools_edited(
        self,
        edit: impl Fn(usize, View<'_>, &mut Edits),
    ) -> Result<Self, UnreadableListing> {
        let mut edits = Edits::new();
        let mut originals = self.originals.clone();
        for (index, tool) in self.tools().items().enumerate() {
            let before = edits.len();
            edit(index, tool, &mut edits);
            if edits.len() > before {
                let original = || Arc::from(tool.raw());
                originals.entry(index).or_insert_with(original);
            }
        }
        if edits.is_empty() {
            return Ok(self);
        }
        let text = edits.apply(self.text());
        let document = OwnedDocument::read(text, &self.limits).map_err(UnreadableListing::Json)?;
        let mut listing = Self::of_document(document, &self.limits)?;
        listing.unreadable = self.unreadable;
        listing.recognised = self.recognised;
        listing.originals = originals;
        Ok(listing)
    }

    fn of_document(
        document: OwnedDocument,
        limits: &ReadLimits,
    ) -> Result<Self, UnreadableListing> {
        let result = result(document.document().root());
        let list = ToolList::decode(result).map_err(UnreadableListing::List)?;
        let cursor = list.next_cursor.and_then(|_| result.member("nextCursor"));
        Ok(Self {
            tools: list.tools.id(),
            cursor: cursor.map(View::id),
            limits: *limits,
            document,
            unreadable: Vec::new(),
            recognised: Vec::new(),
            originals: BTreeMap::new(),
        })
    }

    /// The same page with another text, in which tools were rewritten in place.
    pub(crate) fn rewritten(&self, text: String) -> Result<Self, UnreadableListing> {
        let document = OwnedDocument::read(text, &self.limits).map_err(UnreadableListing::Json)?;
        let listing = Self::of_document(document, &self.limits)?;
        let mut originals = self.originals.clone();
        let tools = self.tools().items().zip(listing.tools().items());
        for (index, (sent, now)) in tools.enumerate() {
            if sent.raw() != now.raw() {
                let original = || Arc::from(sent.raw());
                originals.entry(index).or_insert_with(original);
            }
        }
        Ok(Self {
            unreadable: self.unreadable.clone(),
            recognised: self.recognised.clone(),
            originals,
            ..listing
        })
    }

    /// The page as it was sent, without the tools that cannot be parsed, and with argument schemas
    /// converted to JSON Schema.
    #[must_use]
    pub fn text(&self) -> &str {
        self.document.document().source()
    }

    /// The page's result.
    #[must_use]
    pub fn result(&self) -> View<'_> {
        result(self.document.document().root())
    }

    /// The array of tools.
    pub(crate) fn tools(&self) -> View<'_> {
        self.document.document().view(self.tools)
    }

    /// The cursor of the next page; the list ends only if there is none.
    #[must_use]
    pub fn next_cursor(&self) -> Option<&str> {
        let cursor = self.cursor?;
        Some(self.document.document().view(cursor).string())
    }

    /// The malformed tools, with reasons.
    #[must_use]
    pub fn isolated(&self) -> Vec<Isolated> {
        let malformed = self
            .definitions()
            .enumerate()
            .filter_map(|(index, (view, definition))| {
                definition
                    .err()
                    .map(|reason| Isolated::of(view, index, reason))
            });
        self.unreadable.iter().cloned().chain(malformed).collect()
    }

    /// The malformed tools that are not in [`text`](Self::text), because they cannot be parsed.
    #[must_use]
    pub fn unreadable(&self) -> &[Isolated] {
        &self.unreadable
    }

    /// The argument schemas that were found in place of input schemas, converted or not.
    #[must_use]
    pub fn recognised(&self) -> &[Recognised] {
        &self.recognised
    }

    /// The definitions, as the server wrote them, of the tools that were rewritten.
    pub fn originals(&self) -> impl Iterator<Item = &str> {
        self.originals.values().map(|tool| &**tool)
    }

    /// The definition of the tool with this index as the server wrote it, if it was rewritten.
    pub(crate) fn original(&self, index: usize) -> Option<&Arc<str>> {
        self.originals.get(&index)
    }

    /// The tools in order, each with its definition or the reason why it has none.
    pub(crate) fn definitions(
        &self,
    ) -> impl Iterator<Item = (View<'_>, Result<Definition<'_>, MalformedTool>)> {
        let items = self.tools().items();
        items.map(|tool| (tool, Definition::read(tool)))
    }
}

/// The result of a response, or the value itself if it is only a result.
fn result(root: View<'_>) -> View<'_> {
    let envelope = root.member("jsonrpc").is_some();
    root.member("result").filter(|_| envelope).unwrap_or(root)
}

fn name_of(tool: View<'_>) -> Option<String> {
    let name = tool.member("name")?;
    (name.kind() == Kind::String).then(|| name.string().to_owned())
}

/// Why a page cannot be read at all.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum UnreadableListing {
    /// It is not JSON, or exceeds a limit.
    Json(ReadError),
    /// It has no array of tools.
    List(MalformedList),
    /// It has more tools than a catalog accepts.
    Tools {
        /// How many the catalog accepts.
        allowed: usize,
    },
    /// It has more text than a catalog accepts.
    Bytes {
        /// How many bytes the catalog accepts.
        allowed: usize,
    },
}

impl fmt::Display for UnreadableListing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Json(error) => error.fmt(f),
            Self::List(error) => error.fmt(f),
            Self::Tools { allowed } => write!(f, "more tools than the {allowed} allowed"),
            Self::Bytes { allowed } => {
                write!(f, "more bytes of tool listings than the {allowed} allowed")
            }
        }
    }
}

impl std::error::Error for UnreadableListing {}
