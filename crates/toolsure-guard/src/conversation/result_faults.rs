//! What is wrong with a result that keeps its contract, for some of its readers.

use toolsure_json::{Kind, Node as _, OwnedDocument, quote};
use toolsure_mcp::check::{Checked, Decision, Fault, ResultOf};
use toolsure_mcp::era::Structured;

use super::result::{ToolAnswer, made_task};
use super::server::bad_form_of;
use super::turn::Turn;
use crate::fault::Act;
use crate::filter::results::NotObject;
use crate::filter::{Reply, SHOWN_NUMBER, Violation, results};
use crate::policy::{Mode, Output, TextBlocks, WideNumbers};
use crate::record::Filter;

impl ToolAnswer<'_> {
    /// How structured content is handled that the protocol of both sides does not allow.
    pub(super) fn not_object(&self, turn: &Turn<'_>) -> Option<NotObject> {
        if self.mode == Mode::Off {
            return None;
        }
        let (era, tool) = (self.open.era, self.tool.as_ref()?);
        results::not_object(turn.policy(), era, tool, self.result)
    }

    /// The violation of such content.
    pub(super) fn no_object(&self, what: NotObject) -> Violation {
        let (mode, act) = match what {
            NotObject::Bad => (self.mode, Act::ResultNotObject),
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
        let wanted = self.mode == Mode::Enforce && self.output == Output::Lift;
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
        if !any && root.kind() != Kind::Object {
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
        Violation::act(Filter::Results, self.mode, act, reply)
    }

    /// The violation of a result that asks for a form with a schema that the protocol does not allow.
    pub(super) fn bad_form(&self, turn: &Turn<'_>) -> Option<Violation> {
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
    pub(super) fn beyond_double(&self, turn: &Turn<'_>) -> Option<Violation> {
        if self.mode == Mode::Off || turn.policy().wide_numbers == WideNumbers::Pass {
            return None;
        }
        let number = self.result.beyond_double()?;
        let text = format!(
            "{} answered with a number that is beyond the range of a double: {}",
            self.subject(),
            quote(number.raw(), SHOWN_NUMBER)
        );
        let (act, reply) = (Act::ResultBeyondDouble, Reply::Tool(text));
        Some(Violation::act(Filter::Results, self.mode, act, reply))
    }

    /// The violation of an error whose structured content does not match the output schema, for clients
    /// that report this instead of the error.
    pub(super) fn error_value(&self, turn: &mut Turn<'_>) -> Option<Violation> {
        if self.mode == Mode::Off {
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
        Some(Violation::act(Filter::Results, self.mode, act, reply))
    }

    /// The violation of a final result that keeps its contract but lacks something that some readers need.
    pub(super) fn missing_text(&self, turn: &Turn<'_>, of: ResultOf) -> Option<Violation> {
        let mode = match turn.policy().text_blocks {
            TextBlocks::Report => Mode::Audit,
            TextBlocks::Repair | TextBlocks::Refuse => self.mode,
        };
        let task = !of.era.has_tasks_unasked() && made_task(of, self.result).is_some();
        if self.mode == Mode::Off || task {
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
}
