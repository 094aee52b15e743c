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
//! `toolgate-syntax` reads a schema into a model. Here the model is *lowered*
//! into a plan, and the plan is *executed*. Only when the
//! answer is no does a second, plain evaluation of the model *explain* it.

#![forbid(unsafe_code)]

mod compiler;
mod cost;
mod execute;
mod explain;
mod int;
mod limits;
mod lower;
mod outline;
mod plan;
mod price;
mod report;
mod safety;
mod schema;
pub mod settings;
#[cfg(feature = "serde_json")]
mod value;

/// The model's types, under the paths that this crate's modules use.
mod dialect {
    pub(crate) use toolgate_syntax::{Dialect, Keyword};
}
mod error {
    pub(crate) use toolgate_syntax::{CompileError, CompileErrorKind, SchemaLocation as Place};
}
mod options {
    pub(crate) use toolgate_syntax::{Content, Formats, Strictness, Warning};
}

pub use compiler::Compiler;
pub use execute::Exhausted;
pub use explain::kind::{Branches, FindingKind, Found, Tag};
pub use limits::Limits;
pub use report::{
    Annotation, Annotations, Explanation, Fault, Faults, Finding, OutputFormat, Report, Source,
};
pub use safety::{
    assert_schema_safe_to_compile, assert_view_safe_to_compile, is_same_document_ref,
};
pub use schema::{Schema, Verdict, Workspace};
// What signatures of this crate mention of the crates below it.
pub use toolgate_json::{Kind, Node, OwnedDocument, ReadError, ReadLimits, View};
pub use toolgate_syntax::{
    CompileError, CompileErrorKind, Content, Dialect, Formats, Limit, LimitName, Parser,
    SchemaLocation, Strictness, Warning, closest, format, positions,
};
#[cfg(feature = "serde_json")]
pub use value::{ValueItems, ValueKey, ValueMembers, ValueNode};
