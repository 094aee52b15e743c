//! Answers that carry results of tools, on their way to the client.
//!
//! A [`ToolAnswer`] is one type in several files, because everything about it is read from the same answer:
//! `result_faults.rs` finds what is wrong with it, and `result_text.rs` and `result_repair.rs` make the texts
//! that replace it.

use std::sync::Arc;

use toolsure_json::{Kind, Node as _, OwnedDocument, ReadLimits, View, quote};
use toolsure_mcp::check::ResultOf;
use toolsure_mcp::contract::ToolContract;
use toolsure_mcp::era::{Era, ToolMethod};
use toolsure_mcp::message::{MalformedResult, TaskAnswer};

use super::Conversation;
use super::open::{Called, Open, What};
use super::turn::Turn;
use crate::envelope::Envelope;
use crate::fault::Act;
use crate::filter::{SHOWN_NAME, results};
use crate::id::IdKey;
use crate::policy::{Mode, Policy, Recorded, Terms};
use crate::record::{Action, Filter, Record};
use crate::side::Side;
use crate::subscription::subscription;

/// An answer that contains a tool's result.
pub(super) struct ToolAnswer<'a> {
    /// The id of the answer; a notification has none.
    key: Option<IdKey>,
    pub(super) open: &'a Open,
    pub(super) tool: Option<Arc<ToolContract>>,
    pub(super) name: Option<Arc<str>>,
    /// The settings for the tool and the client.
    pub(super) terms: Terms,
    /// The tool's result: that of the answer, or a member of it. It is the task if that has no clear result.
    pub(super) result: View<'a>,
    /// The task that the result is a member of.
    pub(super) task: Option<View<'a>>,
    /// Whether the text of the result would exceed a limit if it were made readable.
    pub(super) grows: bool,
    /// Why the task has no result, or why it is unclear what the result is.
    pub(super) malformed: Option<MalformedResult>,
}

impl ToolAnswer<'_> {
    /// Whether what is wrong with the result is refused, reported or ignored.
    pub(super) fn mode(&self) -> Mode {
        self.terms.results
    }

    /// The tool, as messages name it.
    pub(super) fn subject(&self) -> String {
        match &self.name {
            Some(name) => format!("tool `{}`", quote(name, SHOWN_NAME)),
            // A task that no known tool made.
            None => "the tool".to_owned(),
        }
    }

    /// The name by which the client knows the tool, if that is another.
    fn clients_name(&self, turn: &Turn<'_>, own: &str) -> Option<String> {
        match &self.open.what {
            What::Call(called) => called.clients_name.clone(),
            _ => turn.policy().clients_name(own, own),
        }
    }

    /// The id of the answer as the client wrote it.
    pub(super) fn raw_id(&self) -> String {
        match &self.key {
            Some(key) => self.open.raw(key),
            None => "null".to_owned(),
        }
    }

    /// What is recorded of the result.
    fn recorded(&self, policy: &Policy) -> Option<Box<str>> {
        let recording = &policy.recording;
        if recording.results == Recorded::Nothing {
            return None;
        }
        let output = self.tool.as_ref().map(|tool| tool.output_text());
        let read = |text| OwnedDocument::read(text, &ReadLimits::default()).ok();
        let text = match output {
            Some(None) => recording.result(self.result, None),
            Some(Some(output)) if let Some(schema) = read(output) => {
                recording.result(self.result, Some(schema.document().root()))
            }
            _ => recording.unknown_result(self.result),
        };
        Some(text?.into())
    }

    /// Says in a record which answer it is about.
    pub(super) fn describe(&self, record: &mut Record, turn: &Turn<'_>) {
        record.id.clone_from(&self.key);
        record.describe_without_id(self.open, turn);
        record.tool.clone_from(&self.name);
        record.listed = self.tool.is_some();
    }
}

/// The member of a message that is, or contains, the result of a tool.
struct ResultPlace<'a> {
    /// The request that it answers, or what stands for one.
    open: &'a Open,
    member: &'static str,
}

