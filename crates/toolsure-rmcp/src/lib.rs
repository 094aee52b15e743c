//! Tool contracts for servers and clients written with `rmcp`, the official
//! Rust SDK of the Model Context Protocol.
//!
//! `rmcp` publishes the schemas of a server's tools and checks nothing. This crate
//! checks arguments before they are sent and before a handler runs, and results before
//! they are sent and when they arrive, in every protocol version up to 2026-07-28. Each
//! client gets lists and results in the form that its protocol version can express.
//!
//! # A server, a client
//!
//! ```
//! use rmcp::handler::server::wrapper::{Json, Parameters};
//! use rmcp::model::CallToolRequestParams;
//! use rmcp::schemars::JsonSchema;
//! use rmcp::{ServerHandler, ServiceExt as _, tool, tool_handler, tool_router};
//! use serde::{Deserialize, Serialize};
//! use toolsure_rmcp::{CallTyped as _, ClientLayer, ServerHandlerExt as _};
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
//! // The server: `.checked()` is all that is added.
//! let server = tokio::spawn(async move { Weather.checked().serve(far).await });
//!
//! // The client: on any transport, here a pair of byte streams.
//! let (read, write) = tokio::io::split(near);
//! let client = ().serve(ClientLayer::new().lines(read, write)).await?;
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
//! # Where to start
//!
//! * [`ServerHandlerExt::checked`] wraps any `ServerHandler` with default options;
//!   [`ServerLayer`] has the options, and is shared by the handlers of one HTTP
//!   server. [`ToolRouterExt`] is for a `ToolRouter` alone.
//! * [`ServerLines`] reads and writes a server's standard streams, and answers
//!   requests that rmcp would drop or misread with an error; `ServerHttp` (feature
//!   `http-server`) does the same in front of a `StreamableHttpService`.
//! * [`tool()`] builds rmcp's `Tool` from a definition with raw schemas, and refuses
//!   one that can never work; [`Union`] lets a Rust enum be a tool's input.
//! * [`ClientLayer`] wraps a client's transport; [`CallTyped`] calls tools with Rust
//!   types.
//!
//! # Three verdicts
//!
//! A check may reach its limit ([`fuel`](ServerLayer::fuel)) before it has an answer. The message
//! is then refused, unless [`on_undecided`](ServerLayer::on_undecided) lets it pass; an event
//! reports each message that passed undecided.
//!
//! # Features
//!
//! | Feature | Default | |
//! |---|---|---|
//! | `server` | yes | `ServerLayer`, for handlers and routers |
//! | `client` | yes | `ClientLayer`, for client transports |
//! | `child-process` | yes | `ClientLayer::command`, which starts a server |
//! | `http-client` | no | `ClientLayer::http`, below rmcp's Streamable HTTP client |
//! | `http-server` | no | `ServerHttp`, in front of rmcp's Streamable HTTP service |
//! | `ordered` | yes | schemas keep the order of their keys: turns on `serde_json/preserve_order` |
//! | `exact` | no | schemas and arguments keep their numbers: turns on `serde_json/arbitrary_precision` |
//!
//! Features of `serde_json` are turned on for the whole build. With
//! `arbitrary_precision`, serde's untagged and internally tagged enums cannot
//! read numbers from JSON text; rmcp itself is not affected.
//!
//! The crate works with every rmcp from 3.9 on, and each minor version up to
//! 3.11 is tested. A newer one may have handler methods that the layer does
//! not forward yet: they are answered with "method not found".

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

#[cfg(feature = "http-client")]
pub use client::CheckedHttp;
#[cfg(feature = "child-process")]
pub use client::ChildLines;
#[cfg(feature = "client")]
pub use client::{
    CallTyped, CheckedTransport, ClientEvent, ClientLayer, Lines, OnUnreadList, ToolWatch,
    TypedCallError,
};
#[cfg(feature = "http-server")]
pub use server::{BodyError, ReadBody, ServerHttp};
#[cfg(feature = "server")]
pub use server::{
    CheckedHandler, CheckedServerTransport, RefusedTools, ServerEvent, ServerHandlerExt,
    ServerLayer, ServerLines, ToolRouterExt, Union, UnsentMessage, tool,
};

// Types in the signatures of this crate.
pub use toolsure_mcp::catalog::ToolSet;
pub use toolsure_mcp::check::{Fault, OnUndecided, Refusal};
pub use toolsure_mcp::contract::{
    HostSchema, HostVerdict, Isolated, MalformedTool, SchemaStore, ToolContract, UncompilableTool,
    Validator,
};
pub use toolsure_mcp::era::Era;
pub use toolsure_mcp::project::{Lost, OutputPolicy, TextFallback};
#[cfg(feature = "server")]
pub use toolsure_mcp::publish::{Refused, RefusedTool, ToolDefinition};
#[cfg(feature = "client")]
pub use toolsure_mcp::typed::UntypedResult;
/// The compiler of a [`SchemaStore`] and its options.
pub use toolsure_schema::{Compiler, Content, Exhausted, Formats, Limits, Strictness};

/// Compiles the programs in docs/rmcp.md.
#[cfg(all(doctest, feature = "http-client", feature = "http-server"))]
#[doc = include_str!("../../../docs/rmcp.md")]
struct Page;

/// Compiles the Rust code in docs/migrating.md.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/migrating.md")]
struct Migrating;
