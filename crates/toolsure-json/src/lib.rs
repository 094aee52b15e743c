//! Parses JSON bytes into a flat document with spans and exact numbers.
//!
//! [`Reader`] turns untrusted bytes into a [`Document`]: one flat array of nodes (a "tape") that
//! borrows its strings from the source and keeps the source span of every value and key. Reading is
//! strict (RFC 8259, no extensions), bounded by [`ReadLimits`] and never recurses; if it refuses a
//! text, it returns a [`ReadError`] with a byte offset.
//!
//! On top of the document are the parts of JSON Schema's data model that do not need a schema:
//! exact numbers ([`Number`]), equality ([`equal`]), hashing ([`hash_value`]) and duplicate search
//! ([`first_duplicate`]). They are written against the [`Node`] trait, so that they work with any
//! other representation of a JSON value, and they pay a [`Meter`] before they do any work.
//!
//! # Example
//!
//! ```
//! use toolsure_json::{Node, ReadErrorKind, ReadLimits, Reader};
//!
//! let mut reader = Reader::new();
//! let limits = ReadLimits::default();
//! let document = reader.read(br#"{"limit": 1e3}"#, &limits)?;
//! let limit = document.at_pointer("/limit").ok_or("no such member")?;
//! assert_eq!(limit.number().as_i64(), Some(1000));
//! assert_eq!(limit.span().start, 10);
//!
//! let refused = reader.read(br#"{"a": 1, "a": 2}"#, &limits).unwrap_err();
//! assert_eq!(refused.kind(), ReadErrorKind::DuplicateKey);
//! assert_eq!((refused.at(), refused.other()), (9, Some(1)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![deny(clippy::exhaustive_enums, clippy::exhaustive_structs)]

mod bits;
mod canonical;
mod contradiction;
mod document;
mod error;
mod hash;
#[cfg(test)]
mod hash_collisions;
pub mod int;
mod limits;
mod line_column;
mod meter;
mod node;
mod node_id;
mod number;
mod order;
mod owned;
pub mod pointer;
mod quote;
mod read;
#[cfg(feature = "count-reads")]
mod reads;
mod shown;
mod span;
mod tape;
mod unique;
mod value_hash;
mod write;

pub use crate::canonical::{canonical_json, exact_object};
pub use crate::contradiction::{contradictions, note_contradiction};
pub use crate::document::{Document, Items, KeyView, Members, View};
pub use crate::error::{ReadError, ReadErrorKind};
pub use crate::hash::{NameEnds, hash_bytes, key_hash};
pub use crate::limits::{DuplicateKeys, ReadLimits};
pub use crate::line_column::{LineColumn, line_column};
pub use crate::meter::{Meter, Unmetered, pay_for_number};
pub use crate::node::{Key, Kind, Node};
pub use crate::node_id::NodeId;
pub use crate::number::Number;
pub use crate::order::{compare, equal, equal_values};
pub use crate::owned::OwnedDocument;
pub use crate::quote::{Quote, quote};
pub use crate::read::{Mark, MemberAhead, MembersAhead, Parsed, Reader, Scalar, Stream};
#[cfg(feature = "count-reads")]
#[doc(hidden)]
pub use crate::reads::reads;
pub use crate::shown::{has_secret, names_secret, shown_command, shown_url};
pub use crate::span::Span;
pub use crate::unique::{PAIRED, first_duplicate, first_equal_scalars};
pub use crate::value_hash::{count_values, hash_value};
pub use crate::write::{json_string, push_json_string};
