//! The schema engine as `check` and the demonstration server use it: compiled as a contract.

use std::ops::Range;

use toolgate_json::View;
use toolgate_schema::{Compiler, Formats, Schema, Verdict, Workspace};

/// A schema that compiled.
#[derive(Clone, Debug)]
pub(crate) struct Contract(Schema);

/// Why a schema was refused.
#[derive(Clone, Debug)]
pub(crate) struct Refusal {
    /// A stable code, such as `unresolved-ref`.
    pub(crate) code: &'static str,
    /// One line, foreign text escaped.
    pub(crate) message: String,
    /// Where, as a JSON pointer into the schema.
    pub(crate) pointer: String,
    /// Where, in bytes of the schema's text.
    pub(crate) span: Option<Range<usize>>,
    /// What may be done.
    pub(crate) help: Option<String>,
}

/// Compiles a schema under the default limits, formats asserted as a contract wants it.
pub(crate) fn compile(schema: &str) -> Result<Contract, Refusal> {
    Compiler::new()
        .formats(Formats::Assert)
        .compile(schema.as_bytes())
        .map(Contract)
        .map_err(|error| Refusal {
            code: error.code(),
            message: error.to_string(),
            pointer: error.pointer().to_owned(),
            span: error.span(),
            help: error.help(),
        })
}

impl Contract {
    /// Checks a value; `Err` says why it does not pass.
    pub(crate) fn check(&self, value: View<'_>) -> Result<(), String> {
        let mut workspace = Workspace::new();
        match self.0.check(&mut workspace, value) {
            Verdict::Valid => Ok(()),
            Verdict::Invalid => {
                let report = self.0.explain_view(&mut workspace, value);
                let findings: Vec<String> =
                    report.findings.iter().map(ToString::to_string).collect();
                Err(findings.join("; "))
            }
            Verdict::Undecided(why) => Err(format!("whether it passes cannot be decided: {why}")),
        }
    }
}
