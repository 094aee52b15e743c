//! The test kit: runs the same tests on every engine.
//!
//! The kit puts our engine (over bytes and over [`serde_json::Value`]) and its peers behind one
//! [`Engine`](engine::Engine) trait, reads the test material (the official suite, the hostile
//! pairs, the corpus, our own cases) and runs the tests whose results `cargo xtask` prints. It uses
//! only the public API of the crates under test, and is never published.

pub mod annotations;
pub mod cases;
pub mod corpus;
pub mod differential;
pub mod engine;
pub mod engines;
pub mod hostile;
pub mod official;
pub mod ours;
pub mod output;
pub mod peers;
pub mod place;
pub mod plain;
pub mod protocol;
pub mod providers;
pub mod raw;
pub mod recorded;
pub mod tally;

pub use toolsure_schema::Dialect;
