//! `toolgate explain CODE`: the page of a rule.

use std::fmt::Write as _;

use clap::Args;
use toolgate_analysis::lint::{RULES, rule};
use toolgate_json::quote;
use toolgate_schema::closest;

use crate::exit::{Exit, Failure};
use crate::render::wrap;
use crate::term::{BOLD, DIM, Term};

/// Say what a lint rule wants, why, and what to do
///
/// Without a code, list all rules.
#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    /// The rule's code or name, such as `TG032` or `misspelt-keyword`
    code: Option<String>,
}

/// Runs the command.
pub(crate) fn run(args: &ExplainArgs, term: &Term) -> Result<Exit, Failure> {
    let Some(code) = &args.code else {
        let room = term.stdout().columns.unwrap_or(usize::MAX);
        let mut out = String::new();
        for rule in &RULES {
            let severity = rule.severity.to_string();
            let about = rule.summary().replace('\n', " ");
            let about = about.split(". ").next().unwrap_or_default();
            let start = format!("{severity:<7} {:<26}", rule.name);
            let left = room.saturating_sub(rule.code.len().saturating_add(start.len()));
            let about = quote(about, left.saturating_sub(3).clamp(20, 200));
            let line = format!("{BOLD}{}{BOLD:#} {start} {about}", rule.code);
            // Writing to a string cannot fail.
            let _infallible = writeln!(out, "{}", line.trim_end());
        }
        return term.write(&out).map(|()| Exit::Ok);
    };
    let Some(rule) = rule(code) else {
        let names = RULES.iter().flat_map(|rule| [rule.code, rule.name]);
        let help = match closest(code, names) {
            Some(name) => format!("did you mean `{name}`? `toolgate explain` lists all rules"),
            None => "`toolgate explain` lists all rules".to_owned(),
        };
        let message = format!("there is no rule `{}`", quote(code, 40));
        return Err(Failure::usage(message).with_help(help));
    };
    let room = term.stdout().columns.unwrap_or(usize::MAX);
    let mut out = String::new();
    for line in rule.page.lines() {
        let styled = match line {
            heading if heading.starts_with('#') => {
                format!("{BOLD}{}{BOLD:#}", heading.trim_start_matches(['#', ' ']))
            }
            fence if fence.starts_with("```") => continue,
            code if code.starts_with(['{', '[', '"']) => format!("{DIM}  {code}{DIM:#}"),
            text => wrap(text, room).join("\n"),
        };
        out.push_str(&styled);
        out.push('\n');
    }
    let mut readers = rule.readers().peekable();
    if readers.peek().is_some() {
        let _infallible = write!(out, "\n{BOLD}Sources{BOLD:#}\n\n");
    }
    for reader in readers {
        let fact = format!("{} ({}): {}", reader.reader, reader.date, reader.source);
        out.push_str(&wrap(&fact, room).join("\n"));
        out.push('\n');
    }
    term.write(&out).map(|()| Exit::Ok)
}
