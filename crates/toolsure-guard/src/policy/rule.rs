//! The settings for the tools that match a pattern.

use std::sync::Arc;
use std::time::Duration;

use toolsure_mcp::argument::ArgumentSchema;
use toolsure_schema::Formats;

use super::{BadResult, LongResults, Mode, Output, PolicyError, Repair};
use crate::text::name_matches;

/// The settings for some tools. An absent member leaves the earlier setting.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct ToolRule {
    /// The names of the tools: `*` matches any characters and `?` matches one.
    pub name: String,
    /// See [`Policy::listing`](super::Policy::listing).
    pub listing: Option<Mode>,
    /// See [`Policy::arguments`](super::Policy::arguments).
    pub arguments: Option<Mode>,
    /// See [`Policy::results`](super::Policy::results).
    pub results: Option<Mode>,
    /// See [`Policy::bad_result`](super::Policy::bad_result).
    pub bad_result: Option<BadResult>,
    /// See [`Policy::output`](super::Policy::output).
    pub output: Option<Output>,
    /// See [`Policy::repair`](super::Policy::repair).
    pub repair: Option<Repair>,
    /// See [`Policy::formats`](super::Policy::formats).
    pub formats: Option<Formats>,
    /// See [`Policy::result_formats`](super::Policy::result_formats).
    pub result_formats: Option<Formats>,
    /// See [`Policy::max_result_bytes`](super::Policy::max_result_bytes); 0 leaves the earlier setting.
    pub max_result_bytes: usize,
    /// See [`Policy::long_results`](super::Policy::long_results).
    pub long_results: Option<LongResults>,
    /// See [`Policy::rate`](super::Policy::rate).
    pub rate: Option<Rate>,
    /// The schema that arguments must keep besides the input schema, in the mode of
    /// [`arguments`](Self::arguments).
    pub argument_schema: Option<Arc<ArgumentSchema>>,
    /// Whether the argument schema replaces the input schema, also in lists.
    pub argument_schema_only: Option<bool>,
    /// Whether the tools are neither listed nor callable.
    pub hidden: Option<bool>,
}

/// A rate limit: a number of calls in a period, and a number at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "a token bucket has these parts")]
pub struct Rate {
    /// The number of calls.
    pub calls: u32,
    /// The period.
    pub per: Duration,
    /// The number of calls at once after a rest.
    pub burst: u32,
}

impl ToolRule {
    /// A rule for the tools that `name` matches, without any setting yet.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            ..Self::default()
        }
    }

    pub(crate) fn applies(&self, tool: &str) -> bool {
        name_matches(&self.name, tool)
    }

    pub(super) fn check(&self, index: usize) -> Result<(), PolicyError> {
        if self.name.is_empty() {
            let member = format!("tools[{index}].name");
            return Err(PolicyError::new(member, "must not be empty"));
        }
        match &self.rate {
            Some(rate) => rate.check(&format!("tools[{index}].rate")),
            None => Ok(()),
        }
    }
}

impl Rate {
    /// The time after which one more call is allowed.
    pub(crate) fn interval(&self) -> Duration {
        self.per / self.calls.max(1)
    }

    pub(super) fn check(&self, member: &str) -> Result<(), PolicyError> {
        let what = if self.calls == 0 {
            "`calls` must not be 0"
        } else if self.burst == 0 {
            "`burst` must not be 0"
        } else if self.interval().is_zero() {
            "`per` is too short for so many calls"
        } else {
            return Ok(());
        };
        Err(PolicyError::new(member, what))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        for (pattern, text, expected) in [
            ("*", "", true),
            ("*", "abc", true),
            ("a*", "abc", true),
            ("*c", "abc", true),
            ("a*c", "abc", true),
            ("a*d", "abc", false),
            ("?", "", false),
            ("?", "é", true),
            ("a?c", "abc", true),
            ("a*b*c", "aXbYbZc", true),
            ("a*b*c", "aXcYb", false),
            ("**", "x", true),
            ("", "", true),
            ("", "x", false),
            ("x", "", false),
            ("read_*", "read_file", true),
            ("read_*", "reading", false),
            ("*?", "", false),
            ("*?", "x", true),
            ("*b*", "abc", true),
            ("*ab", "aab", true),
        ] {
            assert_eq!(name_matches(pattern, text), expected, "{pattern} {text}");
        }
        let hard = "*a".repeat(200);
        assert!(!name_matches(&hard, &"b".repeat(5_000)));
    }
}
