//! Counts what cannot be: a value that cannot say what it is.
//!
//! The methods of a [`Node`](crate::Node) have no error to answer with, so that a walk over a
//! value stays cheap. An implementation that finds itself broken notes it here and answers
//! with what is empty. A caller that decides something by a value compares the count before and after:
//! if it has risen, nothing may follow from what the value said.

use std::cell::Cell;

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

/// How many contradictions this thread has met.
///
/// ```
/// use toolgate_json::{contradictions, note_contradiction};
///
/// let before = contradictions();
/// assert_eq!(contradictions(), before);
/// note_contradiction();
/// assert_ne!(contradictions(), before);
/// ```
#[inline]
#[must_use]
pub fn contradictions() -> u64 {
    COUNT.get()
}

/// Notes that a value could not say what it is, so that the answer just given is none.
///
/// For implementations of [`Node`](crate::Node): a number that is not one, a text whose bytes are
/// not there.
#[cold]
pub fn note_contradiction() {
    COUNT.set(COUNT.get().wrapping_add(1));
}
