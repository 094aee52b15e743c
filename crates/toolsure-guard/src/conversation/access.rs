//! What a caller may use: requests for other things are answered as if these did not exist, and lists are
//! without them.

use std::borrow::Cow;

use toolsure_json::{Kind, Node as _, View, quote};
use toolsure_mcp::message::{Edits, INVALID_PARAMS, METHOD_NOT_FOUND, RESOURCE_NOT_FOUND, Request};

use super::open::Open;
use super::turn::Turn;
use crate::caller::{NOBODY, VerifiedCaller};
use crate::fault::Act;
use crate::id::IdKey;
use crate::policy::{Access, Policy, Terms};
use crate::record::{Action, Filter, Peer};
use crate::scope::{Found, Known, Scope};
use crate::side::Side;
use crate::subject::Subject;

/// What the caller of a request may use, and under which settings.
#[derive(Clone, Copy)]
pub(super) struct CallerAccess<'a> {
    policy: &'a Policy,
    /// Without a caller that a transport has verified, only rules for everybody apply.
    caller: &'a VerifiedCaller,
    scope: &'a Scope,
}

fn clients_name<'n>(policy: &Policy, name: &'n str) -> Cow<'n, str> {
    policy
        .clients_name(name, name)
        .map_or(Cow::Borrowed(name), Cow::Owned)
}

impl<'a> CallerAccess<'a> {
    pub(super) fn new(policy: &'a Policy, peer: Option<&'a Peer>, scope: &'a Scope) -> Self {
        let verified = peer.and_then(|peer| peer.verified.as_deref());
        Self {
            policy,
            caller: verified.unwrap_or(&NOBODY),
            scope,
        }
    }

    /// Whether the policy has no rules for callers.
    fn is_unlimited(&self) -> bool {
        self.policy.callers.is_empty()
    }

    /// Whether the caller may use everything.
    pub(super) fn allows_everything(&self) -> bool {
        self.is_unlimited() || self.policy.allows_everything(self.caller)
    }

    /// The settings for a tool.
    pub(super) fn terms(&self, tool: &str) -> Terms {
        match self.is_unlimited() {
            true => self.policy.terms(tool),
            false => self.policy.terms_of(self.caller, tool),
        }
    }

    /// Whether the caller may use a tool of the server. Rules for either of its names apply, if it is listed
    /// under another than the server's.
    pub(super) fn allows_tool(&self, (own, listed): (&str, &str), known: Option<&Known>) -> bool {
        if self.is_unlimited() {
            return true;
        }
        let Self { policy, caller, .. } = *self;
        let hints = known.filter(|_| policy.has_hint_rules());
        let hints = hints.and_then(Known::hints);
        let access = |name| policy.tool_access(caller, &clients_name(policy, name), hints);
        let first = access(own);
        if own == listed {
            return first.is_allowed();
        }
        let second = access(listed);
        let is_denied = |access: &Access<'_>| matches!(access, Access::Denied(..));
        (first.is_allowed() || second.is_allowed()) && !is_denied(&first) && !is_denied(&second)
    }

