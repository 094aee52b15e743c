//! The schemas of the demonstration server's tools, compiled.

use toolsure_json::View;
use toolsure_schema::{CompileError, Compiler, Schema, Verdict, Workspace};

/// A compiled schema.
#[derive(Clone, Debug)]
pub(super) struct Contract(Schema);

impl Contract {
    pub(super) fn new(compiler: &Compiler, schema: &str) -> Result<Self, CompileError> {
        compiler.compile(schema.as_bytes()).map(Self)
    }

    /// Checks a value; the error says why it does not pass.
    pub(super) fn check(&self, value: View<'_>) -> Result<(), String> {
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
