//! The page of the admin server: upstreams, tools, what waits for approval, and what was refused. It has no script.

use std::fmt::Write as _;
use std::sync::{Mutex, PoisonError};

use serde_json::{Value, json};
use toolsure_analysis::diff::Differ;
use toolsure_guard::{COMPARISON_LIMITS, Digest, ToolState, ToolStatus, ToolsStatus};
use toolsure_json::{OwnedDocument, ReadLimits, quote};
use toolsure_proxy::guard::limit_of;

use super::recent::Recent;
use super::state::{Served, State};
use crate::diff::{Sides, human};
use crate::locked::{
    LockFile, LockedServer, approval, digest, is_tool_name, one_line, texts_beyond,
};
use crate::policy::Date;

/// What becomes of a definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Decision {
    Approve,
    Reject,
}

impl Decision {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Approve => "approved",
            Self::Reject => "rejected",
        }
    }
}

/// Everything that the page shows; with `changes`, also how held tools differ from what was approved.
pub(super) fn state(state: &State, recent: &Recent, changes: bool) -> Value {
    let upstreams = state.upstreams();
    let upstreams = upstreams.iter().map(|(name, served)| {
        let ToolsStatus {
            tools,
            server,
            older,
            ..
        } = served.tools();
        let older = older.iter().map(|older| {
            json!({
                "server": older.server,
                "sessions": older.lists,
                "tools": older.tools,
                "held": older.held,
            })
        });
        let older: Vec<Value> = older.collect();
        let lock = served.lock.as_ref().filter(|_| changes);
        let lock = lock.and_then(|path| LockFile::read(path).ok());
        let approved = lock.as_ref();
        let approved = approved.and_then(|(file, _)| file.servers.get(&file.key_of(Some(name))));
        let mut shown_changes = 0_usize;
        let tools = tools.iter().map(|tool| {
            let mut shown = json!({
                "name": tool.name,
                "state": tool.state.name(),
                "detail": tool.detail,
                "repairs": recent.repairs(name, &tool.name),
            });
            if let Some(members) = shown.as_object_mut() {
                let digest = tool.definition().and_then(digest);
                let digest = digest.map(|digest| ("digest".to_owned(), digest.to_string().into()));
                members.extend(digest);
                if changes && tool.state == ToolState::Held && shown_changes < COMPARED {
                    shown_changes = shown_changes.saturating_add(1);
                    let changes = compared(approved, tool);
                    // What is not shown whole cannot be approved here.
                    members.extend(changes.map(|text| ("changes".to_owned(), text.into())));
                }
            }
            shown
        });
        let tools: Vec<Value> = tools.collect();
        json!({
            "name": name,
            "state": served.fault.as_deref().unwrap_or("ready"),
            "lock": served.lock.as_ref().map(|path| path.display().to_string()),
            "server": server,
            "tools": tools,
            "older": older,
            "codes": recent.codes(name),
        })
    });
    let upstreams: Vec<Value> = upstreams.collect();
    let (ready, _) = state.readiness();
    let limits = state.limits().into_iter();
    let limits =
        limits.map(|(name, code)| json!({"guard": name, "limit": code, "setting": limit_of(code)}));
    let limits: Vec<Value> = limits.collect();
    json!({
        "version": 1,
        "ready": ready,
        "upstreams": upstreams,
        "limits": limits,
        "refusals": recent.refusals(),
    })
}

/// How a tool differs from its approved definition, in words; `None` if that is too long, or cannot be approved on the page.
fn compared(approved: Option<&LockedServer>, tool: &ToolStatus) -> Option<String> {
    let definition = tool.definition()?;
    if definition.len() > DEFINITION_BYTES || !is_tool_name(&tool.name) {
        return None;
    }
    let old = approved.and_then(|server| server.definitions.get(&tool.name));
    let Some(old) = old else {
        let value: Option<Value> = serde_json::from_str(definition).ok();
        let text = value.map_or_else(|| definition.to_owned(), |value| format!("{value:#}"));
        return Some(text);
    };
    let sides = Sides {
        report: Differ::new()
            .limits(COMPARISON_LIMITS)
            .diff([old.as_str()], [definition]),
        server: None,
        old: String::new(),
        new: String::new(),
        old_file: None,
        new_file: None,
    };
    let mut out = String::new();
    for group in human::groups(&sides, &mut 0, None) {
        let text = anstream::adapter::strip_str(&group.text).to_string();
        // The first line is the name of the tool.
        for line in text.lines().skip(1).filter(|line| !line.is_empty()) {
            let _ = writeln!(out, "{line}");
        }
    }
    for text in texts_beyond(Some(old), definition) {
        let _ = writeln!(out, "new text: {}", quote(&text, DEFINITION_BYTES));
    }
    Some(out)
}

