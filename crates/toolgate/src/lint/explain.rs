//! `toolgate explain CODE`: the page of a rule.

use std::fmt::Write as _;

use clap::Args;
use toolgate_analysis::lint::{RULES, rule};
use toolgate_json::quote;

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
        let mut out = String::new();
        for rule in &RULES {
            let severity = rule.severity.to_string();
            // Writing to a string cannot fail.
            let _infallible = writeln!(
                out,
                "{BOLD}{}{BOLD:#} {severity:<7} {}",
                rule.code, rule.name
            );
        }
        return term.write(&out).map(|()| Exit::Ok);
    };
    let Some(rule) = rule(code) else {
        return Err(
            Failure::usage(format!("there is no rule `{}`", quote(code, 40)))
                .with_help("`toolgate explain` lists all rules"),
        );
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
