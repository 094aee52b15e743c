//! Checks an instance.

use std::ops::ControlFlow;

use toolgate_json::{Node, ReadError, contradictions};

use super::instance::{Instance, Question};
use super::{Schema, Verdict, Workspace};
use crate::execute::{self, Allowance, Exhausted, Scratch};

/// Asks whether an instance matches.
struct Check;

impl Question for Check {
    type Answer = Verdict;

    #[inline]
    fn of_node<'i, N: Node<'i>>(
        self,
        schema: &Schema,
        workspace: &mut Workspace,
        node: N,
    ) -> Verdict {
        schema.check_node(workspace, node)
    }

    #[inline]
    fn of_text(
        self,
        schema: &Schema,
        workspace: &mut Workspace,
        text: &[u8],
    ) -> Result<Verdict, ReadError> {
        schema.check_text(workspace, text)
    }
}

impl Schema {
    /// Checks an instance: JSON text, a document, a value, or any node ([`Instance`]).
    ///
    /// JSON text is checked while it is read, as far as possible, which is the fastest way. For
    /// JSON text the answer is a `Result`.
    ///
    /// ```
    /// use toolgate_schema::{Schema, Verdict, Workspace};
    ///
    /// let schema = Schema::compile(br#"{"required": ["a"]}"#)?;
    /// let mut workspace = Workspace::new();
    /// assert_eq!(schema.check(&mut workspace, r#"{"a": 1}"#)?, Verdict::Valid);
    /// assert_eq!(schema.check(&mut workspace, &serde_json::json!({})), Verdict::Invalid);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Only for JSON text: it is malformed, or exceeds the limits of
    /// [`Limits::instance`](crate::Limits::instance).
    #[inline]
    pub fn check<I: Instance>(&self, workspace: &mut Workspace, instance: I) -> I::Answer<Verdict> {
        instance.ask(self, workspace, Check)
    }

    #[inline]
    pub(crate) fn check_node<'i, N: Node<'i>>(
        &self,
        workspace: &mut Workspace,
        instance: N,
    ) -> Verdict {
        let (verdict, used) = self.run(instance, workspace.budget, &mut workspace.scratch);
        workspace.used = used;
        verdict
    }

    pub(crate) fn check_text(
        &self,
        workspace: &mut Workspace,
        instance: &[u8],
    ) -> Result<Verdict, ReadError> {
        let Workspace {
            reader,
            scratch,
            budget,
            used,
            ..
        } = workspace;
        let limits = &self.0.compiler.bounds().instance;
        let before = contradictions();
        let allowance = self.allowed(*budget).for_first_pass();
        if let Some(stream) = reader.stream(instance, limits)?
            && let Some(spent) = execute::run_stream(&self.0.plan, stream, allowance, scratch)
            && contradictions() == before
        {
            *used = spent;
            return Ok(Verdict::Valid);
        }
        let document = reader.read(instance, limits)?;
        let (verdict, spent) = self.run(document.root(), *budget, scratch);
        *used = spent;
        Ok(verdict)
    }

    /// The allowance of one check.
    #[inline]
    fn allowed(&self, budget: Option<u64>) -> Allowance {
        let bounds = self.0.compiler.bounds();
        Allowance {
            fuel: budget.unwrap_or(bounds.fuel),
            depth: bounds.evaluation_depth,
        }
    }

    fn run<'i, N: Node<'i>>(
        &self,
        instance: N,
        budget: Option<u64>,
        scratch: &mut Scratch,
    ) -> (Verdict, u64) {
        let allowance = self.allowed(budget);
        let before = contradictions();
        let (answer, used) = execute::run(&self.0.plan, instance, allowance, scratch);
        if contradictions() != before {
            return (Verdict::Undecided(Exhausted::Internal), used);
        }
        let verdict = match answer {
            ControlFlow::Continue(true) => Verdict::Valid,
            ControlFlow::Continue(false) => Verdict::Invalid,
            ControlFlow::Break(why) => Verdict::Undecided(why),
        };
        debug_assert_ne!(
            verdict,
            Verdict::Undecided(Exhausted::Internal),
            "no plan leads to nowhere"
        );
        (verdict, used)
    }
}
