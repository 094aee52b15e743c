//! The pages of the rules: their examples are found, and what they advise draws nothing else.

use toolsure_analysis::lint::{Linter, PROFILES, RULES, Report, Rule};
use toolsure_analysis::readers::{Fact, PROJECTED_FOR, reader};

/// A page's example: what it is of, the text that the rule finds, and the better one.
fn example(rule: &Rule) -> Option<(&'static str, &'static str, &'static str)> {
    let (_, rest) = rule.page.split_once("## Example\n\n")?;
    let (shape, rest) = rest.split_once(":\n\n```json\n")?;
    let (bad, rest) = rest.split_once("\n```\n\nBetter:\n\n```json\n")?;
    let (good, _) = rest.split_once("\n```")?;
    Some((shape, bad, good))
}

/// The tools that an example stands for.
fn tools(shape: &str, text: &str) -> Vec<String> {
    let tool = |schema: &str| {
        format!(
            "{{\"name\": \"case_tool\", \"description\": \"Takes value, a, b, at, q and others\", \"inputSchema\": {schema}}}"
        )
    };
    match shape {
        "As a tool" => vec![text.to_owned()],
        "As a listing" => {
            let tools = serde_json::from_str::<Vec<serde_json::Value>>(text);
            let tools = tools.unwrap_or_default();
            tools.iter().map(ToString::to_string).collect()
        }
        "As an input schema" => vec![tool(text)],
        "As a property's schema" => vec![tool(&format!(
            "{{\"type\": \"object\", \"properties\": {{\"value\": {text}}}}}"
        ))],
        // Nothing is found in nothing, which the tests do not take.
        _ => Vec::new(),
    }
}

fn codes(report: &Report) -> Vec<&'static str> {
    let mut codes: Vec<&str> = report.findings.iter().map(|one| one.rule.code).collect();
    codes.sort_unstable();
    codes.dedup();
    codes
}

/// Findings that an example may have, because it shows one thing and leaves the rest out: descriptions,
/// hints, input schemas, closed roots.
const LEFT_OUT: [&str; 10] = [
    "TL006", "TL007", "TL008", "TL012", "TL016", "TL061", "TL077", "TL088", "TL105", "TL108",
];

#[test]
fn better_examples_are_better_under_every_profile_of_their_rule() {
    let mut wrong = Vec::new();
    for rule in &RULES {
        let Some((shape, bad, good)) = example(rule) else {
            continue;
        };
        let default = [(String::new(), Linter::new())];
        let own = PROFILES
            .iter()
            .filter(|profile| profile.has(rule))
            .map(|profile| (profile.name.to_owned(), Linter::new().profile(profile)));
        let linters: Vec<(String, Linter)> = match rule.on_by_default {
            true => default.into_iter().chain(own).collect(),
            false => own.collect(),
        };
        let mut found = false;
        for (name, linter) in linters {
            let lint = |text: &str| {
                let tools = tools(shape, text);
                codes(&linter.lint(tools.iter().map(String::as_str)))
            };
            let (before, after) = (lint(bad), lint(good));
            found |= before.contains(&rule.code);
            let left: Vec<_> = after
                .into_iter()
                .filter(|code| !(LEFT_OUT.contains(code) && *code != rule.code))
                .collect();
            if !left.is_empty() {
                wrong.push(format!(
                    "{} {name}: {left:?} in the better {good}",
                    rule.code
                ));
            }
        }
        if !found {
            wrong.push(format!("{}: not found in {bad}", rule.code));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// No profile says of the better example what it did not say of the other one.
#[test]
fn advice_draws_no_finding_under_any_profile() {
    let mut wrong = Vec::new();
    for rule in &RULES {
        let Some((shape, bad, good)) = example(rule) else {
            continue;
        };
        for profile in PROFILES {
            let linter = Linter::new().profile(profile);
            let lint = |text: &str| {
                let tools = tools(shape, text);
                codes(&linter.lint(tools.iter().map(String::as_str)))
            };
            let (before, after) = (lint(bad), lint(good));
            let new = after.into_iter().filter(|code| !before.contains(code));
            let new: Vec<_> = new.filter(|code| !LEFT_OUT.contains(code)).collect();
            if before.contains(&rule.code) && !new.is_empty() {
                wrong.push(format!(
                    "{} under {}: {new:?}: {good}",
                    rule.code, profile.name
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The documents have the tables of readers as they are; `TOOLSURE_WRITE=1` writes them.
#[test]
fn the_documents_have_the_tables_of_readers() {
    let mut rows = String::new();
    for profile in PROFILES {
        let codes: Vec<&str> = profile.rules().map(|rule| rule.code).collect();
        let codes = codes.join(", ");
        rows.push_str(&format!(
            "| `{}` | {} | {codes} |\n",
            profile.name, profile.about
        ));
    }
    let head = "| profile | for | additional rules, and default rules that matter for the profile |\n|---|---|---|\n";
    let docs = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs");
    let mut projected = String::new();
    for reader in PROJECTED_FOR.iter().filter_map(|name| reader(name)) {
        let facts = reader.own.iter().map(|one| one.fact);
        let parents = reader.parents.iter().map(|name| format!("as for `{name}`"));
        let facts = facts.filter(Fact::is_projected).map(|fact| match fact {
            // The lists are on the page of readers.
            Fact::Keywords(_) => format!("only [its keywords](readers.md#{})", reader.name),
            Fact::Formats(_) => format!("only [its formats](readers.md#{})", reader.name),
            fact => fact.to_string(),
        });
        let all: Vec<String> = parents.chain(facts).collect();
        projected.push_str(&format!("| `{}` | {} |\n", reader.name, all.join("; ")));
    }
    let projected_head = "| reader | what a listing for it has |\n|---|---|\n";
    let members = toolsure_analysis::readers::members_table();
    let (members_head, _) = members.split_once("---|\n").unwrap();
    let members_head = format!("{members_head}---|\n");
    let members_rows = members.strip_prefix(&*members_head).unwrap().to_owned();
    for (file, head, rows) in [
        ("projection.md", projected_head, projected),
        ("clients.md", &*members_head, members_rows),
        ("readers.md", "", toolsure_analysis::readers::page()),
        ("lint/README.md", head, rows),
    ] {
        let path = format!("{docs}/{file}");
        let text = std::fs::read_to_string(&path).unwrap();
        let expected = match head {
            "" => rows,
            _ => with_table(&text, head, &rows).unwrap(),
        };
        if std::env::var_os("TOOLSURE_WRITE").is_some() {
            std::fs::write(&path, &expected).unwrap();
            continue;
        }
        assert!(text == expected, "`TOOLSURE_WRITE=1` writes {file}");
    }
}

/// The text with these rows in the table with this head.
fn with_table(text: &str, head: &str, rows: &str) -> Option<String> {
    let (before, rest) = text.split_once(head)?;
    let after = rest
        .split_inclusive('\n')
        .skip_while(|line| line.starts_with('|'));
    let after: String = after.collect();
    Some(format!("{before}{head}{rows}{after}"))
}
