//! Who listens to an evaluation, and what it hears.

use std::ops::ControlFlow;

use super::kind::FindingKind;
use crate::outline::SubId;

/// The listener has all it can take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Full;

/// A place in an evaluation: of a subschema, or of a keyword in it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Spot<'s> {
    /// The keywords that led here, through references, as a JSON pointer.
    pub(crate) path: &'s str,
    /// The place in the instance, as a JSON pointer.
    pub(crate) instance: &'s str,
    /// The name that is looked at, if it is a member's name and not a value.
    pub(crate) name: Option<&'s str>,
    pub(crate) sub: SubId,
    /// The keyword as the schema spells it.
    pub(crate) keyword: Option<&'s str>,
}

/// Hears what an evaluation comes by.
pub(crate) trait Sink {
    /// Whether it hears of everything that is evaluated. Otherwise it hears
    /// findings only, and what matches is passed over.
    const EVERYTHING: bool;

    /// A subschema or a keyword begins.
    fn enter(&mut self, spot: Spot<'_>) -> ControlFlow<Full>;

    /// The keyword (or the `false` schema) that began last does not hold. Only whoever
    /// hears of everything is told so; the others find it among the faults.
    fn finding(&mut self, spot: Spot<'_>, kind: FindingKind) -> ControlFlow<Full>;

    /// Whether there is room for one more fault, whose places take so many bytes.
    fn room(&mut self, bytes: usize) -> ControlFlow<Full>;

    /// A fault was noted.
    fn noted(&mut self) -> ControlFlow<Full>;

    /// The keyword that began last says something about the instance; JSON text.
    fn annotation(&mut self, spot: Spot<'_>, value: &str) -> ControlFlow<Full>;

    /// What began last ends.
    fn leave(&mut self, valid: bool);

    /// How many findings it has taken.
    fn findings(&self) -> usize;
}

/// Hears nothing.
pub(super) struct Silence;

impl Sink for Silence {
    const EVERYTHING: bool = false;

    fn enter(&mut self, _: Spot<'_>) -> ControlFlow<Full> {
        ControlFlow::Continue(())
    }

    fn finding(&mut self, _: Spot<'_>, _: FindingKind) -> ControlFlow<Full> {
        ControlFlow::Continue(())
    }

    fn room(&mut self, _: usize) -> ControlFlow<Full> {
        ControlFlow::Continue(())
    }

    fn noted(&mut self) -> ControlFlow<Full> {
        ControlFlow::Continue(())
    }

    fn annotation(&mut self, _: Spot<'_>, _: &str) -> ControlFlow<Full> {
        ControlFlow::Continue(())
    }

    fn leave(&mut self, _: bool) {}

    fn findings(&self) -> usize {
        0
    }
}
