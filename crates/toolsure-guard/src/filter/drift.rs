//! Checks whether a tool still is as it was when its server's tools were pinned.

use toolsure_json::quote;
use toolsure_mcp::message::INVALID_PARAMS;

use super::violation::SHOWN_NAME;
use super::{CallCase, Judged, Reply, Violation};
use crate::fault::Act;
use crate::policy::{Drift, DriftMode, Mode};
use crate::record::Filter;
use crate::scope::{Found, Known};
use crate::share::SharedState;

pub(super) fn judge(case: &mut CallCase<'_>) -> Judged {
    let drift = &case.rules.policy.drift;
    let found = match case.found {
        Found::Tool(tool) => compare(drift, case.scope.shared(), tool, case.fresh),
        Found::Bad(_) => unknown(drift, case.call.name),
        // There is nothing that could have changed. A tool that was never pinned is refused even so.
        Found::Absent | Found::Unknown => {
            unknown(drift, case.call.name).filter(|(act, _)| *act == Act::ServerAddedTool)
        }
    };
    match found {
        Some((act, mode)) => {
            let text = wording(act, case.call.name);
            let reply = Reply::Error {
                code: INVALID_PARAMS,
                text,
            };
            let mut violation = Violation::act(Filter::Drift, mode, act, reply);
            // A list of this guard does not show what another guard found.
            violation.by_list = act != Act::ToolQuarantined;
            violation.into()
        }
        None => Judged::Pass,
    }
}

/// How a tool differs from its pin, and what happens then. Without a lock file, the pin is the first
/// form that any of the guards with shared state saw. `fresh`: the server has just listed the tool, so
/// the finding may be shared with the others.
pub(super) fn compare(
    drift: &Drift,
    shared: Option<&SharedState>,
    tool: &Known,
    fresh: bool,
) -> Option<(Act, Mode)> {
    let name = tool.contract.name();
    let (pinned, how) = match (&drift.lock, shared) {
        (Some(lock), _) => match lock.pin(name) {
            None => return in_mode(Act::ServerAddedTool, drift.added),
            Some(pinned) => (*pinned, drift.changed),
        },
        (None, Some(shared)) if shared.is_pinning() => {
            (shared.pinned(name, tool.pin()?)?, shared.pinning())
        }
        (None, _) => return None,
    };
    if how == DriftMode::Off {
        return None;
    }
    let act = match tool.pin() {
        Some(now) if now.contract == pinned.contract => {
            (now.description != pinned.description).then_some(Act::ServerChangedDescription)
        }
        _ => Some(Act::ServerChangedContract),
    };
    let act = act.or_else(|| {
        // Guards of other processes share no `_meta`.
        let pinned = drift.lock.as_ref()?.meta(name)?;
        let is_pinned = |member: &str| drift.pins_meta(member);
        let changed = match tool.meta() {
            Some(now) => pinned.difference(now, is_pinned).is_some(),
            None => true,
        };
        changed.then_some(Act::ServerChangedMeta)
    });
    let act = match (act, shared) {
        // What is quarantined is known by a pin, which has no `_meta`.
        (Some(Act::ServerChangedMeta), _) => act,
        (Some(act), Some(shared)) if fresh && how == DriftMode::Refuse => {
            shared.quarantine(name, &pinned);
            Some(act)
        }
        (None, Some(shared)) if shared.is_quarantined(name, &pinned) => Some(Act::ToolQuarantined),
        (act, _) => act,
    };
    in_mode(act?, how)
}

/// The same for a tool that cannot be read well enough to be compared.
pub(super) fn unknown(drift: &Drift, name: &str) -> Option<(Act, Mode)> {
    match drift.lock.as_ref()?.pin(name) {
        None => in_mode(Act::ServerAddedTool, drift.added),
        Some(_) => in_mode(Act::ServerChangedContract, drift.changed),
    }
}

fn in_mode(act: Act, mode: DriftMode) -> Option<(Act, Mode)> {
    match mode {
        DriftMode::Off => None,
        DriftMode::Report => Some((act, Mode::Audit)),
        DriftMode::Refuse => Some((act, Mode::Enforce)),
    }
}

fn wording(act: Act, tool: &str) -> String {
    let what = match act {
        Act::ServerAddedTool => "was not there when its server's tools were pinned",
        Act::ServerChangedContract => "has schemas that differ from its pinned definition",
        Act::ServerChangedMeta => "has a `_meta` that differs from its pinned definition",
        Act::ToolQuarantined => {
            "was quarantined: a guard found that it differs from its pinned definition"
        }
        _ => "has a description that differs from its pinned definition",
    };
    format!("tool `{}` {what}", quote(tool, SHOWN_NAME))
}
