//! The two buffers without pointers, for Rust programs that call the [`exports`](crate::exports):
//! tests and fuzzing.

use crate::{State, with};

/// Clears all state, as in a newly instantiated module.
pub fn clear() {
    with(|state| *state = State::default());
}

/// Writes texts into the input buffer, one after the other, as JavaScript does through
/// [`reserve`](crate::exports::reserve).
pub fn put(texts: &[&[u8]]) {
    let bytes = texts.concat();
    crate::exports::reserve(bytes.len());
    with(|state| {
        if let Some(target) = state.input.get_mut(..bytes.len()) {
            target.copy_from_slice(&bytes);
        }
    });
}

/// The size of the input buffer in bytes. After the last texts, earlier bytes remain.
#[must_use]
pub fn capacity() -> usize {
    with(|state| state.input.len())
}

/// The content of the output buffer.
#[must_use]
pub fn output() -> String {
    with(|state| state.output.clone())
}
