//! One page of a tool list; each tool is judged on its own.

use std::fmt;

use toolsure_json::{Node as _, NodeId, OwnedDocument, ReadError, ReadLimits, View};

use super::salvage;
use crate::contract::{Definition, Isolated, MalformedTool, definition_limits};
use crate::message::{MalformedList, ToolList};

/// A page of tools as a server sent it: a JSON-RPC response to `tools/list`, or only its result.
///
/// No tool can spoil the page for the others. A tool that the protocol does not allow is listed in
/// [`isolated`](Self::isolated) with the reason; a tool whose text cannot be parsed (duplicate
/// keys, half a surrogate pair, an endless number) is cut out of [`text`](Self::text) before the
/// page is parsed.
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
        let result = result(document.document().root());
        let list = ToolList::decode(result).map_err(UnreadableListing::List)?;
        let cursor = list.next_cursor.and_then(|_| result.member("nextCursor"));
        Ok(Self {
            tools: list.tools.id(),
            cursor: cursor.map(View::id),
            limits: *limits,
            document,
            unreadable,
        })
    }

    /// The same page with another text, in which tools were rewritten in place.
    pub(crate) fn rewritten(&self, text: String) -> Result<Self, UnreadableListing> {
        let mut listing = Self::read_within(text, &self.limits)?;
        listing.unreadable.extend_from_slice(&self.unreadable);
        Ok(listing)
    }

    /// The page as it was sent, without the tools that cannot be parsed.
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
