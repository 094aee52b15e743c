//! Tool listings in the form that clients can take.
//!
//! Most clients read a whole listing by one schema: one member of one tool that
//! the protocol does not allow there costs them all tools. [`mend`] leaves such
//! members out, one by one, and keeps the tools. What a check needs stays: a tool
//! without a usable `name` or `inputSchema` is left to the caller.

mod members;
mod mend;
mod rules;
mod sheet;
mod tell;

pub use mend::{Mended, mend};
pub use tell::{CostlySchemas, tell};
