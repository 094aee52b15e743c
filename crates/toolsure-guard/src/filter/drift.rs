//! Checks whether a tool still is as it was when it was approved, or pinned.

use std::fmt::Write as _;

use toolsure_json::quote;
use toolsure_mcp::message::INVALID_PARAMS;

use super::violation::SHOWN_NAME;
use super::{CallCase, Judged, Reply, Violation};
use crate::fault::Act;
use crate::lock::{Compared, Digest};
use crate::policy::{ChangeClass, ChangeMode, Drift, DriftMode, Mode};
use crate::record::Filter;
use crate::scope::{Found, Known, Scope};

/// What differs in a tool, or in an entry of another list, and what is done about it.
pub(crate) struct Drifted {
    pub(super) act: Act,
    pub(crate) mode: Mode,
    /// The classes of what changed, and what is done about the tool; `None` without a lock.
    pub(crate) approval: Option<(Vec<ChangeClass>, ChangeMode)>,
    /// What changed and what is done about it: `held: words (description)`. Without values.
    pub(crate) detail: String,
    /// The digest of the definition as it was listed, if it was compared with a lock.
    pub(crate) digest: Option<Digest>,
    /// What is said of it, after the tool.
    pub(crate) text: String,
}

pub(super) fn judge(case: &mut CallCase<'_>) -> Judged {
    let drift = &case.rules.policy.drift;
    let found = match case.found {
        Found::Tool(tool) => compare(drift, case.scope, tool, case.fresh),
        Found::Bad(_) => unknown(drift, case.call.name),
        // There is nothing that could have changed. A tool that was never pinned is refused even so.
        Found::Absent | Found::Unknown => {
            let is_new = |drifted: &Drifted| drifted.act == Act::ServerAddedTool;
            unknown(drift, case.call.name).filter(is_new)
        }
    };
    match found {
        Some(drifted) => {
            let text = format!(
                "tool `{}` {}",
                quote(case.call.name, SHOWN_NAME),
                drifted.text
            );
            let reply = Reply::Error {
                code: INVALID_PARAMS,
                text,
            };
            let mut violation = Violation::act(Filter::Drift, drifted.mode, drifted.act, reply);
            violation.detail = Some(drifted.detail).filter(|detail| !detail.is_empty());
            violation.digest = drifted.digest;
            // A list of this guard does not show what another guard found.
            violation.by_list = drifted.act != Act::ToolQuarantined;
            violation.into()
        }
        None => Judged::Pass,
    }
}

/// How a tool differs from its approved definition, and what happens then. Without a lock, the definition is the first form that
/// any of the guards with shared state saw. `fresh`: the server has just listed the tool, so the finding may be
/// shared with the others.
pub(crate) fn compare(drift: &Drift, scope: &Scope, tool: &Known, fresh: bool) -> Option<Drifted> {
    let (name, shared) = (tool.contract.name(), scope.shared());
    let Some(lock) = &drift.lock else {
        let shared = shared.filter(|shared| shared.is_pinning())?;
        let pinned = shared.pinned(name, tool.pin()?)?;
        let act = match tool.pin() {
            Some(now) if *now == pinned => None,
            Some(now) if now.contract == pinned.contract => Some(Act::ServerChangedDescription),
            _ => Some(Act::ServerChangedContract),
        };
        let how = shared.pinning();
        let act = match act {
            Some(act) if fresh && how == DriftMode::Refuse => {
                shared.quarantine(name, &pinned);
                Some(act)
            }
            None if shared.is_quarantined(name, &pinned) => Some(Act::ToolQuarantined),
            act => act,
        };
        let mode = match how {
            DriftMode::Off => return None,
            DriftMode::Report => Mode::Audit,
            DriftMode::Refuse => Mode::Enforce,
        };
        return Some(Drifted::from_first(act?, mode));
    };
    if drift.mode == Mode::Off {
        return None;
    }
    let compared = tool.compared(lock, scope.store().compiler());
    let drifted = Drifted::from_lock(drift, &compared);
    let (Some(shared), Some(pinned)) = (shared, lock.pin(name)) else {
        return drifted;
    };
    let refuses = drifted.as_ref().is_some_and(|it| it.mode == Mode::Enforce);
    if refuses && fresh && !compared.is_pinned {
        shared.quarantine(name, pinned);
    }
    if drifted.is_none() && shared.is_quarantined(name, pinned) {
        return Some(Drifted::from_first(Act::ToolQuarantined, drift.mode));
    }
    drifted
}

