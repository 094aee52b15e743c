//! Checks whether the arguments of a call keep the argument schema that the operator gave the tool, or
//! that its server lists beside the input schema and the operator trusts.

use toolsure_json::{Document, OwnedDocument, quote};
use toolsure_mcp::argument::{Answer, ArgumentSchema, SchemaError};
use toolsure_mcp::check::{OnUndecided, Refusal};
use toolsure_mcp::message::INVALID_PARAMS;

use super::violation::SHOWN_NAME;
use super::{CallCase, Judged, Reply, Violation};
use crate::fault::{Act, Party};
use crate::policy::Mode;
use crate::record::{Filter, Record};
use crate::scope::Found;

pub(super) fn judge(case: &mut CallCase<'_>) -> Judged {
    // The filter of arguments reports arguments that are not an object.
    if case.terms.arguments == Mode::Off || case.call.malformed_arguments().is_some() {
        return Judged::Pass;
    }
    let policy = &case.rules.policy;
    if let Some(schema) = policy.argument_schema(case.call.name)
        && let Some(violation) = object(case, schema)
    {
        return violation.into();
    }
    let Found::Tool(tool) = case.found else {
        return Judged::Pass;
    };
    if !policy.listed_argument_schemas {
        return Judged::Pass;
    }
    match tool.listed_arguments() {
        None => Judged::Pass,
        Some(Ok(schema)) => object(case, schema).map_or(Judged::Pass, Judged::from),
        Some(Err(error)) => malformed(case, error).into(),
    }
}

fn object(case: &CallCase<'_>, schema: &ArgumentSchema) -> Option<Violation> {
    let limits = case.rules.policy.limits.read();
    let read = |text: &str| OwnedDocument::read(text, &limits).ok();
    // The server will get the repaired arguments.
    let repaired = case.repaired.as_deref().and_then(read);
    let answer = match (&repaired, case.call.arguments) {
        (Some(repaired), _) => schema.check(repaired.document().root()),
        (None, Some(arguments)) => schema.check(arguments),
        (None, None) => match read("{}").as_ref().map(OwnedDocument::document) {
            Some(empty) => schema.check(Document::root(empty)),
            None => Answer::Undecided,
        },
    };
    let mode = case.terms.arguments;
    let name = case.call.name;
    match answer {
        Answer::Accepted => None,
        Answer::Refused(why) => {
            let refusal = Box::new(Refusal::of_arguments(name, why.to_string()));
            let mut violation = Violation::refusal(Filter::Arguments, mode, refusal);
            violation.code = BROKEN;
            violation.by_list = false;
            let places = why.list().iter().take(Record::PLACES);
            let place = |one: &toolsure_mcp::argument::Refusal| {
                quote(one.argument(), SHOWN_NAME).to_string()
            };
            violation.places = places.map(place).collect();
            Some(violation)
        }
        Answer::Undecided => {
            let mode = match case.rules.policy.on_undecided {
                OnUndecided::Refuse => mode,
                OnUndecided::Pass => Mode::Audit,
            };
            let text = format!(
                "tool `{}` was not called: its arguments are too costly to check against the argument schema",
                quote(name, SHOWN_NAME)
            );
            let refusal = Box::new(Refusal::of_arguments(name, text));
            let mut violation = Violation::refusal(Filter::Arguments, mode, refusal);
            violation.code = "arguments-undecided";
            violation.blame = Party::Guard;
            violation.by_list = false;
            Some(violation)
        }
    }
}

/// A listed schema that cannot be read.
fn malformed(case: &CallCase<'_>, error: &SchemaError) -> Violation {
    let text = format!(
        "tool `{}` lists an invalid argument schema: {error}",
        quote(case.call.name, SHOWN_NAME)
    );
    let reply = Reply::Error {
        code: INVALID_PARAMS,
        text,
    };
    let (mode, act) = (case.terms.arguments, Act::ServerListedBadTool);
    let mut violation = Violation::act(Filter::Arguments, mode, act, reply);
    violation.by_list = true;
    violation
}

/// The code for arguments that break an argument schema.
const BROKEN: &str = "argument-schema";
