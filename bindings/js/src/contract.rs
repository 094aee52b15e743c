//! Tool contracts: the definition of a tool, and the checks of calls and results.

use std::sync::Arc;

use toolgate_json::{Node as _, OwnedDocument, ReadLimits};
use toolgate_mcp::check::{Checked, Checker, Decision};
use toolgate_mcp::contract::{SchemaStore, ToolContract};
use toolgate_mcp::era::Era;

use crate::options::{Options, Refusal};
use crate::write::Object;
use crate::{INVALID, MISUSED, REFUSED, State, VALID, report};

/// A contract, and the settings of its checks.
pub(crate) struct Contract {
    tool: Arc<ToolContract>,
    era: Era,
    checker: Checker,
    limits: ReadLimits,
}

impl Contract {
    /// The maximum number of bytes of arguments or a result.
    pub(crate) fn instance_bytes(&self) -> usize {
        self.limits.bytes
    }
}

/// What is checked.
#[derive(Clone, Copy)]
pub(crate) enum What {
    Arguments,
    Result,
}

/// Reads a tool's definition and compiles both schemas.
pub(crate) fn read(state: &mut State, tool: usize, options: usize) -> u32 {
    let Some((tool, options)) = state.texts(tool, options) else {
        return REFUSED;
    };
    let made = make(tool, options);
    state.output.clear();
    match made {
        Ok(contract) => {
            state.output.push_str(contract.tool.name());
            state.contracts.insert(contract)
        }
        Err(why) => {
            let mut object = Object::new(&mut state.output);
            object.text("code", why.code);
            object.text("message", &why.message);
            object.maybe("schemaPath", why.path.as_deref());
            REFUSED
        }
    }
}

struct NoContract {
    code: &'static str,
    message: String,
    path: Option<String>,
}

fn make(tool: &[u8], options: &[u8]) -> Result<Contract, NoContract> {
    let of_option = |message: String| NoContract {
        code: "option",
        message,
        path: None,
    };
    let options =
        Options::read(options, &[ERA]).map_err(|why: Refusal| of_option(why.to_string()))?;
    let named = options.document.as_ref();
    let named = named.and_then(|document| document.document().root().member(ERA));
    let era = match named {
        None => Some(NEWEST),
        Some(version) => Era::from_version(version.string()),
    };
    let Some(era) = era else {
        let versions = Era::ALL.map(Era::version).join(", ");
        return Err(of_option(format!("`{ERA}` must be one of {versions}")));
    };
    let limits = options.compiler.bounds().instance;
    let store = SchemaStore::with(options.compiler, SchemaStore::BYTES);
    let tool = ToolContract::read(tool, &store).map_err(|why| NoContract {
        code: why.code(),
        message: why.to_string(),
        path: None,
    })?;
    tool.verify().map_err(|why| NoContract {
        code: why.error.code(),
        message: why.to_string(),
        path: Some(format!("/{}{}", why.part.member(), why.error.pointer())),
    })?;
    Ok(Contract {
        tool: Arc::new(tool),
        era,
        checker: Checker::new().limits(limits),
        limits,
    })
}

/// Checks arguments or a result and writes the decision.
pub(crate) fn check(state: &mut State, contract: u32, length: usize, what: What) -> u32 {
    let (Some(contract), Some(text)) =
        (state.contracts.get_mut(contract), state.input.get(..length))
    else {
        return MISUSED;
    };
    let decision = match what {
        What::Arguments => Ok(contract.checker.check_arguments_bytes(&contract.tool, text)),
        What::Result => OwnedDocument::read(text, &contract.limits).map(|result| {
            let result = result.document().root();
            let tool = &contract.tool;
            contract.checker.check_result(tool, contract.era, result)
        }),
    };
    state.output.clear();
    match decision {
        Ok(decision) => write(&mut state.output, &decision, contract.era),
        Err(error) => {
            report::unreadable(&mut state.output, &error);
            crate::UNREADABLE
        }
    }
}

fn write(out: &mut String, decision: &Decision, era: Era) -> u32 {
    let mut object = Object::new(out);
    match decision {
        Decision::Pass(pass) => {
            object.boolean("pass", true);
            object.text("checked", checked(pass.checked));
            VALID
        }
        Decision::Refuse(refusal) => {
            object.boolean("pass", false);
            object.text("code", refusal.fault.code());
            object.text("message", refusal.text());
            let findings = refusal.report.as_ref().map(|report| &report.findings[..]);
            object.array("errors", findings.unwrap_or_default(), report::finding);
            let complete = refusal.report.as_ref().is_none_or(|report| report.complete);
            object.boolean("complete", complete);
            // The answer of a server: a result of the tool, or else a JSON-RPC error.
            match refusal.is_result_in(era) {
                true => object.member("result", |out| out.push_str(&refusal.error_result(era))),
                false => object.object("error", |object| {
                    object.number("code", refusal.fault.rpc_code());
                    object.text("message", refusal.text());
                }),
            }
            INVALID
        }
    }
}

fn checked(checked: Checked) -> &'static str {
    match checked {
        Checked::Valid => "valid",
        Checked::NoOutputSchema => "no-output-schema",
        Checked::ErrorResult => "error-result",
        Checked::InputRequired => "input-required",
        Checked::TaskCreated | Checked::TaskWithoutResult => "task",
        Checked::EraWithoutOutput => "era-without-output",
        // The checker refuses undecided values, and has no other engine.
        _ => "not-checked",
    }
}

/// The option with the protocol version.
const ERA: &str = "protocolVersion";
/// The protocol version if the option is missing.
const NEWEST: Era = Era::V2026_07_28;
