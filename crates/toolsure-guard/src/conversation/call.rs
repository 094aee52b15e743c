//! `tools/call` on its way to the server: it passes the filters, or is parked until the list of tools
//! arrives.

use std::sync::Arc;

use toolsure_json::{Kind, Node as _, OwnedDocument, ReadLimits, View, json_string};
use toolsure_mcp::message::{Edits, Request, ToolCall};

use super::Conversation;
use super::mapped_call::{MappedCall, hides_headers};
use super::open::{Called, Open, What};
use super::parked_calls::{Parked, Retry};
use super::turn::Turn;
use crate::envelope::Envelope;
use crate::fault::{Act, Party};
use crate::filter::arguments::repair_text;
use crate::filter::{CALL, CallCase, Judged, Violation, mode_without_list};
use crate::id::IdKey;
use crate::message::{Message, Purpose};
use crate::policy::{Mode, Policy, Recorded};
use crate::reading::with_lone_surrogates;
use crate::record::{Action, Filter, Record};
use crate::scope::{Found, Known, Tools, Trust};
use crate::side::Side;

/// The result of the filters.
struct Passage {
    /// Whether the server lists the tool.
    listed: bool,
    violation: Option<Box<Violation>>,
    /// Violations that are reported but pass.
    reported: Vec<Violation>,
    repaired: Option<(String, Vec<String>)>,
    /// What was converted if the call was mapped to a call of one of the server's tools.
    mapped: Option<Vec<String>>,
}

/// A call of the client, before the filters.
pub(super) struct AskedCall<'a> {
    pub(super) key: IdKey,
    pub(super) open: Open,
    pub(super) envelope: Envelope,
    /// Why a parked call is handled again.
    pub(super) retry: Option<&'a Retry>,
}

