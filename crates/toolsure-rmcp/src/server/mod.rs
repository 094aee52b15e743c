//! The server's side: a layer around handlers that checks calls and results.

mod call;
mod checks;
mod contracts;
mod define;
mod event;
mod handler;
#[cfg(feature = "http-server")]
mod http;
mod input;
mod layer;
mod lines;
mod list;
mod malformed;
mod router;
mod text;
mod transport;

pub use define::tool;
pub use event::ServerEvent;
pub use handler::{CheckedHandler, ServerHandlerExt};
#[cfg(feature = "http-server")]
pub use http::{BodyError, ReadBody, ServerHttp};
pub use input::Union;
pub use layer::ServerLayer;
pub use lines::ServerLines;
pub use router::{RefusedTools, ToolRouterExt};
pub use transport::{CheckedServerTransport, UnsentMessage};
