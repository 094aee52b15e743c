//! Tests whether a server keeps the contracts of its tools: the calls to make, and what is wrong with the answers. No I/O.
//!
//! [`Plan::of`] makes the calls for one tool: valid ones that cover its input schema, and invalid ones that each break one
//! keyword. Whoever can call the tool (the command line, a test in the server's own process) makes them and gives each
//! answer to a [`Judge`]. [`smaller`] gives the simpler calls to try when one finds something.
//!
//! ```
//! use std::sync::Arc;
//! use toolsure_mcp::contract::{SchemaStore, ToolContract};
//! use toolsure_mcp::era::Era;
//! use toolsure_mcp::testing::{Judge, Outcome, Plan, PlanOptions};
//! use toolsure_mcp::{OwnedDocument, ReadLimits};
//!
//! let tool = br#"{"name": "double", "inputSchema": {"type": "object", "required": ["n"],
//!     "properties": {"n": {"type": "integer", "maximum": 9}}}}"#;
//! let tool = Arc::new(ToolContract::read(tool, &SchemaStore::new())?);
//! let plan = Plan::of(&tool, &SchemaStore::new(), &PlanOptions::default())?;
//! let mut judge = Judge::new(Era::V2025_11_25);
//! for call in &plan.calls {
//!     // A server that accepts everything.
//!     let answer = OwnedDocument::read(r#"{"content": [{"type": "text", "text": "8"}]}"#, &ReadLimits::default())?;
//!     let findings = judge.judge(&tool, call, &Outcome::Result(answer.document().root()));
//!     assert_eq!(findings.is_empty(), call.is_valid(), "{}", call.arguments);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod edges;
mod finding;
mod judge;
mod links;
mod pinned;
mod plan;
mod shrink;
mod words;

pub use finding::{Code, Severity, TestFinding};
pub use judge::{Judge, Outcome};
pub use links::Links;
pub use pinned::Pinned;
pub use plan::{Call, CallKind, Plan, PlanOptions};
pub use shrink::smaller;
