//! Checks an instance.

use std::ops::ControlFlow;

use toolsure_json::{Node, ReadError, contradictions};

use super::instance::{Instance, Question};
use super::{Schema, Verdict, Workspace};
use crate::execute::{self, Allowance, Exhausted, Scratch};
use crate::limits::Limits;
use crate::plan::Plan;

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
    /// use toolsure_schema::{Schema, Verdict, Workspace};
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
        let (plan, rest) = self.parts();
        let allowance = allowed(rest.compiler.bounds(), workspace.budget);
        let (verdict, used) = run(plan, instance, allowance, &mut workspace.scratch);
        workspace.used = used;
        verdict
    }

    pub(crate) fn check_text(
        &self,
        workspace: &mut Workspace,
        instance: &[u8],
    ) -> Result<Verdict, ReadError> {
        if self.is_valid_while_read(workspace, instance)? {
            return Ok(Verdict::Valid);
        }
        let Workspace {
            reader,
            scratch,
            budget,
            used,
            ..
        } = workspace;
        let (plan, rest) = self.parts();
        let bounds = rest.compiler.bounds();
        let document = reader.read(instance, &bounds.instance)?;
        let (verdict, spent) = run(plan, document.root(), allowed(bounds, *budget), scratch);
        *used = spent;
        Ok(verdict)
    }

    /// Whether a text matches, if that is known when it was read once; `false` says nothing.
    #[inline]
    pub(crate) fn is_valid_while_read(
        &self,
        workspace: &mut Workspace,
        instance: &[u8],
    ) -> Result<bool, ReadError> {
        let Workspace {
            reader,
            scratch,
            budget,
            used,
            ..
        } = workspace;
        let (plan, rest) = self.parts();
        let bounds = rest.compiler.bounds();
        let allowance = allowed(bounds, *budget).for_first_pass();
        let before = contradictions();
        if let Some(stream) = reader.stream(instance, &bounds.instance)?
            && let Some(spent) = execute::run_stream(plan, stream, allowance, scratch)
            && contradictions() == before
        {
            *used = spent;
            return Ok(true);
        }
        Ok(false)
    }
}

/// The allowance of one check.
#[inline]
fn allowed(bounds: &Limits, budget: Option<u64>) -> Allowance {
    Allowance {
        fuel: budget.unwrap_or(bounds.fuel),
        depth: bounds.evaluation_depth,
    }
}

/// The verdict of a plan, and how much fuel it took.
fn run<'i, N: Node<'i>>(
    plan: &Plan,
    instance: N,
    allowance: Allowance,
    scratch: &mut Scratch,
) -> (Verdict, u64) {
    let before = contradictions();
    let (answer, used) = execute::run(plan, instance, allowance, scratch);
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
