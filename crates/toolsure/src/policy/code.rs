//! The codes by which settings name findings.

use toolsure_analysis::lint::{RULES, rule};
use toolsure_json::quote;
use toolsure_schema::closest;

/// The code of a rule, given its code or name. Codes of other commands are returned as they are.
pub(super) fn code_of(word: &str) -> Result<String, String> {
    if let Some(rule) = rule(word) {
        return Ok(rule.code.to_owned());
    }
    let is_number = word.len() > 2 && word.bytes().skip(2).all(|byte| byte.is_ascii_digit());
    if word
        .get(..2)
        .is_some_and(|start| start.eq_ignore_ascii_case("TL"))
        && is_number
    {
        let codes = RULES.iter().map(|rule| rule.code);
        return Err(unknown("rule", word, codes));
    }
    Ok(word.to_owned())
}

/// The message for a name that is not known, with the closest one.
pub(super) fn unknown<'n>(what: &str, word: &str, names: impl Iterator<Item = &'n str>) -> String {
    let hint = match closest(word, names) {
        Some(name) => format!("; did you mean `{name}`?"),
        None => String::new(),
    };
    format!("there is no {what} `{}`{hint}", quote(word, 40))
}

/// The command whose codes are rules.
pub(crate) const LINT: &str = "lint";