/// Approves or rejects the definition with this digest, if it is held and the server still lists it.
pub(super) fn decide(
    state: &State,
    (upstream, tool, digest): (&str, &str, &str),
    decision: Decision,
) -> Result<(), String> {
    // Two decisions at once must not undo each other.
    static ONE: Mutex<()> = Mutex::new(());
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let upstreams = state.upstreams();
    let served = upstreams.get(upstream).ok_or("there is no such upstream")?;
    let path = served
        .lock
        .as_ref()
        .ok_or("the upstream has no lock file")?;
    if !is_tool_name(tool) {
        return Err("the name stands for something else in a lock file".to_owned());
    }
    let definition = listed(served, tool, digest)
        .ok_or("this definition does not wait for approval any more: look at the page again")?;
    if definition.len() > DEFINITION_BYTES {
        return Err(
            "it is too much to be shown on the page: use `toolsure lock review`".to_owned(),
        );
    }
    let ToolsStatus { tools, .. } = served.tools();
    if tools.iter().filter(|status| status.name == tool).count() > 1 {
        let why = "the server lists several definitions of this tool, for example one for older clients: use `toolsure lock review`";
        return Err(why.to_owned());
    }
    let (mut file, _) = LockFile::read(path).map_err(|failure| failure.message)?;
    let key = file.key_of(Some(upstream));
    let server = file.servers.get_mut(&key);
    let server = server.ok_or("the lock file has no such server")?;
    let at = Date::today().to_string();
    match decision {
        Decision::Approve => {
            server.definitions.insert(tool.to_owned(), definition);
            if let Some(rejected) = server.rejected.get_mut(tool) {
                rejected.retain(|known| known != digest);
            }
            server.rejected.retain(|_, digests| !digests.is_empty());
            let tools = [tool.to_owned()];
            server.approvals.push(approval(
                &at,
                (Some("the page of the guard"), None),
                &tools,
                &[],
            ));
        }
        Decision::Reject => {
            let rejected = server.rejected.entry(tool.to_owned()).or_default();
            if !rejected.iter().any(|known| known == digest) {
                rejected.push(digest.to_owned());
            }
        }
    }
    file.write(path).map_err(|failure| failure.message)
}

/// The definition of a tool with this digest, in one line.
fn listed(served: &Served, tool: &str, digest: &str) -> Option<String> {
    let wanted = Digest::read(digest)?;
    let ToolsStatus { tools, .. } = served.tools();
    let is_held = |status: &&ToolStatus| status.state == ToolState::Held && status.name == tool;
    let mut own = tools.iter().filter(is_held);
    own.find_map(|status| {
        let text = status.definition()?;
        let document = OwnedDocument::read(text, &ReadLimits::default()).ok()?;
        let is_it = Digest::of(document.document().root()) == Some(wanted);
        is_it.then(|| one_line(text)).flatten()
    })
}

/// The page; with `decides`, held tools can be approved and rejected.
pub(super) fn html(state: &Value, decides: bool) -> String {
    let mut out = String::from(HEAD);
    let upstreams = at(state, "upstreams")
        .as_array()
        .map_or(&[][..], Vec::as_slice);
    limits(&mut out, at(state, "limits"));
    waiting(&mut out, upstreams, decides);
    for upstream in upstreams {
        of_upstream(&mut out, upstream);
    }
    refusals(
        &mut out,
        at(state, "refusals")
            .as_array()
            .map_or(&[][..], Vec::as_slice),
    );
    out.push_str("</main></body></html>\n");
    out
}

