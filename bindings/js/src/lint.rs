//! Lints a listing.

use toolsure_analysis::lint::{Finding, Linter, Profile, Report, Rule, Safety, profile, rule};
use toolsure_json::{Kind, Node as _, OwnedDocument, ReadLimits, View, quote};

use crate::options::Options;
use crate::write::{Object, array};

/// Lints a listing (an array of tools, or an object with `tools`). The error is one of the options,
/// or says why the listing cannot be read.
pub(crate) fn run(listing: &[u8], options: &[u8]) -> Result<Report, String> {
    let options =
        Options::read(options, &[PROFILES, ALLOW, DENY]).map_err(|why| why.to_string())?;
    let mut linter = Linter::new();
    if let Some(document) = &options.document {
        let root = document.document().root();
        for name in strings(root, PROFILES)? {
            linter = linter.profile(named_profile(name)?);
        }
        for name in strings(root, ALLOW)? {
            linter = linter.allow(named(name)?);
        }
        for name in strings(root, DENY)? {
            linter = linter.deny(named(name)?);
        }
        // Without compiler settings, the linter uses its own compiler, which asserts formats.
        if root
            .members()
            .any(|(key, _)| !OWN.contains(&toolsure_json::Key::text(key)))
        {
            linter = linter.compiler(options.compiler.clone());
        }
    }
    let document = OwnedDocument::read(listing, &ReadLimits::default())
        .map_err(|error| format!("the listing cannot be read: {error}"))?;
    let root = document.document().root();
    let tools = match root.kind() {
        Kind::Array => Some(root),
        _ => root
            .member("tools")
            .filter(|tools| tools.kind() == Kind::Array),
    };
    let tools = tools.ok_or("a listing is an array of tools, or an object with `tools`")?;
    Ok(linter.lint(tools.items().map(View::raw)))
}

fn strings<'d>(root: View<'d>, name: &str) -> Result<Vec<&'d str>, String> {
    let Some(list) = root.member(name) else {
        return Ok(Vec::new());
    };
    let is_text = |item: View<'_>| item.kind() == Kind::String;
    if list.kind() != Kind::Array || !list.items().all(is_text) {
        return Err(format!("`{name}` must be an array of names"));
    }
    Ok(list.items().map(View::string).collect())
}

fn named_profile(name: &str) -> Result<&'static Profile, String> {
    profile(name).ok_or_else(|| format!("unknown profile `{}`", quote(name, SHOWN)))
}

fn named(name: &str) -> Result<&'static Rule, String> {
    rule(name).ok_or_else(|| format!("unknown rule `{}`", quote(name, SHOWN)))
}

/// Writes a report.
pub(crate) fn write(out: &mut String, report: &Report) {
    let mut object = Object::new(out);
    object.array("findings", &report.findings, finding);
    object.number("more", report.more);
    object.array("tokens", &report.tokens, |out, tokens| {
        out.push_str(&tokens.to_string());
    });
}

fn finding(out: &mut String, finding: &Finding) {
    let mut object = Object::new(out);
    object.text("code", finding.rule.code);
    object.text("rule", finding.rule.name);
    object.text("severity", &finding.severity.to_string());
    if let Some(tool) = finding.tool {
        object.number("tool", tool);
    }
    object.text("pointer", &finding.pointer);
    object.text("message", &finding.message);
    object.maybe("help", finding.help.as_deref());
    object.maybe("setting", finding.setting);
    if let Some(span) = &finding.span {
        object.number("start", span.start);
        object.number("end", span.end);
    }
    if let Some(fix) = &finding.fix {
        object.object("fix", |object| {
            object.boolean("safe", fix.safety == Safety::Safe);
            object.member("edits", |out| {
                array(out, &fix.edits, |out, edit| {
                    let mut object = Object::new(out);
                    object.number("start", edit.span.start);
                    object.number("end", edit.span.end);
                    object.text("text", &edit.text);
                });
            });
        });
    }
}

const PROFILES: &str = "profiles";
const ALLOW: &str = "allow";
const DENY: &str = "deny";
/// The options that are not settings of the compiler.
const OWN: &[&str] = &[PROFILES, ALLOW, DENY];
/// Characters of an unknown name that an error shows.
const SHOWN: usize = 100;
