//! Tool listings, other lists and results in a form that clients can read.
//!
//! Most clients read a whole listing by one schema: if one member of one tool violates it, they
//! lose all tools. [`sanitize`] leaves out such members, one by one, and keeps the tools. Members
//! that a check needs stay: a tool without a usable `name` or `inputSchema` is left to the caller.
//! [`repair_tool_result`] and [`repair_result`] do the same for results, by the same kind of table.

mod change;
mod clean;
mod completion;
mod dialect;
mod place;
mod repair_result;
mod root;
mod rules;
mod sanitize;
mod schema_edits;
mod simplify;

pub use change::Change;
pub use dialect::unify_dialects;
pub use repair_result::{RepairedResult, repair_result, repair_tool_result};
pub use sanitize::{RewrittenListing, sanitize};
pub use simplify::{CostlySchemas, simplify};
