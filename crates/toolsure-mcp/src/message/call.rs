//! The parameters of `tools/call`.

use std::fmt;

use toolsure_analysis::tool::lookalike;
use toolsure_json::{Key as _, Kind, Node as _, View};

use super::code::INVALID_PARAMS;

/// The parameters of a `tools/call` request.
///
/// ```
/// use toolsure_json::{OwnedDocument, ReadLimits};
/// use toolsure_mcp::message::ToolCall;
///
/// let params = r#"{"name": "find", "arguments": "cats"}"#;
/// let params = OwnedDocument::read(params, &ReadLimits::default())?;
/// let params = Some(params.document().root());
/// let fault = ToolCall::decode(params).unwrap_err();
/// assert_eq!(fault.code(), -32602);
/// let call = ToolCall::with_any_arguments(params).unwrap();
/// assert_eq!((call.name, call.malformed_arguments()), ("find", Some(fault)));
/// # Ok::<(), toolsure_json::ReadError>(())
/// ```
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct ToolCall<'a> {
    /// The tool's name.
    pub name: &'a str,
    /// The arguments, an object. If absent, they count as `{}`.
    pub arguments: Option<View<'a>>,
    /// `task`: the caller requests a task (2025-11-25).
    pub task: Option<View<'a>>,
    /// `_meta`.
    pub meta: Option<View<'a>>,
    /// The whole parameters.
    pub params: View<'a>,
}

impl<'a> ToolCall<'a> {
    /// Reads the parameters of a call.
    ///
    /// # Errors
    ///
    /// They are not an object with a string `name`; `arguments` is present but not an object
    /// (`null` is not one); or a member's name differs from one of these only in case, so that some
    /// servers would treat it as that one.
    pub fn decode(params: Option<View<'a>>) -> Result<Self, MalformedCall<'a>> {
        let call = Self::with_any_arguments(params)?;
        call.malformed_arguments().map_or(Ok(call), Err)
    }

    /// Reads the parameters of a call whose `arguments` may be any value, for callers that check
    /// the rest of a call even if they pass its arguments unchanged.
    ///
    /// # Errors
    ///
    /// The same as for [`decode`](Self::decode), except [`MalformedCall::Arguments`].
    pub fn with_any_arguments(params: Option<View<'a>>) -> Result<Self, MalformedCall<'a>> {
        let Some(params) = params.filter(|params| params.kind() == Kind::Object) else {
            return Err(MalformedCall::Params);
        };
        let (mut name, mut arguments, mut task, mut meta) = (None, None, None, None);
        let mut alike = None;
        for (key, value) in params.members() {
            match key.text() {
                "name" => name = Some(value),
                "arguments" => arguments = Some(value),
                "task" => task = Some(value),
                "_meta" => meta = Some(value),
                other => alike = alike.or_else(|| lookalike(other, PARAMS)),
            }
        }
        if let Some(member) = alike {
            return Err(MalformedCall::Lookalike(member));
        }
        let Some(name) = name.filter(|name| name.kind() == Kind::String) else {
            return Err(MalformedCall::Name);
        };
        Ok(Self {
            name: name.string(),
            arguments,
            task,
            meta,
            params,
        })
    }

    /// [`MalformedCall::Arguments`], if `arguments` is present but not an object.
    #[must_use]
    pub fn malformed_arguments(&self) -> Option<MalformedCall<'a>> {
        let found = self.arguments?.kind();
        let name = self.name;
        (found != Kind::Object).then_some(MalformedCall::Arguments { name, found })
    }
}

/// Why parameters are not a tool call. The JSON-RPC code for it is -32602.
///
/// ```
/// use toolsure_mcp::message::{MalformedCall, ToolCall};
///
/// let fault = ToolCall::decode(None).unwrap_err();
/// assert_eq!((fault, fault.code()), (MalformedCall::Params, -32602));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum MalformedCall<'a> {
    /// `params` is absent or not an object.
    Params,
    /// `name` is absent or not a string.
    Name,
    /// A member's name differs from this one only in case.
    Lookalike(&'static str),
    /// `arguments` is present but not an object.
    Arguments {
        /// The tool.
        name: &'a str,
        /// The type of `arguments`.
        found: Kind,
    },
}

impl MalformedCall<'_> {
    /// The JSON-RPC code of the error response.
    #[must_use]
    pub fn code(&self) -> i64 {
        INVALID_PARAMS
    }
}

impl fmt::Display for MalformedCall<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Params => f.write_str("`params` of a tool call must be an object"),
            Self::Name => f.write_str("`name` of a tool call must be a string"),
            Self::Lookalike(member) => write!(
                f,
                "the name of a member of `params` differs from `{member}` only in upper and lower case"
            ),
            Self::Arguments { name, found } => write!(
                f,
                "`arguments` for tool `{}` must be an object, found {}",
                toolsure_json::quote(name, super::write::NAME),
                super::write::kind_name(*found)
            ),
        }
    }
}

impl std::error::Error for MalformedCall<'_> {}

/// The members of the parameters.
const PARAMS: &[&str] = &["name", "arguments", "task", "_meta"];
