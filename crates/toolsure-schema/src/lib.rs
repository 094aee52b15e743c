//! JSON Schema with hard limits: schema and instance in, verdict out.
//!
//! Toolsure's engine compiles untrusted schemas and checks instances against them. It supports
//! draft 4, 6, 7, 2019-09 and 2020-12, fetches nothing, and runs every check under [`Limits`]: a
//! [`Verdict`] is *valid*, *invalid* or *undecided*, and a check never hangs.
//!
//! ```
//! use toolsure_schema::{Compiler, Formats, Verdict, Workspace};
//!
//! let schema = Compiler::new().formats(Formats::Assert).compile(
//!     br#"{"type": "object", "properties": {"on": {"format": "date"}}, "required": ["on"]}"#,
//! )?;
//! let mut workspace = Workspace::new();
//! let verdict = schema.check(&mut workspace, br#"{"on": "2026-02-30"}"#)?;
//! assert_eq!(verdict, Verdict::Invalid);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Checking and explaining
//!
//! | method | answers |
//! |---|---|
//! | [`Schema::check`] | valid, invalid or undecided |
//! | [`Schema::explain`] | why an instance is invalid: [`Finding`]s with places, and a summary for people and models |
//! | [`Schema::output`] | a standard output format, as JSON text |
//! | [`Schema::annotations`] | what keywords that hold say about values |
//!
//! Each takes an [`Instance`] (JSON text, a document, a `serde_json::Value`, or any [`Node`]) and a
//! [`Workspace`], which holds the options of one check and the memory that checks reuse. The
//! [`Compiler`] holds the options of a schema.
//!
//! # Untrusted input
//!
//! This crate is made for schemas and instances from untrusted authors. Under the default
//! [`Limits`], no schema and no instance makes it panic, overflow the stack, loop, fetch something,
//! or use more than the time and memory below. Exceeding a limit is a compile error or an undecided
//! check, never a verdict.
//!
//! ## Schemas
//!
//! [`Compiler::compile`] refuses a schema that exceeds a limit, with a [`CompileError`] whose
//! [`limit`](CompileError::limit) names the limit. Compilation takes time and memory in proportion
//! to these limits, and they are checked while the schema is read, before more memory is allocated:
//!
//! | limits | what they bound | what they do not |
//! |---|---|---|
//! | `schema_bytes`, `schema_nesting`, `schema_nodes`, `schema_digits` | reading each document | how many documents there are: only those that were registered with the compiler, at most `registrations` |
//! | `depth`, `subschemas`, `enum_members`, `reference_bytes` | the model, summed over all documents that references lead to | |
//! | `pattern_bytes`, `pattern_size`, `patterns_size` | the compiled regular expressions | the memory that a match uses while it runs, which each pattern bounds by itself |
//! | `plan_nodes` | the compiled program, where dynamic references would multiply it | |
//!
//! Nothing is fetched. A `$ref` to a document that is not registered is refused (`ref-denied`), and
//! so is a cycle of references that would never end. A regular expression without backreferences
//! or lookaround is matched in time linear in the string; otherwise the search pays fuel for each
//! step.
//!
//! ## Instances
//!
//! [`Limits::instance`] limits the reading of JSON text: bytes, nesting, values, digits of a
//! number, and repeated names. An instance that exceeds them is a [`ReadError`], which is not a
//! verdict. An instance that is passed as a value has no such limit; checking it has.
//!
//! A check may spend [`Limits::fuel`] units of work, 10 to 40 ns each on a core of the 2020s: 20 to
//! 80 ms with the default, while an ordinary tool call takes under 100 units. Fuel is paid before
//! the work is done. It depends only on the schema and the content of the instance, not on the
//! machine, the order of members or the representation, so the same check ends the same way
//! everywhere. There is one exception: a number that is written with more than 64 characters costs
//! its length, which a `serde_json::Value` does not keep. JSON text is checked while it is read, and read
//! and checked again if that gives no verdict; the first pass, for which no fuel is counted then, does
//! at most a quarter of the work that the fuel allows. [`Limits::evaluation_depth`] limits how deeply subschemas apply each other, and with
//! it the stack: 256 KiB are enough for the default. Explaining a failure may take as much again.
//!
//! Fuel is not time: a slow or overloaded machine takes longer for it, and a deadline is the task
//! of the calling program. [`Workspace::fuel`] sets the fuel of single checks, for a program that
//! gives each of its users a separate budget.
//!
//! ## Undecided
//!
//! [`Verdict::Undecided`] means that the answer is not known, for the reason it carries. No keyword
//! turns it into an answer: `not` does not negate it, and `anyOf` does not skip it to try another
//! branch. Treat it as "not valid" if the check protects something, and log the reason:
//! [`Exhausted::setting`] names the limit to raise.
//!
//! ```
//! use toolsure_schema::{Compiler, Exhausted, Limits, Verdict, Workspace};
//!
//! let limits = Limits { fuel: 1_000, ..Limits::default() };
//! let schema = Compiler::new().limits(limits).compile(br#"{"uniqueItems": true}"#)?;
//! let long: Vec<u32> = (0..10_000).collect();
//! let verdict = schema.check(&mut Workspace::new(), &serde_json::json!(long));
//! assert_eq!(verdict, Verdict::Undecided(Exhausted::Fuel { allowed: 1_000 }));
//!
//! let allowed = match verdict {
//!     Verdict::Valid => true,
//!     Verdict::Invalid => false,
//!     // Refuse what could not be checked.
//!     Verdict::Undecided(why) => {
//!         assert_eq!(why.setting(), Some("limits.fuel"));
//!         false
//!     }
//! };
//! assert!(!allowed);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! ## What to raise
//!
//! The defaults are several times what the largest of 11,799 published tools needs. Raise one limit
//! at a time, for the schema that the error names: `subschemas`, `plan_nodes` and `enum_members`
//! for generated schemas, `patterns_size` for large character classes, `fuel` for instances of
//! several megabytes. `evaluation_depth` costs stack: about 720 bytes for each level in an
//! optimised build. A compiled schema takes memory in proportion to its text and its patterns
//! ([`Schema::memory`]); a [`Workspace`] keeps the memory of its largest instance.
//!
//! # How it works
//!
//! `toolsure-syntax` reads a schema into a model. This crate *lowers* the model to a plan, and
//! *executes* the plan. Only if the answer is no, the model is lowered again, to the plain program,
//! which has one operation for each keyword; the same evaluator runs it to *explain* the answer.