    /// Answers a request for something that its caller may not use. Returns whether it did.
    pub(super) fn withhold(&self, turn: &mut Turn<'_>, request: &Request<'_>, open: &Open) -> bool {
        if self.is_unlimited() {
            return false;
        }
        let Self { policy, caller, .. } = *self;
        let subjects = Subject::all(request, turn.new_name());
        let may = |subject: &Subject<'_>| match subject {
            Subject::Prompt(name) => policy
                .prompt_access(caller, &clients_name(policy, name))
                .is_allowed(),
            Subject::Resource(uri) => policy.resource_access(caller, uri).is_allowed(),
            Subject::Task(task) => self.allows_task(task),
            Subject::Method(_) => self.allows_everything(),
        };
        let Some(subject) = subjects.iter().find(|subject| !may(subject)) else {
            return false;
        };
        let not_found = match open.era.declares_version() {
            true => INVALID_PARAMS,
            false => RESOURCE_NOT_FOUND,
        };
        let (said, code, text) = match subject {
            Subject::Prompt(name) => {
                let name = clients_name(policy, name);
                let text = format!("unknown prompt: {}", shown(&name));
                (Act::UnknownPrompt, INVALID_PARAMS, text)
            }
            Subject::Resource(uri) => {
                let text = format!("resource not found: {}", shown(uri));
                (Act::UnknownResource, not_found, text)
            }
            Subject::Task(task) => {
                let text = format!("unknown task: {}", shown(task));
                (Act::TaskUnknown, INVALID_PARAMS, text)
            }
            Subject::Method(method) => (
                Act::UnknownMethod,
                METHOD_NOT_FOUND,
                format!("unknown method: {}", shown(method)),
            ),
        };
        let act = Act::NotAllowed;
        let mut record = turn.fault(Side::Client, Filter::Admission, Action::Refused, act);
        record.describe(&turn.key(request.id), open, turn);
        record.elapsed = None;
        // The same as for something that does not exist.
        let answer = said.error(turn.raw_id(request.id), code, &text);
        turn.answer(Side::Client, turn.key(request.id), answer, Some(code));
        turn.audit(record);
        true
    }

    /// Whether a task was made for this caller, by a call of a tool that it may use. Of a task that was made
    /// elsewhere that is unknown.
    pub(super) fn allows_task(&self, task: &str) -> bool {
        let owner = self.scope.task_owner(task);
        if !owner.is_some_and(|owner| owner.is(self.caller)) {
            return false;
        }
        let Some(tool) = self.scope.task(task) else {
            return true;
        };
        let tools = self.scope.tools();
        let known = match tools.find(tool.name()) {
            Found::Tool(known) => Some(known),
            _ => None,
        };
        let name = tool.name();
        self.allows_tool((name, name), known.as_deref())
    }

    /// The text of an answer without what its caller may not use, and not to be cached for others; `None` if it
    /// has nothing of that.
    pub(super) fn restricted(
        &self,
        turn: &Turn<'_>,
        open: &Open,
        result: View<'_>,
    ) -> Option<String> {
        if self.is_unlimited() {
            return None;
        }
        let Self { policy, caller, .. } = *self;
        let mut edits = Edits::new();
        if let Some(scope) = result.member("cacheScope")
            && scope.string() == "public"
        {
            edits.replace(scope, "\"private\"");
        }
        let list = LISTS.iter().find(|(method, ..)| *method == open.method);
        if let Some((_, member, name)) = list
            && let Some(items) = result.member(member)
            && items.kind() == Kind::Array
        {
            let may = |item: View<'_>| {
                let name = item.member(name).map_or("", |name| name.string());
                let access = match *member {
                    "prompts" => policy.prompt_access(caller, &clients_name(policy, name)),
                    _ => policy.resource_access(caller, name),
                };
                access.is_allowed()
            };
            if !items.items().all(may) {
                edits.reshape(items, |_, item| !may(item), &[]);
            }
        }
        (!edits.is_empty()).then(|| turn.edited(edits))
    }
}

/// Whether an answer cannot be told apart for its caller, because readers may read it differently.
pub(super) fn is_unclear_list(turn: &Turn<'_>, open: &Open) -> bool {
    let is_list = LISTS.iter().any(|(method, ..)| *method == open.method);
    let policy = turn.policy();
    let is_cut = !policy.callers.is_empty() || policy.drift.refuses();
    is_list && is_cut && turn.message.is_ambiguous()
}

/// Fails a request whose answer cannot be restricted.
pub(super) fn unrestricted(turn: &mut Turn<'_>, key: IdKey, open: &Open) {
    let text = "the server's list cannot be read without doubt, so it is unknown what of it the client may see";
    turn.fail(key, open, Act::ServerAnsweredNoJson, text);
}

fn shown(name: &str) -> impl std::fmt::Display {
    quote(name, SHOWN).to_string()
}

/// The lists besides that of tools: their methods, their members, and what names an entry.
const LISTS: [(&str, &str, &str); 4] = [
    ("prompts/list", "prompts", "name"),
    ("resources/list", "resources", "uri"),
    (
        "resources/templates/list",
        "resourceTemplates",
        "uriTemplate",
    ),
    ("skills/list", "skills", "uri"),
];
/// Maximum characters of a name that a text repeats.
const SHOWN: usize = 128;
