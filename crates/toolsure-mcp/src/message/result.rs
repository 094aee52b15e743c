//! The result of `tools/call`.

use toolsure_analysis::tool::lookalike;
use toolsure_json::{Key as _, Kind, Node as _, View};

use super::content::ContentFault;
use super::malformed_result::MalformedResult;
use super::task::{self, created_task, lookalike_of};

/// The result of a tool call.
///
/// ```
/// use toolsure_json::{OwnedDocument, ReadLimits};
/// use toolsure_mcp::message::{ResultKind, ToolResult};
///
/// let result = r#"{"resultType": "complete", "content": [{"type": "text", "text": "5"}]}"#;
/// let result = OwnedDocument::read(result, &ReadLimits::default())?;
/// let tagged = ToolResult::decode_tagged(result.document().root())?;
/// assert_eq!(tagged.kind, ResultKind::Complete);
/// let untagged = ToolResult::decode_untagged(result.document().root())?;
/// assert!(untagged.has_text() && untagged.structured.is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct ToolResult<'a> {
    /// Whether this is the final result.
    pub kind: ResultKind<'a>,
    /// `isError`.
    pub is_error: bool,
    /// `structuredContent`, if the key is present: `null` is a value.
    pub structured: Option<View<'a>>,
    /// `content`, if it is an array.
    pub content: Option<View<'a>>,
    /// The whole result.
    pub view: View<'a>,
}

/// Whether a result is final (`resultType`, since 2026-07-28).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ResultKind<'a> {
    /// The final result. A missing tag means the same.
    Complete,
    /// The server requests more input first.
    InputRequired,
    /// The result comes later, through a task.
    Task,
    /// A tag that no era defines, which a client must treat as invalid.
    Unknown(&'a str),
}

impl<'a> ToolResult<'a> {
    /// Reads a result of an era without `resultType` (2025-11-25 and older), where a member with
    /// that name is unknown and changes nothing.
    ///
    /// # Errors
    ///
    /// It is not an object, a member has a type that no client can read, or a member's name differs
    /// from one of the result's only in case, so that some clients would treat it as that one.
    pub fn decode_untagged(view: View<'a>) -> Result<Self, MalformedResult> {
        Self::decode(view).map(|(result, _)| result)
    }

    /// Reads a result of an era with `resultType` (2026-07-28).
    ///
    /// # Errors
    ///
    /// The same as for [`decode_untagged`](Self::decode_untagged); also if `resultType` is not a
    /// string, or the members that its value requires are not what the protocol says.
    pub fn decode_tagged(view: View<'a>) -> Result<Self, MalformedResult> {
        let (mut result, tag) = Self::decode(view)?;
        result.kind = match tag {
            None => ResultKind::Complete,
            Some(tag) if tag.kind() != Kind::String => {
                return Err(MalformedResult::new("resultType", "a string", tag.kind()));
            }
            Some(tag) => match tag.string() {
                "complete" => ResultKind::Complete,
                "input_required" => {
                    input_required(view)?;
                    ResultKind::InputRequired
                }
                "task" if created_task(view).is_none() => {
                    if let Some(member) = lookalike_of(view, task::MEMBERS) {
                        return Err(MalformedResult::lookalike(member));
                    }
                    return Err(MalformedResult::without(
                        "taskId",
                        "the string that names the task, of at most 2,048 bytes",
                    ));
                }
                "task" => ResultKind::Task,
                other => ResultKind::Unknown(other),
            },
        };
        Ok(result)
    }

    /// Whether the author wrote a text block.
    #[must_use]
    pub fn has_text(&self) -> bool {
        self.content.is_some_and(|content| {
            content.items().any(|block| {
                block
                    .member("type")
                    .is_some_and(|tag| tag.string() == "text")
            })
        })
    }

    fn decode(view: View<'a>) -> Result<(Self, Option<View<'a>>), MalformedResult> {
        if view.kind() != Kind::Object {
            return Err(MalformedResult::new("result", "an object", view.kind()));
        }
        let (mut is_error, mut structured, mut content, mut tag) = (false, None, None, None);
        for (key, value) in view.members() {
            match key.text() {
                "isError" if value.kind() != Kind::Boolean => {
                    return Err(MalformedResult::new("isError", "a boolean", value.kind()));
                }
                "isError" => is_error = value.boolean(),
                "content" if value.kind() != Kind::Array => {
                    return Err(MalformedResult::new("content", "an array", value.kind()));
                }
                "content" => {
                    if let Some(fault) = ContentFault::find(value) {
                        return Err(MalformedResult::block(fault));
                    }
                    content = Some(value);
                }
                "structuredContent" => structured = Some(value),
                "resultType" => tag = Some(value),
                other => {
                    if let Some(member) = lookalike(other, MEMBERS) {
                        return Err(MalformedResult::lookalike(member));
                    }
                }
            }
        }
        let result = Self {
            kind: ResultKind::Complete,
            is_error,
            structured,
            content,
            view,
        };
        Ok((result, tag))
    }
}

/// Checks the members of a server's request for input: it must have requests, or a state to send
/// back.
fn input_required(view: View<'_>) -> Result<(), MalformedResult> {
    let without = |member, what| Err(MalformedResult::without(member, what));
    let is_request = |(_, request): (_, View<'_>)| {
        let method = request.member("method");
        request.kind() == Kind::Object && method.is_some_and(|it| it.kind() == Kind::String)
    };
    let requests = view.member("inputRequests");
    if let Some(requests) = requests
        && !(requests.kind() == Kind::Object && requests.members().all(is_request))
    {
        return without(
            "inputRequests",
            "an object of requests, each with a `method`",
        );
    }
    match view.member("requestState") {
        Some(state) if state.kind() != Kind::String => without("requestState", "a string"),
        None if requests.is_none() => without("inputRequests", "there, or `requestState`"),
        _ => Ok(()),
    }
}

/// The members that decide how a result is read.
const MEMBERS: &[&str] = &["isError", "content", "structuredContent", "resultType"];
