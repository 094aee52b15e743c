//! What the tests of the guard share.

pub(crate) mod script;
