//! Explains verdicts: findings for programs, a summary for people and models, the standard output
//! formats, and annotations.

mod annotations;
mod faults;
mod finding;
mod format;
mod json;
mod locate;
mod output;
mod summary;
mod tree;

use toolgate_json::{Node, View};

pub use annotations::{Annotation, Annotations};
pub use faults::{Fault, Faults};
pub use finding::{Finding, Source};
pub use format::OutputFormat;
pub use summary::Explanation;

use crate::execute::{Allowance, Exhausted};
use crate::explain::PLAIN_UNIT;
use crate::explain::sink::MOST_FINDINGS;
use crate::schema::instance::{Instance, Question};
use crate::schema::{Schema, Verdict, Workspace};

/// Why an instance does not match, from [`Schema::explain`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// The answer.
    pub verdict: Verdict,
    /// What is wrong, in the order it was found; at most [`Report::FINDINGS`]. Each fault occurs
    /// once, even if several paths through the schema lead to it. Empty unless the verdict is
    /// [`Verdict::Invalid`].
    pub findings: Vec<Finding>,
    /// Whether the list is complete; `false` if a limit was reached.
    pub complete: bool,
}

impl Report {
    /// The maximum number of findings in a report.
    pub const FINDINGS: usize = MOST_FINDINGS;

    /// The most useful findings, in a few lines for people and language models.
    ///
    /// ```
    /// use toolgate_schema::{Schema, Workspace};
    ///
    /// let schema = Schema::compile(br#"{"required": ["city"]}"#)?;
    /// let report = schema.explain(&mut Workspace::new(), "{}")?;
    /// assert_eq!(report.summary().lines().count(), 1);
    /// assert!(report.summary().to_string().contains("city"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn summary(&self) -> Explanation {
        Explanation::new(self)
    }
}

/// Asks why an instance does not match.
struct Explain;

impl Question for Explain {
    type Answer = Report;

    fn of_node<'i, N: Node<'i>>(
        self,
        schema: &Schema,
        workspace: &mut Workspace,
        node: N,
    ) -> Report {
        schema.faults(workspace, node).report()
    }

    fn of_view(self, schema: &Schema, workspace: &mut Workspace, view: View<'_>) -> Report {
        let mut report = self.of_node(schema, workspace, view);
        for finding in &mut report.findings {
            finding.locate(view);
        }
        report
    }
}

impl Schema {
    /// Explains why an instance does not match.
    ///
    /// The verdict is that of a [`check`](Self::check). If it is [`Verdict::Invalid`], evaluating
    /// the schema keyword by keyword, as it was written, finds the reasons. That obeys the limits of
    /// a check, with a quarter of the fuel, because a unit costs four times as much there. If it
    /// reaches a limit, [`Report::complete`] is `false`.
    ///
    /// For JSON text and documents, each finding has its byte range in the text
    /// ([`Finding::instance_span`]). The maximum number of findings is an option of the
    /// [`Workspace`].
    ///
    /// ```
    /// use toolgate_schema::{Schema, Workspace};
    ///
    /// let schema = Schema::compile(br#"{"properties": {"limit": {"type": "integer"}}}"#)?;
    /// let report = schema.explain(&mut Workspace::new(), br#"{"limit": "12"}"#)?;
    /// let [finding] = report.findings.as_slice() else { panic!("one finding") };
    /// assert_eq!(finding.to_string(), r#"expected integer, found string `"12"` (at /limit)"#);
    /// assert_eq!(finding.instance_span, Some(10..14));
    ///
    /// let valid = schema.explain(&mut Workspace::new(), &serde_json::json!({"limit": 12}));
    /// assert!(valid.findings.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Only for JSON text: it is malformed, or exceeds the limits of
    /// [`Limits::instance`](crate::Limits::instance).
    pub fn explain<I: Instance>(
        &self,
        workspace: &mut Workspace,
        instance: I,
    ) -> I::Answer<Report> {
        instance.ask(self, workspace, Explain)
    }

    /// Finds what [`explain`](Self::explain) finds, without describing it in words: to count the
    /// faults, or to read few of them. The faults borrow the instance, so this takes a [`Node`]:
    /// for JSON text, read an [`OwnedDocument`](crate::OwnedDocument) first and pass its root.
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
        let verdict = self.check_node(workspace, instance);
        if verdict != Verdict::Invalid {
            return Faults::none(verdict);
        }
        // It was built before, from the same text.
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

    fn allowance(&self, workspace: &Workspace) -> Allowance {
        let bounds = self.compiler().bounds();
        Allowance {
            fuel: workspace.budget.unwrap_or(bounds.fuel / PLAIN_UNIT),
            depth: bounds.evaluation_depth,
        }
    }

    /// The verdict of the plain program; if it has none, that of a check.
    fn verdict<'i, N: Node<'i>>(
        &self,
        workspace: &mut Workspace,
        instance: N,
        decided: Result<bool, Exhausted>,
    ) -> (Verdict, bool) {
        match decided {
            Ok(true) => (Verdict::Valid, true),
            Ok(false) => (Verdict::Invalid, true),
            Err(_) => (self.check_node(workspace, instance), false),
        }
    }
}
