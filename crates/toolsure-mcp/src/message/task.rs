//! Tasks, as far as they carry tool results.

use toolsure_analysis::tool::lookalike;
use toolsure_json::{Key as _, Kind, Node as _, View};

use super::malformed_result::MalformedResult;

/// The location of a task's result in a message about the task.
///
/// In 2025-11-25, the response to `tasks/result` is the tool's result itself. The tasks extension
/// of 2026-07-28 puts it into the member `result` of a response to `tasks/get` and of
/// `notifications/tasks`.
///
/// ```
/// use toolsure_json::{OwnedDocument, ReadLimits};
/// use toolsure_mcp::message::TaskAnswer;
///
/// let task = r#"{"taskId": "t", "status": "completed", "result": {"content": []}}"#;
/// let task = OwnedDocument::read(task, &ReadLimits::default())?;
/// assert!(matches!(TaskAnswer::detailed(task.document().root()), TaskAnswer::Final(_)));
/// assert!(TaskAnswer::is_lookalike("Result") && !TaskAnswer::is_lookalike("result"));
/// # Ok::<(), toolsure_json::ReadError>(())
/// ```
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum TaskAnswer<'a> {
    /// The tool's result.
    Final(View<'a>),
    /// There is no result yet, or the task failed or was cancelled.
    Without,
    /// The task is completed but has no result, or readers may disagree about it, because the name of a
    /// member differs from another one only in case.
    Malformed(MalformedResult),
}

impl<'a> TaskAnswer<'a> {
    /// Reads the `result` of a response to `tasks/get`, or the `params` of `notifications/tasks`
    /// (2026-07-28).
    #[must_use]
    pub fn detailed(task: View<'a>) -> Self {
        if let Some(member) = lookalike_of(task, MEMBERS) {
            return Self::Malformed(MalformedResult::lookalike(member));
        }
        let completed = task
            .member("status")
            .is_some_and(|status| status.string() == "completed");
        match task.member("result") {
            Some(result) => Self::Final(result),
            None if completed => Self::Malformed(MalformedResult::without(
                "result",
                "there, because the task is completed",
            )),
            None => Self::Without,
        }
    }
}

impl TaskAnswer<'_> {
    /// Whether some readers take a member of a task for `taskId`, `status` or `result`, although its
    /// name differs in case.
    #[must_use]
    pub fn is_lookalike(name: &str) -> bool {
        lookalike(name, MEMBERS).is_some()
    }
}

/// The id of the task that a response to `tools/call` created: `taskId` beside `resultType: "task"`
/// (2026-07-28).
///
/// ```
/// use toolsure_json::{OwnedDocument, ReadLimits};
/// use toolsure_mcp::message::created_task;
///
/// let result = r#"{"resultType": "task", "taskId": "t"}"#;
/// let result = OwnedDocument::read(result, &ReadLimits::default())?;
/// assert_eq!(created_task(result.document().root()), Some("t"));
/// # Ok::<(), toolsure_json::ReadError>(())
/// ```
#[must_use]
pub fn created_task(result: View<'_>) -> Option<&str> {
    let tag = result.member("resultType")?;
    (tag.string() == "task").then(|| task_id(result)).flatten()
}

/// The id of the task that a response to a `tools/call` with `params.task` created: in the member
/// `task` (2025-11-25).
///
/// ```
/// use toolsure_json::{OwnedDocument, ReadLimits};
/// use toolsure_mcp::message::requested_task;
///
/// let result = OwnedDocument::read(r#"{"task": {"taskId": "t"}}"#, &ReadLimits::default())?;
/// assert_eq!(requested_task(result.document().root()), Some("t"));
/// # Ok::<(), toolsure_json::ReadError>(())
/// ```
#[must_use]
pub fn requested_task(result: View<'_>) -> Option<&str> {
    task_id(result.member("task")?)
}

/// The first of `names` that the name of a member differs from only in case.
pub(super) fn lookalike_of(object: View<'_>, names: &[&'static str]) -> Option<&'static str> {
    let mut members = object.members();
    members.find_map(|(name, _)| lookalike(name.text(), names))
}

/// Whether readers may find a result in a message about a task.
pub(crate) fn may_have_result(task: View<'_>) -> bool {
    task.member("result").is_some() || lookalike_of(task, &["result"]).is_some()
}

/// The id in an object; `None` too if readers may disagree about it, or if it is too long to be kept.
fn task_id(holder: View<'_>) -> Option<&str> {
    let id = holder.member("taskId")?;
    let is_clear = lookalike_of(holder, &["taskId"]).is_none();
    let is_id = is_clear && id.kind() == Kind::String && id.string().len() <= ID_BYTES;
    is_id.then(|| id.string())
}

/// Maximum bytes of a task's id, as of other names that the server chooses.
pub(crate) const ID_BYTES: usize = 2_048;

/// The members that decide how a message about a task is read.
pub(super) const MEMBERS: &[&str] = &["taskId", "status", "result"];
