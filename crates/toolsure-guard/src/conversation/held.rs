//! Requests for what is held: a prompt, a resource template or a skill that is not approved is also not reached by
//! its name.

use std::sync::atomic::AtomicUsize;

use toolsure_json::{OwnedDocument, ReadLimits, quote};
use toolsure_mcp::message::{INVALID_PARAMS, Request};

use super::Conversation;
use super::approved::{action, recorded};
use super::open::Open;
use super::turn::Turn;
use crate::fault::Act;
use crate::filter::drift::Drifted;
use crate::lock::{Compared, Lock, PinnedList, entry_as_tool};
use crate::policy::{Drift, Mode, Policy, readings};
use crate::record::{Action, Filter};
use crate::side::Side;
use crate::subject::Subject;
use crate::uri_template::{is_template, may_expand_to, must_expand_to, with_lower_host};

impl Conversation {
    /// Answers a request for something that is held. Returns whether it did.
    pub(super) fn refuse_held(
        &self,
        turn: &mut Turn<'_>,
        request: &Request<'_>,
        open: &Open,
    ) -> bool {
        let rules = turn.rules;
        let drift = &rules.policy.drift;
        let Some(lock) = drift.lock.as_ref().filter(|_| drift.mode != Mode::Off) else {
            return false;
        };
        // It ends something.
        if request.method == "resources/unsubscribe" {
            return false;
        }
        let judge = Judge {
            conversation: self,
            drift,
            lock,
            completes: request.method == "completion/complete",
        };
        let subjects = Subject::all(request, turn.new_name());
        let found = subjects.iter().find_map(|subject| match subject {
            Subject::Prompt(name) => judge.prompt(name),
            Subject::Resource(uri) => judge.resource(uri),
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
}

struct Judge<'a> {
    conversation: &'a Conversation,
    drift: &'a Drift,
    lock: &'a Lock,
    /// Whether it is about the arguments of the thing: then a resource is a template.
    completes: bool,
}

/// What is held, by its name among those of tools, and why.
type Held = (String, Drifted);

impl Judge<'_> {
    fn prompt(&self, name: &str) -> Option<Held> {
        let [prompts, ..] = &PinnedList::ALL;
        let key = format!("{}{name}", prompts.prefix);
        self.lock
            .pins(prompts)
            .then(|| self.entry(prompts, key, true))?
    }

    fn resource(&self, uri: &str) -> Option<Held> {
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
            if self.completes && is_template(uri) {
                let key = format!("{}{uri}", templates.prefix);
                return self.entry(templates, key, true);
            }
            let held = self.conversation.scope.held_entries(templates.prefix);
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
        let held = self.conversation.scope.held_entries(skills.prefix);
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
        let scope = &self.conversation.scope;
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
                            return Some((
                                key,
                                Drifted::from_lock(self.drift, &Compared::unread())?,
                            ));
                        }
                    };
                    let compiler = scope.store().compiler();
                    let left = AtomicUsize::new(1);
                    let known = (key.as_str(), text.as_str());
                    self.lock.compare_entry(known, &listed, compiler, &left)
                }
            },
        };
        Some((key, Drifted::from_lock(self.drift, &compared)?))
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

const SHOWN: usize = 128;
