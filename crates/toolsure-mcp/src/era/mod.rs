//! The protocol versions and the capabilities of each: one table.
//!
//! Each version has a row of `Capabilities`. 2025-11-25 and 2026-07-28 each have a folder with
//! their row; the rows of the three older versions list the differences from 2025-11-25. Code that
//! depends on the version asks [`Era`] for a capability and never compares dates itself.

mod capabilities;
mod v2025_11_25;
mod v2026_07_28;

use std::fmt;

use toolsure_json::{Node as _, View};

pub(crate) use capabilities::Capabilities;
pub use capabilities::{Structured, ToolMethod};

use crate::message::{MalformedResult, TaskAnswer, ToolResult, may_have_result};

/// A revision of the Model Context Protocol.
///
/// ```
/// use toolsure_mcp::era::Era;
///
/// let new = Era::V2026_07_28;
/// assert!(new.is_modern() && new.declares_version() && new.cancels_by_closing());
/// assert!(new.has_cacheable_lists() && new.has_result_types() && new.has_tasks_unasked());
/// assert!(Era::V2025_03_26.has_batches() && !Era::V2025_06_18.has_batches());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(
    clippy::exhaustive_enums,
    reason = "code that handles eras must be checked when the protocol has a new one"
)]
pub enum Era {
    /// 2024-11-05: no structured output, no annotations.
    V2024_11_05,
    /// 2025-03-26: receivers must accept batches.
    V2025_03_26,
    /// 2025-06-18: structured output that is an object.
    V2025_06_18,
    /// 2025-11-25: invalid arguments are reported as a tool result; tasks.
    V2025_11_25,
    /// 2026-07-28: structured output of any type; no `initialize`.
    V2026_07_28,
}

impl Era {
    /// All eras, from oldest to newest.
    pub const ALL: [Self; 5] = [
        Self::V2024_11_05,
        Self::V2025_03_26,
        Self::V2025_06_18,
        Self::V2025_11_25,
        Self::V2026_07_28,
    ];

