//! Finds rules for tools that match no tool.

use std::sync::{Mutex, PoisonError};

use super::ToolRule;

/// Finds rules that match no tool of any server, for the policies of all servers that share these
/// rules. A misspelt name protects nothing, and usually nobody notices.
#[derive(Debug)]
pub struct RuleUsage {
    servers: usize,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// How many servers have sent their complete list.
    listed: usize,
    /// Whether each rule, by its index, matches a tool of one of them.
    used: Vec<bool>,
}

impl RuleUsage {
    /// Creates the state for the policies of this many servers.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use toolsure_guard::policy::{Policy, RuleUsage, ToolRule};
    ///
    /// let usage = Arc::new(RuleUsage::new(2));
    /// let mut policy = Policy::new();
    /// policy.tools = vec![ToolRule::new("delete_*")];
    /// policy.rule_usage = Some(usage);
    /// let of_each_server = [policy.clone(), policy];
    /// # let _ = of_each_server;
    /// ```
    #[must_use]
    pub fn new(servers: usize) -> Self {
        Self {
            servers,
            state: Mutex::default(),
        }
    }

    /// Counts the complete list of one server. Returns the rules without a tool if it was the last server.
    pub(crate) fn listed<'r>(
        &self,
        rules: &'r [ToolRule],
        has_tool: impl Fn(&ToolRule) -> bool,
    ) -> Vec<&'r ToolRule> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.listed = state.listed.saturating_add(1);
        state.used.resize(rules.len(), false);
        for (used, rule) in state.used.iter_mut().zip(rules) {
            *used = *used || has_tool(rule);
        }
        let is_last = state.listed == self.servers;
        let idle = rules.iter().zip(&state.used).filter(|(_, used)| !**used);
        idle.filter(|_| is_last).map(|(rule, _)| rule).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_is_idle_when_no_server_has_a_tool_for_it() {
        let rules = ["a", "b", "c"].map(ToolRule::new);
        let usage = RuleUsage::new(2);
        assert!(usage.listed(&rules, |rule| rule.name == "a").is_empty());
        let idle = usage.listed(&rules, |rule| rule.name == "c");
        let idle: Vec<&str> = idle.iter().map(|rule| rule.name.as_str()).collect();
        assert_eq!(idle, ["b"]);
    }
}
