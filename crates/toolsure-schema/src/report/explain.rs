//! Explains why an instance does not match.

use smallvec::SmallVec;
use toolsure_json::{Key as _, Kind, Node, ReadError, View};
use toolsure_syntax::NeededPart;

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
        let verdict = self.verdict;
        let verdict = verdict.unwrap_or_else(|| schema.check_node(workspace, node));
        if verdict == Verdict::Invalid
            && let Some(part) = schema.first_part()
            && let Some(report) = schema.first_report(workspace, node, part)
        {
            return report;
        }
        schema.faults_of(workspace, node, Some(verdict)).report()
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

    /// The first explanation of a failure, by the part of the plain program that the instance needs;
    /// `None` if that may not be all.
    fn first_report<'i, N: Node<'i>>(
        &self,
        workspace: &mut Workspace,
        instance: N,
        mut part: NeededPart,
    ) -> Option<Report> {
        let widest = add_names(&mut part, instance)?;
        let program = self.plain_part(&part, widest)?;
        let most = workspace.findings.unwrap_or(Report::FINDINGS);
        let found = Faults::found(
            Verdict::Invalid,
            &program,
            instance,
            self.allowance(workspace),
            most,
            &mut workspace.scratch,
        );
        let count = found.len();
        let is_all = count > 0 && (!found.is_stopped || count >= most);
        let report = found.report();
        (is_all && report.findings.len() == count).then_some(report)
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

/// Adds the names of all members in a value. Returns the most that an object has; `None` if there
/// are many values.
fn add_names<'i, N: Node<'i>>(part: &mut NeededPart, value: N) -> Option<usize> {
    let mut waiting: SmallVec<[N; 8]> = SmallVec::new();
    waiting.push(value);
    let (mut left, mut widest) = (VALUES, 0);
    while let Some(value) = waiting.pop() {
        left = left.checked_sub(value.len())?;
        if value.kind() == Kind::Object {
            widest = widest.max(value.len());
        }
        for (key, member) in value.members() {
            part.add(key.hash());
            if member.kind().is_container() {
                waiting.push(member);
            }
        }
        waiting.extend(value.items().filter(|item| item.kind().is_container()));
    }
    Some(widest)
}

/// The most values of an instance whose names are collected, which no fuel pays for.
const VALUES: usize = 1_000;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ValueNode;

    /// The first explanation is made without what the instance lacks, and says the same with any
    /// fuel; unless a reference leads there.
    #[test]
    fn the_first_explanation_takes_part_of_the_schema() {
        let members = r#""a": {"minimum": 2}, "b": {"items": {}}, "\u0061b": {"enum": ["]}", {}]}"#;
        let instance = serde_json::json!([{"a": 1, "other": [1]}]);
        for (rest, is_enough) in [
            (r#""additionalProperties": false"#, true),
            (r#""additionalProperties": {"minItems": 2}"#, true),
            (r#""$defs": {"c": {"not": {"type": "null"}}}"#, true),
            (
                r##""allOf": [{"$ref": "#/items/$defs/c"}], "$defs": {"c": {"required": ["b"]}}"##,
                true,
            ),
            (r##""allOf": [{"$ref": "#/items/properties/a"}]"##, true),
            (r##""allOf": [{"$ref": "#/items/properties/b"}]"##, false),
            (
                r##""allOf": [{"$ref": "#/items/properties/b/items"}]"##,
                false,
            ),
        ] {
            let text = format!(r#"{{"items": {{"properties": {{{members}}}, {rest}}}}}"#);
            let complete = Schema::compile(text.as_bytes()).expect("a schema");
            complete.explain(&mut Workspace::new(), &instance);
            for fuel in (1..60).chain([u64::MAX]) {
                let workspace = &mut Workspace::new().explanation_fuel(fuel);
                let schema = Schema::compile(text.as_bytes()).expect("a schema");
                let part = schema.first_part().expect("it has parts");
                let first = schema.first_report(workspace, ValueNode::new(&instance), part);
                let about = format!("{text}, with {fuel}");
                assert!(schema.first_part().is_none(), "{about}");
                if fuel == u64::MAX {
                    assert_eq!(first.is_some(), is_enough, "{about}");
                }
                let whole = complete.explain(workspace, &instance);
                assert!(first.is_none_or(|first| first == whole), "{about}");
            }
        }
    }
}
