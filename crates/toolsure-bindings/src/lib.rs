//! What the packages for Python and JavaScript share: options by name, listings, and answers as JSON.
//!
//! Texts come in and JSON text goes out, so that both languages have the same names, defaults and
//! limits. Nothing here decides anything: verdicts, messages and limits come from
//! `toolsure-schema`, `toolsure-mcp` and `toolsure-analysis`.
//!
//! | module | input | JSON |
//! |---|---|---|
//! | [`report`] | an instance | the verdict, with errors |
//! | [`contract`] | a tool, arguments, a result | the decision; repaired arguments |
//! | [`listing`] | listings | what `lint`, `check` and `diff` find |
//! | [`projection`] | a listing, a call | the tools for a provider; the call as the server takes it |
//! | [`generate`] | a schema, or a tool | instances; the calls that test the tool, and what is wrong with the answers |
//! | [`argument`] | an argument schema | its JSON Schema |

#[cfg(feature = "analysis")]
pub mod argument;
#[cfg(feature = "contracts")]
pub mod contract;
#[cfg(feature = "analysis")]
pub mod generate;
mod kind;
#[cfg(feature = "analysis")]
pub mod listing;
pub mod options;
#[cfg(feature = "analysis")]
pub mod projection;
pub mod report;
mod write;
