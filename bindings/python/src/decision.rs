//! Decisions about calls and results: as `toolsure.mcp.Decision`, or as exceptions.

use pyo3::prelude::*;
use toolsure_bindings::contract::checked;
use toolsure_mcp::check::{Checked, Decision, Fault, Refusal};
use toolsure_mcp::era::Era;
use toolsure_schema::Report;

use crate::errors::{self, Class, Members, Unread};
use crate::finding::{self, Subject};
use crate::text::loads;

static DECISION: Class = Class::new("toolsure._result", "Decision");

/// The part of a call that is checked.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    Arguments,
    Result,
}

/// What a check of a call or a result found.
pub(crate) enum Outcome {
    Pass(Checked),
    Refuse(Box<Refused>),
}

/// Why a call or a result is refused.
pub(crate) struct Refused {
    refusal: Refusal,
    code: &'static str,
    setting: Option<&'static str>,
    is_undecided: bool,
    /// Where a text is not JSON, if that is the reason.
    offset: Option<usize>,
}

impl Outcome {
    /// `is_given` says whether the caller gave a text, which offsets are about then.
    pub(crate) fn of(decision: Decision, is_given: bool) -> Self {
        let mut refusal = match decision {
            Decision::Pass(pass) => return Self::Pass(pass.checked),
            Decision::Refuse(refusal) => *refusal,
        };
        let findings = refusal.report.as_mut().filter(|_| !is_given);
        for finding in findings.into_iter().flat_map(|report| &mut report.findings) {
            finding.instance_span = None;
        }
        let (setting, is_undecided) = match &refusal.fault {
            Fault::UndecidedArguments(why) | Fault::UndecidedResult(why) => (why.setting(), true),
            Fault::Uncompilable(tool) => {
                let limit = tool.error.limit();
                (limit.map(|limit| limit.name.setting()), false)
            }
            _ => (None, false),
        };
        Self::Refuse(Box::new(Refused {
            code: refusal.fault.code(),
            setting,
            is_undecided,
            offset: None,
            refusal,
        }))
    }

    /// The outcome for arguments or a result that were not read. A Python value that is not JSON
    /// is the caller's mistake, and raises.
    pub(crate) fn unread(
        py: Python<'_>,
        tool: &str,
        part: Part,
        why: Unread,
        is_text: bool,
    ) -> PyResult<Self> {
        let (message, setting, code, offset) = match why {
            Unread::Limit { message, setting } => {
                let code = match part {
                    Part::Arguments => "arguments-undecided",
                    Part::Result => "result-undecided",
                };
                (message, setting, code, None)
            }
            Unread::NotJson {
                message, offset, ..
            } if is_text => (message, None, NOT_JSON, offset),
            not_json => return Err(errors::unread(py, not_json)),
        };
        Ok(Self::Refuse(Box::new(Refused {
            is_undecided: code != NOT_JSON,
            offset,
            refusal: Refusal::of_arguments(tool, message),
            code,
            setting,
        })))
    }

    /// The outcome as data. `subject` is what the findings are about.
    pub(crate) fn decide<'py>(
        self,
        py: Python<'py>,
        era: Era,
        subject: impl FnOnce() -> PyResult<Subject>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let members = Members::new(py);
        let members = match self {
            Self::Pass(found) => members.with("ok", true).with("checked", checked(found)),
            Self::Refuse(mut refused) => {
                let report = refused.refusal.report.take();
                let complete = report.as_ref().is_none_or(|report| report.complete);
                let refusal = &refused.refusal;
                let members = members
                    .with("ok", false)
                    .with("code", refused.code)
                    .with("message", refusal.text())
                    .with("complete", complete && !refused.is_undecided)
                    .with("setting", refused.setting);
                // The answer of a server: a result of the tool, or else a JSON-RPC error.
                let members = if refused.code == NOT_JSON {
                    members.with("error", rpc_error(py, PARSE_ERROR, refusal.text())?)
                } else if refusal.is_result_in(era) {
                    members.with("result", loads(py, refusal.error_result(era).as_bytes())?)
                } else {
                    let code = refusal.fault.rpc_code();
                    members.with("error", rpc_error(py, code, refusal.text())?)
                };
                match report {
                    Some(report) => {
                        members.with("errors", finding::validations(py, report, &subject()?)?)
                    }
                    None => members,
                }
            }
        };
        DECISION.get(py)?.call((), Some(&members.done()?))
    }

    /// Raises what is refused.
    pub(crate) fn raise(
        self,
        py: Python<'_>,
        subject: impl FnOnce() -> PyResult<Subject>,
    ) -> PyResult<()> {
        let mut refused = match self {
            Self::Pass(_) => return Ok(()),
            Self::Refuse(refused) => refused,
        };
        let report: Option<Report> = refused.refusal.report.take();
        let refusal = &refused.refusal;
        if refused.is_undecided {
            return Err(errors::undecided(py, refusal.text(), refused.setting));
        }
        if refused.code == NOT_JSON {
            let why = Unread::NotJson {
                message: refusal.text().to_owned(),
                pointer: None,
                offset: refused.offset,
            };
            return Err(errors::unread(py, why));
        }
        let members = Members::new(py)
            .with("code", refused.code)
            .with("tool", refusal.tool.as_deref())
            .with("setting", refused.setting);
        let members = match report {
            Some(report) => members
                .with("complete", report.complete)
                .with("errors", finding::validations(py, report, &subject()?)?),
            None => members,
        };
        Err(errors::contract(py, refusal.text(), members))
    }
}

fn rpc_error<'py>(
    py: Python<'py>,
    code: i64,
    message: &str,
) -> PyResult<Bound<'py, pyo3::types::PyDict>> {
    let members = Members::new(py).with("code", code).with("message", message);
    members.done()
}

/// The code of a text that is not JSON.
const NOT_JSON: &str = "message-json";
/// JSON-RPC: the text is not JSON.
const PARSE_ERROR: i64 = -32_700;
