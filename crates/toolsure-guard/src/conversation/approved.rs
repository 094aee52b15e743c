//! What a lock pins besides tools: lists and openings are without entries and instructions that are not approved,
//! and such a prompt, resource template or skill is also not reached by its name.

use std::sync::atomic::AtomicUsize;

use toolsure_json::{Kind, Node as _, OwnedDocument, ReadLimits, View, quote};
use toolsure_mcp::message::{Edits, INVALID_PARAMS, Request};

use super::open::Open;
use super::turn::Turn;
use crate::fault::Act;
use crate::filter::awaiting_approval::Waiting;
use crate::filter::drift::Drifted;
use crate::id::IdKey;
use crate::lock::{
    COMPARED, Compared, INSTRUCTIONS, Lock, PinnedList, entry_as_tool, instructions_as_tool,
};
use crate::policy::{Mode, Policy, Rules, readings};
use crate::record::{Action, Filter, without_secret};
use crate::scope::Scope;
use crate::side::Side;
use crate::subject::Subject;
use crate::uri_template::{is_template, may_expand_to, must_expand_to, with_lower_host};

/// The entries of lists besides that of tools, and the instructions, that a lock has approved.
#[derive(Clone, Copy)]
pub(super) struct ApprovedEntries<'a> {
    rules: &'a Rules,
    lock: &'a Lock,
    scope: &'a Scope,
}

/// What is held, by its name among those of tools, and why.
type Held = (String, Drifted);

impl<'a> ApprovedEntries<'a> {
    /// `None` if there is no lock, or the policy does not look at it.
    pub(super) fn of(rules: &'a Rules, scope: &'a Scope) -> Option<Self> {
        let drift = &rules.policy.drift;
        let lock = drift.lock.as_ref().filter(|_| drift.mode != Mode::Off)?;
        Some(Self { rules, lock, scope })
    }

    /// The text of an answer without entries and instructions that are not approved; `None` if all are.
    pub(super) fn restricted(
        &self,
        turn: &mut Turn<'_>,
        key: &IdKey,
        open: &Open,
        result: View<'_>,
    ) -> Option<String> {
        let Self { rules, lock, scope } = *self;
        let drift = &rules.policy.drift;
        let compiler = scope.store().compiler();
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
                    scope.entry_seen(key, item.raw(), is_held, is_approved);
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
            && scope.is_first(&rules.generation.to_string(), &detail)
        {
            let act = Act::ApprovalNeeded;
            let mut record = turn.fault(Side::Server, Filter::Drift, Action::Reported, act);
            record.describe(key, open, turn);
            record.note(&detail);
            turn.audit(record);
        }
        (!edits.is_empty()).then(|| turn.edited(edits))
    }

    /// Answers a request for something that is held. Returns whether it did.
    pub(super) fn withhold(&self, turn: &mut Turn<'_>, request: &Request<'_>, open: &Open) -> bool {
        // It ends something.
        if request.method == "resources/unsubscribe" {
            return false;
        }
        let completes = request.method == "completion/complete";
        let subjects = Subject::all(request, turn.new_name());
        let found = subjects.iter().find_map(|subject| match subject {
            Subject::Prompt(name) => self.prompt(name),
            Subject::Resource(uri) => self.resource(uri, completes),
            Subject::Task(_) | Subject::Method(_) => None,
        });
        let Some((key, drifted)) = found else {
            return false;
        };
        let action = action(&drifted, Action::Refused);
        let mut record = turn.fault(Side::Client, Filter::Drift, action, Act::ServerChangedEntry);
        record.describe(&turn.key(request.id), open, turn);
        record.elapsed = None;
        record.note(&format!("{}: {}", recorded(&key), drifted.detail));
        turn.audit(record);
        if action != Action::Refused {
            return false;
        }
        let text = format!("{} {}", shown(turn.policy(), &key), drifted.text);
        let act = Act::ServerChangedEntry;
        let answer = act.error(turn.raw_id(request.id), INVALID_PARAMS, &text);
        let key = turn.key(request.id);
        turn.answer(Side::Client, key, answer, Some(INVALID_PARAMS));
        true
    }

    fn prompt(&self, name: &str) -> Option<Held> {
        let [prompts, ..] = &PinnedList::ALL;
        let key = format!("{}{name}", prompts.prefix);
        self.lock
            .pins(prompts)
            .then(|| self.entry(prompts, key, true))?
    }

