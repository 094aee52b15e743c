//! One finding as JSON; the `json` modules of the commands show its form.

use serde_json::{Value, json};
use toolsure_analysis::lint::{Finding, Safety};

use super::Page;

pub(crate) fn finding(page: &Page, finding: &Finding) -> Value {
    let file = page.listing.file.as_ref();
    let byte = |at: usize| {
        let byte = page.byte(finding, at).unwrap_or(at);
        match file {
            Some(file) => file.byte(byte),
            None => u64::try_from(byte).unwrap_or(u64::MAX),
        }
    };
    // Of another file, the edits would be of the JSON that it was converted to.
    let fix = finding.fix.as_ref();
    let fix = fix.filter(|_| file.is_none_or(|file| file.takes_edits()));
    let lines = page.lines(finding);
    json!({
        "code": finding.rule.code,
        "name": finding.rule.name,
        "severity": finding.severity.to_string(),
        "tool": page.tool(finding),
        "list": page.list(finding),
        "pointer": finding.pointer,
        "message": finding.message,
        "help": finding.help,
        "consequence": finding.consequence.map(|consequence| consequence.words()),
        "readers": finding.readers.iter().map(|reader| reader.name).collect::<Vec<_>>(),
        "line": lines.map(|(start, _)| start.line),
        "column": lines.map(|(start, _)| start.column),
        "endLine": lines.map(|(_, end)| end.line),
        "endColumn": lines.map(|(_, end)| end.column),
        "start": finding.span.as_ref().map(|span| byte(span.start)),
        "end": finding.span.as_ref().map(|span| byte(span.end)),
        "fix": fix.map(|fix| json!({
            "safe": fix.safety == Safety::Safe,
            "edits": fix.edits.iter().map(|edit| json!({
                "start": byte(edit.span.start),
                "end": byte(edit.span.end),
                "text": edit.text,
            })).collect::<Vec<_>>(),
        })),
    })
}
