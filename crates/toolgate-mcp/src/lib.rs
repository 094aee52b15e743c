//! MCP tool contracts on top of the schema engine: values in, decisions out, no I/O.
//!
//! Each room stands on the engine and on the rooms above it in this list.

#![forbid(unsafe_code)]
