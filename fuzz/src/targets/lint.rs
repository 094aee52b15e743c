//! Lint takes any tool, says the same thing twice, and keeps its edits inside the text.

use toolsure_analysis::lint::{Linter, PROFILES, Report};

use super::target::Target;
use crate::Outcome;
use crate::ensure;
use crate::input::parts;
use crate::seeds::Seeds;

pub(super) const TARGET: Target = Target {
    name: "lint",
    about: "any tool is linted, twice alike, with messages of one line and spans inside the text",
    run,
    seeds,
    gate: 14_000,
};

fn run(input: &[u8]) -> Outcome {
    let texts: Result<Vec<&str>, _> = parts(input).map(std::str::from_utf8).collect();
    let Ok(tools) = texts else {
        return Ok(());
    };
    let mut linter = Linter::new();
    if let Some(profile) = PROFILES.get(input.len() % PROFILES.len().max(1)) {
        linter = linter.profile(profile);
    }
    let report = linter.lint(tools.iter().copied());
    let again = linter.lint(tools.iter().copied());
    let shown = |report: &Report| format!("{:?}", report.findings);
    ensure!(shown(&report) == shown(&again), "two runs differ");
    for finding in &report.findings {
        ensure!(
            !finding.message.contains('\n'),
            "several lines: {:?}",
            finding.message
        );
        ensure!(
            !finding
                .message
                .chars()
                .any(|c| c.is_control() || ('\u{202A}'..='\u{202E}').contains(&c)),
            "foreign control characters: {:?}",
            finding.message
        );
        if let (Some(span), Some(tool)) = (
            &finding.span,
            finding.tool.and_then(|index| tools.get(index)),
        ) {
            ensure!(
                tool.get(span.clone()).is_some(),
                "a span outside the text: {span:?}"
            );
        }
    }
    Ok(())
}

fn seeds(seeds: &Seeds) -> Vec<Vec<u8>> {
    let tool = |schema: &String| {
        format!(r#"{{"name":"find_items","description":"Finds items.","inputSchema":{schema}}}"#)
            .into_bytes()
    };
    let pairs = seeds.pairs.iter().map(|(schema, _)| tool(schema));
    pairs.chain(seeds.schemas.iter().map(tool)).collect()
}