/// The limits that were reached in the last minute.
fn limits(out: &mut String, limits: &Value) {
    for limit in limits.as_array().into_iter().flatten() {
        let _ = write!(
            out,
            "<p class=bad>{}: the limit of {} was reached in the last minute, and requests were refused (<code>limits.{}</code>)</p>",
            text(at(limit, "guard")),
            text(at(limit, "limit")),
            text(at(limit, "setting")),
        );
    }
}

fn waiting(out: &mut String, upstreams: &[Value], decides: bool) {
    let held = |upstream: &'_ Value| -> Vec<Value> {
        let tools = at(upstream, "tools").as_array().into_iter().flatten();
        tools
            .filter(|tool| *at(tool, "state") == "held")
            .cloned()
            .collect()
    };
    if upstreams.iter().all(|upstream| held(upstream).is_empty()) {
        out.push_str("<h2>Waiting for approval</h2><p>Nothing.</p>");
        return;
    }
    out.push_str("<h2>Waiting for approval</h2>");
    for upstream in upstreams {
        for tool in &held(upstream) {
            let _ = write!(
                out,
                "<section class=held><h3>{} <small>of {}</small></h3><p>{}</p><pre>{}</pre>",
                text(at(tool, "name")),
                text(at(upstream, "name")),
                text(at(tool, "detail")),
                text(at(tool, "changes")),
            );
            if at(tool, "changes").is_null() {
                out.push_str(
                    "<p>Too much to be shown here: <code>toolsure lock review</code> shows it.</p>",
                );
            } else if decides && at(tool, "digest").is_string() {
                let _ = write!(
                    out,
                    "<form method=post action=/decide><input type=hidden name=upstream value=\"{}\"><input type=hidden name=tool value=\"{}\"><input type=hidden name=digest value=\"{}\"><label>token <input type=password name=token required autocomplete=current-password></label> <button name=decision value=approve>Approve</button> <button name=decision value=reject>Reject</button></form>",
                    text(at(upstream, "name")),
                    text(at(tool, "name")),
                    text(at(tool, "digest")),
                );
            }
            let _ = write!(
                out,
                "<p class=digest>{}</p></section>",
                text(at(tool, "digest"))
            );
        }
    }
}

fn of_upstream(out: &mut String, upstream: &Value) {
    let is_ready = *at(upstream, "state") == "ready";
    let class = if is_ready { "good" } else { "bad" };
    let _ = write!(
        out,
        "<h2>{} <small class={class}>{}</small></h2>",
        text(at(upstream, "name")),
        text(at(upstream, "state"))
    );
    if at(upstream, "lock").is_string() {
        let _ = write!(
            out,
            "<p>Approved definitions: <code>{}</code></p>",
            text(at(upstream, "lock"))
        );
    }
    if at(upstream, "server").is_string() {
        let server = text(at(upstream, "server"));
        let _ = write!(out, "<p>New sessions run: {server}</p>");
    }
    for older in at(upstream, "older").as_array().into_iter().flatten() {
        let _ = write!(
            out,
            "<p class=changed>Older sessions still run another program until they end: {} ({} of {} tools held; sessions: {})</p>",
            match at(older, "server").as_str() {
                Some(server) => escaped(server),
                None => "its version is not known".to_owned(),
            },
            text(at(older, "held")),
            text(at(older, "tools")),
            text(at(older, "sessions")),
        );
    }
    let tools = at(upstream, "tools")
        .as_array()
        .map_or(&[][..], Vec::as_slice);
    if tools.is_empty() {
        out.push_str("<p>No list of tools was read yet.</p>");
    } else {
        out.push_str("<div class=wide><table><tr><th>tool</th><th>state</th><th>why</th><th>repaired or left out</th></tr>");
        for tool in tools {
            let repairs = at(tool, "repairs").as_array().into_iter().flatten();
            let repairs: Vec<String> = repairs
                .map(|repair| match at(repair, "detail").as_str() {
                    None | Some("") => text(at(repair, "code")),
                    Some(_) => format!(
                        "{}: {}",
                        text(at(repair, "code")),
                        text(at(repair, "detail"))
                    ),
                })
                .collect();
            let _ = write!(
                out,
                "<tr><td>{}</td><td class={}>{}</td><td>{}</td><td>{}</td></tr>",
                text(at(tool, "name")),
                text(at(tool, "state")),
                text(at(tool, "state")),
                text(at(tool, "detail")),
                repairs.join("<br>"),
            );
        }
        out.push_str("</table></div>");
    }
    let codes = at(upstream, "codes").as_object();
    if let Some(codes) = codes.filter(|codes| !codes.is_empty()) {
        out.push_str("<div class=wide><table><tr><th>what was found</th><th>how often</th></tr>");
        for (code, number) in codes {
            let _ = write!(
                out,
                "<tr><td>{}</td><td class=number>{number}</td></tr>",
                escaped(code)
            );
        }
        out.push_str("</table></div>");
    }
}