    /// The era of a protocol version, if it is one of [`Era::ALL`].
    ///
    /// ```
    /// use toolsure_mcp::era::Era;
    ///
    /// assert_eq!(Era::from_version("2025-06-18"), Some(Era::V2025_06_18));
    /// assert_eq!(Era::from_version("2025-06-19"), None);
    /// ```
    #[must_use]
    pub fn from_version(version: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|era| era.version() == version)
    }

    /// The era that a request's own `params` declare
    /// (`_meta["io.modelcontextprotocol/protocolVersion"]`, since 2026-07-28).
    ///
    /// `None` if they declare none: then the connection's `initialize` decides. An unknown version
    /// is `Some(Err)` with its text.
    ///
    /// ```
    /// use toolsure_json::{OwnedDocument, ReadLimits};
    /// use toolsure_mcp::era::Era;
    ///
    /// let params = r#"{"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}}"#;
    /// let params = OwnedDocument::read(params, &ReadLimits::default())?;
    /// assert_eq!(Era::declared(Some(params.document().root())), Some(Ok(Era::V2026_07_28)));
    /// # Ok::<(), toolsure_json::ReadError>(())
    /// ```
    #[must_use]
    pub fn declared<'a>(params: Option<View<'a>>) -> Option<Result<Self, &'a str>> {
        let version = params?.member("_meta")?.member(v2026_07_28::VERSION_KEY)?;
        Some(Self::from_version(version.string()).ok_or(version.string()))
    }

    /// The newest version.
    pub const NEWEST: Self = Self::V2026_07_28;

    /// The newest version that has sessions.
    pub const NEWEST_WITH_SESSIONS: Self = Self::V2025_11_25;

    /// The versions that have sessions, newest first.
    pub const SESSION_VERSIONS: [&'static str; 4] = [
        Self::V2025_11_25.version(),
        Self::V2025_06_18.version(),
        Self::V2025_03_26.version(),
        Self::V2024_11_05.version(),
    ];

    /// The protocol version, a date.
    ///
    /// ```
    /// assert_eq!(toolsure_mcp::era::Era::NEWEST.version(), "2026-07-28");
    /// ```
    #[must_use]
    pub const fn version(self) -> &'static str {
        self.capabilities().version
    }

    /// Whether requests declare their version themselves (2026-07-28).
    #[must_use]
    pub const fn is_modern(self) -> bool {
        self.declares_version()
    }

    /// The same for a version string: 2026-07-28 or later, including unknown versions.
    ///
    /// ```
    /// use toolsure_mcp::era::Era;
    ///
    /// assert!(Era::is_modern_version("2027-01-31"));
    /// assert!(!Era::is_modern_version("2025-11-25"));
    /// ```
    #[must_use]
    pub fn is_modern_version(version: &str) -> bool {
        // Versions are dates, so they sort as strings.
        version >= Self::V2026_07_28.version()
    }

    /// Whether `initialize` opens a session that fixes the version and the capabilities.
    ///
    /// ```
    /// use toolsure_mcp::era::Era;
    ///
    /// assert!(Era::V2025_11_25.has_sessions());
    /// assert!(!Era::V2026_07_28.has_sessions());
    /// ```
    #[must_use]
    pub const fn has_sessions(self) -> bool {
        self.capabilities().sessions
    }

    /// Whether each request declares its version, its client and the client's capabilities in
    /// `_meta`.
    #[must_use]
    pub const fn declares_version(self) -> bool {
        !self.capabilities().sessions
    }

    /// Whether closing the HTTP response of a request cancels the request.
    #[must_use]
    pub const fn cancels_by_closing(self) -> bool {
        self.capabilities().cancels_by_closing
    }

    /// Whether listings say how long and by whom they may be cached (`ttlMs`, `cacheScope`).
    #[must_use]
    pub const fn has_cacheable_lists(self) -> bool {
        self.capabilities().cacheable_lists
    }

    /// Whether results carry `resultType`.
    #[must_use]
    pub const fn has_result_types(self) -> bool {
        self.capabilities().result_types
    }

    /// Whether a server may answer a call with a task that the call did not request.
    #[must_use]
    pub const fn has_tasks_unasked(self) -> bool {
        self.capabilities().tasks_unasked
    }

    /// Whether a call may request a task (`params.task`), which its result then names.
    ///
    /// ```
    /// use toolsure_mcp::era::Era;
    ///
    /// assert!(Era::V2025_11_25.has_tasks_on_request());
    /// assert!(!Era::V2025_06_18.has_tasks_on_request());
    /// assert!(!Era::V2026_07_28.has_tasks_on_request());
    /// ```
    #[must_use]
    pub const fn has_tasks_on_request(self) -> bool {
        self.capabilities().tasks_on_request
    }

    /// What this era can express as structured output.
    ///
    /// ```
    /// use toolsure_mcp::era::{Era, Structured};
    ///
    /// assert_eq!(Era::V2025_03_26.structured(), Structured::None);
    /// assert_eq!(Era::V2025_11_25.structured(), Structured::Object);
    /// assert_eq!(Era::V2026_07_28.structured(), Structured::Any);
    /// ```
    #[must_use]
    pub fn structured(self) -> Structured {
        self.capabilities().structured
    }

    /// Whether receivers must accept batches (2025-03-26 only).
    #[must_use]
    pub fn has_batches(self) -> bool {
        self.capabilities().batches
    }

    /// Which tool method a method name is in this era; `None` if the era does not have it.
    ///
    /// `tasks/result` is known in every era, though only 2025-11-25 has it: a peer that uses it in
    /// another era still sends a tool's result, which must not go unchecked.
    ///
    /// ```
    /// use toolsure_mcp::era::{Era, ToolMethod};
    ///
    /// assert_eq!(Era::NEWEST.tool_method("tools/call"), Some(ToolMethod::Call));
    /// assert_eq!(Era::NEWEST.tool_method("prompts/get"), None);
    /// ```
    #[must_use]
    pub fn tool_method(self, method: &str) -> Option<ToolMethod> {
        let mut methods = self.capabilities().methods.iter();
        let known = methods.find(|(name, _)| *name == method).map(|(_, is)| *is);
        known.or_else(|| (method == TASK_RESULT).then_some(ToolMethod::TaskResult))
    }

    /// Reads a `tools/call` result by the rules of this era.
    ///
    /// ```
    /// use toolsure_json::{OwnedDocument, ReadLimits};
    /// use toolsure_mcp::{era::Era, message::ResultKind};
    ///
    /// let result = r#"{"content": [], "resultType": "later"}"#;
    /// let result = OwnedDocument::read(result, &ReadLimits::default())?;
    /// let kind = |era: Era| era.read_result(result.document().root()).map(|result| result.kind);
    /// assert_eq!(kind(Era::V2025_11_25), Ok(ResultKind::Complete));
    /// assert_eq!(kind(Era::V2026_07_28), Ok(ResultKind::Unknown("later")));
    /// # Ok::<(), toolsure_json::ReadError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// See [`ToolResult::decode_tagged`].
    pub fn read_result(self, result: View<'_>) -> Result<ToolResult<'_>, MalformedResult> {
        if self.capabilities().result_types {
            ToolResult::decode_tagged(result)
        } else {
            ToolResult::decode_untagged(result)
        }
    }

    /// Finds the tool's result in the `result` of a response to `method`, or in the `params` of the
    /// notification `method`. `None` if messages of that method have no results in this era, unless
    /// the member `result` is present anyway, in any case: a reader may take it for one.
    ///
    /// ```
    /// use toolsure_json::{OwnedDocument, ReadLimits};
    /// use toolsure_mcp::era::{Era, ToolMethod};
    /// use toolsure_mcp::message::TaskAnswer;
    ///
    /// let task = r#"{"taskId": "t", "status": "working"}"#;
    /// let task = OwnedDocument::read(task, &ReadLimits::default())?;
    /// let answer = |era: Era| era.task_answer(ToolMethod::TaskGet, task.document().root());
    /// assert!(matches!(answer(Era::V2026_07_28), Some(TaskAnswer::Without)));
    /// assert!(answer(Era::V2025_11_25).is_none());
    /// # Ok::<(), toolsure_json::ReadError>(())
    /// ```
    #[must_use]
    pub fn task_answer<'a>(self, method: ToolMethod, body: View<'a>) -> Option<TaskAnswer<'a>> {
        let is_given = || may_have_result(body);
        match (self.capabilities().result_types, method) {
            (is_modern, ToolMethod::TaskGet | ToolMethod::TaskChanged)
                if is_modern || is_given() =>
            {
                Some(TaskAnswer::detailed(body))
            }
            (_, ToolMethod::TaskResult) => Some(TaskAnswer::Final(body)),
            _ => None,
        }
    }

    pub(crate) const fn capabilities(self) -> &'static Capabilities {
        match self {
            Self::V2024_11_05 => &v2025_11_25::V2024_11_05,
            Self::V2025_03_26 => &v2025_11_25::V2025_03_26,
            Self::V2025_06_18 => &v2025_11_25::V2025_06_18,
            Self::V2025_11_25 => &v2025_11_25::V2025_11_25,
            Self::V2026_07_28 => &v2026_07_28::CAPABILITIES,
        }
    }

    /// What the era's typed readers reject in a tool, beyond what every era rejects: the constraint
    /// from the protocol's schema, with the member that it concerns.
    pub(crate) fn refuses(self, tool: View<'_>) -> Option<&'static str> {
        if self.capabilities().result_types {
            None
        } else {
            v2025_11_25::refuses(tool)
        }
    }

    /// The members that a complete result has in this era and not in others, each with its value;
    /// `list` is for results that may be cached.
    pub(crate) fn result_members(self, list: bool) -> &'static [(&'static str, &'static str)] {
        match (self.capabilities().result_types, list) {
            (false, _) => &[],
            (true, false) => v2026_07_28::RESULT_MEMBERS,
            (true, true) => v2026_07_28::LIST_MEMBERS,
        }
    }
}

