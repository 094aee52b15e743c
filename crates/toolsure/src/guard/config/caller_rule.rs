//! The settings of what callers may use, `[[callers]]`.

use std::ops::Range;
use std::sync::Arc;

use toolsure_guard::policy::{self, AllowList};

use toolsure_json::quote;

use super::place::SHOWN;
use super::rate::RateWords;
use crate::render::Source;

/// What the callers that match may use.
#[derive(Clone, Default)]
pub(super) struct CallerRule {
    pub(super) name: Option<String>,
    /// The upstreams that it is for; all, if there are none.
    pub(super) upstreams: Vec<String>,
    pub(super) tools: Option<Vec<String>>,
    pub(super) prompts: Option<Vec<String>>,
    pub(super) resources: Option<Vec<String>>,
    pub(super) rule: policy::CallerRule,
    pub(super) rate: RateWords,
    /// The rule, once it is complete.
    pub(super) made: Arc<policy::CallerRule>,
    /// Where it is in the file.
    pub(super) place: Range<usize>,
}

/// Where the rules for callers are in the configuration file.
pub(crate) struct RulePlaces(Vec<(Arc<policy::CallerRule>, String)>);

impl RulePlaces {
    /// `rules` are those of the file with this name and text.
    pub(super) fn of(rules: &[CallerRule], name: &str, text: &str) -> Self {
        let source = Source::new(name, text.as_bytes());
        let places = rules.iter().map(|rule| {
            let line = source.line_column(rule.place.start).line;
            (Arc::clone(&rule.made), format!("{}:{line}", source.name))
        });
        Self(places.collect())
    }

    /// A rule by its place and its name.
    pub(crate) fn shown(&self, rule: &policy::CallerRule) -> String {
        let name = quote(&rule.name, SHOWN);
        let mut places = self.0.iter();
        let found = places.find(|(own, _)| std::ptr::eq(&**own, rule));
        match found {
            Some((_, place)) => format!("{place} ({name})"),
            None => name.to_string(),
        }
    }
}

impl CallerRule {
    /// Reads the lists; `number` is the number of the rule, from 1.
    pub(super) fn finish(&mut self, number: usize) -> Result<(), String> {
        let read = |entries: &Option<Vec<String>>| match entries {
            None => Ok(None),
            Some(entries) => AllowList::new(entries).map(Some),
        };
        let wrong = |error: policy::PolicyError| error.to_string();
        let mut rule = self.rule.clone();
        rule.name = match &self.name {
            Some(name) => name.clone(),
            None => format!("callers {number}"),
        };
        rule.tools = read(&self.tools).map_err(wrong)?;
        rule.prompts = read(&self.prompts).map_err(wrong)?;
        rule.resources = read(&self.resources).map_err(wrong)?;
        rule.rate = self.rate.rate();
        self.made = Arc::new(rule);
        Ok(())
    }

    /// The rules for any of these upstreams.
    pub(super) fn of_upstreams(rules: &[Self], names: &[&str]) -> Vec<Arc<policy::CallerRule>> {
        let is_for_it = |rule: &&Self| {
            let mut own = rule.upstreams.iter();
            rule.upstreams.is_empty() || own.any(|upstream| names.contains(&upstream.as_str()))
        };
        let own = rules.iter().filter(is_for_it);
        let mut own: Vec<_> = own.map(|rule| Arc::clone(&rule.made)).collect();
        if own.is_empty() && !rules.is_empty() {
            // Without any rule, everybody could use everything. This one is for a token that nobody has, and allows nothing.
            let mut nothing = policy::CallerRule::new("no rule");
            nothing.token = Some(String::new());
            nothing.tools = AllowList::new([""; 0]).ok();
            own.push(Arc::new(nothing));
        }
        own
    }
}