impl Conversation {
    pub(super) fn call(
        &mut self,
        turn: &mut Turn<'_>,
        request: &Request<'_>,
        asked: AskedCall<'_>,
    ) {
        let AskedCall {
            key,
            mut open,
            mut envelope,
            retry,
        } = asked;
        let tools = self.scope.tools();
        let sent = match turn.tool_call(request) {
            Ok(call) => call,
            // Servers would disagree about which tool it calls, so no policy lets it pass.
            Err(malformed) => {
                let violation = Violation::malformed(Mode::Enforce, malformed.to_string());
                return Self::object(turn, key, &open, None, &violation);
            }
        };
        let mapped = MappedCall::of(turn.rules, &tools, &sent);
        let call = mapped.as_ref().map_or(sent, |mapped| mapped.call(sent));
        let access = self.access(turn, &open);
        let terms = access.terms(call.name);

        let mut found = tools.find(call.name);
        open.recorded = recorded(turn.policy(), &call, &found);
        let looks = turn.policy().has_hint_rules()
            || terms.arguments != Mode::Off
            || terms.results != Mode::Off
            || turn.policy().recording.needs_schemas()
            // A tool has its own bucket if the server lists it.
            || terms.rate.is_some()
            || turn.policy().tool_rate.is_some()
            || turn.policy().project_for.is_some()
            || turn.policy().drift.lock.is_some()
            || self.scope.is_pinned();
        let trust = self.trust(turn, &tools, &found);
        if looks && retry.is_none() && trust == Trust::Gone {
            return self.park(turn, request, &open, false);
        }
        let lost = retry.is_some_and(|retry| retry.unlisted.is_some()) && trust == Trust::Gone;
        if lost && mode_without_list(turn.policy(), &terms) == Mode::Enforce {
            // The list has ended and there is no other: the tool may be another one by now. Where a
            // call without a list would pass, one that the old list refuses does not.
            found = Found::Unknown;
        }
        let caller = match turn.policy().counts_calls(&terms) {
            true => self.counting_scope().clone(),
            false => self.scope.clone(),
        };
        let mut case = CallCase {
            rules: turn.rules,
            terms,
            is_allowed: self
                .access(turn, &open)
                .allows_tool((call.name, sent.name), known(&found)),
            scope: &self.scope,
            mirrors_headers: self.negotiation.mirrors_headers() && open.era.declares_version(),
            caller: &caller,
            network: open.peer.as_ref().and_then(|peer| peer.network()),
            tools: &tools,
            found: &found,
            unlisted: retry.and_then(|retry| retry.unlisted.as_deref()),
            paid: retry.is_some_and(|retry| retry.paid),
            fresh: retry.is_some_and(|retry| retry.unlisted.is_none()),
            call: &call,
            unmapped: mapped.as_ref().and_then(MappedCall::refused),
            repaired: None,
            checker: &mut *turn.checker,
            now: turn.now,
        };
        let mut passage = pass(&mut case);
        let paid = case.paid;
        passage.mapped = mapped.as_ref().map(|mapped| mapped.conversions().to_vec());
        let clients_name = turn.policy().clients_name(sent.name, call.name);
        if let (Some(violation), Some(clients)) = (&mut passage.violation, &clients_name) {
            violation.name_for_client(call.name, clients);
        }
        if let Some(violation) = &passage.violation {
            // The store may have sent the pin after the list arrived; the list is still valid.
            let heard = violation.filter == Filter::Drift && turn.policy().drift.lock.is_none();
            let confirmed =
                retry.is_some() || !violation.by_list || (trust == Trust::Fresh && !heard);
            if !confirmed {
                return self.park(turn, request, &open, paid);
            }
        }
        let name: Arc<str> = match &found {
            Found::Tool(tool) => tool.contract.shared_name(),
            _ => Arc::from(call.name),
        };
        Self::report(turn, &key, &open, &name, &passage);
        if let Some(violation) = &passage.violation {
            let tool = Some((&name, passage.listed));
            return Self::object(turn, key, &open, tool, violation);
        }
        let tool = match &found {
            Found::Tool(tool) => Some(Arc::clone(&tool.contract)),
            _ => None,
        };
        let repaired = passage.repaired.map(|(arguments, _)| arguments);
        let is_repaired = repaired.is_some();
        let changed = repaired.or_else(|| mapped.as_ref()?.arguments().map(str::to_owned));
        let original = turn.message.text();
        let changed = match changed {
            None => None,
            // The filters have seen a stand-in for each half of a surrogate pair.
            Some(changed) => match restored(original, &sent, changed, |arguments| {
                let is_mapped = mapped.as_ref().is_some_and(|it| it.arguments().is_some());
                let mapped = match is_mapped {
                    true => MappedCall::map(turn.rules, &tools, sent.name, arguments)?,
                    false => arguments.to_owned(),
                };
                match is_repaired {
                    true => {
                        let policy = turn.policy();
                        Some(repair_text(policy, terms.repair, tool.as_ref()?, &mapped)?.text)
                    }
                    false => Some(mapped),
                }
            }) {
                Some(arguments) => Some(arguments),
                None => {
                    let violation = Violation::malformed(Mode::Enforce, HALVES.to_owned());
                    let tool = Some((&name, passage.listed));
                    return Self::object(turn, key, &open, tool, &violation);
                }
            },
        };
        envelope.name = Some(Arc::clone(&name));
        let mut message = match (&mapped, changed) {
            (None, None) => turn.unchanged(envelope),
            (mapped, arguments) => {
                let name = mapped.as_ref().map(|_| call.name);
                let text = turn.edited(rewrites(&sent, name, arguments.as_deref()));
                Message::made(text, Purpose::Forward, envelope)
            }
        };
        message.call.clone_from(&tool);
        message.headers_unknown = hides_headers(turn.rules, &tools, sent.name);
        // A server behind a translator does not know such tasks.
        let knows_tasks = open.era.has_tasks_on_request() && !turn.policy().translated_from_modern;
        let as_task = knows_tasks && call.task.is_some_and(|task| task.kind() == Kind::Object);
        open.what = What::Call(Box::new(Called {
            name,
            clients_name,
            tool,
            terms,
            as_task,
        }));
        self.open.insert(key, open);
        turn.out.send(Side::Server, message);
    }

    /// Whether the cached contract of a tool can still be trusted.
    fn trust(&self, turn: &Turn<'_>, tools: &Tools, found: &Found) -> Trust {
        if matches!(found, Found::Unknown) {
            return Trust::Gone;
        }
        tools.trust(turn.now, turn.policy().stale_for)
    }

