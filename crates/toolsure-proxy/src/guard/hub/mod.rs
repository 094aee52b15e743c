//! The driver of one hub: the lock around it, the queues to its client and its servers, its timer.
//!
//! Whoever has a message calls [`HubDriver::turn`], which decides under the lock and queues the results
//! in the order of the decisions. Then the caller waits, or not:
//!
//! | who | waits until |
//! |---|---|
//! | the task that reads a client on stdio | its server and the client have taken what was queued; of several servers, each has less than one message (`limits.message`) unread, or is given up after `times.notify` |
//! | a request over HTTP | nothing: it waits for its answer, and its bytes are in the budget meanwhile |
//! | a task that reads a server | the client has taken most of what was queued. It never waits until a server has read: a server that writes may read nothing before its own messages are read |
//! | the timer | nothing |
//!
//! A server that writes but does not read what it is sent is given up ([`Child::next`]). Once more than
//! `Bounds::most_unread` bytes wait for a server, requests to it are refused and other messages dropped, because
//! clients over HTTP do not wait.
//!
//! [`Child::next`]: super::child::Child::next

mod build;
mod client;
mod driver;
mod members;
mod peer;
mod turn;
mod upkeep;

pub(super) use client::run;
pub(super) use driver::{Connected, Connection, HubDriver, Owner, Receivers};
pub(super) use peer::open;
