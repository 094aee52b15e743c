//! Reads structured content into Rust types, and checks arguments that are `serde_json` values.

use std::fmt;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use toolsure_json::View;
use toolsure_schema::ValueNode;

use crate::check::{Checker, Decision, Refusal, ResultOf};
use crate::contract::ToolContract;
use crate::message::ToolResult;

impl Checker {
    /// Checks a result and reads its structured content as a `T`.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use toolsure_json::{OwnedDocument, ReadLimits};
    /// use toolsure_mcp::{check::Checker, contract::{SchemaStore, ToolContract}, era::Era};
    ///
    /// let tool = br#"{"name": "count", "inputSchema": {"type": "object"},
    ///     "outputSchema": {"type": "array", "items": {"type": "integer"}}}"#;
    /// let tool = Arc::new(ToolContract::read(tool, &SchemaStore::new())?);
    /// let result = OwnedDocument::read(r#"{"content": [], "structuredContent": [1, 2]}"#,
    ///     &ReadLimits::default())?;
    /// let counts: Vec<u8> = Checker::new()
    ///     .read_structured(&tool, Era::V2026_07_28, result.document().root())?;
    /// assert_eq!(counts, [1, 2]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The result breaks the tool's contract, has `isError`, is not final, has no structured
    /// content, or its content is not a `T`.
    pub fn read_structured<T: DeserializeOwned>(
        &mut self,
        tool: &Arc<ToolContract>,
        of: impl Into<ResultOf>,
        result: View<'_>,
    ) -> Result<T, UntypedResult> {
        let of = of.into();
        if let Decision::Refuse(why) = self.check_result(tool, of, result) {
            return Err(UntypedResult::Refused(why));
        }
        let tool = || tool.name().to_owned();
        // Checked above, so it can be read.
        let Ok(read) = of.era.read_result(result) else {
            return Err(UntypedResult::Without { tool: tool() });
        };
        if read.is_error {
            return Err(UntypedResult::ToolError {
                tool: tool(),
                text: first_text(&read),
            });
        }
        let Some(value) = read.structured else {
            return Err(UntypedResult::Without { tool: tool() });
        };
        serde_json::from_str(value.raw()).map_err(|error| UntypedResult::Type {
            tool: tool(),
            rust: std::any::type_name::<T>(),
            error: error.to_string(),
        })
    }

    /// Checks arguments given as a `serde_json` value.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use toolsure_mcp::{check::Checker, contract::{SchemaStore, ToolContract}};
    ///
    /// let tool = br#"{"name": "find", "inputSchema": {"type": "object", "required": ["q"]}}"#;
    /// let tool = Arc::new(ToolContract::read(tool, &SchemaStore::new())?);
    /// let mut checker = Checker::new();
    /// let arguments = serde_json::json!({"q": "cats"});
    /// assert!(checker.check_arguments_value(&tool, Some(&arguments)).refusal().is_none());
    /// assert!(checker.check_arguments_value(&tool, None).refusal().is_some());
    /// # Ok::<(), toolsure_mcp::contract::MalformedTool>(())
    /// ```
    pub fn check_arguments_value(
        &mut self,
        tool: &Arc<ToolContract>,
        arguments: Option<&serde_json::Value>,
    ) -> Decision {
        self.check_arguments(tool, arguments.map(ValueNode::new))
    }

    /// Checks the `structuredContent` (`None` if the key is absent) of a final
    /// result without `isError`, given as a `serde_json` value.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use toolsure_mcp::{check::Checker, contract::{SchemaStore, ToolContract}};
    ///
    /// let tool = br#"{"name": "count", "inputSchema": {"type": "object"}, "outputSchema": {"type": "integer"}}"#;
    /// let tool = Arc::new(ToolContract::read(tool, &SchemaStore::new())?);
    /// let mut checker = Checker::new();
    /// assert!(checker.check_structured_value(&tool, Some(&serde_json::json!(5))).refusal().is_none());
    /// assert!(checker.check_structured_value(&tool, None).refusal().is_some());
    /// # Ok::<(), toolsure_mcp::contract::MalformedTool>(())
    /// ```
    pub fn check_structured_value(
        &mut self,
        tool: &Arc<ToolContract>,
        structured: Option<&serde_json::Value>,
    ) -> Decision {
        let structured = structured.map(ValueNode::new);
        self.judge_output(tool, structured, |schema, workspace, value| {
            schema.explain_invalid(workspace, value)
        })
    }
}

/// Why a result cannot be read as a Rust type.
#[derive(Debug)]
#[non_exhaustive]
pub enum UntypedResult {
    /// It breaks the tool's contract.
    Refused(Box<Refusal>),
    /// The tool says that it failed.
    ToolError {
        /// The tool.
        tool: String,
        /// The result's first text, cut.
        text: String,
    },
    /// It has no structured content, or is not final.
    Without {
        /// The tool.
        tool: String,
    },
    /// The content matches the tool's schema, if there is one, but is not a value of the type.
    Type {
        /// The tool.
        tool: String,
        /// The type.
        rust: &'static str,
        /// What is wrong, as the deserialiser reports it.
        error: String,
    },
}

impl fmt::Display for UntypedResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let quoted = |text| toolsure_json::quote(text, SHOWN);
        match self {
            Self::Refused(why) => why.fmt(f),
            Self::ToolError { tool, text } => {
                write!(f, "tool `{}` failed: {}", quoted(tool), quoted(text))
            }
            Self::Without { tool } => {
                write!(
                    f,
                    "the result of tool `{}` has no `structuredContent`",
                    quoted(tool)
                )
            }
            Self::Type { tool, rust, error } => write!(
                f,
                "the result of tool `{}` cannot be read as `{}`: {}",
                quoted(tool),
                quoted(rust),
                quoted(error)
            ),
        }
    }
}

impl std::error::Error for UntypedResult {}

fn first_text(result: &ToolResult<'_>) -> String {
    use toolsure_json::Node as _;
    let blocks = result
        .content
        .into_iter()
        .flat_map(|content| content.items());
    let text = blocks.filter_map(|block| block.member("text")).next();
    text.map_or_else(String::new, |text| {
        text.string().chars().take(SHOWN).collect()
    })
}

/// The maximum number of characters of foreign text in a message.
const SHOWN: usize = 200;
