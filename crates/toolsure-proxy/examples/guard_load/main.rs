//! Measures how much longer a call through the guard takes than a direct call, and than a call
//! through a proxy that only copies bytes: on stdio and HTTP, interleaved, with the guard's memory.
//!
//! `cargo run --release -p toolsure-proxy --example guard_load -- [ROUNDS] [CALLS]` prints a table.
//! Each round makes CALLS calls one by one on each connection, then CALLS with up to 64 in flight
//! on stdio and 1 on HTTP.
//!
//! `… --example guard_load -- endure [CALLS] [TOOLS]` makes CALLS calls (1,000,000) of TOOLS tools
//! (1,000) through the guard on each transport, and prints its memory ten times.

mod between;
mod compare;
mod connections;
mod endure;
mod peers;

use std::error::Error;

type Done<T> = Result<T, Box<dyn Error>>;

fn main() -> Done<()> {
    let mut args = std::env::args().skip(1);
    let first = args.next();
    let mut number = |default: usize| args.next().map_or(Ok(default), |word| word.parse());
    match first.as_deref() {
        Some("endure") => endure::endure(number(1_000_000)?, number(1_000)?),
        Some("echo-stdio") => peers::echo_stdio(number(1)?),
        Some("echo-http") => peers::echo_http(number(1)?),
        Some("copy-stdio") => between::runtime()?.block_on(between::copy_stdio(number(1)?)),
        Some("guard-stdio") => between::runtime()?.block_on(between::guard_stdio(number(1)?)),
        Some("copy-http") => {
            let upstream = args.next().unwrap_or_default();
            between::runtime()?.block_on(between::copy_http(&upstream))
        }
        Some("guard-http") => {
            let upstream = args.next().unwrap_or_default();
            between::runtime()?.block_on(between::guard_http(&upstream))
        }
        rounds => {
            let rounds = rounds.map_or(Ok(20), str::parse)?;
            compare::compare(rounds, number(500)?)
        }
    }
}

fn itself() -> std::io::Result<std::path::PathBuf> {
    std::env::current_exe()
}
