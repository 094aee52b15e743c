//! `toolsure explain CODE`: prints the page of a rule.

use std::fmt::Write as _;

use clap::Args;
use console::measure_text_width;
use toolsure_analysis::lint::{RULES, rule};
use toolsure_json::quote;
use toolsure_schema::closest;

use crate::exit::{Exit, Failure};
use crate::render::{hang, wrap};
use crate::term::{BOLD, DIM, Term};

/// Explain a lint rule: what it requires, why, and what to do
///
/// Without a code, lists all rules.
#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    /// The rule's code or name, such as `TL032` or `misspelt-keyword`
    code: Option<String>,
}

/// Runs the command.
pub(crate) fn run(args: &ExplainArgs, term: &Term) -> Result<Exit, Failure> {
    let Some(code) = &args.code else {
        let columns = term.stdout().columns.unwrap_or(usize::MAX);
        let mut out = String::new();
        for rule in &RULES {
            let severity = rule.severity.to_string();
            let about = rule.summary().replace('\n', " ");
            let about = about.split(". ").next().unwrap_or_default();
            let about = about.trim_end_matches('.');
            let start = format!("{severity:<7} {:<26}", rule.name);
            let beside = rule
                .code
                .len()
                .saturating_add(start.len())
                .saturating_add(3);
            let left = columns.saturating_sub(beside);
            let code = format!("{BOLD}{}{BOLD:#}", rule.code);
            let line = match left < SUMMARY {
                true => {
                    let about = hang(&format!("    {about}"), Some(columns));
                    format!("{code} {}\n{about}", start.trim_end())
                }
                false => format!("{code} {start} {}", quote(about, left.min(200))),
            };
            // Writing to a string cannot fail.
            let _infallible = writeln!(out, "{}", line.trim_end());
        }
        return term.write(&out).map(|()| Exit::Ok);
    };
    let Some(rule) = rule(code) else {
        let names = RULES.iter().flat_map(|rule| [rule.code, rule.name]);
        let help = match closest(code, names) {
            Some(name) => format!("did you mean `{name}`? `toolsure explain` lists all rules"),
            None => "`toolsure explain` lists all rules".to_owned(),
        };
        let message = format!("there is no rule `{}`", quote(code, 40));
        return Err(Failure::usage(message).with_help(help));
    };
    let columns = term.stdout().columns.unwrap_or(usize::MAX);
    let mut out = String::new();
    for line in rule.page.lines() {
        let styled = match line {
            heading if heading.starts_with('#') => {
                format!("{BOLD}{}{BOLD:#}", heading.trim_start_matches(['#', ' ']))
            }
            fence if fence.starts_with("```") => continue,
            code if code.starts_with(['{', '[', '"']) => {
                format!("{DIM}  {}{DIM:#}", fold(code, columns).join("\n    "))
            }
            text => wrap(text, columns).join("\n"),
        };
        out.push_str(&styled);
        out.push('\n');
    }
    let mut facts = rule.facts().peekable();
    if facts.peek().is_some() {
        let _infallible = write!(out, "\n{BOLD}Sources{BOLD:#}\n\n");
    }
    for (reader, fact) in facts {
        let told = format!(
            "{}: {} ({}, {}, {}): {}",
            reader.shown,
            fact.fact,
            fact.consequence.words(),
            fact.evidence.word(),
            fact.month,
            fact.source
        );
        out.push_str(&wrap(&told, columns).join("\n"));
        out.push('\n');
    }
    term.write(&out).map(|()| Exit::Ok)
}

/// Breaks a line of JSON after commas, if it is longer than the terminal is wide; the JSON stays
/// the same. Parts without a comma are not broken.
fn fold(code: &str, columns: usize) -> Vec<String> {
    let columns = columns.saturating_sub(CODE_INDENT);
    let mut lines: Vec<String> = Vec::new();
    for piece in pieces(code) {
        match lines.last_mut() {
            Some(line)
                if measure_text_width(line).saturating_add(measure_text_width(piece))
                    <= columns =>
            {
                line.push_str(piece)
            }
            _ => lines.push(piece.to_owned()),
        }
    }
    lines
        .iter()
        .map(|line| line.trim_end().to_owned())
        .collect()
}

/// Splits a JSON text after the space that follows a comma, except in strings.
fn pieces(code: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let (mut start, mut in_string, mut escaped) = (0, false, false);
    for (at, pair) in code.as_bytes().windows(2).enumerate() {
        match pair {
            _ if escaped => escaped = false,
            [b'\\', _] if in_string => escaped = true,
            [b'"', _] => in_string = !in_string,
            b", " if !in_string => {
                let end = at.saturating_add(pair.len());
                pieces.extend(code.get(start..end));
                start = end;
            }
            _ => {}
        }
    }
    pieces.extend(code.get(start..));
    pieces
}

/// Columns that a summary beside its rule needs; otherwise it is below.
const SUMMARY: usize = 20;
/// Columns before a continued line of an example.
const CODE_INDENT: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_examples_are_folded_behind_commas_and_stay_what_they_are() {
        let code = r#"{"a": [1, 2], "b, \", c": {"d": 3}, "e": 4}"#;
        assert_eq!(pieces(code).concat(), code);
        let lines = fold(code, 30);
        assert_eq!(
            lines,
            [r#"{"a": [1, 2],"#, r#""b, \", c": {"d": 3},"#, r#""e": 4}"#]
        );
        assert_eq!(fold(code, usize::MAX), [code]);
    }
}
