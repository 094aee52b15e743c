//! Whether a result keeps the contract of the tool that made it, and what
//! becomes of it if not.

use toolgate_json::{Kind, Node as _, View};
use toolgate_mcp::contract::{OutputShape, ToolContract};
use toolgate_mcp::era::{Era, Structured};
use toolgate_mcp::message::{Edits, ResultKind, text_block};
use toolgate_mcp::project::{OutputPolicy, Projection, TextFallback};

use super::Objection;
use crate::fault::Act;
use crate::policy::{BadResult, Project};
use crate::text;

/// A result without its structured content, or with all of it, that says what
/// is wrong with it; nothing if it is no object that could say so.
///
/// The text is that of the whole document `result` stands in.
pub(crate) fn marked(
    how: BadResult,
    objection: &Objection,
    result: View<'_>,
    source: &str,
) -> Option<String> {
    if result.kind() != Kind::Object || how == BadResult::Replace {
        return None;
    }
    let verdict = format!(
        r#"{{"code":"{}","text":{}}}"#,
        objection.code,
        text::string(objection.text())
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
    let mut gone = "";
    if how == BadResult::DropStructured {
        gone = "structuredContent";
        match result.member("isError") {
            Some(flag) => edits.replace(flag, "true"),
            None => appended.push("\"isError\":true".to_owned()),
        }
        // An error must say something.
        let said = text::string(objection.text());
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
    if !gone.is_empty() || !appended.is_empty() {
        let leaves = |_, member: View<'_>| {
            !gone.is_empty() && member.name().is_some_and(|name| name.string() == gone)
        };
        edits.reshape(result, leaves, &appended);
    }
    Some(edits.apply(source))
}

/// What every reader needs of a final result, and this one has not: an array `content`, and a text
/// block where the structured content is more than older readers know.
pub(crate) fn missing(era: Era, result: View<'_>) -> Option<Act> {
    let read = era.read_result(result).ok()?;
    if read.kind != ResultKind::Complete {
        return None;
    }
    let value = read.structured.filter(|value| value.kind() != Kind::Object);
    if era.is_modern() && value.is_some() && !read.has_text() {
        return Some(Act::ResultWithoutText);
    }
    read.content.is_none().then_some(Act::ResultWithoutContent)
}

/// A result with a text block of its structured content, and with `content` in any case.
///
/// The text is that of the whole document `result` stands in.
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

fn has_text(content: View<'_>) -> bool {
    let is_text = |block: View<'_>| {
        block
            .member("type")
            .is_some_and(|tag| tag.string() == "text")
    };
    content.items().any(is_text)
}

/// Whether a result has to be told otherwise to a reader of `era`.
pub(crate) fn needs_telling(
    project: Project,
    era: Era,
    tool: &ToolContract,
    result: View<'_>,
) -> bool {
    if project == Project::Off || era.is_modern() {
        return false;
    }
    let foreign = |name: &str| result.member(name).is_some();
    let value = result.member("structuredContent");
    let said = match (era.structured(), value) {
        (Structured::Any, _) | (_, None) => false,
        (Structured::None, Some(_)) => true,
        (Structured::Object, Some(value)) => {
            value.kind() != Kind::Object || tool.output_shape() == OutputShape::Other
        }
    };
    said || FOREIGN.into_iter().any(foreign)
}

/// How results are told to readers of `era`.
pub(crate) fn projection(project: Project, era: Era) -> Projection {
    let output = match project {
        Project::Wrap | Project::Off => OutputPolicy::Wrap,
        Project::Drop => OutputPolicy::Drop,
    };
    // An object keeps the text that its author gave it, or none.
    Projection::to(era)
        .from_legacy()
        .output(output)
        .text(TextFallback::NonObject)
}

/// Where a result says what the guard found wrong with it.
const VERDICT: &str = "toolgate/verdict";
/// Members that results of older eras do not have.
const FOREIGN: [&str; 3] = ["resultType", "ttlMs", "cacheScope"];
