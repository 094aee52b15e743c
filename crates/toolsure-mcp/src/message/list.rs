//! The result of `tools/list`.

use std::fmt;

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
    /// There is no array `tools`. A malformed tool is not an error here.
    pub fn decode(result: View<'a>) -> Result<Self, MalformedList> {
        let (mut tools, mut next_cursor) = (None, None);
        for (key, value) in result.members() {
            match key.text() {
                "tools" => tools = Some(value),
                "nextCursor" if value.kind() == Kind::String => next_cursor = Some(value.string()),
                _ => {}
            }
        }
        let Some(tools) = tools.filter(|tools| tools.kind() == Kind::Array) else {
            return Err(MalformedList);
        };
        Ok(Self {
            tools,
            next_cursor,
            result,
        })
    }
}

/// A result of `tools/list` has no array `tools`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct MalformedList;

impl fmt::Display for MalformedList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("`tools` of a tool list must be an array")
    }
}

impl std::error::Error for MalformedList {}
