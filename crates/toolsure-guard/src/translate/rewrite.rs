//! Translates a message into the other era by replacing some of its bytes. All other bytes stay as they
//! were written.

use toolsure_json::{Kind, Node as _, View};
use toolsure_mcp::message::{Edits, Message as Decoded, Request, write};

use super::parsed_message::ParsedMessage;
use super::refusal::Refusal;
use super::words::{
    CAPABILITIES, CLIENT_INFO, LOG_LEVEL, Level, MODERN, TASKS, VERSION, declares, is_object,
};
use crate::message::{Message, renumber};
use crate::subscription::SUBSCRIPTION;

/// The members of `_meta` in which a request declares itself.
pub(super) fn declaration(
    info: Option<&str>,
    capabilities: &str,
    level: Option<Level>,
) -> Vec<String> {
    let mut members = vec![format!(r#""{VERSION}":"{MODERN}""#)];
    if let Some(info) = info {
        members.push(format!(r#""{CLIENT_INFO}":{info}"#));
    }
    members.push(format!(r#""{CAPABILITIES}":{capabilities}"#));
    if let Some(level) = level {
        members.push(format!(r#""{LOG_LEVEL}":"{}""#, level.name()));
    }
    members
}

/// Translates a request of the legacy era into the modern era. `retry` has the id of a repeated
/// request, and the members that answer the server.
pub(super) fn modernised(
    parsed: &ParsedMessage<'_>,
    request: &Request<'_>,
    declaration: &[String],
    retry: Option<(&str, &[String])>,
) -> Result<Message, Refusal> {
    let mut edits = Edits::new();
    let (id, answers) = retry.unwrap_or(("", &[]));
    if retry.is_some()
        && let Some(old) = request.view.member("id")
    {
        edits.replace(old, id);
    }
    let meta = format!(r#""_meta":{{{}}}"#, declaration.join(","));
    let Some(params) = request.params.filter(|params| params.kind() != Kind::Null) else {
        let mut members = vec![meta];
        members.extend_from_slice(answers);
        let params = format!("{{{}}}", members.join(","));
        match request.params {
            Some(null) => edits.replace(null, params),
            None => edits.reshape(
                request.view,
                |_, _| false,
                &[format!(r#""params":{params}"#)],
            ),
        }
        return Ok(parsed.whole.edited(&edits));
    };
    if !is_object(params) {
        return Err(Refusal::params("`params` must be an object"));
    }
    let mut added = answers.to_vec();
    match params.member("_meta") {
        None => added.insert(0, meta),
        Some(old) if is_object(old) => {
            edits.reshape(old, |_, value| named(value, declares), declaration);
        }
        Some(_) => return Err(Refusal::params("`_meta` must be an object")),
    }
    // `task` asks for a task of the legacy era; a server without such tasks ignores it (2025-11-25,
    // basic/utilities/tasks).
    let gone = |name: &str| matches!(name, "inputResponses" | "requestState" | "task");
    edits.reshape(params, |_, value| named(value, gone), &added);
    Ok(parsed.whole.edited(&edits))
}

/// Translates a request of the modern era into the legacy era, under another id, which is also its
/// progress token.
pub(super) fn antiquated(parsed: &ParsedMessage<'_>, request: &Request<'_>, id: i64) -> Message {
    let mut edits = Edits::new();
    renumber(request, id, &mut edits);
    let Some(params) = request.params.filter(|params| is_object(*params)) else {
        return parsed.whole.edited(&edits);
    };
    let meta = params.member("_meta").filter(|meta| is_object(*meta));
    let bare = meta.is_some_and(|meta| meta.members().all(|(_, value)| named(value, declares)));
    if let Some(meta) = meta.filter(|_| !bare) {
        edits.reshape(meta, |_, value| named(value, declares), &[]);
    }
    let gone =
        |name: &str| matches!(name, "inputResponses" | "requestState") || bare && name == "_meta";
    edits.reshape(params, |_, value| named(value, gone), &[]);
    parsed.whole.edited(&edits)
}

/// The answer to a request under the client's id. `removed` and `added` are members of the result.
pub(super) fn answer(
    parsed: &ParsedMessage<'_>,
    id: Option<&str>,
    result: Option<View<'_>>,
    removed: impl Fn(&str) -> bool,
    added: &[String],
) -> Message {
    let mut edits = Edits::new();
    if let Some(id) = id
        && let Some(old) = parsed.view.member("id")
    {
        edits.replace(old, id);
    }
    if let Some(result) = result {
        edits.reshape(result, |_, value| named(value, &removed), added);
    }
    parsed.whole.edited(&edits)
}

/// A message with the value at one position replaced.
pub(super) fn replaced(parsed: &ParsedMessage<'_>, at: View<'_>, value: &str) -> Message {
    let mut edits = Edits::new();
    edits.replace(at, value);
    parsed.whole.edited(&edits)
}

/// A notification of a subscription, for an era that has no subscriptions.
pub(super) fn unsubscribed(parsed: &ParsedMessage<'_>, params: Option<View<'_>>) -> Message {
    let mut edits = Edits::new();
    if let Some((params, meta)) = params.and_then(|params| Some((params, params.member("_meta")?)))
    {
        if meta.len() == 1 {
            edits.remove_member(params, "_meta");
        } else {
            edits.remove_member(meta, SUBSCRIPTION);
        }
    }
    parsed.whole.edited(&edits)
}

/// Client capabilities of the legacy era in the form of the modern era.
pub(super) fn modern_capabilities(capabilities: View<'_>) -> String {
    let mut edits = Edits::new();
    if let Some(roots) = capabilities
        .member("roots")
        .filter(|roots| is_object(*roots))
    {
        edits.remove_member(roots, "listChanged");
    }
    without_tasks(capabilities, &mut edits);
    within(capabilities, &edits)
}

/// Client capabilities of the modern era in the form of the legacy era, in a single spelling.
pub(super) fn legacy_capabilities(capabilities: View<'_>) -> String {
    let mut edits = Edits::new();
    without_tasks(capabilities, &mut edits);
    write::compact(&within(capabilities, &edits))
}

/// Server capabilities in the form of the other era, without those that are not translated: tasks, and
/// subscriptions to single resources.
pub(super) fn server_capabilities(capabilities: View<'_>) -> String {
    let mut edits = Edits::new();
    if let Some(resources) = capabilities.member("resources").filter(|is| is_object(*is)) {
        edits.remove_member(resources, "subscribe");
    }
    without_tasks(capabilities, &mut edits);
    within(capabilities, &edits)
}

fn without_tasks(capabilities: View<'_>, edits: &mut Edits) {
    if let Some(extensions) = capabilities
        .member("extensions")
        .filter(|is| is_object(*is))
    {
        edits.remove_member(extensions, TASKS);
    }
    edits.remove_member(capabilities, "tasks");
}

/// The text of one value of a message with its edits applied.
fn within(view: View<'_>, edits: &Edits) -> String {
    let span = view.span();
    edits.apply_within(view.document().source(), span.start, span.end)
}

fn named(value: View<'_>, is: impl Fn(&str) -> bool) -> bool {
    value.name().is_some_and(|name| is(name.string()))
}

/// The result of an answer, unless it is an error.
pub(super) fn outcome<'a>(parsed: &ParsedMessage<'a>) -> Option<View<'a>> {
    match parsed.message {
        Decoded::Result(outcome) => Some(outcome.result),
        _ => None,
    }
}

/// The other side's description of an error, for a text of ours.
pub(super) fn complaint(error: View<'_>) -> String {
    let code = error.member("code").map_or("", View::raw);
    let said = error
        .member("message")
        .map_or("", |message| message.string());
    let said = toolsure_json::quote(said, SHOWN);
    format!("{said} ({code})")
}

/// Maximum characters of the other side's text that a text of ours repeats.
const SHOWN: usize = 256;
