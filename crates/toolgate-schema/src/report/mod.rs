//! Says why: findings for programs, an explanation for people and models, the
//! standard output formats, and annotations.

mod annotations;
mod faults;
mod finding;
mod json;
mod locate;
mod message;
mod output;
mod summary;
mod tree;

use toolgate_json::{Node, ReadError, View};

pub use annotations::{Annotation, Annotations};
pub use faults::{Fault, Faults};
pub use finding::{Finding, Source};
pub use output::OutputFormat;
pub use summary::Explanation;

use crate::execute::{Allowance, Exhausted};
use crate::explain::PLAIN_UNIT;
use crate::schema::{Schema, Verdict, Workspace};

/// Why an instance does not match, from [`Schema::explain`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// The answer.
    pub verdict: Verdict,
    /// What is wrong, in the order it was found; at most [`Report::FINDINGS`].
    /// One fault is found once, even if several paths through the schema lead to
    /// it. Empty unless the verdict is [`Verdict::Invalid`].
    pub findings: Vec<Finding>,
    /// Whether these are all; `false` if a bound was reached.
    pub complete: bool,
}

impl Report {
    /// The most findings that a report holds.
    pub const FINDINGS: usize = 100;

    /// The findings that matter, in a few lines for people and language models.
    #[must_use]
    pub fn summary(&self) -> Explanation {
        Explanation::new(self)
    }
}

impl Schema {
    /// Says why an instance does not match.
    ///
    /// The verdict is that of a [`check`](Self::check); only where it is no does a
    /// second, plain evaluation of the schema as it was written find out why. That one
    /// keeps the bounds of a check: a quarter of the fuel, whose units are four times as
    /// dear there. Where it reaches one, [`Report::complete`] is `false`.
    ///
    /// ```
    /// use toolgate_schema::{Schema, Workspace};
    ///
    /// let schema = Schema::compile(br#"{"properties": {"limit": {"type": "integer"}}}"#)?;
    /// let report = schema.explain_bytes(&mut Workspace::new(), br#"{"limit": "12"}"#)?;
    /// assert_eq!(
    ///     report.findings[0].to_string(),
    ///     r#"expected integer, found string `"12"` (at /limit)"#
    /// );
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn explain<'i, N: Node<'i>>(&self, workspace: &mut Workspace, instance: N) -> Report {
        self.faults(workspace, instance).report()
    }

    /// What [`explain`](Self::explain) finds, before it is put into words: for whoever
    /// counts the faults, or reads few of them.
    ///
    /// ```
    /// use toolgate_schema::{Schema, ValueNode, Workspace};
    ///
    /// let schema = Schema::compile(br#"{"properties": {"limit": {"type": "integer"}}}"#)?;
    /// let instance = serde_json::json!({"limit": "12"});
    /// let faults = schema.faults(&mut Workspace::new(), ValueNode::new(&instance));
    /// let places: Vec<String> = faults.iter().map(|fault| fault.instance_location()).collect();
    /// assert_eq!(places, ["/limit"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn faults<'s, 'i, N: Node<'i>>(
        &'s self,
        workspace: &mut Workspace,
        instance: N,
    ) -> Faults<'s, 'i, N> {
        let verdict = self.check(workspace, instance);
        if verdict != Verdict::Invalid {
            return Faults::none(verdict);
        }
        // It was made once already, from the same text.
        let Ok(program) = self.plain() else {
            return Faults::none(verdict);
        };
        let most = workspace.findings.unwrap_or(Report::FINDINGS);
        let allowance = self.allowance(workspace);
        Faults::found(
            verdict,
            program,
            instance,
            allowance,
            most,
            &mut workspace.scratch,
        )
    }

    /// Says why a `serde_json` value does not match.
    ///
    /// ```
    /// use toolgate_schema::{Schema, Workspace};
    ///
    /// let schema = Schema::compile(br#"{"minimum": 3}"#)?;
    /// let report = schema.explain_value(&mut Workspace::new(), &serde_json::json!(1));
    /// assert_eq!(report.findings[0].keyword, "minimum");
    /// # Ok::<(), toolgate_schema::CompileError>(())
    /// ```
    #[cfg(feature = "serde_json")]
    pub fn explain_value(&self, workspace: &mut Workspace, instance: &serde_json::Value) -> Report {
        self.explain(workspace, crate::value::ValueNode::new(instance))
    }

    /// Says why a value of a document does not match, with the places of the
    /// faults in its text.
    ///
    /// ```
    /// use toolgate_schema::{OwnedDocument, ReadLimits, Schema, Workspace};
    ///
    /// let schema = Schema::compile(br#"{"items": {"maximum": 3}}"#)?;
    /// let instance = OwnedDocument::read("[1, 5]", &ReadLimits::default())?;
    /// let report = schema.explain_view(&mut Workspace::new(), instance.document().root());
    /// assert_eq!(report.findings[0].instance_span, Some(4..5));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn explain_view(&self, workspace: &mut Workspace, instance: View<'_>) -> Report {
        let mut report = self.explain(workspace, instance);
        for finding in &mut report.findings {
            finding.locate(instance);
        }
        report
    }

    /// Reads JSON text and says why it does not match, with the places of the
    /// faults in it.
    ///
    /// ```
    /// use toolgate_schema::{Schema, Workspace};
    ///
    /// let schema = Schema::compile(br#"{"required": ["name"]}"#)?;
    /// let report = schema.explain_bytes(&mut Workspace::new(), b"{}")?;
    /// assert_eq!(report.findings[0].keyword_location, "/required");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The text is not JSON, or over the bounds of [`Limits::instance`](crate::Limits::instance).
    pub fn explain_bytes(
        &self,
        workspace: &mut Workspace,
        instance: &[u8],
    ) -> Result<Report, ReadError> {
        let mut reader = std::mem::take(&mut workspace.reader);
        let report = reader
            .read(instance, &self.compiler().bounds().instance)
            .map(|document| self.explain_view(workspace, document.root()));
        workspace.reader = reader;
        report
    }

    fn allowance(&self, workspace: &Workspace) -> Allowance {
        let bounds = self.compiler().bounds();
        Allowance {
            fuel: workspace.budget.unwrap_or(bounds.fuel / PLAIN_UNIT),
            depth: bounds.evaluation_depth,
        }
    }

    /// The verdict of a plain evaluation; where it has none, that of a check.
    fn verdict<'i, N: Node<'i>>(
        &self,
        workspace: &mut Workspace,
        instance: N,
        decided: Result<bool, Exhausted>,
    ) -> (Verdict, bool) {
        match decided {
            Ok(true) => (Verdict::Valid, true),
            Ok(false) => (Verdict::Invalid, true),
            Err(_) => (self.check(workspace, instance), false),
        }
    }
}
