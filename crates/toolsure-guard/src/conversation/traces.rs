//! Requests that a tracer follows, from their first message to the answer that ends them.
//!
//! The effects of each message and event show what happens to a request, so no other part of a
//! conversation has to report it.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use toolsure_json::Node as _;
use toolsure_mcp::era::Era;
use toolsure_mcp::message::{Message as Decoded, Request};

use super::open::OpenTable;
use super::turn::Turn;
use crate::effect::{Effect, Report};
use crate::envelope::MessageKind;
use crate::fault::Act;
use crate::id::IdKey;
use crate::message::{Message, Purpose};
use crate::reading::generous;
use crate::record::{Action, Record};
use crate::side::Side;
use crate::trace::{Begun, End, Outcome, Trace, TraceContext, Tracer, Verdict};

/// The requests of a conversation that are traced.
#[derive(Debug)]
pub(super) struct Traces {
    tracer: Arc<dyn Tracer>,
    open: HashMap<IdKey, Followed>,
}

#[derive(Debug)]
struct Followed {
    trace: Box<dyn Trace>,
    sent: bool,
    heard: Option<Outcome>,
    verdict: Option<Verdict>,
}

impl Traces {
    pub(super) fn new(tracer: Arc<dyn Tracer>) -> Self {
        Self {
            tracer,
            open: HashMap::new(),
        }
    }

    /// Starts to trace a request, unless another one has its id.
    /// `settled` is the era of a request that declares none.
    pub(super) fn begin(
        &mut self,
        turn: &Turn<'_>,
        request: &Request<'_>,
        key: &IdKey,
        settled: Era,
    ) {
        if self.open.contains_key(key) {
            return;
        }
        let own = request.params.and_then(TraceContext::read);
        let parent = own.or_else(|| turn.trace.cloned());
        let named = turn.message.names().and_then(|names| names.new_name());
        let target = match request.method {
            "tools/call" | "prompts/get" => {
                let name = request.params.and_then(|it| it.member("name"));
                named.or(name.map(|name| name.string()))
            }
            _ => None,
        };
        let declared = Era::declared(request.params).and_then(Result::ok);
        let era = declared
            .filter(|era| era.declares_version())
            .unwrap_or(settled);
        let trace = self.tracer.begin(&Begun {
            at: turn.now,
            id: key,
            method: request.method,
            target,
            era: (request.method != "initialize").then_some(era),
            parent: parent.as_ref(),
        });
        let followed = Followed {
            trace,
            sent: false,
            heard: None,
            verdict: None,
        };
        self.open.insert(key.clone(), followed);
    }

    /// Records the server's answer.
    pub(super) fn heard(&mut self, turn: &Turn<'_>, message: &Decoded<'_>) {
        let (id, outcome) = match message {
            Decoded::Result(answer) => {
                let failed = answer.result.member("isError");
                let failed = failed.is_some_and(|failed| failed.raw() == "true");
                let outcome = if failed {
                    Outcome::ToolError
                } else {
                    Outcome::Result
                };
                (answer.id, outcome)
            }
            Decoded::Error(Some(id), error) => {
                let code = error.member("code").and_then(|code| code.number().as_i64());
                (*id, Outcome::Error(code.unwrap_or(0)))
            }
            _ => return,
        };
        if let Some(followed) = self.open.get_mut(&turn.key(id))
            && followed.sent
        {
            followed.heard = Some(outcome);
            followed.trace.heard(turn.now, outcome);
        }
    }

    /// Finds out from the effects from `start` on what became of the traced requests, and adds the trace
    /// context to those that go to the server.
    pub(super) fn follow(&mut self, turn: &mut Turn<'_>, open: &OpenTable, start: usize) {
        let now = turn.now;
        let effects = turn.out.since(start);
        let mut reused = false;
        for effect in effects.iter() {
            if let Effect::Report(Report::Decision(record)) = effect {
                // Records about a second request with the same id are not about the first.
                if record.code == Act::ClientReusedId.code() {
                    reused = true;
                } else {
                    self.note(record);
                }
            }
        }
        for effect in effects {
            let Effect::Send { to, message } = effect else {
                continue;
            };
            let envelope = message.envelope();
            match (envelope.kind, &envelope.id) {
                (MessageKind::Request, Some(id))
                    if *to == Side::Server && message.purpose == Purpose::Forward =>
                {
                    if let Some(context) = self.send(now, id) {
                        splice(message, context);
                    }
                }
                (MessageKind::Answer, Some(id)) if *to == Side::Client && !reused => {
                    self.answer(now, id, envelope.error);
                }
                _ => {}
            }
        }
        if self.open.len() > open.len() {
            // A request that was removed without an answer is no longer awaited.
            let gone = self.open.extract_if(|key, _| !open.contains(key));
            for (_, followed) in gone {
                let end = End::new(None, followed.verdict);
                followed.trace.ended(now, &end);
            }
        }
    }

    /// Keeps the first violation of a request.
    fn note(&mut self, record: &Record) {
        if record.action == Action::Passed {
            return;
        }
        let followed = record.id.as_ref().and_then(|id| self.open.get_mut(id));
        if let Some(followed) = followed {
            followed.verdict.get_or_insert(Verdict {
                filter: record.filter,
                action: record.action,
                code: record.code,
            });
        }
    }

    fn send(&mut self, now: Duration, id: &IdKey) -> Option<TraceContext> {
        let followed = self.open.get_mut(id).filter(|followed| !followed.sent)?;
        followed.sent = true;
        followed.trace.sent(now)
    }

    fn answer(&mut self, now: Duration, id: &IdKey, error: Option<i64>) {
        let Some(followed) = self.open.remove(id) else {
            return;
        };
        let refused = followed
            .verdict
            .is_some_and(|verdict| verdict.action == Action::Refused);
        let outcome = match (error, refused) {
            (Some(code), _) => Outcome::Error(code),
            // The guard's own answers that are not errors are results of a tool that failed.
            (None, true) => Outcome::ToolError,
            (None, false) => followed.heard.unwrap_or(Outcome::Result),
        };
        let end = End::new(Some(outcome), followed.verdict);
        followed.trace.ended(now, &end);
    }
}

/// Adds the trace context to a request for the server. A message that two readers can read in two ways
/// is not changed.
fn splice(message: &mut Message, context: TraceContext) {
    let read = message.clone().read_as_sent(&generous());
    let whole = read.document().ok().filter(|_| read.flaw().is_none());
    if let Some(spliced) = whole.and_then(|document| context.splice(document)) {
        message.set_text(spliced);
        message.trace = Some(Box::new(context));
    }
}