impl Conversation {
    /// Handles the result of a tool, or of a task that a tool made.
    pub(super) fn result(
        &mut self,
        turn: &mut Turn<'_>,
        key: IdKey,
        open: &Open,
        result: View<'_>,
    ) {
        let at = ResultPlace {
            open,
            member: "result",
        };
        let told = Some(key.clone());
        match self.replacement(turn, &at, told, result) {
            Some(text) => turn.forward_altered(key, None, text),
            None => turn.forward_answer(key, None),
        }
    }

    /// Checks a result in a message, and returns the text that replaces the message; `None` if it stays.
    fn replacement(
        &mut self,
        turn: &mut Turn<'_>,
        at: &ResultPlace<'_>,
        key: Option<IdKey>,
        result: View<'_>,
    ) -> Option<String> {
        let answered = self.answered(turn, key.clone(), at.open, result)?;
        let Some((text, record)) = answered.readable(turn) else {
            return self.checked(turn, &answered);
        };
        let message = self.guard.read_within(text, turn.limits());
        let root = message.document().ok().map(|document| document.root());
        let result = root.and_then(|root| root.member(at.member));
        let Some(again) = result.and_then(|result| self.answered(turn, key, at.open, result))
        else {
            let grows = ToolAnswer {
                grows: true,
                ..answered
            };
            return self.checked(turn, &grows);
        };
        turn.audit(record);
        let mut checked = None;
        turn.with_made(&message, |turn| checked = self.checked(turn, &again));
        checked.or_else(|| Some(message.text().to_owned()))
    }

