//! The program as its users run it: arguments in, text and exit code out.

#![cfg(unix)]
#![expect(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "helpers of tests fail as tests do, with a panic"
)]

mod admin;
mod argument_schema;
mod callers;
mod cases;
mod check_config;
mod check_file;
mod check_live;
#[cfg(feature = "otel")]
mod collector;
mod demo_http;
mod demo_stdio;
mod diff;
mod fetch;
mod files;
mod forms;
mod guard;
#[cfg(target_os = "linux")]
mod guard_memory;
mod guard_several;
mod guard_tls;
mod lint;
mod lock;
#[cfg(feature = "otel")]
mod otel;
mod policy;
mod project;
mod pty;
mod reload;
mod run;
mod secrets;
mod settings;
mod streams;
mod terminal;
mod test_server;
mod validate;
mod validate_jsonl;
