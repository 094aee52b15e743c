//! Tool listings in a form that clients can read.
//!
//! Most clients read a whole listing by one schema: if one member of one tool violates it, they
//! lose all tools. [`sanitize`] leaves out such members, one by one, and keeps the tools. Members
//! that a check needs stay: a tool without a usable `name` or `inputSchema` is left to the caller.

mod clean;
mod rules;
mod sanitize;
mod schema_edits;
mod simplify;

pub use sanitize::{RewrittenListing, sanitize};
pub use simplify::{CostlySchemas, simplify};
