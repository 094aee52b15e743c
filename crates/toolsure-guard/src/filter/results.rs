//! Checks whether a result keeps the contract of the tool that made it, and replaces or marks it if
//! not.

use toolsure_json::{Kind, Node as _, View, json_string};
use toolsure_mcp::contract::{OutputShape, ToolContract};
use toolsure_mcp::era::{Era, Structured};
use toolsure_mcp::message::write::compact;
use toolsure_mcp::message::{Edits, ResultKind, text_block};
use toolsure_mcp::project::{OutputPolicy, Projection, StructuredForm, TextFallback};

use super::Violation;
use crate::fault::Act;
use crate::policy::{BadResult, Policy, Project};

/// Marks a result with what is wrong with it, and removes or keeps its structured content; `None` if
/// it is not an object, or is to be replaced.
///
/// `source` is the text of the whole document that contains `result`.
pub(crate) fn marked(
    how: BadResult,
    violation: &Violation,
    result: View<'_>,
    source: &str,
) -> Option<String> {
    if result.kind() != Kind::Object || how == BadResult::Replace {
        return None;
    }
    let verdict = format!(
        r#"{{"code":"{}","text":{}}}"#,
        violation.code,
        json_string(violation.text())
    );
    let mut edits = Edits::new();
    let mut appended = Vec::new();
    match result.member("_meta") {
        Some(meta) if meta.kind() == Kind::Object => match meta.member(VERDICT) {
            Some(own) => edits.replace(own, verdict),
            None => edits.reshape(meta, |_, _| false, &[format!("\"{VERDICT}\":{verdict}")]),
        },
        Some(meta) => edits.replace(meta, format!("{{\"{VERDICT}\":{verdict}}}")),
        None => appended.push(format!("\"_meta\":{{\"{VERDICT}\":{verdict}}}")),
    }
    let drops = how == BadResult::DropStructured;
    if drops {
        match result.member("isError") {
            Some(flag) => edits.replace(flag, "true"),
            None => appended.push("\"isError\":true".to_owned()),
        }
        // An error must have a text.
        let said = json_string(violation.text());
        let block = format!(r#"{{"type":"text","text":{said}}}"#);
        match result.member("content") {
            None => appended.push(format!("\"content\":[{block}]")),
            Some(content) if content.kind() != Kind::Array => {
                edits.replace(content, format!("[{block}]"));
            }
            Some(content) if !has_text(content) => edits.reshape(content, |_, _| false, &[block]),
            Some(_) => {}
        }
    }
    if drops || !appended.is_empty() {
        edits.reshape(
            result,
            |at, member| drops && is_value(at, member),
            &appended,
        );
    }
    Some(edits.apply(source))
}

/// What a final result lacks that every reader needs: an array `content`, and a text block if older
/// readers do not know such structured content.
pub(crate) fn missing(era: Era, result: View<'_>) -> Option<Act> {
    let value = result.member("structuredContent");
    if result.member("content").is_some() && value.is_none_or(|value| value.kind() == Kind::Object)
    {
        // This covers most results, without decoding them.
        return None;
    }
    let read = era.read_result(result).ok()?;
    if read.kind != ResultKind::Complete {
        return None;
    }
    let value = read.structured.filter(|value| value.kind() != Kind::Object);
    if era.structured() == Structured::Any && value.is_some() && !read.has_text() {
        return Some(Act::ResultWithoutText);
    }
    read.content.is_none().then_some(Act::ResultWithoutContent)
}

/// A result with a text block of its structured content, and always with `content`.
///
/// `source` is the text of the whole document that contains `result`.
pub(crate) fn with_text(result: View<'_>, source: &str) -> String {
    let block = result.member("structuredContent").map(text_block);
    let mut edits = Edits::new();
    match result.member("content") {
        Some(content) => edits.reshape(content, |_, _| false, block.as_slice()),
        None => {
            let block = block.unwrap_or_default();
            let member = format!("\"content\":[{block}]");
            edits.reshape(result, |_, _: View<'_>| false, &[member]);
        }
    }
    edits.apply(source)
}

/// The only text block of a final result without structured content, if it can be JSON.
pub(crate) fn text_to_lift<'a>(era: Era, result: View<'a>) -> Option<View<'a>> {
    let read = era.read_result(result).ok()?;
    if read.kind != ResultKind::Complete || read.is_error || read.structured.is_some() {
        return None;
    }
    let content = result.member("content")?;
    let mut texts = content.items().filter(|block| is_text(*block));
    let text = texts.next()?.member("text")?;
    (texts.next().is_none() && text.kind() == Kind::String).then_some(text)
}

