//! What the tests of the guard share.

pub(crate) mod expected;
mod recording_tracer;
pub(crate) mod script;
