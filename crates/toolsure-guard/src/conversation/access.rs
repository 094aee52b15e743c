//! What a caller may use: requests for other things are answered as if these did not exist, and lists are
//! without them.

use std::borrow::Cow;

use toolsure_json::{Kind, Node as _, View, quote};
use toolsure_mcp::message::{Edits, INVALID_PARAMS, RESOURCE_NOT_FOUND, Request, write};

use super::Conversation;
use super::open::Open;
use super::turn::Turn;
use crate::caller::VerifiedCaller;
use crate::fault::Act;
use crate::id::IdKey;
use crate::policy::Policy;
use crate::record::{Action, Filter, Peer};
use crate::scope::{Found, Known};
use crate::side::Side;

/// The caller of a request. Without one that a transport has verified, only rules for everybody apply.
pub(super) fn caller_of(peer: Option<&Peer>) -> &VerifiedCaller {
    static NOBODY: VerifiedCaller = VerifiedCaller {
        token: None,
        issuer: None,
        subject: None,
        groups: Vec::new(),
        scopes: Vec::new(),
        certificates: Vec::new(),
    };
    let verified = peer.and_then(|peer| peer.verified.as_deref());
    verified.unwrap_or(&NOBODY)
}

/// Whether the caller of a request may use a tool of the server.
pub(super) fn allows_tool(policy: &Policy, open: &Open, name: &str, known: Option<&Known>) -> bool {
    if policy.callers.is_empty() {
        return true;
    }
    let hints = known.filter(|_| policy.has_hint_rules());
    let hints = hints.and_then(Known::hints);
    let access = policy.tool_access(
        caller_of(open.peer.as_deref()),
        &clients_name(policy, name),
        hints,
    );
    access.is_allowed()
}

fn clients_name<'n>(policy: &Policy, name: &'n str) -> Cow<'n, str> {
    policy
        .clients_name(name, name)
        .map_or(Cow::Borrowed(name), Cow::Owned)
}

