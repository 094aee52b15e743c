//! Checks whether a tool may be called at all: it is listed, not hidden, and its server is not
//! rejected.

use toolsure_json::quote;
use toolsure_mcp::check::OnUndecided;
use toolsure_mcp::message::{INTERNAL_ERROR, INVALID_PARAMS};

use super::listing::rejection;
use super::violation::SHOWN_NAME;
use super::{CallCase, Judged, Reply, Violation};
use crate::fault::{Act, Party};
use crate::policy::{Mode, Policy, Terms, UnknownTool};
use crate::record::Filter;
use crate::scope::Found;

pub(super) fn judge(case: &mut CallCase<'_>) -> Judged {
    let name = case.call.name;
    if !case.is_allowed {
        return withheld(&case.rules.policy, Act::NotAllowed, name).into();
    }
    if case.terms.hidden {
        return withheld(&case.rules.policy, Act::ToolHidden, name).into();
    }
    if let Some(why) = rejection(case.rules, case.tools) {
        let text = why.as_ref().to_owned();
        let reply = Reply::Error {
            code: INTERNAL_ERROR,
            text,
        };
        let mut violation = Violation::act(
            Filter::Admission,
            Mode::Enforce,
            Act::ServerListedBadTool,
            reply,
        );
        violation.by_list = true;
        return violation.into();
    }
    match case.found {
        Found::Tool(tool) => match tool.contract.headers() {
            // No client that uses such headers gets it in a list.
            Err(fault) if case.mirrors_headers => bad(case, &fault.to_string()),
            _ => Judged::Pass,
        },
        Found::Bad(isolated) => bad(case, &isolated.reason.to_string()),
        Found::Absent => {
            let reply = unknown(&case.rules.policy, name);
            Violation {
                filter: Filter::Admission,
                mode: case.terms.arguments,
                code: Act::UnknownTool.code(),
                blame: Party::Client,
                places: Vec::new(),
                detail: None,
                digest: None,
                reply,
                by_list: true,
            }
            .into()
        }
        Found::Unknown => {
            let mode = mode_without_list(&case.rules.policy, &case.terms);
            let why = case.unlisted.unwrap_or(match case.fresh {
                true => "its pages do not lead from one to the next",
                false => "it was not requested",
            });
            let text = format!(
                "tool `{}` was not called: its server's list of tools cannot be obtained ({why})",
                quote(name, SHOWN_NAME)
            );
            let reply = Reply::Error {
                code: INTERNAL_ERROR,
                text,
            };
            object(case, mode, Act::ServerUnlisted, reply)
        }
    }
}

/// The mode for a call whose tool is in no known list.
pub(crate) fn mode_without_list(policy: &Policy, terms: &Terms) -> Mode {
    let needs_no_list = terms.arguments == Mode::Off && terms.results == Mode::Off;
    match policy.on_unlisted {
        // Only the list can show that a tool still matches its pin.
        OnUndecided::Refuse if policy.drift.refuses() => Mode::Enforce,
        OnUndecided::Refuse => terms.arguments,
        OnUndecided::Pass if needs_no_list && policy.drift.lock.is_none() => Mode::Off,
        OnUndecided::Pass => Mode::Audit,
    }
}

/// A call of a listed tool that no reader may use.
fn bad(case: &CallCase<'_>, reason: &str) -> Judged {
    let text = format!(
        "tool `{}` is malformed in its server's list: {reason}",
        quote(case.call.name, SHOWN_NAME)
    );
    let reply = Reply::Error {
        code: INVALID_PARAMS,
        text,
    };
    let (mode, act) = (case.terms.arguments, Act::ServerListedBadTool);
    let mut violation = Violation::act(Filter::Admission, mode, act, reply);
    violation.detail = Some(reason.to_owned());
    violation.by_list = true;
    violation.into()
}

/// A call of a tool that is hidden, or that its caller may not use, is answered as if the tool did not exist,
/// whatever the mode; the record says why.
fn withheld(policy: &Policy, act: Act, name: &str) -> Violation {
    Violation::act(Filter::Admission, Mode::Enforce, act, unknown(policy, name))
}

fn object(case: &CallCase<'_>, mode: Mode, act: Act, reply: Reply) -> Judged {
    let mut violation = Violation::act(Filter::Admission, mode, act, reply);
    violation.detail = case.unlisted.map(str::to_owned);
    violation.into()
}

fn unknown(policy: &Policy, name: &str) -> Reply {
    let text = format!("unknown tool: {}", quote(name, SHOWN_NAME));
    match policy.unknown_tool {
        UnknownTool::Error => Reply::Error {
            code: INVALID_PARAMS,
            text,
        },
        UnknownTool::Result => Reply::Tool(text),
    }
}
