//! JSON Schema under hard bounds: schema and instance in, verdict out.
//!
//! Toolgate's engine compiles schemas that nobody vouches for and checks
//! instances against them. It knows the dialects draft 4, 6, 7, 2019-09 and
//! 2020-12, fetches nothing, and every check is bounded by [`Limits`]: a
//! [`Verdict`] is *valid*, *invalid* or *undecided*, never a hang.
//!
//! ```
//! use toolgate_schema::{Compiler, Formats, Verdict, Workspace};
//!
//! let schema = Compiler::new().formats(Formats::Assert).compile(
//!     br#"{"type": "object", "properties": {"on": {"format": "date"}}, "required": ["on"]}"#,
//! )?;
//! let mut workspace = Workspace::new();
//! let verdict = schema.check_bytes(&mut workspace, br#"{"on": "2026-02-30"}"#)?;
//! assert_eq!(verdict, Verdict::Invalid);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! One direction, six rooms: bytes are *admitted* and *resolved* into an
//! outline, *lowered* into a plan, and the plan is *executed*. Only when the
//! answer is no does a second, plain evaluation of the outline *explain* it.

#![forbid(unsafe_code)]

mod admit;
mod closest;
mod compiler;
mod cost;
mod dialect;
mod error;
mod execute;
mod explain;
pub mod format;
mod int;
mod limits;
mod lower;
mod options;
mod outline;
mod plan;
pub mod positions;
mod price;
mod report;
mod resolve;
mod safety;
mod schema;
pub mod settings;
mod uri;
#[cfg(feature = "serde_json")]
mod value;

pub use closest::closest;
pub use compiler::Compiler;
pub use dialect::Dialect;
pub use error::{CompileError, CompileErrorKind};
pub use execute::Exhausted;
pub use explain::kind::{Branches, FindingKind, Found, Tag};
pub use limits::{Limit, LimitName, Limits};
pub use options::{Content, Formats, Strictness, Warning};
pub use report::{
    Annotation, Annotations, Explanation, Fault, Faults, Finding, OutputFormat, Report, Source,
};
pub use safety::{
    assert_schema_safe_to_compile, assert_view_safe_to_compile, is_same_document_ref,
};
pub use schema::{Schema, Verdict, Workspace};
#[cfg(feature = "serde_json")]
pub use value::ValueNode;
