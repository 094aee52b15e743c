//! Which of a tool's schemas something concerns.

/// One of a tool's two schemas.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "a tool has two schemas")]
pub enum SchemaPart {
    /// `inputSchema`
    Input,
    /// `outputSchema`
    Output,
}

impl SchemaPart {
    /// The member's name.
    ///
    /// ```
    /// assert_eq!(toolsure_mcp::contract::SchemaPart::Output.member(), "outputSchema");
    /// ```
    #[must_use]
    pub fn member(self) -> &'static str {
        match self {
            Self::Input => "inputSchema",
            Self::Output => "outputSchema",
        }
    }
}