#![forbid(unsafe_code)]
#![deny(clippy::exhaustive_enums, clippy::exhaustive_structs)]

mod compiler;
mod cost;
mod execute;
mod explain;
mod int;
mod limits;
mod lower;
mod model;
mod plan;
mod price;
mod report;
mod safety;
mod schema;
pub mod settings;
#[cfg(feature = "serde_json")]
mod value;

/// The model's types, with the paths that this crate's modules use.
mod dialect {
    pub(crate) use toolsure_syntax::{AppliesTo, Dialect, Keyword};
}
mod error {
    pub(crate) use toolsure_syntax::{CompileError, CompileErrorKind, SchemaLocation as Place};
}
mod options {
    pub(crate) use toolsure_syntax::{Content, Formats, Strictness, Warning};
}

pub use compiler::Compiler;
pub use execute::Exhausted;
pub use explain::kind::FindingKind;
pub use explain::text::{Branches, FoundValue, Tag};
pub use limits::Limits;
pub use report::{
    Annotation, Annotations, Explanation, Fault, Faults, Finding, OutputFormat, Report, Source,
};
pub use safety::{
    assert_schema_safe_to_compile, assert_view_safe_to_compile, is_same_document_ref,
};
pub use schema::instance::{AnyNode, Instance};
pub use schema::{Schema, Verdict, Workspace};
// Types of the crates below that appear in signatures of this crate.
pub use toolsure_json::{Kind, Node, OwnedDocument, ReadError, ReadLimits, View};
pub use toolsure_syntax::reference::{Resources, Target};
pub use toolsure_syntax::{
    CompileError, CompileErrorKind, Content, Dialect, Formats, Limit, LimitName,
    Limits as ModelLimits, Parser, SchemaLocation, Strictness, Warning, closest, format, positions,
};
#[cfg(feature = "serde_json")]
pub use value::{ValueItems, ValueKey, ValueMembers, ValueNode};

/// Compiles the Rust code in docs/library.md.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/library.md")]
struct Library;
