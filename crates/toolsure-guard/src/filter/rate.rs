//! Checks the rate limit of a tool. A call that continues another with its `requestState` (2026-07-28,
//! basic/patterns/mrtr) is that call, and takes no second token.

use toolsure_json::{Kind, Node as _, quote};

use super::violation::SHOWN_NAME;
use super::{CallCase, Judged, Reply, Violation};
use crate::fault::Act;
use crate::policy::Mode;
use crate::record::Filter;
use crate::scope::Found;

pub(super) fn judge(case: &mut CallCase<'_>) -> Judged {
    let Some(rate) = case.terms.rate.filter(|_| !case.paid) else {
        return Judged::Pass;
    };
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
    match case.caller.take(bucket, &rate, case.now) {
        Ok(()) => {
            case.paid = true;
            Judged::Pass
        }
        Err(wait) => {
            let times = match rate.calls {
                1 => "once".to_owned(),
                calls => format!("{calls} times"),
            };
            let at_once = match rate.burst < rate.calls {
                true => format!(", at most {} at once", rate.burst),
                false => String::new(),
            };
            let text = format!(
                "tool `{}` was not called: it may be called {times} in {} s{at_once}; try again in {} s",
                quote(case.call.name, SHOWN_NAME),
                rate.per.as_secs_f64(),
                wait.as_millis().div_ceil(1_000)
            );
            let reply = Reply::Tool(text);
            Violation::act(Filter::Rate, Mode::Enforce, Act::ToolCalledTooOften, reply).into()
        }
    }
}
