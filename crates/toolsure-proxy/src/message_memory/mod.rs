//! The bytes of messages that are in memory between clients and servers: one budget for all of them,
//! and a share of it for each caller.
//!
//! ```text
//!   server ─▶ Reading (reserved before it is read) ─▶ Held (until the client has read it) ─▶ client
//! ```
//!
//! A server is not read while the budget is used up. If that lasts, the clients that read slowest
//! lose their connections.

mod budget;
mod bytes;
mod held;
mod reader;
mod reading;
mod slow;

pub use budget::MessageMemory;
pub(crate) use budget::{Held, Holder};
pub(crate) use reading::{ReadLimit, Reading};
pub(crate) use slow::SMALL;
