//! Values that the operator gives.

use toolsure_json::{Node as _, OwnedDocument, ReadLimits, View};

use crate::contract::ToolContract;

/// A value that a member of the arguments must have: an id that exists, a path that may be read.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Pinned {
    /// The member's name.
    pub member: String,
    /// Its JSON text.
    pub value: String,
}

impl Pinned {
    /// A member with this JSON text.
    pub fn new(member: impl Into<String>, value: impl Into<String>) -> Self {
        Self {
            member: member.into(),
            value: value.into(),
        }
    }

    /// Whether the input schema of a tool declares or requires the member.
    ///
    /// ```
    /// use toolsure_mcp::contract::{SchemaStore, ToolContract};
    /// use toolsure_mcp::testing::Pinned;
    ///
    /// let tool = br#"{"name": "find", "inputSchema": {"type": "object", "properties": {"id": {}}}}"#;
    /// let tool = ToolContract::read(tool, &SchemaStore::new())?;
    /// assert!(Pinned::new("id", "7").is_declared(&tool) && !Pinned::new("path", "7").is_declared(&tool));
    /// # Ok::<(), toolsure_mcp::contract::MalformedTool>(())
    /// ```
    #[must_use]
    pub fn is_declared(&self, tool: &ToolContract) -> bool {
        let limits = ReadLimits::default();
        let document = OwnedDocument::read(tool.input_text().as_bytes(), &limits);
        document.is_ok_and(|document| {
            let root = document.document().root();
            let properties = root.member("properties");
            let mut required = root.member("required").into_iter().flat_map(View::items);
            properties.is_some_and(|all| all.member(&self.member).is_some())
                || required.any(|name| name.string() == self.member)
        })
    }
}