/// The same for a tool that cannot be read well enough to be compared.
pub(super) fn unknown(drift: &Drift, name: &str) -> Option<Drifted> {
    if drift.mode == Mode::Off {
        return None;
    }
    let compared = match drift.lock.as_ref()?.pin(name) {
        None => Compared::added(),
        Some(_) => Compared::unread(),
    };
    Drifted::from_lock(drift, &compared)
}

impl Drifted {
    /// A tool that differs from the form in which it was first seen.
    fn from_first(act: Act, mode: Mode) -> Self {
        let text = match act {
            Act::ServerChangedContract => "has schemas that differ from its pinned definition",
            Act::ToolQuarantined => {
                "was quarantined: a guard found that it differs from its pinned definition"
            }
            _ => "has a description that differs from its pinned definition",
        };
        Self {
            act,
            mode,
            approval: None,
            detail: String::new(),
            digest: None,
            text: text.to_owned(),
        }
    }

    pub(crate) fn from_lock(drift: &Drift, compared: &Compared) -> Option<Self> {
        let classes: Vec<ChangeClass> = compared.changes.iter().map(|(class, ..)| *class).collect();
        let modes = classes.iter().map(|class| drift.changes.of(*class));
        let how = modes.max()?;
        let how = if compared.is_rejected {
            ChangeMode::Refuse
        } else {
            how
        };
        // What decides comes first, and what would pass by itself last.
        let decides = |class: ChangeClass| compared.is_rejected || drift.changes.of(class) == how;
        let (decisive, others): (Vec<_>, Vec<_>) = compared
            .changes
            .iter()
            .partition(|(class, ..)| decides(*class));
        let classes: Vec<ChangeClass> = decisive.iter().map(|(class, ..)| *class).collect();
        let act = match classes.first()? {
            ChangeClass::New => Act::ServerAddedTool,
            ChangeClass::Narrower | ChangeClass::Wider => Act::ServerChangedContract,
            _ => Act::ServerChangedDescription,
        };
        let mode = match how {
            ChangeMode::Pass => Mode::Audit,
            _ => drift.mode,
        };
        let what = named(&decisive);
        let rest = match named(&others) {
            rest if rest.is_empty() => rest,
            rest => format!("; also {rest}"),
        };
        let is_new = act == Act::ServerAddedTool;
        let subject = match is_new {
            true => "is not approved".to_owned(),
            false => format!("differs from its approved definition: {what}{rest}"),
        };
        let then = match (how, compared.is_rejected) {
            (_, true) => "; this was rejected",
            (ChangeMode::Pass, _) => "",
            (ChangeMode::Hold, _) => "; it is held until an operator approves it (`toolsure lock`)",
            (ChangeMode::Refuse, _) => "; the policy refuses this",
        };
        let done = match (how, mode, compared.is_rejected) {
            (_, _, true) => "rejected",
            (ChangeMode::Pass, ..) => "passes",
            (_, Mode::Audit, _) => "reported",
            (ChangeMode::Hold, ..) => "held",
            (ChangeMode::Refuse, ..) => "refused",
        };
        Some(Self {
            act,
            mode,
            detail: match is_new {
                true => format!("{done}: new"),
                false => format!("{done}: {what}{rest}"),
            },
            digest: compared.digest,
            approval: Some((classes, how)),
            text: format!("{subject}{then}"),
        })
    }
}

/// What changed, by class.
fn named(changes: &[&(ChangeClass, String, usize)]) -> String {
    let mut what = String::new();
    for (class, first, more) in changes {
        let separator = if what.is_empty() { "" } else { "; " };
        // Writing to a string cannot fail.
        let _ = match (class, more) {
            (ChangeClass::New, _) => Ok(()),
            (_, 0) => write!(what, "{separator}{class} ({first})"),
            _ => write!(what, "{separator}{class} ({first}, and {more} more)"),
        };
    }
    what
}
