//! The two buffers without pointers, for programs in Rust that call the [`exports`](crate::exports): tests and fuzzing.

use crate::{State, with};

/// Forgets everything, as a module does that is instantiated anew.
pub fn clear() {
    with(|state| *state = State::default());
}

/// Writes texts into the input buffer, one after the other, as JavaScript does through [`reserve`](crate::exports::reserve).
pub fn put(texts: &[&[u8]]) {
    let bytes = texts.concat();
    crate::exports::reserve(bytes.len());
    with(|state| {
        if let Some(target) = state.input.get_mut(..bytes.len()) {
            target.copy_from_slice(&bytes);
        }
    });
}

/// The size of the input buffer in bytes: what earlier texts left behind the last ones is still there.
#[must_use]
pub fn capacity() -> usize {
    with(|state| state.input.len())
}

/// What the output buffer holds.
#[must_use]
pub fn output() -> String {
    with(|state| state.output.clone())
}