/// Members that only results of the newest era have.
pub(crate) const ERA_MEMBERS: &[(&str, &str)] = v2026_07_28::LIST_MEMBERS;

impl fmt::Display for Era {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.version())
    }
}

/// The method whose response is the final result of a task (2025-11-25).
const TASK_RESULT: &str = "tasks/result";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_theirs_and_ordered() {
        for era in Era::ALL {
            assert_eq!(Era::from_version(era.version()), Some(era));
        }
        assert!(Era::ALL.is_sorted_by_key(|era| era.version()));
        assert_eq!(Era::from_version("2099-01-01"), None);
    }

    #[test]
    fn what_is_added_to_a_cached_page_is_what_it_must_have() {
        let required = toolsure_analysis::tool::CACHED_PAGE.required.iter();
        let added = ERA_MEMBERS.iter().map(|(name, _)| *name);
        assert!(required.map(|(name, _)| *name).eq(added));
    }

    #[test]
    fn versions_with_sessions_are_listed_newest_first() {
        let mut with_sessions: Vec<Era> = Era::ALL.to_vec();
        with_sessions.retain(|era| era.has_sessions());
        let versions: Vec<&str> = with_sessions
            .iter()
            .rev()
            .map(|era| era.version())
            .collect();
        assert_eq!(versions, Era::SESSION_VERSIONS);
        assert_eq!(with_sessions.last(), Some(&Era::NEWEST_WITH_SESSIONS));
        assert_eq!(Era::ALL.last(), Some(&Era::NEWEST));
    }

    #[test]
    fn what_an_era_lacks_is_absent() {
        assert_eq!(Era::V2025_06_18.tool_method("tasks/get"), None);
        assert!(
            Era::ALL
                .iter()
                .all(|era| era.tool_method("tasks/result") == Some(ToolMethod::TaskResult))
        );
        assert!(
            Era::V2026_07_28
                .tool_method("notifications/tasks")
                .is_some()
        );
        assert!(
            Era::ALL
                .iter()
                .filter(|era| era.has_batches())
                .eq([&Era::V2025_03_26])
        );
    }
}
