//! Faults before they are described in words: their locations, without text.

use toolsure_json::Node;

use super::Report;
use super::finding::{Bounds, Finding, Writer};
use crate::execute::{Allowance, Scratch};
use crate::explain::{self, Evaluation, Found, Program};
use crate::schema::Verdict;

/// What is wrong with an instance, from [`Schema::faults`](crate::Schema::faults). It borrows the
/// schema and the instance, and holds no text; [`report`](Self::report) describes all of it.
pub struct Faults<'s, 'i, N: Node<'i>> {
    verdict: Verdict,
    complete: bool,
    /// Whether the evaluation ended early.
    pub(super) is_stopped: bool,
    program: Option<&'s Program>,
    found: Found<'s, 'i, N>,
    allowance: Allowance,
}

/// One keyword that does not hold for one value of the instance.
pub struct Fault<'f, 'i, N> {
    program: &'f Program,
    found: &'f Found<'f, 'i, N>,
    fault: &'f explain::Fault<'i, N>,
    allowance: Allowance,
}

impl<'s, 'i, N: Node<'i>> Faults<'s, 'i, N> {
    /// A verdict without faults.
    pub(super) fn none(verdict: Verdict) -> Self {
        Self {
            verdict,
            complete: verdict == Verdict::Valid,
            is_stopped: false,
            program: None,
            found: Found::default(),
            allowance: Allowance { fuel: 0, depth: 0 },
        }
    }

    /// The result of an evaluation.
    pub(super) fn found(
        verdict: Verdict,
        program: &'s Program,
        instance: N,
        allowance: Allowance,
        most: usize,
        scratch: &mut Scratch,
    ) -> Self {
        let memory = std::mem::take(scratch);
        let mut evaluation = Evaluation::new(program, instance, allowance, memory);
        let complete = evaluation.report(&mut Bounds::new(most.min(Report::MOST_FINDINGS)));
        let is_stopped = evaluation.is_stopped;
        let (found, memory) = evaluation.into_faults();
        *scratch = memory;
        Self {
            verdict,
            complete: complete && !found.faults.is_empty(),
            is_stopped,
            program: Some(program),
            found,
            allowance,
        }
    }

    /// The answer.
    ///
    /// ```
    /// use toolsure_schema::{Schema, ValueNode, Verdict, Workspace};
    ///
    /// let schema = Schema::compile(br#"{"items": {"type": "integer"}}"#)?;
    /// let instance = serde_json::json!(["1"]);
    /// let faults = schema.faults(&mut Workspace::new(), ValueNode::new(&instance));
    /// assert_eq!(faults.verdict(), Verdict::Invalid);
    /// # Ok::<(), toolsure_schema::CompileError>(())
    /// ```
    pub fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// Whether the list is complete; `false` if a limit was reached.
    ///
    /// ```
    /// use toolsure_schema::{Schema, ValueNode, Workspace};
    ///
    /// let schema = Schema::compile(br#"{"items": {"type": "integer"}}"#)?;
    /// let instance = serde_json::json!(["1", 2, "3"]);
    /// let faults = schema.faults(&mut Workspace::new(), ValueNode::new(&instance));
    /// assert!(faults.is_complete());
    ///
    /// let first = schema.faults(&mut Workspace::new().findings(1), ValueNode::new(&instance));
    /// assert!(!first.is_complete());
    /// # Ok::<(), toolsure_schema::CompileError>(())
    /// ```
    pub fn is_complete(&self) -> bool {
        self.complete
    }

    /// The number of faults.
    ///
    /// ```
    /// use toolsure_schema::{Schema, ValueNode, Workspace};
    ///
    /// let schema = Schema::compile(br#"{"items": {"type": "integer"}}"#)?;
    /// let instance = serde_json::json!(["1", 2, "3"]);
    /// let faults = schema.faults(&mut Workspace::new(), ValueNode::new(&instance));
    /// assert_eq!(faults.len(), 2);
    /// # Ok::<(), toolsure_schema::CompileError>(())
    /// ```
    pub fn len(&self) -> usize {
        self.found.faults.len()
    }

    /// Whether there are no faults: the verdict is not [`Verdict::Invalid`].
    ///
    /// ```
    /// use toolsure_schema::{Schema, ValueNode, Workspace};
    ///
    /// let schema = Schema::compile(br#"{"items": {"type": "integer"}}"#)?;
    /// let instance = serde_json::json!([1]);
    /// let faults = schema.faults(&mut Workspace::new(), ValueNode::new(&instance));
    /// assert!(faults.is_empty());
    /// # Ok::<(), toolsure_schema::CompileError>(())
    /// ```
    pub fn is_empty(&self) -> bool {
        self.found.faults.is_empty()
    }

    /// The faults, in the order they were found.
    ///
    /// ```
    /// use toolsure_schema::{Schema, ValueNode, Workspace};
    ///
    /// let schema = Schema::compile(br#"{"items": {"type": "integer"}}"#)?;
    /// let instance = serde_json::json!(["1", 2, "3"]);
    /// let faults = schema.faults(&mut Workspace::new(), ValueNode::new(&instance));
    /// let places = faults.iter().map(|fault| fault.instance_location());
    /// assert_eq!(places.collect::<Vec<_>>(), ["/0", "/2"]);
    /// # Ok::<(), toolsure_schema::CompileError>(())
    /// ```
    pub fn iter(&self) -> impl Iterator<Item = Fault<'_, 'i, N>> {
        let program = self.program.into_iter();
        program.flat_map(move |program| {
            self.found.faults.iter().map(move |fault| Fault {
                program,
                found: &self.found,
                fault,
                allowance: self.allowance,
            })
        })
    }

    /// Describes all faults in words.
    ///
    /// ```
    /// use toolsure_schema::{Schema, ValueNode, Workspace};
    ///
    /// let schema = Schema::compile(br#"{"items": {"type": "integer"}}"#)?;
    /// let instance = serde_json::json!(["1", 2, "3"]);
    /// let faults = schema.faults(&mut Workspace::new(), ValueNode::new(&instance));
    /// let report = faults.report();
    /// assert_eq!(report.findings[0].to_string(), r#"expected integer, found string `"1"` (at /0)"#);
    /// # Ok::<(), toolsure_schema::CompileError>(())
    /// ```
    #[must_use]
    pub fn report(self) -> Report {
        let mut report = Report {
            verdict: self.verdict,
            findings: Vec::with_capacity(self.found.faults.len()),
            complete: self.complete,
        };
        if let Some(program) = self.program {
            let mut writer = Writer::new(program, &self.found, self.allowance);
            for fault in &self.found.faults {
                match writer.write(fault, report.findings.last()) {
                    Some(finding) => report.findings.push(finding),
                    None => report.complete = false,
                }
            }
        }
        report
    }
}

