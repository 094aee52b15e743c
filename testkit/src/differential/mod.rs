//! Random schemas and instances, checked by every engine. Every difference must be explained.
//!
//! A disagreement between our two representations (verdict or fuel) is a failure. A disagreement
//! with a peer is shrunk and then looked up in [`peer_defects`]; it is a failure if no rule
//! explains it.

pub mod instances;
mod keywords;
pub mod peer_defects;
pub mod random;
pub mod runner;
pub mod schemas;
pub mod shrink;
pub mod words;
