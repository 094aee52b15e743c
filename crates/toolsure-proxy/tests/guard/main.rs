//! The guard's transports between scripted peers: the four pairs of transports, and one test per
//! fault.

#![cfg(unix)]
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests fail as tests do, with a panic"
)]

mod admission;
pub(crate) mod aggregate;
mod attacks;
mod authentication;
mod authorization;
mod bodies;
mod callers;
mod common;
mod crossings;
mod eras;
mod faults;
mod http_child;
mod http_http;
mod hub_ends;
mod hubs;
mod left_behind;
mod listener;
mod moved;
mod network;
mod other_caller;
mod reload;
mod replicas;
mod slow_readers;
mod stdio_child;
mod stdio_http;
mod stuck_servers;
mod tls;
mod unknown_method;
#[path = "../transports/web.rs"]
mod web;
