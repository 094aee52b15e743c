//! JSON Schema as a typed model: what a schema says, before anything evaluates it.
//!
//! A [`Parser`] reads a schema of draft 4, 6, 7, 2019-09 or 2020-12 into a
//! [`Model`]: every subschema with its keywords decoded, its references resolved and its location
//! in the source text. Nothing is fetched, and [`Limits`] bound the work, so schemas from untrusted
//! authors can be read. Errors that a metaschema would find are reported while the model is built.
//!
//! ```
//! use toolsure_syntax::{Keyword, Parser};
//!
//! let model = Parser::default().parse(br##"{"$ref": "#/$defs/a%20b", "$defs": {"a b": {"type": "string"}}}"##)?;
//! let root = model.sub(model.root)?;
//! let entry = model.entry(root, Keyword::Ref)?.expect("the root refers");
//! let reference = entry.reference().expect("`$ref` is a reference");
//! let target = model.sub(model.target(reference)?.initial())?;
//! assert_eq!(model.pointer(target)?, "/$defs/a b");
//! # Ok::<(), toolsure_syntax::CompileError>(())
//! ```
//!
//! The parts can also be used alone, by programs that read or rewrite the text of schemas:
//!
//! | module or type | what it answers |
//! |---|---|
//! | [`Dialect`], [`Keyword`] | which dialect has which keyword |
//! | [`positions`] | where in a schema its subschemas are |
//! | [`loosening`] | what to leave out above a subschema that accepts more than before |
//! | [`mod@reference`] | ids, anchors, fragments and JSON pointers in a schema's text |
//! | [`uri`] | what a reference means against a base URI (RFC 3986) |
//! | [`mod@format`] | which strings a `format` accepts |
//! | [`closest()`] | which known name a misspelled one is close to |

#![forbid(unsafe_code)]
#![deny(clippy::exhaustive_enums, clippy::exhaustive_structs)]

mod build;
mod closest;
mod dialect;
mod error;
pub mod format;
mod limits;
pub mod loosening;
pub mod model;
mod options;
mod parser;
mod part;
pub mod positions;
pub mod reference;
mod resolve;
pub mod uri;

pub use closest::{closest, closest_within};
pub use dialect::{AppliesTo, Dialect, DialectRules, Keyword, ValueShape, Vocabulary, metaschema};
pub use error::{CompileError, CompileErrorKind, SchemaLocation};
pub use limits::{Limit, LimitName, Limits};
pub use model::Model;
pub use options::{Content, Formats, Options, Strictness, Warning};
pub use parser::Parser;
pub use part::NeededPart;

// Types that the signatures of this crate mention.
pub use toolsure_json::{Kind, Node, NodeId, Number, OwnedDocument, ReadLimits, View};
pub use toolsure_pattern::Pattern;
