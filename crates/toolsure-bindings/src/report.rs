//! Reports, refusals and warnings as JSON.

use toolsure_json::ReadError;
use toolsure_schema::{CompileError, Exhausted, Finding, Report, Verdict, Warning, settings};

use crate::kind;
use crate::options::Refusal;
use crate::write::{Object, array};

/// Writes a report: `verdict`, and the members that belong to it.
pub fn write(out: &mut String, report: &Report) {
    match report.verdict {
        Verdict::Valid => Object::new(out).text("verdict", "valid"),
        Verdict::Invalid => {
            let mut out = Object::new(out);
            out.text("verdict", "invalid");
            out.array("errors", &report.findings, finding);
            out.boolean("complete", report.complete);
            out.text("message", &report.summary().to_string());
        }
        Verdict::Undecided(why) => exhausted(out, why),
    }
}

/// Writes the report of a check that reached a limit.
pub fn exhausted(out: &mut String, why: Exhausted) {
    undecided(out, &why.to_string(), why.setting());
}

fn undecided(out: &mut String, message: &str, setting: Option<&str>) {
    let mut out = Object::new(out);
    out.text("verdict", "undecided");
    out.text("message", message);
    out.maybe("setting", setting);
}

/// Writes why an instance could not be read. Returns whether it reached a limit, which is a report of an
/// undecided check; otherwise it is not JSON, and the members are those of an error.
pub fn unread(out: &mut String, error: &ReadError) -> bool {
    let is_limit = error.limit().is_some();
    if is_limit {
        let message = format!("undecided: {error}");
        undecided(out, &message, settings::of_read_error(error));
    } else {
        not_json(out, error);
    }
    is_limit
}

/// Writes why a text is not JSON.
pub(crate) fn not_json(out: &mut String, error: &ReadError) {
    let mut object = Object::new(out);
    object.text("code", "json");
    object.text("message", &error.to_string());
    object.number("offset", error.at());
}

/// Writes why there is no schema.
pub fn refusal(out: &mut String, refusal: &Refusal) {
    match refusal {
        Refusal::Schema(error) => compile_error(out, error),
        Refusal::Option(message) => option(out, message),
    }
}

/// Writes what is wrong with the options.
pub(crate) fn option(out: &mut String, message: &str) {
    let mut object = Object::new(out);
    object.text("code", "option");
    object.text("message", message);
}

/// Writes what was left out of a schema.
pub fn warnings(out: &mut String, warnings: &[Warning]) {
    array(out, warnings, |out, warning| {
        compile_error(out, warning.error());
    });
}

/// Writes why a schema was refused.
pub(crate) fn compile_error(out: &mut String, error: &CompileError) {
    let mut object = Object::new(out);
    object.text("code", error.code());
    object.text("message", &error.to_string());
    object.text("schemaPath", error.pointer());
    object.text("document", error.document());
    if let Some(span) = error.span() {
        object.number("offset", span.start);
    }
    object.maybe("help", error.help().as_deref());
    object.maybe("deniedUri", error.denied_uri());
    if let Some(limit) = error.limit() {
        object.text("setting", limit.name.setting());
    }
}

/// Writes one finding.
pub(crate) fn finding(out: &mut String, finding: &Finding) {
    let mut object = Object::new(out);
    object.text("instancePath", finding.instance_location());
    object.maybe("propertyName", finding.property_name());
    object.text("schemaPath", finding.keyword_location());
    object.text("absoluteSchemaPath", finding.absolute_keyword_location());
    object.text("keyword", finding.keyword());
    object.text("message", &finding.to_string());
    object.object("kind", |object| kind::write(object, &finding.kind));
    if let Some(span) = &finding.instance_span {
        object.number("start", span.start);
        object.number("end", span.end);
    }
}
