//! What happened last, for the page of the admin server.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, PoisonError};

use serde_json::{Value, json};
use toolsure_guard::{Action, Filter, Record};

use super::log;

/// The last refusals, what was repaired of each tool, and how often each code was met.
#[derive(Default)]
pub(super) struct Recent(Mutex<Seen>);

#[derive(Default)]
struct Seen {
    refusals: VecDeque<Value>,
    /// By upstream and tool: code and detail.
    repairs: BTreeMap<(String, String), BTreeMap<&'static str, String>>,
    /// By upstream and code.
    codes: BTreeMap<(String, &'static str), u64>,
}

impl Recent {
    /// Notes a record that is not of a pass.
    pub(super) fn note(&self, upstream: &str, record: &Record) {
        if record.code == "passed" {
            return;
        }
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let number = seen
            .codes
            .entry((upstream.to_owned(), record.code))
            .or_default();
        *number = number.saturating_add(1).saturating_add(record.more);
        let tool = record.tool.as_deref().filter(|_| record.listed);
        if record.action == Action::Refused {
            if seen.refusals.len() >= REFUSALS {
                seen.refusals.pop_back();
            }
            let peer = record.peer.as_ref();
            seen.refusals.push_front(json!({
                "time": log::now(),
                "upstream": upstream,
                "code": record.code,
                "by": record.blame.map(|blame| blame.name()),
                "tool": tool,
                "about": record.about.as_ref().map(|about| &*about.text),
                "caller": peer.and_then(|peer| peer.caller.as_deref()),
                "places": record.places,
                "detail": record.detail,
            }));
        }
        let is_of_list = record.action == Action::Altered && record.filter == Filter::Admission;
        if let (Some(tool), true) = (tool, is_of_list) {
            let key = (upstream.to_owned(), tool.to_owned());
            if seen.repairs.len() < TOOLS || seen.repairs.contains_key(&key) {
                let detail = record.detail.clone().unwrap_or_default();
                seen.repairs
                    .entry(key)
                    .or_default()
                    .insert(record.code, detail);
            }
        }
    }

    /// The last refusals, the newest first.
    pub(super) fn refusals(&self) -> Vec<Value> {
        let seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        seen.refusals.iter().cloned().collect()
    }

    /// What was repaired, or left out, of a tool.
    pub(super) fn repairs(&self, upstream: &str, tool: &str) -> Vec<Value> {
        let seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = seen.repairs.get(&(upstream.to_owned(), tool.to_owned()));
        let found = found.into_iter().flatten();
        found
            .map(|(code, detail)| json!({"code": code, "detail": detail}))
            .collect()
    }

    /// How often each code was met at an upstream.
    pub(super) fn codes(&self, upstream: &str) -> BTreeMap<&'static str, u64> {
        let seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let own = seen.codes.iter().filter(|((name, _), _)| name == upstream);
        own.map(|((_, code), number)| (*code, *number)).collect()
    }
}

/// Refusals that are remembered.
const REFUSALS: usize = 100;
/// Tools of which repairs are remembered.
const TOOLS: usize = 10_000;
