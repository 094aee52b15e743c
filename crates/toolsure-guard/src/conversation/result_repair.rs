//! Repairs results that clients could not read, before they are checked.

use std::fmt::Write as _;

use toolsure_json::{Kind, Node as _, View};
use toolsure_mcp::clients::{RepairedResult, repair_result, repair_tool_result};
use toolsure_mcp::era::Era;
use toolsure_mcp::message::INTERNAL_ERROR;

use super::open::Open;
use super::result::ToolAnswer;
use super::turn::Turn;
use crate::fault::Act;
use crate::filter::{Reply, Violation};
use crate::id::IdKey;
use crate::policy::{BadTools, Mode, ResultMembers};
use crate::record::{Action, Filter, Record};
use crate::side::Side;

impl ToolAnswer<'_> {
    /// The text of an answer whose tool result is made readable, and the record of it; `None` if it is
    /// readable, or the policy does not want it repaired.
    pub(super) fn readable(&self, turn: &Turn<'_>) -> Option<(String, Record)> {
        if !repairs(turn, self.mode()) {
            return None;
        }
        let repaired = unreadable(turn, self)?;
        let act = Act::ResultMemberMalformed;
        let mut record = turn.fault(Side::Server, Filter::Results, Action::Altered, act);
        self.describe(&mut record, turn);
        record.note(&told(&repaired));
        Some((repaired.edits.apply(turn.message.text()), record))
    }

    /// The violation of a tool result that is not repaired.
    pub(super) fn unreadable_members(&self, turn: &Turn<'_>) -> Option<Violation> {
        let mode = match turn.policy().result_members {
            ResultMembers::Refuse => self.mode(),
            ResultMembers::Repair if self.mode() == Mode::Audit => Mode::Audit,
            ResultMembers::Repair if self.grows => self.mode(),
            ResultMembers::Repair | ResultMembers::Pass => return None,
        };
        if mode == Mode::Off {
            return None;
        }
        let repaired = unreadable(turn, self)?;
        let told = told(&repaired);
        let subject = self.subject();
        let mut text = format!("{subject} answered with a result that clients cannot read: {told}");
        if self.grows {
            text.push_str("; the repaired result would exceed a limit");
        }
        let act = Act::ResultMemberMalformed;
        Some(Violation::act(
            Filter::Results,
            mode,
            act,
            Reply::Tool(text),
        ))
    }
}

fn repairs(turn: &Turn<'_>, mode: Mode) -> bool {
    mode == Mode::Enforce && turn.policy().result_members == ResultMembers::Repair
}

/// What makes the result of a tool readable, if anything has to. A result that readers may read
/// differently is not repaired but refused.
fn unreadable(turn: &Turn<'_>, answered: &ToolAnswer<'_>) -> Option<RepairedResult> {
    if turn.message.is_ambiguous() || answered.malformed.is_some() {
        return None;
    }
    let era = match answered.task {
        // A result inside a task has no tag of its own.
        Some(_) => answered.open.era.min(Era::NEWEST_WITH_SESSIONS),
        None => answered.open.era,
    };
    repair_tool_result(era, answered.result)
}

/// Passes on the result of a method that the guard does not check otherwise, made readable.
pub(super) fn forward_readable(turn: &mut Turn<'_>, key: IdKey, open: &Open, result: View<'_>) {
    let policy = turn.policy();
    let is_list = open.method.ends_with("/list");
    let mode = if is_list {
        policy.listing
    } else {
        policy.results
    };
    let wanted = if !is_list {
        policy.result_members
    } else if policy.bad_tools == BadTools::Pass {
        ResultMembers::Pass
    } else {
        ResultMembers::Repair
    };
    let is_read = result.kind() == Kind::Object && !turn.message.is_ambiguous();
    if mode == Mode::Off || wanted == ResultMembers::Pass || !is_read {
        return turn.forward_answer(key, None);
    }
    let Some(repaired) = repair_result(&open.method, open.era, result) else {
        return turn.forward_answer(key, None);
    };
    let action = match (mode, wanted) {
        (Mode::Enforce, ResultMembers::Repair) if !repaired.loses_content => Action::Altered,
        (Mode::Enforce, _) => Action::Refused,
        _ => Action::Reported,
    };
    let (filter, act) = match is_list {
        true => (Filter::Admission, Act::ListEntryMalformed),
        false => (Filter::Results, Act::ResultMemberMalformed),
    };
    let mut record = turn.fault(Side::Server, filter, action, act);
    record.describe(&key, open, turn);
    let told = told(&repaired);
    record.note(&told);
    turn.audit(record);
    match action {
        Action::Altered => {
            let text = repaired.edits.apply(turn.message.text());
            turn.forward_altered(key, None, text);
        }
        Action::Refused => {
            let text =
                format!("the server answered with a result that clients cannot read: {told}");
            let answer = act.error(&open.raw(&key), INTERNAL_ERROR, &text);
            turn.answer(Side::Client, key, answer, Some(INTERNAL_ERROR));
        }
        _ => turn.forward_answer(key, None),
    }
}

/// The changes in words.
fn told(repaired: &RepairedResult) -> String {
    let changes = &repaired.changes;
    let mut told = String::new();
    for (index, change) in changes.iter().take(MOST_CHANGES).enumerate() {
        let separator = if index == 0 { "" } else { "; " };
        let _ = write!(told, "{separator}{change}");
    }
    let rest = changes.len().saturating_sub(MOST_CHANGES) + repaired.further;
    if rest > 0 {
        let _ = write!(told, "; and {rest} more");
    }
    told
}

/// The maximum number of changes that a record names.
const MOST_CHANGES: usize = 4;
