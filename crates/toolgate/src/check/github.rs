//! The report as workflow commands, which GitHub Actions shows beside the code.

use std::fmt::Write as _;

use toolgate_json::quote;

use super::report::{Report, count};

/// One command per finding, one per fault, one summary per report.
pub(crate) fn render(reports: &[Report]) -> String {
    let mut out = String::new();
    for report in reports {
        findings(&mut out, report);
        let text = match &report.fault {
            Some(fault) => format!(
                "::error title={}::{}",
                property(&report.target),
                data(&fault.to_string())
            ),
            None => {
                let tools = u64::try_from(report.tools.len()).unwrap_or(u64::MAX);
                format!(
                    "{}: {}, {} refused",
                    report.target,
                    count(tools, "tool"),
                    report.tally().refused
                )
            }
        };
        line(&mut out, &text);
    }
    out
}

fn findings(out: &mut String, report: &Report) {
    for (index, tool) in report.tools.iter().enumerate() {
        let name = quote(tool.name.as_deref().unwrap_or("tool without a name"), 64).to_string();
        for finding in &tool.findings {
            let level = if finding.fatal { "error" } else { "warning" };
            let place = match (&report.file, report.line_column(index, finding)) {
                (Some(file), Some((line, column))) => {
                    format!("file={},line={line},col={column},", property(&file.name))
                }
                _ => String::new(),
            };
            let title = property(&format!("{name}: {}", finding.code));
            let at = quote(&finding.pointer_in_tool(), 200).to_string();
            let text = data(&format!(
                "{}: {} (at {at})",
                finding.part.word(),
                finding.message
            ));
            line(out, &format!("::{level} {place}title={title}::{text}"));
        }
    }
}

fn line(out: &mut String, text: &str) {
    // Writing to a string cannot fail.
    let _infallible = writeln!(out, "{text}");
}

fn data(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
