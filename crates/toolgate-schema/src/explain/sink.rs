//! Receivers of what an evaluation reports.

use std::ops::ControlFlow;

use super::kind::FindingKind;
use super::path::{Origin, Path, Paths};
use crate::model::SubschemaId;

/// The most findings that a report holds.
pub(crate) const MOST_FINDINGS: usize = 100;

/// The sink has all it can take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Full;

/// A place in an evaluation: of a subschema, or of a keyword in it.
///
/// Its paths are written when a sink asks for them: they may be long, and a schema can be evaluated at a
/// million places that a sink passes over.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EvaluationLocation<'s> {
    pub(super) paths: &'s Paths<'s, 's>,
    pub(super) path: Path,
    pub(crate) origin: Origin,
    pub(super) place: Path,
    /// The name that is looked at, if it is a member's name and not a value.
    pub(crate) name: Option<&'s str>,
    pub(crate) sub: SubschemaId,
    /// The keyword as the schema spells it.
    pub(crate) keyword: Option<&'s str>,
}

impl EvaluationLocation<'_> {
    /// The keywords that led here, through references, as a JSON pointer, and how many bytes of it
    /// lead to the origin.
    pub(crate) fn path(&self) -> (String, usize) {
        self.paths.pointer_from(self.origin.path, self.path)
    }

    /// The place in the instance, as a JSON pointer.
    pub(crate) fn instance(&self) -> String {
        self.paths.pointer(self.place)
    }
}

/// Takes what an evaluation reports; passes over what it has no use for.
pub(crate) trait Sink {
    /// Whether everything that is evaluated is reported to it. Otherwise only what fails is.
    const EVERYTHING: bool;

    /// A subschema or a keyword begins.
    fn enter(&mut self, _spot: EvaluationLocation<'_>) -> ControlFlow<Full> {
        ControlFlow::Continue(())
    }

    /// The keyword (or the `false` schema) that began last does not hold. Only a sink
    /// of everything is given it; for the others it is among the faults.
    fn finding(&mut self, _spot: EvaluationLocation<'_>, _kind: FindingKind) -> ControlFlow<Full> {
        ControlFlow::Continue(())
    }

    /// Whether there is room for one more fault, whose places take so many bytes.
    fn room(&mut self, _bytes: usize) -> ControlFlow<Full> {
        ControlFlow::Continue(())
    }

    /// A fault was noted.
    fn noted(&mut self) -> ControlFlow<Full> {
        ControlFlow::Continue(())
    }

    /// The keyword that began last says something about the instance; JSON text.
    fn annotation(&mut self, _spot: EvaluationLocation<'_>, _value: &str) -> ControlFlow<Full> {
        ControlFlow::Continue(())
    }

    /// What began last ends.
    fn leave(&mut self, _valid: bool) {}

    /// How many findings it has taken.
    fn findings(&self) -> usize {
        0
    }
}
