//! Python values that are read completely: one pass lays them out flat, before they are checked,
//! explained or written as JSON.
//!
//! The engine's `Node` cannot fail, but a Python value can: it may contain a set, a NaN, half a
//! surrogate pair, or itself. So one pass over the objects finds all such errors before the engine
//! starts. It keeps a reference to each string, and copies no text. Nothing after it calls Python.

mod layout;
mod node;
mod refusal;
mod slots;

pub(crate) use node::TapeNode;
pub(crate) use refusal::Refusal;
pub(crate) use slots::Tape;
