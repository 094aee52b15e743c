//! `--explain-access`: what a caller may use, and by which rule, from the function that the guard decides with.

use std::fmt::Write as _;

use toolsure_guard::VerifiedCaller;
use toolsure_guard::policy::{Access, CallerRule, Hints, Policy, Words as _};
use toolsure_json::quote;

use super::config::{Config, RulePlaces, show_time};
use crate::exit::{Exit, Failure};
use crate::term::Term;

/// Explains what the caller may use, or whether it may use one tool. The exit code of the latter is 1 if not, and 7 if that depends on the
/// annotations of the tool.
pub(super) fn run(words: &[String], config: &Config, term: &Term) -> Result<Exit, Failure> {
    let (caller, tool) = match words {
        [caller] => (caller, None),
        [caller, tool] => (caller, Some(tool.as_str())),
        _ => {
            return Err(Failure::usage(
                "`--explain-access` takes a caller, and a tool",
            ));
        }
    };
    let caller = read(caller, config)?;
    if !config.has_caller_rules() {
        term.write(
            "there are no rules for callers (`[[callers]]`): every caller may use everything\n",
        )?;
        return Ok(Exit::Ok);
    }
    let places = config.rule_places();
    let mut text = String::new();
    let mut exit = Verdict::No;
    for (name, upstream) in &config.upstreams {
        let policy = config.policy(name, upstream);
        let prefix = policy.name_prefix.to_string();
        if let Some(tool) = tool {
            // Of upstreams with one listing, only that with the prefix can have the tool.
            if !tool.starts_with(&prefix) {
                continue;
            }
            let (why, verdict) = explain(&policy, &caller, tool, &places);
            exit = exit.max(verdict);
            let shown = quote(tool, SHOWN);
            line(&mut text, format!("{name}: {shown}: {why}"));
            continue;
        }
        line(&mut text, format!("{name}:"));
        let rules: Vec<&CallerRule> = policy.rules_of(&caller).collect();
        if rules.is_empty() {
            line(
                &mut text,
                "  no rule matches this caller: it may use nothing".to_owned(),
            );
        }
        for rule in rules {
            line(&mut text, format!("  {}", allows(rule, &places)));
        }
        for tool in upstream.locked_tools() {
            let tool = format!("{prefix}{tool}");
            let (why, _) = explain(&policy, &caller, &tool, &places);
            line(&mut text, format!("  {}: {why}", quote(&tool, SHOWN)));
        }
    }
    if text.is_empty() {
        line(
            &mut text,
            "no upstream has tools of such a name: names begin with the prefix of their upstream"
                .to_owned(),
        );
    }
    term.write(&text)?;
    Ok(match (tool, exit) {
        (None, _) | (_, Verdict::Yes) => Exit::Ok,
        (_, Verdict::No) => Exit::Invalid,
        (_, Verdict::Depends) => Exit::Undecided,
    })
}

fn line(text: &mut String, line: String) {
    let _infallible = writeln!(text, "{line}");
}

/// Whether a caller may use a tool, in words. Its annotations are not known here, so it may depend on them.
fn explain(
    policy: &Policy,
    caller: &VerifiedCaller,
    tool: &str,
    places: &RulePlaces,
) -> (String, Verdict) {
    let mut of = Hints::all().map(|hints| policy.tool_access(caller, tool, Some(hints)));
    let Some(first) = of.next() else {
        return (String::new(), Verdict::No);
    };
    let is_allowed = first.is_allowed();
    if of.all(|access| access.is_allowed() == is_allowed) {
        let verdict = if is_allowed {
            Verdict::Yes
        } else {
            Verdict::No
        };
        return (why(&first, places), verdict);
    }
    let text = "depends on the annotations of the tool, which only the running guard knows";
    (text.to_owned(), Verdict::Depends)
}

/// Whether a tool may be used, the better verdict last.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Verdict {
    No,
    Depends,
    Yes,
}

/// A caller as the command line writes it: `subject=ann,group=readers`, or the name of a static token, or a
/// subject.
fn read(text: &str, config: &Config) -> Result<VerifiedCaller, Failure> {
    let mut caller = VerifiedCaller::default();
    let parts = text.split(',').map(str::trim);
    for part in parts.filter(|part| !part.is_empty()) {
        match part.split_once('=') {
            None if config.has_token(part) => caller.token = Some(part.into()),
            None => caller.subject = Some(part.into()),
            Some(("token", value)) if config.has_token(value) => caller.token = Some(value.into()),
            Some(("token", value)) => {
                let value = quote(value, SHOWN);
                return Err(Failure::usage(format!("`auth.tokens` has no `{value}`")));
            }
            Some(("subject", value)) => caller.subject = Some(value.into()),
            Some(("issuer", value)) => caller.issuer = Some(value.into()),
            Some(("group", value)) => caller.groups.push(value.into()),
            Some(("scope", value)) => caller.scopes.push(value.into()),
            Some(("certificate", value)) => caller.certificates.push(value.into()),
            Some((key, _)) => {
                let key = quote(key, SHOWN);
                return Err(Failure::usage(format!("a caller has no `{key}`")).with_help(
                    "write `subject=…,group=…`; the keys are token, subject, issuer, group, scope and certificate",
                ));
            }
        }
    }
    Ok(caller)
}

/// What a rule allows and sets, in one line.
fn allows(rule: &CallerRule, places: &RulePlaces) -> String {
    let lists = [
        ("tools", &rule.tools),
        ("prompts", &rule.prompts),
        ("resources", &rule.resources),
    ];
    let lists = lists.iter().filter_map(|(what, list)| {
        let list = list.as_ref()?;
        Some(format!("{what} {list}"))
    });
    let mut parts: Vec<String> = lists.collect();
    if parts.is_empty() {
        parts.push("everything".to_owned());
    }
    let modes = [("arguments", rule.arguments), ("results", rule.results)];
    let modes = modes.iter();
    parts.extend(modes.filter_map(|(what, mode)| Some(format!("{what} {}", (*mode)?.word()))));
    parts.extend(rule.rate.map(|rate| {
        let per = show_time(rate.per);
        format!("calls {} per {per}, burst {}", rate.calls, rate.burst)
    }));
    format!("{}: {}", places.shown(rule), parts.join("; "))
}

fn why(access: &Access<'_>, places: &RulePlaces) -> String {
    match access {
        Access::Allowed(rule, Some(entry)) => {
            format!("allowed by `{entry}` of {}", places.shown(rule))
        }
        Access::Allowed(rule, None) => format!("allowed by {}", places.shown(rule)),
        Access::Denied(rule, entry) => format!("denied by `{entry}` of {}", places.shown(rule)),
        Access::NotListed => "not allowed: no rule for this caller lists it".to_owned(),
        _ => "not allowed: no rule matches this caller".to_owned(),
    }
}

/// Maximum characters of the text of others in a line.
const SHOWN: usize = 120;