fn refusals(out: &mut String, refusals: &[Value]) {
    out.push_str("<h2>Last refusals</h2>");
    if refusals.is_empty() {
        out.push_str("<p>None.</p>");
        return;
    }
    out.push_str("<div class=wide><table><tr><th>time</th><th>upstream</th><th>tool, prompt or resource</th><th>code</th><th>caller</th><th>where and why</th></tr>");
    for refusal in refusals {
        let places = at(refusal, "places").as_array().into_iter().flatten();
        let mut why: Vec<String> = places.map(text).collect();
        why.extend(at(refusal, "detail").as_str().map(escaped));
        let _ = write!(
            out,
            "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
            text(at(refusal, "time")),
            text(at(refusal, "upstream")),
            match at(refusal, "tool") {
                Value::Null => text(at(refusal, "about")),
                tool => text(tool),
            },
            text(at(refusal, "code")),
            text(at(refusal, "caller")),
            why.join("<br>"),
        );
    }
    out.push_str("</table></div>");
}

/// A member; null if it is not there.
fn at<'v>(value: &'v Value, member: &str) -> &'v Value {
    value.get(member).unwrap_or(&Value::Null)
}

/// A value as text of the page; null is nothing.
fn text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => escaped(text),
        other => escaped(&other.to_string()),
    }
}

/// Text of servers and callers, with what they cannot use to change the page: markup, and characters that are not seen.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' => out.push('\n'),
            c if c.is_control() || toolsure_analysis::tool::is_unseen(c) => {
                let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out
}

const HEAD: &str = "<!doctype html><html lang=en><head><meta charset=utf-8><meta name=viewport content=\"width=device-width, initial-scale=1\"><title>Toolsure guard</title><style>\
:root{color-scheme:light dark}\
body{font:15px/1.5 system-ui,sans-serif;margin:0}\
main{max-width:70rem;margin:0 auto;padding:1rem}\
h1{font-size:1.3rem}h2{font-size:1.1rem;margin-top:2rem;overflow-wrap:anywhere}h3{font-size:1rem;margin:0;overflow-wrap:anywhere}\
small{font-weight:normal}\
.wide{overflow-x:auto}\
table{border-collapse:collapse;width:100%;margin:.5rem 0}\
th,td{text-align:left;vertical-align:top;padding:.25rem .75rem .25rem 0;border-bottom:1px solid #8884}\
td{min-width:5rem;overflow-wrap:anywhere}.number{text-align:right}\
pre{white-space:pre-wrap;overflow-wrap:anywhere;background:#8882;padding:.5rem;margin:.5rem 0}\
.held,.refused,.unusable,.bad{color:#b3261e}.changed{color:#8a5a00}.good,.usable{color:#1b7f3b}\
section.held{color:inherit;border:1px solid #8886;border-radius:4px;padding:.75rem;margin:.75rem 0}\
.digest{font-size:.75rem;overflow-wrap:anywhere;margin:.5rem 0 0}\
input,button{font:inherit;padding:.2rem .6rem}\
@media (prefers-color-scheme:dark){.held,.refused,.unusable,.bad{color:#ff8a80}.changed{color:#ffca6b}.good,.usable{color:#7bd88f}}\
</style></head><body><main><h1>Toolsure guard</h1>";

/// Held tools of an upstream whose changes are shown.
const COMPARED: usize = 20;
/// Maximum bytes of a definition that is shown whole, and can be approved.
const DEFINITION_BYTES: usize = 64 << 10;
