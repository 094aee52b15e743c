//! Tool contracts: the definition of a tool, and the checks of calls and results.

use std::sync::Arc;

use toolsure_json::{Node as _, OwnedDocument, ReadError, ReadLimits};
use toolsure_mcp::check::{Checked, Checker, Decision};
use toolsure_mcp::contract::{SchemaStore, ToolContract};
use toolsure_mcp::era::Era;

use crate::options::{Options, Refusal};
use crate::report;
use crate::write::Object;

/// A contract, and the settings of its checks.
pub(crate) struct Contract {
    tool: Arc<ToolContract>,
    era: Era,
    checker: Checker,
    limits: ReadLimits,
}

impl Contract {
    /// Reads a tool's definition and compiles both schemas.
    pub(crate) fn read(tool: &[u8], options: &[u8]) -> Result<Self, NoContract> {
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
        Ok(Self {
            tool: Arc::new(tool),
            era,
            checker: Checker::new().limits(limits),
            limits,
        })
    }

    /// The maximum number of bytes of arguments or a result.
    pub(crate) fn instance_bytes(&self) -> usize {
        self.limits.bytes
    }

    /// The tool's name.
    pub(crate) fn name(&self) -> &str {
        self.tool.name()
    }

    /// Checks arguments or a result.
    pub(crate) fn check(&mut self, text: &[u8], what: What) -> Result<Decision, ReadError> {
        match what {
            What::Arguments => Ok(self.checker.check_arguments_bytes(&self.tool, text)),
            What::Result => OwnedDocument::read(text, &self.limits).map(|result| {
                let result = result.document().root();
                self.checker.check_result(&self.tool, self.era, result)
            }),
        }
    }

    /// Writes a decision.
    pub(crate) fn write(&self, out: &mut String, decision: &Decision) {
        let era = self.era;
        let mut object = Object::new(out);
        match decision {
            Decision::Pass(pass) => {
                object.boolean("pass", true);
                object.text("checked", checked(pass.checked));
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
            }
        }
    }
}

/// Why there is no contract.
pub(crate) struct NoContract {
    code: &'static str,
    message: String,
    path: Option<String>,
}

impl NoContract {
    /// Writes it as an object.
    pub(crate) fn write(&self, out: &mut String) {
        let mut object = Object::new(out);
        object.text("code", self.code);
        object.text("message", &self.message);
        object.maybe("schemaPath", self.path.as_deref());
    }
}

/// What is checked.
#[derive(Clone, Copy)]
pub(crate) enum What {
    Arguments,
    Result,
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
