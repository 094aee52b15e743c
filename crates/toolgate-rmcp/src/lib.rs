//! Tool contracts for servers and clients written with `rmcp`, the official
//! Rust SDK of the Model Context Protocol.

#![forbid(unsafe_code)]

mod checkers;
mod convert;
mod era;
#[cfg(feature = "server")]
mod server;

#[cfg(feature = "server")]
pub use server::{
    GateRouter, GateServer, Gated, RefusedTools, ServerEvent, ServerGate, Union, tool,
};
