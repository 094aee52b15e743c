//! The codes by which settings name findings.

use toolsure_analysis::diff::Kind;
use toolsure_analysis::lint::{RULES, rule};
use toolsure_json::quote;
use toolsure_schema::closest;

/// The code of a rule, given its code or name, or the code of another command.
pub(super) fn code_of(word: &str) -> Result<String, String> {
    match rule(word) {
        Some(rule) => Ok(rule.code.to_owned()),
        None if all().any(|code| code == word) => Ok(word.to_owned()),
        None => Err(unknown("rule or code", word, all())),
    }
}

/// Every code of every command, and the names of rules.
pub(super) fn all() -> impl Iterator<Item = &'static str> {
    let rules = RULES.iter().flat_map(|rule| [rule.code, rule.name]);
    let kinds = Kind::ALL.into_iter().map(|kind| kind.name());
    rules.chain(kinds)
}

/// The message for a name that is not known, with the closest one.
pub(crate) fn unknown<'n>(what: &str, word: &str, names: impl Iterator<Item = &'n str>) -> String {
    let hint = match closest(word, names) {
        Some(name) => format!("; did you mean `{name}`?"),
        None => String::new(),
    };
    format!("there is no {what} `{}`{hint}", quote(word, 40))
}

/// The command whose codes are rules.
pub(crate) const LINT: &str = "lint";
