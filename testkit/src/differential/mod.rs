//! Random schemas and instances, judged by every engine; each difference must be explained.
//!
//! Each disagreement between our two representations (verdict or fuel) is a
//! failure. Each disagreement with a peer is shrunk and then looked up in
//! [`peer_defects`]; one that no rule explains is a failure.

pub mod instances;
mod keywords;
pub mod peer_defects;
pub mod random;
pub mod runner;
pub mod schemas;
pub mod shrink;
pub mod words;
