//! Python values as JSON for the engine.
//!
//! A walk reads only the parts of a value that the schema looks at, and copies nothing. The engine's
//! [`Node`](toolsure_json::Node) cannot fail, but a Python value can: it may contain a set, a NaN,
//! half a surrogate pair, or itself. A walk that finds such a value records this, and the engine's
//! answer is not used. A [survey](survey) then reads the whole value: it finds out what is wrong, or
//! prepares what a walk cannot read by itself (integers beyond 64 bits, names that are not exact
//! strings), and the engine is asked again.
//!
//! Neither takes references to the objects ([`borrowed`]), and neither runs Python code: they read
//! instances of the built-in types and their subclasses with the functions of the built-in types,
//! and look up exact strings only in dicts whose names are all exact strings.

mod borrowed;
mod form;
mod names;
mod node;
mod refusal;
mod run;
mod survey;
mod walk;

pub(crate) use refusal::{HALF_PAIR, Refusal, ValueLimit};
pub(crate) use run::{check, json_text};