    /// `completes` says that the request is about the arguments of the resource, which then is a template.
    fn resource(&self, uri: &str, completes: bool) -> Option<Held> {
        let [_, templates, skills] = &PinnedList::ALL;
        let readings = readings(uri);
        let uris: Vec<&str> = readings.iter().map(String::as_str).chain([uri]).collect();
        // Servers may look for a resource without the query and fragment of a request, or without the fragment.
        let mut cut = Vec::new();
        for uri in &uris {
            let ends = [uri.find(['?', '#']), uri.find('#')];
            cut.extend(ends.into_iter().flatten().filter_map(|end| uri.get(..end)));
        }
        if self.lock.pins(templates) {
            if completes && is_template(uri) {
                let key = format!("{}{uri}", templates.prefix);
                return self.entry(templates, key, true);
            }
            let held = self.scope.held_entries(templates.prefix);
            let is_held = |key: &String| {
                let template = key.strip_prefix(templates.prefix).unwrap_or(key);
                let lower = with_lower_host(template);
                let may = |uri: &&str| {
                    may_expand_to(template, uri)
                        || lower.as_ref().is_some_and(|it| may_expand_to(it, uri))
                };
                template.is_empty() || uris.iter().chain(&cut).any(may)
            };
            let mut matching = held.iter().filter(|key| is_held(key));
            if matching.clone().next().is_some() && !self.is_of_approved(templates, &held, &uris) {
                let found = matching.find_map(|key| self.entry(templates, key.clone(), false));
                if found.is_some() {
                    return found;
                }
            }
        }
        if !self.lock.pins(skills) {
            return None;
        }
        let held = self.scope.held_entries(skills.prefix);
        let mut held = held.into_iter().filter(|key| {
            let skill = key.strip_prefix(skills.prefix).unwrap_or(key);
            // The empty name stands for those that are too many to be known.
            skill.is_empty() || uris.iter().chain(&cut).any(|uri| is_of_skill(skill, uri))
        });
        held.find_map(|key| self.entry(skills, key, false))
    }

    /// Whether an approved template, which is not held, expands to these URIs.
    fn is_of_approved(&self, templates: &PinnedList, held: &[String], uris: &[&str]) -> bool {
        let approved = self.lock.entries(templates.prefix);
        let mut approved = approved.filter(|key| !held.iter().any(|held| held == *key));
        approved.any(|key| {
            let template = key.strip_prefix(templates.prefix).unwrap_or(key);
            let lower = with_lower_host(template);
            uris.iter().all(|uri| {
                must_expand_to(template, uri)
                    || lower.as_ref().is_some_and(|it| must_expand_to(it, uri))
            })
        })
    }

    /// Why an entry is held: it is not in the lock, if `is_new` is possible, or the server lists another one.
    fn entry(&self, list: &PinnedList, key: String, is_new: bool) -> Option<Held> {
        let Self { rules, scope, .. } = *self;
        let drift = &rules.policy.drift;
        let compared = match scope.held_entry(&key) {
            None if !is_new || self.lock.has_entry(&key) => return None,
            None => Compared::added(),
            Some(listed) => match OwnedDocument::read(&*listed, &ReadLimits::default()) {
                Err(_) => Compared::unread(),
                Ok(document) => {
                    let entry = document.document().root();
                    let text = match list.key(entry) {
                        Some(_) => entry_as_tool(&key, entry),
                        None => {
                            return Some((key, Drifted::from_lock(drift, &Compared::unread())?));
                        }
                    };
                    let compiler = scope.store().compiler();
                    let left = AtomicUsize::new(1);
                    let known = (key.as_str(), text.as_str());
                    self.lock.compare_entry(known, &listed, compiler, &left)
                }
            },
        };
        Some((key, Drifted::from_lock(drift, &compared)?))
    }
}

/// Whether a URI is that of a skill, or of one of its files.
fn is_of_skill(skill: &str, uri: &str) -> bool {
    let folder = skill.rfind('/').and_then(|end| skill.get(..=end));
    let lower = with_lower_host(skill);
    if lower.is_some_and(|lower| is_of_skill(&lower, uri)) {
        return true;
    }
    let is_within = |folder: &str| !folder.ends_with("//") && uri.starts_with(folder);
    uri == skill || folder.is_some_and(is_within)
}

/// What is held, as clients know it.
fn shown(policy: &Policy, key: &str) -> String {
    let [prompts, templates, skills] = &PinnedList::ALL;
    if let Some(name) = key.strip_prefix(prompts.prefix) {
        let clients = policy.clients_name(name, name);
        let name = clients.as_deref().unwrap_or(name);
        return format!("prompt `{}`", quote(name, SHOWN));
    }
    match (
        key.strip_prefix(templates.prefix),
        key.strip_prefix(skills.prefix),
    ) {
        (Some(template), _) => format!("resource template `{}`", quote(template, SHOWN)),
        (_, Some(skill)) => format!("skill `{}`", quote(skill, SHOWN)),
        (None, None) => format!("`{}`", quote(key, SHOWN)),
    }
}

fn action(drifted: &Drifted, enforced: Action) -> Action {
    match drifted.mode {
        Mode::Enforce => enforced,
        _ => Action::Reported,
    }
}

/// What names an entry in records, such as `prompt:name`: its name without a secret, which callers may have written.
fn recorded(key: &str) -> String {
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
