//! 2026-07-28: each request declares its version, results are tagged, structured output is any JSON
//! value, tasks are an extension.

use super::capabilities::{Capabilities, Structured, ToolMethod};

pub(super) const CAPABILITIES: Capabilities = Capabilities {
    version: "2026-07-28",
    sessions: false,
    cancels_by_closing: true,
    cacheable_lists: true,
    tasks_unasked: true,
    tasks_on_request: false,
    structured: Structured::Any,
    errors_as_results: true,
    result_types: true,
    batches: false,
    methods: &[
        ("tools/list", ToolMethod::List),
        ("tools/call", ToolMethod::Call),
        ("tasks/get", ToolMethod::TaskGet),
        ("notifications/tools/list_changed", ToolMethod::ListChanged),
        ("notifications/tasks", ToolMethod::TaskChanged),
    ],
};

/// The key of the protocol version in a request's `_meta`.
pub(super) const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";

/// The members of every complete result.
pub(super) const RESULT_MEMBERS: &[(&str, &str)] = &[("resultType", "\"complete\"")];

/// The members of a list: the tag, and how long it may be cached (not at all, unless the server
/// says otherwise).
pub(super) const LIST_MEMBERS: &[(&str, &str)] = &[
    ("resultType", "\"complete\""),
    ("ttlMs", "0"),
    ("cacheScope", "\"private\""),
];
