//! Finds settings that would have no effect, or would apply to other tools than they seem to, and rules
//! for tools that do not say which tools.

use std::ops::Range;

use toml::de::DeTable;
use toolsure_json::quote;

use super::keys;
use super::place::{Place, SHOWN, Shows};
use super::problem::Problem;
use super::settings::Config;
use super::upstream::Upstream;

/// Finds what is wrong with a rule of `[[tools]]`, besides the values of its keys.
pub(super) fn tool_rule(span: Range<usize>, table: &DeTable<'_>) -> Vec<Problem> {
    let find = |name: &str| table.iter().find(|(key, _)| key.get_ref() == name);
    let mut problems = Vec::new();
    match find("match") {
        // A `match` of another type than a string was reported already.
        Some((_, pattern)) => {
            let text = pattern.get_ref().as_str().unwrap_or_default();
            let each = "a rule takes one pattern, so write a rule for each";
            if let Some((message, help)) = meaningless("match", text, each) {
                let place = Place::File(pattern.span(), Shows::Value);
                problems.push(Problem::new(place, message).with_help(help));
            }
        }
        None => {
            let message = "a rule needs `match`, a pattern of tool names";
            problems.push(Problem::new(Place::File(span, Shows::Key), message));
        }
    }
    if let Some((key, _)) = find("match")
        && table.len() == 1
    {
        let place = Place::File(key.span(), Shows::Key);
        let problem = Problem::new(place, "the rule has no setting for the tools it matches");
        problems.push(problem.with_help("add one, such as `hidden = true`, or leave the rule out"));
    }
    problems.extend(rate_of_rule(table));
    problems
}

/// The problem of a rule with a rate that limits nothing.
pub(super) fn rate_of_rule(table: &DeTable<'_>) -> Option<Problem> {
    let find = |name: &str| table.iter().find(|(key, _)| key.get_ref() == name);
    if find("calls").is_some() {
        return None;
    }
    let (key, _) = find("burst").or_else(|| find("per"))?;
    let place = Place::File(key.span(), Shows::Key);
    let message = format!("`{}` has no effect without `calls`", key.get_ref());
    let help = "add `calls`, the calls of one tool in each `per`; 0 leaves the general rate";
    Some(Problem::new(place, message).with_help(help))
}

/// The problems of rates that limit nothing, because their `calls` is not set.
pub(super) fn rates(config: &Config) -> impl Iterator<Item = Problem> {
    keys::global().filter_map(|key| {
        let rate = key.name.strip_suffix(".calls")?;
        if config.written.contains_key(key.name) {
            return None;
        }
        let mut parts = [format!("{rate}.burst"), format!("{rate}.per")].into_iter();
        let (name, place) = parts.find_map(|name| config.written.get_key_value(&*name))?;
        let message = format!("`{name}` has no effect without `{rate}.calls`");
        let help = format!("set `{rate}.calls`, the calls in each `{rate}.per`; 0 is no limit");
        Some(Problem::new(place.clone(), message).with_help(help))
    })
}

/// The problems of settings for tools that differ from a lock, if there is no lock.
pub(super) fn changes(config: &Config) -> impl Iterator<Item = Problem> {
    let has_lock = config.upstreams.values().any(Upstream::has_lock);
    let written = config.written.iter();
    let of_lock = |name: &str| name == "policy.drift" || name.starts_with("policy.changes.");
    let unused = written.filter(move |(name, _)| !has_lock && of_lock(name));
    unused.map(|(name, place)| {
        let message = format!("`{name}` has no effect without the `lock` of an upstream");
        Problem::new(place.clone(), message)
    })
}

/// The problems of settings for HTTP clients, if none can connect.
pub(super) fn listen(config: &Config) -> impl Iterator<Item = Problem> {
    let has_address = config.is_on_network() || config.written.contains_key("listen.address");
    let written = config.written.iter();
    let of_listener = |name: &str| name.starts_with("listen.") || name.starts_with("auth.");
    let unused = written.filter(move |(name, _)| !has_address && of_listener(name));
    unused.map(|(name, place)| {
        let message = format!("`{name}` has no effect without `listen.address`");
        Problem::new(place.clone(), message)
    })
}

/// The problems of settings that belong to another one, which is not set.
pub(super) fn alone(config: &Config) -> impl Iterator<Item = Problem> {
    BELONGING.into_iter().filter_map(|(name, to)| {
        if config.written.contains_key(to) {
            return None;
        }
        let (name, place) = config.written.get_key_value(name)?;
        let message = format!("`{name}` has no effect without `{to}`");
        Some(Problem::new(place.clone(), message))
    })
}

/// Why a pattern is probably a mistake: it contains characters with a meaning in other pattern
/// languages, so it would match no tool.
pub(super) fn meaningless(key: &str, pattern: &str, each: &str) -> Option<(String, String)> {
    let is_odd = |c: &char| ELSEWHERE.contains(*c) || c.is_whitespace();
    let mut odd: Vec<char> = pattern.chars().filter(is_odd).collect();
    if odd.is_empty() {
        return None;
    }
    odd.sort_unstable();
    odd.dedup();
    let odd: Vec<String> = odd
        .into_iter()
        .map(|c| match c.is_whitespace() {
            true => "a space".to_owned(),
            false => format!("`{c}`"),
        })
        .collect();
    let message = format!(
        "`{key}`: {} has no meaning in a pattern, found `{}`",
        odd.join(" or "),
        quote(pattern, SHOWN)
    );
    let help = format!(
        "`*` is any text, and `?` any one character, including one of these in a tool's name; {each}"
    );
    Some((message, help))
}

/// Settings, and the one that each belongs to.
const BELONGING: [(&str, &str); 12] = [
    ("auth.keys_url", "auth.issuer"),
    ("auth.audiences", "auth.issuer"),
    ("auth.algorithms", "auth.issuer"),
    ("auth.leeway", "auth.issuer"),
    ("auth.groups_claim", "auth.issuer"),
    ("auth.tls_ca", "auth.issuer"),
    ("admin.token", "admin.address"),
    ("audit.max_size", "audit.file"),
    ("audit.keep", "audit.file"),
    ("audit.arguments", "audit.file"),
    ("audit.results", "audit.file"),
    ("audit.secrets", "audit.file"),
];

/// Characters with a meaning in other pattern languages, which tool names do not contain.
const ELSEWHERE: &str = "[]{}()|!\\^$+,";