/// A result with structured content, given as JSON text.
///
/// `source` is the text of the whole document that contains `result`.
pub(crate) fn with_value(result: View<'_>, value: &str, source: &str) -> String {
    let mut edits = Edits::new();
    let member = format!("\"structuredContent\":{}", compact(value));
    edits.reshape(result, is_value, &[member]);
    edits.apply(source)
}

/// The structured content of an error, if a reader of `era` may hold it to the output schema.
pub(crate) fn error_value<'a>(
    policy: &Policy,
    era: Era,
    tool: &ToolContract,
    result: View<'a>,
) -> Option<View<'a>> {
    if policy.project == Project::Off || era.structured() != Structured::Object {
        return None;
    }
    let is_error = |flag: View<'_>| flag.kind() == Kind::Boolean && flag.boolean();
    if tool.output_text().is_none() || !result.member("isError").is_some_and(is_error) {
        return None;
    }
    let value = result.member("structuredContent")?;
    (value.kind() == Kind::Object).then_some(value)
}

/// A result without its structured content, which becomes a text block if it has none.
///
/// `source` is the text of the whole document that contains `result`.
pub(crate) fn without_value(result: View<'_>, source: &str) -> String {
    let (mut edits, mut appended) = (Edits::new(), Vec::new());
    let content = result
        .member("content")
        .filter(|content| content.kind() == Kind::Array);
    let block = result.member("structuredContent").map(text_block);
    if let Some(block) = block
        && !content.is_some_and(has_text)
    {
        match content {
            Some(content) => edits.reshape(content, |_, _| false, &[block]),
            None => appended.push(format!("\"content\":[{block}]")),
        }
    }
    edits.reshape(result, is_value, &appended);
    edits.apply(source)
}

/// Whether a member is the structured content.
fn is_value(_: usize, member: View<'_>) -> bool {
    let name = member.name();
    name.is_some_and(|name| name.string() == "structuredContent")
}

fn has_text(content: View<'_>) -> bool {
    content.items().any(is_text)
}

fn is_text(block: View<'_>) -> bool {
    let tag = block.member("type");
    tag.is_some_and(|tag| tag.string() == "text")
}

/// Whether a result has to be rewritten for a reader of `era`.
pub(crate) fn needs_projection(
    policy: &Policy,
    era: Era,
    tool: &ToolContract,
    result: View<'_>,
) -> bool {
    if policy.project == Project::Off || era.structured() == Structured::Any {
        return false;
    }
    let foreign = |name: &str| result.member(name).is_some();
    let value = result.member("structuredContent");
    let said = match (era.structured(), value) {
        (Structured::Any, _) | (_, None) => false,
        (Structured::None, Some(_)) => true,
        (Structured::Object, Some(value)) => {
            let is_object = value.kind() == Kind::Object;
            let form = projection(policy, era).content_form(Some(tool), is_object, true);
            // A value that is not an object needs a text block, too.
            !is_object || form.content != StructuredForm::Natural
        }
    };
    said || FOREIGN.into_iter().any(foreign)
}

/// How tools and results are rewritten for readers of `era`.
pub(crate) fn projection(policy: &Policy, era: Era) -> Projection {
    // An object keeps the text that its author gave it, or has none.
    let mut projection = Projection::to(era).text(TextFallback::NonObject);
    if !policy.translated_from_modern {
        projection = projection.from_legacy(policy.legacy_values);
    }
    match policy.project {
        Project::Wrap => projection.output(OutputPolicy::Wrap),
        Project::Drop => projection.output(OutputPolicy::Drop),
        Project::Off => projection.as_written(),
    }
}

/// How a value that is not an object is handled if the protocol of both the server and the client
/// allows only objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NotObject {
    /// The output schema only allows objects: the result is bad.
    Bad,
    /// No output schema applies: the value is left out.
    LeftOut,
}

/// Whether a final result has structured content that the protocol does not allow.
pub(crate) fn not_object(
    policy: &Policy,
    era: Era,
    tool: &ToolContract,
    result: View<'_>,
) -> Option<NotObject> {
    // Most results have an object or nothing, and need not be decoded for this.
    let value = result.member("structuredContent")?;
    let projection = projection(policy, era);
    if value.kind() == Kind::Object || !projection.forbids_other_values() {
        return None;
    }
    let read = era.read_result(result).ok()?;
    if read.kind != ResultKind::Complete {
        return None;
    }
    if projection.requires_object(tool) && !read.is_error {
        return Some(NotObject::Bad);
    }
    // A schema that allows other values is listed in another form, and so are the values, but not those
    // of errors.
    (read.is_error || tool.output_shape() != OutputShape::Other).then_some(NotObject::LeftOut)
}

/// The member of `_meta` that says what the guard found wrong with a result.
const VERDICT: &str = "toolsure/verdict";
/// Members that results of older eras do not have.
const FOREIGN: [&str; 3] = ["resultType", "ttlMs", "cacheScope"];
