//! What the protocol versions differ in: a row of the table, and the types of its cells.

/// What an era can express as structured output of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "the three answers are nothing, objects and everything"
)]
pub enum Structured {
    /// Neither `outputSchema` nor `structuredContent` exists.
    None,
    /// The schema's root has `type: "object"` and the value is an object.
    Object,
    /// Any schema, any value.
    Any,
}

/// The capabilities of one version: its row of the table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Capabilities {
    pub(crate) version: &'static str,
    /// `initialize` opens a session, which fixes the version and the client's capabilities. Without
    /// sessions each request declares them.
    pub(crate) sessions: bool,
    /// Over HTTP, closing the response of a request cancels the request.
    pub(crate) cancels_by_closing: bool,
    /// Listings say how long and by whom they may be cached (`ttlMs`, `cacheScope`).
    pub(crate) cacheable_lists: bool,
    /// A server may answer any call with a task (an extension), not only calls that request one.
    pub(crate) tasks_unasked: bool,
    /// A call may request a task (`params.task`).
    pub(crate) tasks_on_request: bool,
    pub(crate) structured: Structured,
    /// Invalid arguments are reported by a result with `isError`, not by an error.
    pub(crate) errors_as_results: bool,
    /// Results carry `resultType`.
    pub(crate) result_types: bool,
    /// Batches may arrive.
    pub(crate) batches: bool,
    /// The methods of this era that concern tools.
    pub(crate) methods: &'static [(&'static str, ToolMethod)],
}

/// A method that concerns tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ToolMethod {
    /// `tools/list`
    List,
    /// `tools/call`
    Call,
    /// `tasks/get`
    TaskGet,
    /// `tasks/result` (2025-11-25)
    TaskResult,
    /// `notifications/tools/list_changed`
    ListChanged,
    /// `notifications/tasks` (2026-07-28)
    TaskChanged,
}
