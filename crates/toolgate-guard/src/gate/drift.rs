//! Whether a tool is as it was when its server's tools were pinned.

use toolgate_json::quote;
use toolgate_mcp::message::INVALID_PARAMS;

use super::{CallCase, Judged, Objection, Reply};
use crate::fault::Act;
use crate::knowledge::{Found, Known};
use crate::policy::{Drift, DriftMode, Mode};
use crate::record::Gate;

pub(super) fn judge(case: &mut CallCase<'_>) -> Judged {
    let Found::Tool(tool) = case.found else {
        return Judged::Fine;
    };
    match compare(&case.rules.policy.drift, tool) {
        Some((act, mode)) => {
            let text = wording(act, tool.contract.name());
            let reply = Reply::Error {
                code: INVALID_PARAMS,
                text,
            };
            let mut objection = Objection::act(Gate::Drift, mode, act, reply);
            objection.by_list = true;
            objection.into()
        }
        None => Judged::Fine,
    }
}

/// How a tool differs from its pin, and what is to be done.
pub(super) fn compare(drift: &Drift, tool: &Known) -> Option<(Act, Mode)> {
    let lock = drift.lock.as_ref()?;
    let (act, mode) = match (lock.pin(tool.contract.name()), drift.changed) {
        (None, _) => (Act::ServerAddedTool, drift.added),
        (Some(_), DriftMode::Off) => return None,
        (Some(pinned), mode) => {
            let now = tool.pin();
            if now.is_none_or(|now| now.contract != pinned.contract) {
                (Act::ServerChangedContract, mode)
            } else if now.is_none_or(|now| now.description != pinned.description) {
                (Act::ServerChangedDescription, mode)
            } else {
                return None;
            }
        }
    };
    match mode {
        DriftMode::Off => None,
        DriftMode::Report => Some((act, Mode::Audit)),
        DriftMode::Refuse => Some((act, Mode::Enforce)),
    }
}

fn wording(act: Act, tool: &str) -> String {
    let what = match act {
        Act::ServerAddedTool => "was not there when its server's tools were pinned",
        Act::ServerChangedContract => "has other schemas than when it was pinned",
        _ => "describes itself otherwise than when it was pinned",
    };
    format!("tool `{}` {what}", quote(tool, NAME))
}

/// Characters of a tool's name that a message repeats.
const NAME: usize = 128;
