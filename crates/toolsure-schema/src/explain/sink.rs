//! Receivers of the reports of an evaluation.

use std::ops::ControlFlow;

use super::kind::FindingKind;
use super::path::{Origin, Path, Paths};
use crate::model::SubschemaId;

/// The maximum number of findings in a report.
pub(crate) const MOST_FINDINGS: usize = 100;

/// The sink is full.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Full;

/// A location in an evaluation: of a subschema, or of a keyword in it.
///
/// Its paths are only written when a sink asks for them: they may be long, and an evaluation may
/// pass a million locations that a sink ignores.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EvaluationLocation<'s> {
    pub(super) paths: &'s Paths<'s, 's>,
    pub(super) path: Path,
    pub(crate) origin: Origin,
    pub(super) place: Path,
    /// The name that is evaluated, if the instance is a member's name and not a value.
    pub(crate) name: Option<&'s str>,
    pub(crate) sub: SubschemaId,
    /// The keyword as the schema spells it.
    pub(crate) keyword: Option<&'s str>,
}

impl EvaluationLocation<'_> {
    /// The evaluation path, through references, as a JSON pointer, and how many bytes of it lead to
    /// the origin.
    pub(crate) fn path(&self) -> (String, usize) {
        self.paths.pointer_from(self.origin.path, self.path)
    }

    /// The instance location as a JSON pointer.
    pub(crate) fn instance(&self) -> String {
        self.paths.pointer(self.place)
    }
}

/// Receives the reports of an evaluation; ignores those it does not need.
pub(crate) trait Sink {
    /// Whether everything that is evaluated is reported. Otherwise only failures are.
    const EVERYTHING: bool;

    /// A subschema or a keyword begins.
    fn enter(&mut self, _spot: EvaluationLocation<'_>) -> ControlFlow<Full> {
        ControlFlow::Continue(())
    }

    /// The keyword (or the `false` schema) that began last does not hold. Only called on a sink of
    /// everything; for other sinks it is among the faults.
    fn finding(&mut self, _spot: EvaluationLocation<'_>, _kind: FindingKind) -> ControlFlow<Full> {
        ControlFlow::Continue(())
    }

    /// Whether there is room for one more fault, whose locations take `bytes` bytes.
    fn room(&mut self, _bytes: usize) -> ControlFlow<Full> {
        ControlFlow::Continue(())
    }

    /// A fault was recorded.
    fn noted(&mut self) -> ControlFlow<Full> {
        ControlFlow::Continue(())
    }

    /// The keyword that began last annotates the instance; the value is JSON text.
    fn annotation(&mut self, _spot: EvaluationLocation<'_>, _value: &str) -> ControlFlow<Full> {
        ControlFlow::Continue(())
    }

    /// The subschema or keyword that began last ends.
    fn leave(&mut self, _valid: bool) {}

    /// The maximum number of findings it holds, at least that of a report.
    fn most(&self) -> usize {
        MOST_FINDINGS
    }

    /// The number of findings it has received.
    fn findings(&self) -> usize {
        0
    }
}
