//! A server and a client with everything that the official conformance suite asks for,
//! in both eras: tools, prompts, resources, completion, logging, subscriptions, and
//! questions to the client.
//!
//! What the server offers is data (`data/*.json`); what it does is in the modules below.
//! The tools' contracts are kept by `toolsure-rmcp`; nothing in here looks at a schema.

#![expect(
    deprecated,
    reason = "rmcp marks sampling, roots and logging; the suite still asks for them"
)]

mod ask;
pub mod client;
mod connect;
pub mod http;
mod material;
mod report;
pub mod server;

pub use connect::Target;
pub use report::report;
