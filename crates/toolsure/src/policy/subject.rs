//! A finding as the policy sees it, whichever command reports it.

use toolsure_analysis::lint::rule;

/// One finding of any command.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Subject<'a> {
    /// Its code, or its rule's code or name.
    pub(crate) code: &'a str,
    /// The server, if there are several.
    pub(crate) server: Option<&'a str>,
    pub(crate) tool: Option<&'a str>,
    pub(crate) pointer: &'a str,
    pub(crate) message: &'a str,
}

impl Subject<'_> {
    /// The code that settings use: the rule's code if another command reports what a rule reports.
    pub(super) fn key(&self) -> &str {
        rule(self.code).map_or(self.code, |rule| rule.code)
    }
}
