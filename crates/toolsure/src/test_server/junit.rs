//! The report as JUnit's XML: a suite for each server, a case for each tool.

use std::fmt::Write as _;

use toolsure_mcp::testing::Severity;

use super::found::{Found, Report};

/// Renders all reports as one document.
pub(super) fn render(reports: &[Report]) -> String {
    let mut out = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"toolsure test-server\">\n",
    );
    for report in reports {
        let failures = report
            .tools
            .iter()
            .filter(|tool| is_failure(&tool.findings));
        let failures = failures.count() + usize::from(is_failure(&report.server_findings));
        let skipped = report.tools.iter().filter(|tool| tool.skipped.is_some());
        let errors = usize::from(report.fault.is_some());
        let _infallible = writeln!(
            out,
            "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"{}\">",
            escaped(&report.target),
            report.tools.len().saturating_add(1),
            skipped.count()
        );
        for tool in &report.tools {
            case(
                &mut out,
                &report.target,
                &tool.name,
                tool.skipped.as_deref(),
                &tool.findings,
            );
        }
        match &report.fault {
            None => case(
                &mut out,
                &report.target,
                "the server",
                None,
                &report.server_findings,
            ),
            Some(fault) => {
                let _infallible = writeln!(
                    out,
                    "    <testcase classname=\"{}\" name=\"the server\"><error message=\"{}\"/></testcase>",
                    escaped(&report.target),
                    escaped(&fault.to_string())
                );
            }
        }
        out.push_str("  </testsuite>\n");
    }
    out.push_str("</testsuites>\n");
    out
}

fn case(out: &mut String, target: &str, name: &str, skipped: Option<&str>, findings: &[Found]) {
    let (target, name) = (escaped(target), escaped(name));
    let _infallible = write!(out, "    <testcase classname=\"{target}\" name=\"{name}\">");
    if let Some(why) = skipped {
        let _infallible = write!(out, "<skipped message=\"{}\"/>", escaped(why));
    }
    let texts: Vec<String> = findings
        .iter()
        .map(|found| {
            let arguments = found.arguments.as_deref().unwrap_or_default();
            format!("{}\n{arguments}\n", found.finding)
        })
        .collect();
    let text = escaped(&texts.join("\n"));
    if is_failure(findings) {
        let first = findings.first().map(|found| found.finding.to_string());
        let first = escaped(&first.unwrap_or_default());
        let _infallible = write!(out, "<failure message=\"{first}\">{text}</failure>");
    } else if !findings.is_empty() {
        let _infallible = write!(out, "<system-out>{text}</system-out>");
    }
    out.push_str("</testcase>\n");
}

fn is_failure(findings: &[Found]) -> bool {
    let mut all = findings.iter();
    all.any(|found| found.finding.code.severity() == Severity::Error)
}

/// Text for an attribute or an element; what XML 1.0 cannot have becomes U+FFFD.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push_str("&#10;"),
            '\t' => out.push('\t'),
            // Nothing that changes how the lines around it are shown, either.
            c if c.is_control() || is_bidi(c) || matches!(c, '\u{fffe}' | '\u{ffff}') => {
                out.push('\u{fffd}')
            }
            c => out.push(c),
        }
    }
    out
}

/// Whether a character changes the direction of text.
fn is_bidi(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn what_xml_cannot_have_is_replaced() {
        assert_eq!(
            escaped("a<b>&\"c\"\n\u{1}"),
            "a&lt;b&gt;&amp;&quot;c&quot;&#10;\u{fffd}"
        );
    }
}
