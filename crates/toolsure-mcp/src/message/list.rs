//! The result of `tools/list`.

use std::fmt;

use toolsure_analysis::tool::lookalike;
use toolsure_json::{Key as _, Kind, Node as _, View};

/// One page of a server's tools.
///
/// ```
/// use toolsure_json::{Node as _, OwnedDocument, ReadLimits};
/// use toolsure_mcp::message::ToolList;
///
/// let result = r#"{"tools": [{"name": "find"}], "nextCursor": ""}"#;
/// let result = OwnedDocument::read(result, &ReadLimits::default())?;
/// let list = ToolList::decode(result.document().root())?;
/// assert_eq!((list.tools.len(), list.next_cursor), (1, Some("")));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct ToolList<'a> {
    /// The array of tools.
    pub tools: View<'a>,
    /// The cursor of the next page. The list ends only if it is absent: the empty string is a
    /// cursor.
    pub next_cursor: Option<&'a str>,
    /// The whole result.
    pub result: View<'a>,
}

impl<'a> ToolList<'a> {
    /// Reads a result.
    ///
    /// # Errors
    ///
    /// There is no array `tools`, or a member's name differs from one of a page's only in case. A malformed
    /// tool is not an error here.
    pub fn decode(result: View<'a>) -> Result<Self, MalformedList> {
        let (mut tools, mut next_cursor) = (None, None);
        for (key, value) in result.members() {
            match key.text() {
                "tools" => tools = Some(value),
                "nextCursor" if value.kind() == Kind::String => next_cursor = Some(value.string()),
                other => {
                    if let Some(member) = lookalike(other, &["tools", "nextCursor"]) {
                        return Err(MalformedList::Lookalike(member));
                    }
                }
            }
        }
        let Some(tools) = tools.filter(|tools| tools.kind() == Kind::Array) else {
            return Err(MalformedList::NoTools);
        };
        Ok(Self {
            tools,
            next_cursor,
            result,
        })
    }
}

/// Why a result of `tools/list` is no list of tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum MalformedList {
    /// It has no array `tools`.
    NoTools,
    /// The name of a member differs only in case from this one, so that some readers take it for that one.
    Lookalike(&'static str),
}

impl fmt::Display for MalformedList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoTools => f.write_str("`tools` of a tool list must be an array"),
            Self::Lookalike(member) => write!(
                f,
                "a member's name differs from `{member}` only in case, so some readers take it for that one"
            ),
        }
    }
}

impl std::error::Error for MalformedList {}