    /// Checks a result, and returns the text that replaces the message; `None` if it stays.
    fn checked(&mut self, turn: &mut Turn<'_>, answered: &ToolAnswer<'_>) -> Option<String> {
        let open = answered.open;
        let of = match &open.what {
            What::Call(called) if called.as_task => ResultOf::task(open.era),
            _ => ResultOf::from(open.era),
        };
        let violation = answered.violation(turn, &self.scope, of);
        let lifted = violation
            .as_ref()
            .and_then(|violation| answered.lifted(turn, violation));
        let mut violation = match &lifted {
            Some(_) => Some(answered.text_lifted()),
            None => violation,
        };
        if let (Some(violation), Some(name)) = (&mut violation, &answered.name)
            && let Some(clients) = answered.clients_name(turn, name)
        {
            violation.name_for_client(name, &clients);
        }
        let fuel = turn.checker.fuel_used();
        let recorded = answered.recorded(turn.policy());
        let note = |turn: &mut Turn<'_>, mut record: Record| {
            answered.describe(&mut record, turn);
            record.result.clone_from(&recorded);
            record.fuel = fuel;
            turn.audit(record);
        };
        let changed = match &violation {
            Some(violation) => {
                let enforced = violation.mode == Mode::Enforce;
                let mended = enforced.then(|| match &lifted {
                    Some(value) => {
                        let source = turn.message.text();
                        Some(results::with_value(answered.result, value, source))
                    }
                    None => answered.mended(turn, violation),
                });
                let changed = mended.flatten().map(|text| (text, false));
                let changed =
                    changed.or_else(|| enforced.then(|| answered.replaced(turn, violation)));
                // What was made of a bad result is bounded too.
                let too_long = changed.as_ref().filter(|(_, is_all)| !is_all);
                let too_long = too_long.and_then(|(text, _)| answered.grew_too_long(turn, text));
                let (changed, violation) = match &too_long {
                    Some(too_long) => (Some(answered.replaced_whole(turn, too_long)), too_long),
                    None => (changed, violation),
                };
                let action = match &changed {
                    None => Action::Reported,
                    Some((_, true)) => Action::Refused,
                    Some((_, false)) => Action::Altered,
                };
                let record = violation.record(turn, Side::Server, action);
                note(turn, record);
                changed
            }
            None => {
                self.note_question(turn.policy(), answered);
                if turn.policy().record_passes && answered.mode() != Mode::Off {
                    let (now, action) = (turn.now, Action::Passed);
                    note(
                        turn,
                        Record::new(now, Side::Server, Filter::Results, action),
                    );
                }
                None
            }
        };
        let projected = match &changed {
            // A result that was replaced needs no projection.
            Some((_, true)) => None,
            Some((text, false)) => answered.projected_again(turn, text),
            None => answered.projected(turn),
        };
        projected.or(changed.map(|(text, _)| text))
    }

    /// Remembers that a call with a rate limit may be continued, because the server asks for input first.
    fn note_question(&mut self, policy: &Policy, answered: &ToolAnswer<'_>) {
        let What::Call(called) = &answered.open.what else {
            return;
        };
        let asks = answered.open.era.has_result_types()
            && answered
                .result
                .member("resultType")
                .is_some_and(|tag| tag.string() == "input_required");
        let state = answered.result.member("requestState");
        if let Some(state) = state.filter(|state| state.kind() == Kind::String)
            && asks
            && policy.counts_calls(&called.terms)
        {
            self.counting_scope()
                .may_be_continued(&called.name, state.string());
        }
    }

    /// Handles a task's notification, which may contain a result. Returns whether it was altered and sent, or
    /// dropped.
    pub(super) fn task_note(&mut self, turn: &mut Turn<'_>, task: View<'_>) -> bool {
        if !self.may_note_task(turn, task) {
            let act = Act::NotAllowed;
            turn.audit(turn.fault(Side::Server, Filter::Admission, Action::Dropped, act));
            return true;
        }
        let era = Era::V2026_07_28;
        let method = ToolMethod::TaskChanged;
        let id = task.member("taskId").map_or("", |id| id.string());
        let mut open = Open::new("0", &IdKey::Number(0), NOTE.into(), era, turn.now);
        open.what = What::Task {
            task: id.to_owned(),
            method,
        };
        let at = ResultPlace {
            open: &open,
            member: "params",
        };
        let Some(text) = self.replacement(turn, &at, None, task) else {
            return false;
        };
        let envelope = Envelope::notification(NOTE);
        turn.out.altered(Side::Client, text, envelope);
        true
    }

    /// Whether a notification of a task is for a caller who may know of it.
    fn may_note_task(&self, turn: &Turn<'_>, params: View<'_>) -> bool {
        if turn.policy().callers.is_empty() {
            return true;
        }
        let task = params.member("taskId").map_or("", |id| id.string());
        let key = subscription(Some(params)).and_then(|id| IdKey::read(id.raw()));
        let open = key.and_then(|key| self.open.get(&key));
        open.is_some_and(|open| self.access(turn, open).allows_task(task))
    }

    /// The contract that an answer is checked against; `None` if the answer contains no result.
    fn answered<'a>(
        &self,
        turn: &Turn<'_>,
        key: Option<IdKey>,
        open: &'a Open,
        result: View<'a>,
    ) -> Option<ToolAnswer<'a>> {
        let (mut task_view, mut malformed) = (None, None);
        let (tool, name, terms, result) = match &open.what {
            What::Call(called) => {
                let Called {
                    name, tool, terms, ..
                } = &**called;
                (tool.clone(), Some(Arc::clone(name)), *terms, result)
            }
            What::Task { task, method } => {
                let inner = match open.era.task_answer(*method, result)? {
                    TaskAnswer::Final(inner) => inner,
                    TaskAnswer::Malformed(why) => {
                        malformed = Some(why);
                        result
                    }
                    _ => return None,
                };
                task_view = (*method != ToolMethod::TaskResult).then_some(result);
                let tool = self.scope.task(task);
                let name = tool.as_ref().map(|tool| tool.shared_name());
                let terms = self
                    .access(turn, open)
                    .terms(name.as_deref().unwrap_or_default());
                (tool, name, terms, inner)
            }
            _ => return None,
        };
        Some(ToolAnswer {
            key,
            open,
            tool,
            name,
            terms,
            result,
            task: task_view,
            grows: false,
            malformed,
        })
    }
}

const NOTE: &str = "notifications/tasks";
