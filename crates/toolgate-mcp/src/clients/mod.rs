//! Tool listings in the form that clients can take.
//!
//! Most clients read a whole listing by one schema: one member of one tool that
//! the protocol does not allow there costs them all tools. [`sanitize`] leaves such
//! members out, one by one, and keeps the tools. What a check needs stays: a tool
//! without a usable `name` or `inputSchema` is left to the caller.

mod allowed_members;
mod rules;
mod sanitize;
mod schema_edits;
mod simplify;

pub use sanitize::{RewrittenListing, sanitize};
pub use simplify::{CostlySchemas, simplify};
