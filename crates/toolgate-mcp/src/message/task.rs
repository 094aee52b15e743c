//! Tasks, as far as they carry tool results.

use toolgate_json::{Kind, Node as _, View};

/// The location of a task's result in a message about the task.
///
/// In 2025-11-25, the response to `tasks/result` is the tool's result itself. The tasks extension
/// of 2026-07-28 puts it into the member `result` of a response to `tasks/get` and of
/// `notifications/tasks`.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum TaskAnswer<'a> {
    /// The tool's result.
    Final(View<'a>),
    /// There is no result yet, or the task failed or was cancelled.
    Without,
}

impl<'a> TaskAnswer<'a> {
    /// Reads the `result` of a response to `tasks/get`, or the `params` of `notifications/tasks`
    /// (2026-07-28).
    #[must_use]
    pub fn detailed(task: View<'a>) -> Self {
        let completed = task
            .member("status")
            .is_some_and(|status| status.string() == "completed");
        match task.member("result") {
            Some(result) => Self::Final(result),
            // A completed task must have its result, so a missing one is reported.
            None if completed => Self::Final(task),
            None => Self::Without,
        }
    }
}

/// The id of the task that a response to `tools/call` created: `taskId` beside `resultType: "task"`
/// (2026-07-28).
#[must_use]
pub fn created_task(result: View<'_>) -> Option<&str> {
    let tag = result.member("resultType")?;
    (tag.string() == "task").then(|| task_id(result)).flatten()
}

/// The id of the task that a response to a `tools/call` with `params.task` created: in the member
/// `task` (2025-11-25).
#[must_use]
pub fn requested_task(result: View<'_>) -> Option<&str> {
    task_id(result.member("task")?)
}

fn task_id(holder: View<'_>) -> Option<&str> {
    let id = holder.member("taskId")?;
    (id.kind() == Kind::String).then(|| id.string())
}
