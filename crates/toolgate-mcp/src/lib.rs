//! MCP tool contracts on top of the schema engine: values in, decisions out, no I/O.
//!
//! Each room stands on the engine and on the rooms above it in this list.

#![forbid(unsafe_code)]

pub mod argument;
pub mod catalog;
pub mod check;
pub mod contract;
pub mod era;
pub mod inline;
pub mod lint;
pub mod message;
mod positions;
pub mod project;
pub mod publish;
pub mod repair;
#[cfg(test)]
mod trial;
#[cfg(feature = "serde_json")]
pub mod typed;
pub mod wording;
