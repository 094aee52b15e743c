//! Analysis of tool schemas without an instance and without I/O.
//!
//! [`lint`] finds what is legal but harmful in a listing, [`diff`] decides whether a new listing accepts
//! what the old one accepted, [`inline`] rewrites a schema without references, and [`project`] rewrites a
//! listing for a provider. [`readers`] has what each provider, client and SDK takes, [`tool`] the protocol's
//! rules for tool objects, and [`argument`] recognises argument schemas.

#![forbid(unsafe_code)]
#![deny(clippy::exhaustive_enums, clippy::exhaustive_structs)]

pub mod argument;
mod bounds;
pub mod diff;
mod engine;
pub mod inline;
pub mod lint;
mod members;
pub mod project;
pub mod readers;
mod sizes;
pub mod tool;

// Types of the crates below that appear in signatures of this crate.
pub use toolsure_json::{ReadError, View};
pub use toolsure_schema::{CompileError, Compiler};
pub use toolsure_syntax::Parser;
