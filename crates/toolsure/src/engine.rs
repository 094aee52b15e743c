//! Compiles schemas for `check` and the demonstration server, and says why one was refused.

use std::ops::Range;

use toolsure_json::{View, quote};
use toolsure_schema::{Compiler, Schema, Verdict, Workspace};

use crate::settings;

/// A compiled schema.
#[derive(Clone, Debug)]
pub(crate) struct Contract(Schema);

/// Why a schema was refused.
#[derive(Clone, Debug)]
pub(crate) struct Refusal {
    /// A stable code, such as `unresolved-ref`.
    pub(crate) code: &'static str,
    /// One line, with untrusted text escaped.
    pub(crate) message: String,
    /// The location as a JSON pointer into the schema or a registered document.
    pub(crate) pointer: String,
    /// The location in bytes of the schema's text; `None` if unknown or in a registered document.
    pub(crate) span: Option<Range<usize>>,
    /// How to fix it.
    pub(crate) help: Option<String>,
}

/// Compiles a schema with the compiler's settings.
pub(crate) fn compile(compiler: &Compiler, schema: &str) -> Result<Contract, Refusal> {
    let compiled = compiler.compile(schema.as_bytes());
    compiled.map(Contract).map_err(|error| Refusal {
        code: error.code(),
        message: match error.document() {
            "" => error.to_string(),
            uri => format!("{error}, in the document `{}`", quote(uri, 200)),
        },
        pointer: error.pointer().to_owned(),
        span: error.span().filter(|_| error.document().is_empty()),
        help: settings::help(&error),
    })
}

impl Contract {
    /// Checks a value; the error says why it does not pass.
    pub(crate) fn check(&self, value: View<'_>) -> Result<(), String> {
        let mut workspace = Workspace::new();
        match self.0.check(&mut workspace, value) {
            Verdict::Valid => Ok(()),
            Verdict::Invalid => {
                let report = self.0.explain(&mut workspace, value);
                let findings: Vec<String> =
                    report.findings.iter().map(ToString::to_string).collect();
                Err(findings.join("; "))
            }
            Verdict::Undecided(why) => Err(format!("whether it passes cannot be decided: {why}")),
        }
    }
}
