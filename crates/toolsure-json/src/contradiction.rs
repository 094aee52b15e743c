//! Counts contradictions: values whose representation is broken.
//!
//! The methods of a [`Node`](crate::Node) return no errors, so that walking a value stays cheap. An
//! implementation that finds itself broken records it here and returns something empty. A caller
//! that decides something by a value compares the count before and after: if it has risen, the
//! caller must conclude nothing from the value.

use std::cell::Cell;

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

/// How many contradictions this thread has seen.
///
/// ```
/// use toolsure_json::{contradictions, note_contradiction};
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

/// Records that a value is broken, so that the result just returned means nothing.
///
/// For implementations of [`Node`](crate::Node), when a number is not a number or the bytes of a
/// string are missing.
///
/// ```
/// use toolsure_json::{contradictions, note_contradiction};
///
/// let before = contradictions();
/// note_contradiction();
/// assert_eq!(contradictions(), before + 1);
/// ```
#[cold]
pub fn note_contradiction() {
    COUNT.set(COUNT.get().wrapping_add(1));
}
