//! What the tests of the guard share.

pub(crate) mod expected;
pub(crate) mod script;
mod teller;
