//! Checks the rates: of a tool for its caller, of all tools for a network address, of the tool for all callers,
//! and of all tools for all callers. A
//! call that continues another with its `requestState` (2026-07-28, basic/patterns/mrtr) is that call, and takes
//! no second token.

use std::fmt;
use std::time::Duration;

use toolsure_json::{Kind, Node as _, quote};

use super::violation::SHOWN_NAME;
use super::{CallCase, Judged, Reply, Violation};
use crate::fault::Act;
use crate::policy::{Mode, Rate};
use crate::record::Filter;
use crate::scope::{Exhausted, Found};

pub(super) fn judge(case: &mut CallCase<'_>) -> Judged {
    let policy = &case.rules.policy;
    if case.paid || !policy.counts_calls(&case.terms) {
        return Judged::Pass;
    }
    let state = case.call.params.member("requestState");
    if let Some(state) = state.filter(|state| state.kind() == Kind::String)
        && case.caller.continues(case.call.name, state.string())
    {
        case.paid = true;
        return Judged::Pass;
    }
    // Unlisted names share one bucket, so that the number of buckets is bounded.
    let bucket = match case.found {
        Found::Tool(_) => case.call.name,
        _ => "",
    };
    let name = case.call.name;
    // The caller's own rate first: what it refuses takes nothing from the others.
    if let Some(rate) = case.terms.rate
        && let Err(wait) = case.caller.take(bucket, &rate, case.now)
    {
        return too_often(name, format_args!("it may be called"), &rate, wait);
    }
    if let (Some(rate), Some(network)) = (policy.address_rate, case.network)
        && let Err(wait) = case.scope.take_of_address(network, &rate, case.now)
    {
        let who = format_args!("clients at one address may call tools");
        return too_often(name, who, &rate, wait);
    }
    let (tool, total) = (policy.tool_rate, policy.total_rate);
    match case
        .scope
        .take_of_all(bucket, tool.as_ref(), total.as_ref(), case.now)
    {
        Ok(()) => {
            case.paid = true;
            Judged::Pass
        }
        Err(Exhausted::Tool(rate, wait)) => too_often(
            name,
            format_args!("all clients together may call it"),
            &rate,
            wait,
        ),
        Err(Exhausted::Total(rate, wait)) => too_often(
            name,
            format_args!("all clients together may call the tools of its server"),
            &rate,
            wait,
        ),
    }
}

fn too_often(name: &str, who: fmt::Arguments<'_>, rate: &Rate, wait: Duration) -> Judged {
    let times = match rate.calls {
        1 => "once".to_owned(),
        calls => format!("{calls} times"),
    };
    let at_once = match rate.burst < rate.calls {
        true => format!(", at most {} at once", rate.burst),
        false => String::new(),
    };
    let text = format!(
        "tool `{}` was not called: {who} {times} in {} s{at_once}; try again in {} s",
        quote(name, SHOWN_NAME),
        rate.per.as_secs_f64(),
        wait.as_millis().div_ceil(1_000)
    );
    let reply = Reply::Tool(text);
    Violation::act(Filter::Rate, Mode::Enforce, Act::ToolCalledTooOften, reply).into()
}
