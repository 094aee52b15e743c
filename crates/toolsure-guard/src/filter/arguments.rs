//! Checks whether the arguments of a call keep the tool's contract, or can be repaired.

use toolsure_json::{OwnedDocument, View, quote};
use toolsure_mcp::check::{Checked, Decision, Fault, Refusal};
use toolsure_mcp::contract::ToolContract;
use toolsure_mcp::repair::{Edit, EditKind, Outcome, RepairLimits, Repaired, repair};

use super::violation::{SHOWN_LOCATION, shown_location};
use super::{CallCase, Judged, Reply, SHOWN_NAME, SHOWN_NUMBER, Violation};
use crate::fault::Act;
use crate::policy::{Mode, Policy, Repair, WideNumbers};
use crate::record::{Filter, Record};
use crate::scope::{Found, Known};

pub(super) fn judge(case: &mut CallCase<'_>) -> Judged {
    if let Some(violation) = case.unmapped.take() {
        return violation.into();
    }
    if let Some(malformed) = case.call.malformed_arguments() {
        return Violation::malformed(case.terms.arguments, malformed.to_string()).into();
    }
    let Found::Tool(tool) = case.found else {
        return Judged::Pass;
    };
    if case.terms.arguments == Mode::Off {
        return Judged::Pass;
    }
    let arguments = case.call.arguments;
    match case.checker.check_arguments_view(&tool.contract, arguments) {
        Decision::Pass(pass) => match pass.checked {
            Checked::Undecided(why) => {
                Violation::undecided(Filter::Arguments, "arguments-undecided", why).into()
            }
            _ => {
                let wide = arguments.and_then(|arguments| beyond_double(case, arguments));
                wide.map_or(Judged::Pass, Judged::from)
            }
        },
        Decision::Refuse(refusal) => {
            if case.terms.arguments == Mode::Enforce
                && let Some(repaired) = repaired(case, tool, &refusal)
            {
                return repaired;
            }
            Violation::refusal(Filter::Arguments, case.terms.arguments, refusal).into()
        }
    }
}

/// A number that its reader would take for infinity, if the policy refuses such numbers.
pub(crate) fn wide_number<'v>(policy: &Policy, value: View<'v>) -> Option<View<'v>> {
    match policy.wide_numbers {
        WideNumbers::Refuse => value.beyond_double(),
        WideNumbers::Pass => None,
    }
}

/// The violation of a number in arguments that the tool would read as infinity.
fn beyond_double(case: &CallCase<'_>, arguments: View<'_>) -> Option<Violation> {
    let number = wide_number(&case.rules.policy, arguments)?;
    let document = arguments.document();
    let whole = document.pointer(arguments.id());
    let pointer = document.pointer(number.id());
    let at = pointer.strip_prefix(&whole).unwrap_or_default();
    let text = format!(
        "invalid arguments for tool `{}`:\n- {}: {} is beyond the range of a double, so the tool \
         would read infinity; send a number between -1.8e308 and 1.8e308",
        quote(case.call.name, SHOWN_NAME),
        quote(at, SHOWN_LOCATION),
        quote(number.raw(), SHOWN_NUMBER)
    );
    let (mode, act) = (case.terms.arguments, Act::ArgumentsBeyondDouble);
    Some(Violation::act(
        Filter::Arguments,
        mode,
        act,
        Reply::Tool(text),
    ))
}

fn repaired(case: &CallCase<'_>, tool: &Known, refusal: &Refusal) -> Option<Judged> {
    if !matches!(refusal.fault, Fault::InvalidArguments) {
        return None;
    }
    let arguments = case
        .call
        .arguments
        .map_or("{}", |arguments| arguments.raw());
    let (policy, which) = (&case.rules.policy, case.terms.repair);
    let repaired = repair_text(policy, which, &tool.contract, arguments)?;
    let read = OwnedDocument::read(repaired.text.as_str(), &policy.limits.read()).ok()?;
    if let Some(violation) = beyond_double(case, read.document().root()) {
        return Some(violation.into());
    }
    Some(Judged::Repaired {
        what: places(&repaired.edits, refusal),
        arguments: repaired.text,
    })
}

/// Repairs arguments within the policy's limits; `None` if they are not repaired.
pub(crate) fn repair_text(
    policy: &Policy,
    which: Repair,
    tool: &ToolContract,
    arguments: &str,
) -> Option<Repaired> {
    let schema = tool.input().ok().filter(|_| which != Repair::Off)?;
    let limits = RepairLimits {
        only_certain: which == Repair::Certain,
        fuel: policy.limits.fuel,
        ..RepairLimits::default()
    };
    match repair(&schema, arguments.as_bytes(), &limits).ok()? {
        Outcome::Repaired(repaired) => Some(repaired),
        Outcome::Valid | Outcome::Unrepaired { .. } | Outcome::Undecided(_) => None,
    }
}

/// The edits for the log: where and what, not the values.
fn places(edits: &[Edit], refusal: &Refusal) -> Vec<String> {
    let findings = refusal.report.iter().flat_map(|report| &report.findings);
    let keywords = findings.flat_map(|finding| finding.keyword_location().split('/'));
    let keywords: Vec<&str> = keywords.collect();
    let edits = edits.iter().take(Record::PLACES);
    edits.map(|edit| place(edit, &keywords)).collect()
}

fn place(edit: &Edit, keywords: &[&str]) -> String {
    let what = match edit.kind {
        EditKind::Parsed(kind) => format!("read as {kind}"),
        EditKind::NullRemoved => "null left out".to_owned(),
        EditKind::DefaultFilled => "default filled in".to_owned(),
        _ => "repaired".to_owned(),
    };
    let at = match (edit.kind, edit.pointer.rsplit_once('/')) {
        // The schema names the member, or it would have no default.
        (EditKind::DefaultFilled, Some((holder, name))) => {
            format!("{}/{name}", shown_location(holder, keywords))
        }
        _ => shown_location(&edit.pointer, keywords),
    };
    format!("{} {what}", quote(&at, SHOWN_LOCATION))
}
