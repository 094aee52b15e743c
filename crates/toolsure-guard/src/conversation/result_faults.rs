//! What is wrong with a result: it does not keep its contract, it is too long, or some of its readers cannot read
//! it.

use toolsure_json::{Kind, Node as _, OwnedDocument, ReadLimits, View, quote};
use toolsure_mcp::check::{Checked, Decision, Fault, OnUndecided, ResultOf};
use toolsure_mcp::era::Structured;
use toolsure_mcp::message::{MalformedResult, created_task, requested_task};

use super::open::What;
use super::result::ToolAnswer;
use super::server::bad_form_of;
use super::turn::Turn;
use crate::fault::Act;
use crate::filter::arguments::wide_number;
use crate::filter::results::NotObject;
use crate::filter::{Reply, SHOWN_NUMBER, Violation, results};
use crate::policy::{Mode, Output, TextBlocks};
use crate::record::Filter;
use crate::scope::Scope;

impl ToolAnswer<'_> {
    /// What is wrong with a result: the checks in their order, of which the first finding counts.
    pub(super) fn violation(
        &self,
        turn: &mut Turn<'_>,
        scope: &Scope,
        of: ResultOf,
    ) -> Option<Violation> {
        if self.grows
            && let Some(too_large) = self.unreadable_members(turn)
        {
            return Some(too_large);
        }
        let not_object = self.not_object(turn);
        let becomes = |what| {
            let is_it = not_object.filter(|found| *found == what);
            is_it.map(|what| self.no_object(what))
        };
        self.judge(turn, scope, of)
            .or_else(|| self.unreadable_members(turn))
            .or_else(|| self.bad_form(turn))
            .or_else(|| self.beyond_double(turn))
            .or_else(|| becomes(NotObject::Bad))
            .or_else(|| self.error_value(turn))
            .or_else(|| self.missing_text(turn, of))
            .or_else(|| becomes(NotObject::LeftOut))
            .or_else(|| self.too_long())
    }

    /// Holds a result to its tool's contract.
    fn judge(&self, turn: &mut Turn<'_>, scope: &Scope, of: ResultOf) -> Option<Violation> {
        let mode = self.mode();
        let is_call = matches!(self.open.what, What::Call(_));
        if let Some(task) = made_task(of, self.result).filter(|_| is_call) {
            if let Some(tool) = &self.tool {
                scope.began(task, tool);
            }
            let peer = self.open.peer.as_ref();
            if let Some(caller) = peer.and_then(|peer| peer.verified.as_ref()) {
                scope.began_for(task, caller);
            }
        }
        if mode == Mode::Off {
            return None;
        }
        if turn.message.is_ambiguous() {
            // The value that is checked here may differ from the value that the client will read.
            let flaw = turn.message.flaw().map(ToString::to_string);
            let text = format!(
                "{} answered with a result that cannot be checked: {}",
                self.subject(),
                flaw.unwrap_or_default()
            );
            let act = Act::ServerAnsweredNoJson;
            let reply = Reply::Tool(text);
            return Some(Violation::act(Filter::Results, mode, act, reply));
        }
        if let Some(error) = self.malformed {
            return Some(self.not_a_result(error));
        }
        let Some(tool) = &self.tool else {
            let malformed = of.era.read_result(self.result).err();
            return malformed
                .map(|error| self.not_a_result(error))
                .or_else(|| self.without_contract(turn));
        };
        match turn.checker.check_result(tool, of, self.result) {
            Decision::Pass(pass) => match pass.checked {
                Checked::Undecided(why) => Some(Violation::undecided(
                    Filter::Results,
                    "result-undecided",
                    why,
                )),
                // The outcome of a task is final.
                Checked::InputRequired | Checked::TaskCreated if !is_call => {
                    let subject = self.subject();
                    let text = format!("{subject} made a task whose result is not final");
                    let act = Act::ServerAnsweredNoMessage;
                    let reply = Reply::Tool(text);
                    let mut violation = Violation::act(Filter::Results, mode, act, reply);
                    violation.code = "result-malformed";
                    Some(violation)
                }
                _ => None,
            },
            Decision::Refuse(refusal) => Some(Violation::refusal(Filter::Results, mode, refusal)),
        }
    }

    /// A result whose contract is unknown here.
    fn without_contract(&self, turn: &Turn<'_>) -> Option<Violation> {
        let What::Task { .. } = self.open.what else {
            // The policy let the call pass without a contract.
            return None;
        };
        let mode = match turn.policy().on_undecided {
            OnUndecided::Refuse => self.mode(),
            OnUndecided::Pass => Mode::Audit,
        };
        let text = "the task's result cannot be checked: the tool that began it is unknown";
        let reply = Reply::Tool(text.to_owned());
        Some(Violation::act(
            Filter::Results,
            mode,
            Act::TaskUnknown,
            reply,
        ))
    }

    /// The violation of a result that no reader can read, or that readers may read differently.
    fn not_a_result(&self, error: MalformedResult) -> Violation {
        let subject = self.subject();
        let text = format!("{subject} did not answer with a result: {error}");
        let act = Act::ServerAnsweredNoMessage;
        let mut violation = Violation::act(Filter::Results, self.mode(), act, Reply::Tool(text));
        violation.code = "result-malformed";
        violation
    }

    /// How structured content is handled that the protocol of both sides does not allow.
    fn not_object(&self, turn: &Turn<'_>) -> Option<NotObject> {
        if self.mode() == Mode::Off {
            return None;
        }
        let (era, tool) = (self.open.era, self.tool.as_ref()?);
        results::not_object(turn.policy(), era, tool, self.result)
    }

    /// The violation of such content.
    fn no_object(&self, what: NotObject) -> Violation {
        let (mode, act) = match what {
            NotObject::Bad => (self.mode(), Act::ResultNotObject),
            // The projection omits it in any mode, like everything that the reader's era cannot express.
            NotObject::LeftOut => (Mode::Enforce, Act::ResultValueLeftOut),
        };
        let text = format!(
            "{} answered with structured content that is not an object, but the protocol requires one",
            self.subject()
        );
        let reply = Reply::Tool(text);
        Violation::act(Filter::Results, mode, act, reply)
    }

    /// The text of a result that becomes its structured content, if that is all that it lacks and the
    /// policy wants it.
    pub(super) fn lifted(&self, turn: &mut Turn<'_>, violation: &Violation) -> Option<String> {
        let wanted = self.mode() == Mode::Enforce && self.terms.output == Output::Lift;
        if !wanted
            || violation.code != Fault::MissingStructured.code()
            || turn.message.flaw().is_some()
        {
            return None;
        }
        let tool = self.tool.as_ref()?;
        let text = results::text_to_lift(self.open.era, self.result)?;
        let value = OwnedDocument::read(text.string(), turn.limits()).ok()?;
        let root = value.document().root();
        let any = self.open.era.structured() == Structured::Any;
        if !any && root.kind() != Kind::Object || wide_number(turn.policy(), root).is_some() {
            return None;
        }
        let fits = match turn.checker.check_structured(tool, root) {
            Decision::Pass(pass) => !matches!(pass.checked, Checked::Undecided(_)),
            Decision::Refuse(_) => false,
        };
        fits.then(|| text.string().to_owned())
    }

    /// The record of a text that became the structured content.
    pub(super) fn text_lifted(&self) -> Violation {
        let text = format!(
            "{} answered with text only, which became the structured content that its output schema requires",
            self.subject()
        );
        let (act, reply) = (Act::ResultTextLifted, Reply::Tool(text));
        Violation::act(Filter::Results, self.mode(), act, reply)
    }

    /// The violation of a result that asks for a form with a schema that the protocol does not allow.
    fn bad_form(&self, turn: &Turn<'_>) -> Option<Violation> {
        let asked = self.result.member("inputRequests")?;
        let mut forms = asked.members().filter_map(|(_, request)| {
            let method = request.member("method")?;
            bad_form_of(turn, method.string(), request.member("params"))
        });
        let why = forms.next()?;
        let text = format!(
            "{} asks for a form: `requestedSchema`: {why}",
            self.subject()
        );
        let (mode, act) = (turn.policy().elicitation, Act::ServerAskedBadForm);
        Some(Violation::act(
            Filter::Results,
            mode,
            act,
            Reply::Tool(text),
        ))
    }

    /// The violation of a number that the client would read as infinity, or for which it rejects the result.
    fn beyond_double(&self, turn: &Turn<'_>) -> Option<Violation> {
        if self.mode() == Mode::Off {
            return None;
        }
        let number = wide_number(turn.policy(), self.result)?;
        let text = format!(
            "{} answered with a number that is beyond the range of a double: {}",
            self.subject(),
            quote(number.raw(), SHOWN_NUMBER)
        );
        let (act, reply) = (Act::ResultBeyondDouble, Reply::Tool(text));
        Some(Violation::act(Filter::Results, self.mode(), act, reply))
    }

    /// The violation of an error whose structured content does not match the output schema, for clients
    /// that report this instead of the error.
    fn error_value(&self, turn: &mut Turn<'_>) -> Option<Violation> {
        if self.mode() == Mode::Off {
            return None;
        }
        let (era, tool) = (self.open.era, self.tool.as_ref()?);
        let value = results::error_value(turn.policy(), era, tool, self.result)?;
        let refusal = turn
            .checker
            .check_structured(tool, value)
            .refusal()?
            .to_string();
        let text = format!(
            "{} answered with an error whose structured content does not match its output schema: {refusal}",
            self.subject()
        );
        let (act, reply) = (Act::ErrorValueLeftOut, Reply::Tool(text));
        Some(Violation::act(Filter::Results, self.mode(), act, reply))
    }

    /// The violation of a final result that keeps its contract but lacks something that some readers need.
    fn missing_text(&self, turn: &Turn<'_>, of: ResultOf) -> Option<Violation> {
        let mode = match turn.policy().text_blocks {
            TextBlocks::Report => Mode::Audit,
            TextBlocks::Repair | TextBlocks::Refuse => self.mode(),
        };
        let task = !of.era.has_tasks_unasked() && made_task(of, self.result).is_some();
        if self.mode() == Mode::Off || task {
            return None;
        }
        let act = results::missing(of.era, self.result)?;
        let lack = match act {
            Act::ResultWithoutText => {
                "with structured content that is not an object, and without a text block"
            }
            _ => "without `content`",
        };
        let text = format!("{} answered {lack}", self.subject());
        let reply = Reply::Tool(text);
        Some(Violation::act(Filter::Results, mode, act, reply))
    }

    /// The maximum bytes of the result, if there is a bound.
    pub(super) fn most_bytes(&self) -> Option<usize> {
        Some(self.terms.max_result_bytes).filter(|most| *most > 0)
    }

    /// The violation of a result that is too long.
    fn too_long(&self) -> Option<Violation> {
        let is_over = |most: usize| self.result.raw().len() > most;
        if !self.most_bytes().is_some_and(is_over) || self.may_be_longer() {
            return None;
        }
        let mut violation = self.of_length(self.result.raw().len());
        if self.mode() == Mode::Audit {
            violation.mode = Mode::Audit;
        }
        Some(violation)
    }

    fn of_length(&self, bytes: usize) -> Violation {
        let most = self.most_bytes().unwrap_or_default();
        let text = format!(
            "{} answered with a result of {bytes} bytes, and at most {most} are passed on: ask for less",
            self.subject()
        );
        let act = Act::ResultTooLong;
        let mut violation = Violation::act(Filter::Results, Mode::Enforce, act, Reply::Tool(text));
        violation.detail = Some(format!("{bytes} bytes, at most {most}"));
        violation
    }

    /// The violation of a text that was made of the message, and in which the result is too long.
    pub(super) fn grew_too_long(&self, turn: &Turn<'_>, text: &str) -> Option<Violation> {
        let around = turn
            .message
            .text()
            .len()
            .saturating_sub(self.result.raw().len());
        let most = self.most_bytes()?.saturating_add(around);
        if text.len() <= most || self.may_be_longer() {
            return None;
        }
        let mut violation = self
            .too_long()
            .unwrap_or_else(|| self.of_length(text.len()));
        violation.mode = Mode::Enforce;
        Some(violation)
    }

    /// Whether the tool's author has said that its results may be so long, and no rule says otherwise.
    fn may_be_longer(&self) -> bool {
        let Some(tool) = self.tool.as_ref().filter(|_| !self.terms.is_own_bound) else {
            return false;
        };
        if !tool.text().contains("maxResultSizeChars") {
            return false;
        }
        let Ok(document) = OwnedDocument::read(tool.text(), &ReadLimits::default()) else {
            return false;
        };
        let meta = document.document().root().member("_meta");
        let most = meta.and_then(|meta| meta.member(DECLARED));
        let most = most.filter(|most| most.kind() == Kind::Number);
        let most = most.and_then(|most| most.number().as_u64());
        let most = most.and_then(|most| usize::try_from(most).ok());
        most.is_some_and(|most| self.result.raw().chars().count() <= most)
    }
}

/// The task that an answer to a call made.
fn made_task(of: ResultOf, result: View<'_>) -> Option<&str> {
    match of.era.has_tasks_unasked() {
        true => created_task(result),
        false => requested_task(result).filter(|_| of.as_task),
    }
}

/// The member of a tool's `_meta` with which its author tells Claude Code how long its results may be.
const DECLARED: &str = "anthropic/maxResultSizeChars";
