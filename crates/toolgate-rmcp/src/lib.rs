//! Tool contracts for servers and clients written with `rmcp`, the official
//! Rust SDK of the Model Context Protocol.
//!
//! `rmcp` publishes the schemas of a server's tools. This crate holds both sides
//! to them, in the versions of the protocol up to 2026-07-28: arguments before
//! they reach a handler, results before they leave and when they arrive, lists
//! in the words of each reader's era.
//!
//! # A server, a client
//!
//! ```
//! use rmcp::handler::server::wrapper::{Json, Parameters};
//! use rmcp::model::CallToolRequestParams;
//! use rmcp::schemars::JsonSchema;
//! use rmcp::{ServerHandler, ServiceExt as _, tool, tool_handler, tool_router};
//! use serde::{Deserialize, Serialize};
//! use toolgate_rmcp::{CallTyped as _, ClientGate, GateServer as _};
//!
//! #[derive(Serialize, Deserialize, JsonSchema)]
//! struct Query {
//!     #[schemars(range(min = 1, max = 24))]
//!     hours: u8,
//! }
//!
//! struct Weather;
//!
//! #[tool_router]
//! impl Weather {
//!     #[tool(description = "degrees Celsius, hour by hour")]
//!     fn forecast(&self, Parameters(query): Parameters<Query>) -> Json<Vec<i32>> {
//!         Json((0..query.hours).map(|hour| 20 - i32::from(hour)).collect())
//!     }
//! }
//!
//! #[tool_handler]
//! impl ServerHandler for Weather {}
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let (near, far) = tokio::io::duplex(4096);
//!
//! // The server: one word more than without contracts.
//! let server = tokio::spawn(async move { Weather.gated().serve(far).await });
//!
//! // The client: on any transport, here a pair of byte streams.
//! let (read, write) = tokio::io::split(near);
//! let client = ().serve(ClientGate::new().lines(read, write)).await?;
//!
//! let degrees: Vec<i32> = client.call_typed("forecast", &Query { hours: 2 }).await?;
//! assert_eq!(degrees, [20, 19]);
//!
//! // Arguments outside the bounds of the schema are not even sent.
//! let refused = client.call_typed::<_, Vec<i32>>("forecast", &Query { hours: 99 }).await;
//! assert!(refused.is_err_and(|why| why.to_string().contains("/hours")));
//! # client.cancel().await?;
//! # drop(server);
//! # Ok(())
//! # }
//! ```
//!
//! # What to reach for
//!
//! * [`GateServer::gated`] puts a gate around any `ServerHandler`;
//!   [`ServerGate`] has its options and is what handlers of one HTTP server
//!   share. [`GateRouter`] is for a `ToolRouter` alone.
//! * [`ServerLines`] is a server's standard input and output, where requests
//!   that rmcp would drop or misread get their errors; `ServerHttp` (feature
//!   `http-server`) does the same in front of a `StreamableHttpService`.
//! * [`tool()`] makes rmcp's `Tool` of a definition with raw schemas, refused at
//!   start-up if it can never work; [`Union`] makes a Rust enum an input.
//! * [`ClientGate`] puts a gate into a client's transport; [`CallTyped`] calls
//!   with Rust types.
//!
//! # Three verdicts
//!
//! A check may reach its bound ([`fuel`](ServerGate::fuel)) before it has an
//! answer. That is refused like something invalid unless
//! [`on_undecided`](ServerGate::on_undecided) says otherwise; an event tells of
//! what passed undecided.
//!
//! # Features
//!
//! | Feature | Default | |
//! |---|---|---|
//! | `server` | yes | gates for handlers and routers |
//! | `client` | yes | the gate for client transports |
//! | `child-process` | yes | `ClientGate::command`, which starts a server |
//! | `http-client` | no | `ClientGate::http`, below rmcp's Streamable HTTP client |
//! | `http-server` | no | `ServerHttp`, in front of rmcp's Streamable HTTP service |
//! | `ordered` | yes | schemas keep the order of their keys: turns on `serde_json/preserve_order` |
//! | `exact` | no | schemas and arguments keep their numbers: turns on `serde_json/arbitrary_precision` |
//!
//! Features of `serde_json` are turned on for the whole build. With
//! `arbitrary_precision`, serde's untagged and internally tagged enums cannot
//! read numbers from JSON text; rmcp itself can live with that.
//!
//! The crate works with every rmcp from 3.9 on, and each minor version up to
//! 3.11 is tested. A newer one may have methods of a handler that the gate does
//! not forward yet: they are answered "method not found".

#![forbid(unsafe_code)]
#![deny(clippy::exhaustive_enums, clippy::exhaustive_structs)]

mod checkers;
#[cfg(feature = "client")]
mod client;
mod convert;
mod era;
#[cfg(any(feature = "client", feature = "server"))]
mod integers;
#[cfg(any(feature = "client", feature = "server"))]
mod line;
#[cfg(any(feature = "client", feature = "server"))]
mod recover;
#[cfg(feature = "server")]
mod server;

#[cfg(feature = "child-process")]
pub use client::ChildLines;
#[cfg(feature = "http-client")]
pub use client::GatedHttp;
#[cfg(feature = "client")]
pub use client::{
    CallTyped, ClientEvent, ClientGate, GatedTransport, Lines, OnUnreadList, ToolWatch,
    TypedCallError,
};
#[cfg(feature = "http-server")]
pub use server::{BodyError, ReadBody, ServerHttp};
#[cfg(feature = "server")]
pub use server::{
    GateRouter, GateServer, Gated, RefusedTools, ServerEvent, ServerGate, ServerLines, Union, tool,
};

// What signatures of this crate mention.
pub use toolgate_mcp::catalog::ToolSet;
pub use toolgate_mcp::check::{Fault, OnUndecided, Refusal};
pub use toolgate_mcp::contract::{
    HostSchema, HostVerdict, Isolated, MalformedTool, SchemaStore, ToolContract, UncompilableTool,
    Validator,
};
pub use toolgate_mcp::era::Era;
pub use toolgate_mcp::project::{Lost, OutputPolicy, TextFallback};
#[cfg(feature = "server")]
pub use toolgate_mcp::publish::{Refused, RefusedTool, ToolDefinition};
#[cfg(feature = "client")]
pub use toolgate_mcp::typed::UntypedResult;
/// The compiler of a [`SchemaStore`] and its options.
pub use toolgate_schema::{Compiler, Content, Exhausted, Formats, Limits, Strictness};

/// The programs of the page compile.
#[cfg(all(doctest, feature = "http-client", feature = "http-server"))]
#[doc = include_str!("../../../docs/rmcp.md")]
struct Page;

/// The Rust of the other page, too.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/migrating.md")]
struct Migrating;
