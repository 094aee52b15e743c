//! MCP tool contracts on top of the schema engine: values in, decisions out, no I/O.
//!
//! A server's tool list becomes a [`catalog::ToolSet`] of [`contract::ToolContract`]s; each
//! malformed tool is isolated with its reason. A [`check::Checker`] checks calls and results
//! against them and returns a [`check::Decision`]. A [`project::Projection`] rewrites lists and
//! results for readers of any [`era::Era`], in a form that [`clients`] can read; `provider`
//! publishes tools for model providers and maps calls back; [`testing`] makes calls that test a server. [`message`] has the protocol's messages
//! as views of their bytes.

#![forbid(unsafe_code)]
#![deny(clippy::exhaustive_enums, clippy::exhaustive_structs)]

pub mod argument;
pub mod catalog;
pub mod check;
pub mod clients;
pub mod contract;
pub mod era;
pub mod message;
pub mod project;
#[cfg(feature = "providers")]
pub mod provider;
pub mod publish;
pub mod refusal_text;
pub mod repair;
pub mod testing;
#[cfg(feature = "serde_json")]
pub mod typed;

// Types of the crates below that appear in signatures of this crate.
#[cfg(feature = "providers")]
pub use toolsure_analysis::project::{Projected, Projector};
pub use toolsure_json::{Document, Kind, Node, OwnedDocument, ReadError, ReadLimits, View};
pub use toolsure_pattern::{Limits as PatternLimits, PatternError};
pub use toolsure_schema::{CompileError, Compiler, Exhausted, Formats, Report, Schema, Strictness};
