//! What is said besides the verdict: findings, outputs and annotations. One program, so that the engine is compiled once for the kinds
//! of instances.

mod agrees;
mod annotation_suite;
mod contradiction;
mod findings;
mod hostile;
mod mistakes;
mod output_suite;
mod outputs;
mod suite;

#[expect(clippy::unwrap_used, reason = "a panic is how a test fails")]
#[path = "../shared/mod.rs"]
mod shared;
#[path = "../shared/stack.rs"]
mod stack;
