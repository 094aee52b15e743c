//! The client's side: a layer around transports that checks a server's tools.

mod check;
#[cfg(feature = "child-process")]
mod child;
mod decode;
mod event;
#[cfg(feature = "http-client")]
mod http;
mod known_tools;
mod layer;
mod lines;
mod list;
mod transport;
mod typed;
mod uncheckable;
mod wrap;

#[cfg(feature = "child-process")]
pub use child::ChildLines;
pub use event::ClientEvent;
#[cfg(feature = "http-client")]
pub use http::CheckedHttp;
pub use known_tools::ToolWatch;
pub use layer::{ClientLayer, OnUnreadList};
pub use lines::Lines;
pub use transport::CheckedTransport;
pub use typed::{CallTyped, TypedCallError};
