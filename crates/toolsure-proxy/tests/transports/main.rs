//! Both transports against scripted servers that misbehave, one per fault.

#![cfg(unix)]
#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests fail as tests do, with a panic"
)]

mod common;
mod http;
mod stdio;
mod unknown_method;
mod web;
