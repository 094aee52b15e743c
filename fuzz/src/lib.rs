//! Fuzz targets: functions from bytes to a fault, each holding one part of Toolsure to what it
//! promises for any input.
//!
//! A target never needs a compiler with sanitizers. `cargo run --profile test -p toolsure-fuzz`
//! mutates seeds for a while; `fuzz/libfuzzer` runs the same targets under libFuzzer; `fuzz/regressions/TARGET`
//! holds inputs that once failed, which the tests of this crate replay.
//!
//! The input of a target is one text, or several with a NUL byte between them (JSON text cannot
//! hold one): a schema and an instance, an old schema and a new one.

#![forbid(unsafe_code)]

pub mod costs;
pub mod input;
pub mod mutate;
pub mod seeds;
pub mod targets;

pub use targets::{TARGETS, Target};

/// What a target found wrong, in one line; nothing if all is well or the input is not its business.
pub type Outcome = Result<(), String>;

/// Fails with a message unless a condition holds.
#[macro_export]
macro_rules! ensure {
    ($condition:expr, $($message:tt)+) => {
        if !$condition {
            return Err(format!($($message)+));
        }
    };
}
