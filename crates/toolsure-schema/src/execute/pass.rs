//! One pass over a JSON text that checks it while it is read.

use toolsure_json::{Scalar, Stream};

use super::Machine;
use super::lookahead::Lookahead;

/// The text that is left, and what the pass knows.
pub(super) struct Pass<'p, 'w, 'r, 's> {
    pub(super) stream: Stream<'r, 's>,
    /// Holds the fuel, and evaluates values that are neither array nor object.
    pub(super) machine: Machine<'p, 'w, Scalar<'s>>,
    pub(super) lookahead: Lookahead<'p, 's>,
}