    /// Parks a call until the list of tools arrives, and asks for the list.
    fn park(&mut self, turn: &mut Turn<'_>, request: &Request<'_>, open: &Open, paid: bool) {
        let limits = &turn.policy().limits;
        if !self
            .list_fetch
            .parked
            .has_room(limits, turn.message.bytes().len())
        {
            let text = "too many calls wait for the list of tools (parked)";
            return turn.refuse(request, Act::GuardOverloaded, text);
        }
        let key = turn.key(request.id);
        let method = open.method.clone();
        let mut waiting = Open::new(turn.raw_id(request.id), &key, method, open.era, turn.now);
        waiting.what = What::Parked;
        waiting.peer.clone_from(&open.peer);
        self.open.insert(key.clone(), waiting);
        self.list_fetch.parked.push(Parked {
            id: key,
            message: Box::from(turn.message.bytes()),
            paid,
        });
        let meta = request.params.and_then(|params| params.member("_meta"));
        let known = (&self.scope, &self.open);
        self.list_fetch.begin(turn, known, open.era, meta);
    }

    /// Forgets a parked call. Returns whether there was one.
    pub(super) fn unpark(&mut self, key: &IdKey) -> bool {
        let is_parked = |open: &Open| matches!(open.what, What::Parked);
        if !self.open.get(key).is_some_and(is_parked) {
            return false;
        }
        self.open.remove(key);
        self.list_fetch.parked.remove(key);
        true
    }

    /// Answers a call that violates a filter. `tool` is its name, and whether the server lists it.
    fn object(
        turn: &mut Turn<'_>,
        key: IdKey,
        open: &Open,
        tool: Option<(&Arc<str>, bool)>,
        violation: &Violation,
    ) {
        let (answer, code) = violation.answer(open.era, &open.raw(&key));
        let mut record = violation.record(turn, Side::Client, Action::Refused);
        record.describe(&key, open, turn);
        record.tool = tool.map(|(name, _)| Arc::clone(name));
        record.listed = tool.is_some_and(|(_, listed)| listed);
        record.arguments.clone_from(&open.recorded);
        turn.answer(Side::Client, key, answer, code);
        turn.audit(record);
    }

    /// Records violations that pass, repairs, and calls without a violation.
    fn report(turn: &mut Turn<'_>, key: &IdKey, open: &Open, name: &Arc<str>, passage: &Passage) {
        let fuel = turn.checker.fuel_used();
        let note = |turn: &mut Turn<'_>, mut record: Record| {
            record.method = Some(open.method.clone());
            record.id = Some(key.clone());
            record.era = Some(open.era);
            record.tool = Some(Arc::clone(name));
            record.listed = passage.listed;
            record.fuel = fuel;
            record.peer.clone_from(&open.peer);
            record.arguments.clone_from(&open.recorded);
            turn.audit(record);
        };
        for violation in &passage.reported {
            let record = violation.record(turn, Side::Client, Action::Reported);
            note(turn, record);
        }
        if let Some((_, what)) = &passage.repaired {
            let mut record =
                Record::new(turn.now, Side::Client, Filter::Arguments, Action::Altered);
            record.code = REPAIRED;
            record.places = what.iter().take(Record::PLACES).cloned().collect();
            note(turn, record);
            return;
        }
        let clean = passage.violation.is_none() && passage.reported.is_empty();
        if clean && turn.policy().record_passes {
            let now = turn.now;
            let new = |action| Record::new(now, Side::Client, Filter::Arguments, action);
            let record = match &passage.mapped {
                Some(conversions) => {
                    let mut record = new(Action::Altered);
                    record.code = MAPPED;
                    record.places.clone_from(conversions);
                    record
                }
                None => new(Action::Passed),
            };
            note(turn, record);
        }
    }
}

impl Violation {
    pub(super) fn record(&self, turn: &Turn<'_>, from: Side, action: Action) -> Record {
        let mut record = turn.fault(from, self.filter, action, Act::ClientSentNoMessage);
        record.code = self.code;
        record.blame = Some(self.blame);
        record.places.clone_from(&self.places);
        record.digest = self.digest;
        if let Some(detail) = &self.detail {
            record.note(detail);
        }
        record
    }
}

