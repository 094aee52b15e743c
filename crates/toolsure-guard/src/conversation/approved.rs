//! What a lock pins besides tools: lists and openings are without entries and instructions that are not approved.

use std::sync::atomic::AtomicUsize;

use toolsure_json::{Kind, Node as _, View, quote};
use toolsure_mcp::message::Edits;

use super::Conversation;
use super::open::Open;
use super::turn::Turn;
use crate::fault::Act;
use crate::filter::awaiting_approval::Waiting;
use crate::filter::drift::Drifted;
use crate::id::IdKey;
use crate::lock::{
    COMPARED, Compared, INSTRUCTIONS, PinnedList, entry_as_tool, instructions_as_tool,
};
use crate::policy::Mode;
use crate::record::{Action, Filter, without_secret};
use crate::side::Side;

impl Conversation {
    /// The text of an answer without entries and instructions that are not approved; `None` if all are.
    pub(super) fn approved(
        &self,
        turn: &mut Turn<'_>,
        key: &IdKey,
        open: &Open,
        result: View<'_>,
    ) -> Option<String> {
        let rules = turn.rules;
        let drift = &rules.policy.drift;
        let lock = drift.lock.as_ref().filter(|_| drift.mode != Mode::Off)?;
        let compiler = self.scope.store().compiler();
        let left = AtomicUsize::new(COMPARED);
        let list = PinnedList::ALL
            .into_iter()
            .find(|list| list.method == open.method);
        let judge = |key: &str, text: &str, listed: &str| {
            let compared = lock.compare_entry((key, text), listed, compiler, &left);
            Drifted::from_lock(drift, &compared)
        };
        let mut edits = Edits::new();
        let mut found = Vec::new();
        let (mut one, mut several) = ("text of instructions".to_owned(), String::new());
        if let Some(list) = list.filter(|list| lock.pins(list)) {
            let items = result
                .member(list.member)
                .filter(|items| items.kind() == Kind::Array)?;
            let mut removed = Vec::new();
            for (index, item) in items.items().enumerate() {
                let drifted = match list.key(item) {
                    Some(key) => {
                        judge(&key, &entry_as_tool(&key, item), item.raw()).map(|it| (key, it))
                    }
                    None => Drifted::from_lock(drift, &Compared::unread())
                        .map(|it| (list.prefix.to_owned(), it)),
                };
                let is_held = matches!(&drifted, Some((_, it)) if it.mode == Mode::Enforce);
                if let Some(key) = list.key(item) {
                    let is_approved = lock.has_entry(&key);
                    self.scope.entry_seen(key, item.raw(), is_held, is_approved);
                }
                if is_held {
                    removed.push(index);
                }
                found.extend(drifted);
            }
            if !removed.is_empty() {
                edits.reshape(items, |index, _| removed.binary_search(&index).is_ok(), &[]);
            }
            one = format!("entry of {}", list.method);
            several = format!("entries of {}", list.method);
        } else if OPENINGS.contains(&&*open.method) && lock.pins_instructions() {
            let instructions = result.member("instructions")?;
            let drifted = match instructions.kind() {
                Kind::String => {
                    let text = instructions.string();
                    judge(
                        INSTRUCTIONS,
                        &instructions_as_tool(text),
                        instructions.raw(),
                    )
                }
                _ => Drifted::from_lock(drift, &Compared::unread()),
            };
            if let Some(drifted) = drifted {
                if drifted.mode == Mode::Enforce {
                    edits.remove_member(result, "instructions");
                }
                found.push((INSTRUCTIONS.to_owned(), drifted));
            }
        }
        let mut waiting = Waiting::default();
        for (number, (name, drifted)) in found.iter().enumerate() {
            waiting.add(drifted);
            if number < RECORDS {
                let action = action(drifted, Action::Altered);
                let act = Act::ServerChangedEntry;
                let mut record = turn.fault(Side::Server, Filter::Drift, action, act);
                record.describe(key, open, turn);
                record.note(&format!("{}: {}", recorded(name), drifted.detail));
                record.digest = drifted.digest;
                turn.audit(record);
            }
        }
        if let Some(detail) = waiting.detail(drift, &one, &several)
            && self.scope.is_first(&rules.generation.to_string(), &detail)
        {
            let act = Act::ApprovalNeeded;
            let mut record = turn.fault(Side::Server, Filter::Drift, Action::Reported, act);
            record.describe(key, open, turn);
            record.note(&detail);
            turn.audit(record);
        }
        (!edits.is_empty()).then(|| turn.edited(edits))
    }
}

pub(super) fn action(drifted: &Drifted, enforced: Action) -> Action {
    match drifted.mode {
        Mode::Enforce => enforced,
        _ => Action::Reported,
    }
}

/// What names an entry in records, such as `prompt:name`: its name without a secret, which callers may have written.
pub(super) fn recorded(key: &str) -> String {
    let (kind, name) = key.split_once(':').unwrap_or(("", key));
    let name = without_secret(name);
    let colon = if kind.is_empty() { "" } else { ":" };
    quote(&format!("{kind}{colon}{name}"), SHOWN).to_string()
}

/// The methods whose results have instructions.
const OPENINGS: [&str; 2] = ["initialize", "server/discover"];
/// Records of one answer.
const RECORDS: usize = 32;
const SHOWN: usize = 128;
