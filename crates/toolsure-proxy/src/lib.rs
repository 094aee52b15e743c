//! The transports of Toolsure: processes, sockets, clocks and tokio.
//!
//! [`Session`] connects to an MCP server as a client (a child process on stdio, or Streamable
//! HTTP), negotiates the protocol version, and pages through `tools/list`. It returns the *raw JSON
//! text* of every tool, so that one bad tool cannot hide the others and no number or unknown member
//! is lost.
//!
//! The server is not trusted. Every wait has a deadline ([`Deadlines`]), every buffer a limit
//! ([`Limits`]), a child process is always reaped together with its group, and every failure is a
//! [`Fault`] that says who must act, what happened in which [`Phase`], and what may help.
//!
//! ```no_run
//! # async fn run() -> Result<(), toolsure_proxy::Fault> {
//! use toolsure_proxy::{Launch, Options, Session};
//!
//! let launch = Launch::new("npx").arg("-y").arg("@modelcontextprotocol/server-everything");
//! let mut session = Session::stdio(launch, Options::default()).await?;
//! let listing = session.list_tools().await?;
//! println!("{} tools, protocol version {}", listing.tools.len(), session.server().era.version());
//! session.close().await;
//! # Ok(())
//! # }
//! ```

#![deny(clippy::exhaustive_enums, clippy::exhaustive_structs)]

mod fault;
pub mod guard;
mod http;
mod limits;
mod message;
mod message_memory;
mod notes;
mod outbox;
mod probe;
mod session;
mod sse;
mod standard;
mod stdio;
#[cfg(feature = "valkey")]
pub mod store;
mod web;

pub use fault::{Fault, FaultKind, Party, Phase};
pub use http::{HttpTarget, http_client};
pub use limits::{Deadlines, Limits};
pub use message::{Answer, Reply, RpcError};
pub use notes::Notes;
pub use session::{Listing, Options, ServerInfo, Session};
pub use stdio::{Launch, Line, Lines};