/// What a request is about, if callers may be kept from it.
#[derive(Clone, Copy, PartialEq)]
enum Subject<'a> {
    Prompt(&'a str),
    Resource(&'a str),
    Task(&'a str),
}

impl Conversation {
    /// Answers a request for something that its caller may not use. Returns whether it did.
    pub(super) fn withhold(&self, turn: &mut Turn<'_>, request: &Request<'_>, open: &Open) -> bool {
        let policy = turn.policy();
        if policy.callers.is_empty() {
            return false;
        }
        let message = turn.message;
        let named = message.names().and_then(|names| names.new_name());
        let subjects = subjects(request, named);
        if !subjects.is_empty() && turn.message.is_ambiguous() {
            let flaw = turn.message.flaw().map(ToString::to_string);
            turn.refuse(request, Act::ClientSentNoJson, &flaw.unwrap_or_default());
            return true;
        }
        let caller = caller_of(open.peer.as_deref());
        let may = |subject: &Subject<'_>| match subject {
            Subject::Prompt(name) => policy
                .prompt_access(caller, &clients_name(policy, name))
                .is_allowed(),
            Subject::Resource(uri) => policy.resource_access(caller, uri).is_allowed(),
            Subject::Task(task) => self.may_use_task(policy, open, task),
        };
        let Some(subject) = subjects.iter().find(|subject| !may(subject)) else {
            return false;
        };
        let not_found = match open.era.declares_version() {
            true => INVALID_PARAMS,
            false => RESOURCE_NOT_FOUND,
        };
        let (code, text) = match subject {
            Subject::Prompt(name) => {
                let name = clients_name(policy, name);
                (INVALID_PARAMS, format!("unknown prompt: {}", shown(&name)))
            }
            Subject::Resource(uri) => (not_found, format!("resource not found: {}", shown(uri))),
            Subject::Task(task) => (INVALID_PARAMS, format!("unknown task: {}", shown(task))),
        };
        let act = Act::NotAllowed;
        let mut record = turn.fault(Side::Client, Filter::Admission, Action::Refused, act);
        record.describe(&turn.key(request.id), open, turn);
        record.elapsed = None;
        // The same as for something that does not exist, so without the code.
        let answer = write::error(turn.raw_id(request.id), code, &text, None);
        turn.answer(Side::Client, turn.key(request.id), answer, Some(code));
        turn.audit(record);
        true
    }

    /// Whether a task that is known here was made by this caller, by a call of a tool that it may use.
    fn may_use_task(&self, policy: &Policy, open: &Open, task: &str) -> bool {
        let Some((tool, owner)) = self.scope.task_of(task) else {
            return true;
        };
        let caller = caller_of(open.peer.as_deref());
        let is_own = owner.is_none_or(|owner| owner.is(caller));
        let tools = self.scope.tools();
        let known = match tools.find(tool.name()) {
            Found::Tool(known) => Some(known),
            _ => None,
        };
        is_own && allows_tool(policy, open, tool.name(), known.as_deref())
    }

    /// The text of an answer without what its caller may not use, and not to be cached for others; `None` if it
    /// has nothing of that.
    pub(super) fn restricted(
        &self,
        turn: &Turn<'_>,
        open: &Open,
        result: View<'_>,
    ) -> Option<String> {
        let policy = turn.policy();
        if policy.callers.is_empty() {
            return None;
        }
        let mut edits = Edits::new();
        if let Some(scope) = result.member("cacheScope")
            && scope.string() == "public"
        {
            edits.replace(scope, "\"private\"");
        }
        let caller = caller_of(open.peer.as_deref());
        if let Some((list, name, is_prompt)) = LISTS.iter().find_map(|(method, list, name)| {
            let is_it = *method == open.method;
            is_it.then_some((*list, *name, *list == "prompts"))
        }) && let Some(items) = result
            .member(list)
            .filter(|items| items.kind() == Kind::Array)
        {
            let may = |item: View<'_>| {
                let name = item.member(name).map_or("", |name| name.string());
                match is_prompt {
                    true => policy.prompt_access(caller, &clients_name(policy, name)),
                    false => policy.resource_access(caller, name),
                }
                .is_allowed()
            };
            if !items.items().all(may) {
                edits.reshape(items, |_, item| !may(item), &[]);
            }
        }
        (!edits.is_empty()).then(|| turn.edited(edits))
    }

    /// Whether an answer cannot be told apart for its caller, because readers may read it differently.
    pub(super) fn is_unclear_list(turn: &Turn<'_>, open: &Open) -> bool {
        let is_list = LISTS.iter().any(|(method, ..)| *method == open.method);
        is_list && !turn.policy().callers.is_empty() && turn.message.is_ambiguous()
    }

    /// Fails a request whose answer cannot be restricted.
    pub(super) fn unrestricted(turn: &mut Turn<'_>, key: IdKey, open: &Open) {
        let text = "the server's list cannot be read without doubt, so it is unknown what of it the caller may see";
        turn.fail(key, open, Act::ServerAnsweredNoJson, text);
    }
}

/// What a request is about. `named` is the name that replaces the one in its text.
fn subjects<'a>(request: &Request<'a>, named: Option<&'a str>) -> Vec<Subject<'a>> {
    let member = |name: &str| request.params.and_then(|params| params.member(name));
    let text = |view: Option<View<'a>>| view.map_or("", |view| view.string());
    match request.method {
        "prompts/get" => vec![Subject::Prompt(
            named.unwrap_or_else(|| text(member("name"))),
        )],
        "resources/read" | "resources/subscribe" | "resources/unsubscribe" => {
            vec![Subject::Resource(text(member("uri")))]
        }
        "completion/complete" => {
            let of = member("ref");
            let part = |name: &str| of.and_then(|of| of.member(name));
            match part("uri") {
                Some(uri) => vec![Subject::Resource(text(Some(uri)))],
                None => vec![Subject::Prompt(text(part("name")))],
            }
        }
        "subscriptions/listen" => {
            let uris =
                member("notifications").and_then(|wanted| wanted.member("resourceSubscriptions"));
            let items = uris.into_iter().flat_map(View::items);
            items.map(|uri| Subject::Resource(uri.string())).collect()
        }
        "tasks/get" | "tasks/result" | "tasks/cancel" | "tasks/update" => {
            vec![Subject::Task(text(member("taskId")))]
        }
        _ => Vec::new(),
    }
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