/// The tool that a list has under a name.
fn known(found: &Found) -> Option<&Known> {
    match found {
        Found::Tool(known) => Some(known),
        Found::Bad(_) | Found::Absent | Found::Unknown => None,
    }
}

/// What is recorded of the arguments of a call.
fn recorded(policy: &Policy, call: &ToolCall<'_>, found: &Found) -> Option<Box<str>> {
    if policy.recording.arguments == Recorded::Nothing {
        return None;
    }
    let input = known(found).map(|known| known.contract.input_text());
    let schema = input.and_then(|text| OwnedDocument::read(text, &ReadLimits::default()).ok());
    let schema = schema.as_ref().map(|schema| schema.document().root());
    let text = policy.recording.arguments(call.arguments?, schema)?;
    Some(text.into())
}

/// Passes a call through the filters.
fn pass(case: &mut CallCase<'_>) -> Passage {
    let mut passage = Passage {
        listed: matches!(case.found, Found::Tool(_) | Found::Bad(_)),
        violation: None,
        reported: Vec::new(),
        repaired: None,
        mapped: None,
    };
    for filter in CALL {
        match filter(case) {
            Judged::Pass => {}
            Judged::Repaired { arguments, what } => {
                case.repaired = Some(arguments.clone());
                passage.repaired = Some((arguments, what));
            }
            Judged::Violation(violation) => match violation.mode {
                Mode::Enforce => {
                    passage.violation = Some(violation);
                    break;
                }
                Mode::Audit => passage.reported.push(*violation),
                Mode::Off => {}
            },
        }
    }
    passage
}

/// Changed arguments, with the halves of surrogate pairs of those in the `original` message.
fn restored(
    original: &str,
    call: &ToolCall<'_>,
    changed: String,
    change: impl FnOnce(&str) -> Option<String>,
) -> Option<String> {
    let span = call.arguments.map(View::span);
    let arguments = span.and_then(|span| original.get(span.start..span.end));
    with_lone_surrogates(arguments.unwrap_or_default(), changed, change)
}

/// The changes that give a call another name, other arguments, or both. The offsets are the same in the
/// message as it came and in the stand-in that was parsed.
fn rewrites(call: &ToolCall<'_>, name: Option<&str>, arguments: Option<&str>) -> Edits {
    let mut edits = Edits::new();
    let named = call.params.member("name");
    if let (Some(name), Some(view)) = (name, named)
        && call.name != name
    {
        edits.replace(view, json_string(name));
    }
    match (arguments, call.arguments) {
        (Some(arguments), Some(view)) => edits.replace(view, arguments),
        (Some(arguments), None) => {
            let member = format!("\"arguments\":{arguments}");
            edits.reshape(call.params, |_, _: View<'_>| false, &[member]);
        }
        (None, _) => {}
    }
    edits
}

/// The text of a call whose `arguments` are `null`, which clients write for none, with `{}` instead, and a
/// record of it; `None` if they are not, or arguments are not enforced. The input schema of a tool allows
/// only objects.
pub(super) fn without_null(
    turn: &mut Turn<'_>,
    request: &Request<'_>,
    open: &Open,
) -> Option<String> {
    let call = turn.tool_call(request).ok()?;
    let arguments = call.arguments.filter(|it| it.kind() == Kind::Null)?;
    if turn.policy().terms(call.name).arguments != Mode::Enforce {
        return None;
    }
    let mut record = Record::new(turn.now, Side::Client, Filter::Arguments, Action::Altered);
    record.code = REPAIRED;
    record.blame = Some(Party::Client);
    record.describe(&turn.key(request.id), open, turn);
    record.tool = Some(Arc::from(call.name));
    record.note("`arguments` were `null`");
    turn.audit(record);
    let mut edits = Edits::new();
    edits.replace(arguments, "{}");
    Some(turn.edited(edits))
}

/// Why arguments are not changed.
const HALVES: &str = "the arguments contain half of a surrogate pair, and must be changed for the tool, which is not possible without losing it";
/// The code for a call of a projected tool that was mapped back.
const MAPPED: &str = "call-mapped";
/// The code for a call whose arguments were repaired.
const REPAIRED: &str = "arguments-repaired";