impl<'i, N: Node<'i>> Fault<'_, 'i, N> {
    /// The keyword as the schema spells it; `None` for a `false` schema.
    ///
    /// ```
    /// use toolsure_schema::{Schema, ValueNode, Workspace};
    ///
    /// let schema = Schema::compile(br#"{"items": {"type": "integer"}}"#)?;
    /// let instance = serde_json::json!(["1", 2, "3"]);
    /// let faults = schema.faults(&mut Workspace::new(), ValueNode::new(&instance));
    /// assert!(faults.iter().all(|fault| fault.keyword() == Some("type")));
    /// # Ok::<(), toolsure_schema::CompileError>(())
    /// ```
    pub fn keyword(&self) -> Option<&str> {
        let model = self.program.model();
        let entry = self.fault.entry(model)?;
        let doc = model.sub(self.fault.sub).ok()?.doc;
        model.view(doc, entry.name).map(Node::string)
    }

    /// The value, as a JSON pointer (RFC 6901) into the instance.
    ///
    /// ```
    /// use toolsure_schema::{Schema, ValueNode, Workspace};
    ///
    /// let schema = Schema::compile(br#"{"items": {"type": "integer"}}"#)?;
    /// let instance = serde_json::json!([{}]);
    /// let faults = schema.faults(&mut Workspace::new(), ValueNode::new(&instance));
    /// let fault = faults.iter().next().expect("one fault");
    /// assert_eq!(fault.instance_location(), "/0");
    /// # Ok::<(), toolsure_schema::CompileError>(())
    /// ```
    #[must_use]
    pub fn instance_location(&self) -> String {
        self.found.paths.pointer(self.fault.place)
    }

    /// Describes the fault in words; `None` if finding the words reached a limit.
    ///
    /// ```
    /// use toolsure_schema::{Schema, ValueNode, Workspace};
    ///
    /// let schema = Schema::compile(br#"{"items": {"type": "integer"}}"#)?;
    /// let instance = serde_json::json!(["1"]);
    /// let faults = schema.faults(&mut Workspace::new(), ValueNode::new(&instance));
    /// let finding = faults.iter().next().and_then(|fault| fault.finding());
    /// let text = finding.map(|finding| finding.to_string());
    /// assert_eq!(text.as_deref(), Some(r#"expected integer, found string `"1"` (at /0)"#));
    /// # Ok::<(), toolsure_schema::CompileError>(())
    /// ```
    #[must_use]
    pub fn finding(&self) -> Option<Finding> {
        Writer::new(self.program, self.found, self.allowance).write(self.fault, None)
    }
}
