//! Explains why an instance does not match.

use toolsure_json::{Node, ReadError, View};

use super::Report;
use super::faults::Faults;
use crate::execute::{Allowance, Exhausted};
use crate::price;
use crate::schema::instance::{self, Instance, Question};
use crate::schema::{Schema, Verdict, Workspace};

/// Asks why an instance does not match.
struct Explain {
    /// The verdict of a check that was made before.
    verdict: Option<Verdict>,
}

impl Question for Explain {
    type Answer = Report;

    fn of_node<'i, N: Node<'i>>(
        self,
        schema: &Schema,
        workspace: &mut Workspace,
        node: N,
    ) -> Report {
        schema.faults_of(workspace, node, self.verdict).report()
    }

    fn of_view(self, schema: &Schema, workspace: &mut Workspace, view: View<'_>) -> Report {
        let mut report = self.of_node(schema, workspace, view);
        for finding in &mut report.findings {
            finding.locate(view);
        }
        report
    }

    fn of_text(
        self,
        schema: &Schema,
        workspace: &mut Workspace,
        text: &[u8],
    ) -> Result<Report, ReadError> {
        if self.verdict.is_none() && schema.is_valid_while_read(workspace, text)? {
            return Ok(Faults::<View<'_>>::none(Verdict::Valid).report());
        }
        instance::read(self, schema, workspace, text)
    }
}

impl Schema {
    /// Explains why an instance does not match.
    ///
    /// The verdict is that of a [`check`](Self::check). If it is [`Verdict::Invalid`], evaluating
    /// the schema keyword by keyword, as it was written, finds the reasons. That obeys the limits of a
    /// check, with fuel of its own ([`Workspace::explanation_fuel`]). If it reaches a limit,
    /// [`Report::complete`] is `false`.
    ///
    /// For JSON text and documents, each finding has its byte range in the text
    /// ([`Finding::instance_span`](crate::Finding::instance_span)). The maximum number of findings
    /// is an option of the [`Workspace`].
    ///
    /// ```
    /// use toolsure_schema::{Schema, Workspace};
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
        instance.ask(self, workspace, Explain { verdict: None })
    }

    /// Explains why an instance does not match that a [`check`](Self::check) has found invalid: the
    /// report of [`explain`](Self::explain), without a second verdict. If the instance matches, the
    /// report has no findings and is not complete.
    ///
    /// ```
    /// use toolsure_schema::{Schema, Verdict, Workspace};
    ///
    /// let schema = Schema::compile(br#"{"properties": {"limit": {"type": "integer"}}}"#)?;
    /// let (mut workspace, instance) = (Workspace::new(), serde_json::json!({"limit": "12"}));
    /// if schema.check(&mut workspace, &instance) == Verdict::Invalid {
    ///     let report = schema.explain_invalid(&mut workspace, &instance);
    ///     assert_eq!(report, schema.explain(&mut workspace, &instance));
    /// }
    /// # Ok::<(), toolsure_schema::CompileError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`explain`](Self::explain).
    pub fn explain_invalid<I: Instance>(
        &self,
        workspace: &mut Workspace,
        instance: I,
    ) -> I::Answer<Report> {
        let verdict = Some(Verdict::Invalid);
        instance.ask(self, workspace, Explain { verdict })
    }

    /// Finds what [`explain`](Self::explain) finds, without describing it in words: to count the
    /// faults, or to read few of them. The faults borrow the instance, so this takes a [`Node`]:
    /// for JSON text, read an [`OwnedDocument`](crate::OwnedDocument) first and pass its root.
    ///
    /// ```
    /// use toolsure_schema::{Schema, ValueNode, Workspace};
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
        self.faults_of(workspace, instance, None)
    }

    fn faults_of<'s, 'i, N: Node<'i>>(
        &'s self,
        workspace: &mut Workspace,
        instance: N,
        verdict: Option<Verdict>,
    ) -> Faults<'s, 'i, N> {
        let verdict = verdict.unwrap_or_else(|| self.check_node(workspace, instance));
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

    pub(super) fn allowance(&self, workspace: &Workspace) -> Allowance {
        let bounds = self.compiler().bounds();
        Allowance {
            fuel: workspace
                .explanation
                .or(workspace.budget)
                .unwrap_or(bounds.fuel / price::PLAIN_UNIT),
            depth: bounds.evaluation_depth,
        }
    }

    /// The verdict of the plain program; if it has none, that of a check.
    pub(super) fn verdict<'i, N: Node<'i>>(
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
