//! A schema without references, for readers that cannot follow them.
//!
//! Many clients and model providers refuse a tool whose schema has `$ref`.
//! [`inline`] replaces each reference by its target and drops `$defs` and `definitions`, so that every
//! verdict stays the same:
//!
//! * A recursive definition cannot be written out. Its reference stays, with a `$defs` (`definitions` in
//!   draft 7 and older) at the root that holds only the definitions that are still needed.
//! * Expansion can be exponential. Over [`InlineLimits`] the largest shared definitions stay referenced, in
//!   the same way; the text never grows beyond the limits.
//! * Keywords beside a `$ref` count since 2019-09: they are merged with the target if neither could change
//!   the meaning of the other, otherwise the target becomes a branch of `allOf`. In draft 7 and older they
//!   are ignored and dropped, except `title` and `description`, which only people and models read.
//! * Pointers to anywhere in the document, percent-encoded or not, anchors, embedded `$id`s and
//!   `$dynamicRef`s that can only mean one place are resolved. A reference out of the document stays, as an
//!   absolute URI.
//! * `const`, `enum`, `default`, `examples` and unknown keywords are data: nothing in them changes, and
//!   everything that stays is copied from the source, including numbers, spelling and key order.
//!
//! ```
//! let schema = br##"{"type": "object", "properties": {"at": {"$ref": "#/$defs/point", "title": "At"}},
//!     "$defs": {"point": {"type": "array", "minItems": 2}}}"##;
//! let inlined = toolsure_analysis::inline::inline(schema, &Default::default(), &Default::default())?;
//! assert_eq!(
//!     inlined.text,
//!     r#"{"type":"object","properties":{"at": {"type":"array","minItems":2,"title":"At"}}}"#
//! );
//! assert!(inlined.kept.is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod choose;
mod map;
mod merge;
mod report;
mod task;
#[cfg(test)]
mod tests;
mod write;

use toolsure_json::{OwnedDocument, ReadError, ReadLimits, View};
use toolsure_syntax::Parser;

pub use report::{InlineLimits, Inlined, Kept, Untouched, Why};

use choose::Choice;
use map::Map;
use write::Writer;

/// Rewrites a schema text without references. `parser` sets the dialect of a schema that declares none,
/// or of all, and the base URI.
///
/// Does not check the schema: an error in it stays in the result. Takes time in proportion to the input and
/// the output.
///
/// ```
/// use toolsure_analysis::inline::{InlineLimits, Why, inline};
///
/// let schema = br##"{"properties": {"next": {"$ref": "#"}}}"##;
/// let inlined = inline(schema, &Default::default(), &InlineLimits::default())?;
/// assert_eq!(inlined.kept[0].why, Why::Recursive);
/// # Ok::<(), toolsure_analysis::ReadError>(())
/// ```
///
/// # Errors
///
/// The text is not JSON, or exceeds the limits of the reader (the input bytes in `limits`, 512 levels,
/// duplicate keys).
pub fn inline(schema: &[u8], parser: &Parser, limits: &InlineLimits) -> Result<Inlined, ReadError> {
    let read = ReadLimits {
        bytes: limits.input_bytes,
        depth: 512,
        nodes: 500_000,
        ..ReadLimits::default()
    };
    let document = OwnedDocument::read(schema, &read)?;
    Ok(inline_view(document.document().root(), parser, limits))
}

/// Rewrites a schema that is a value in a document; `#` in its references is the schema, not the document.
///
/// ```
/// use toolsure_analysis::inline::{InlineLimits, inline_view};
/// use toolsure_json::{Node as _, OwnedDocument, ReadLimits};
///
/// let tool = r##"{"inputSchema": {"items": {"$ref": "#/$defs/a"}, "$defs": {"a": {"minimum": 1}}}}"##;
/// let tool = OwnedDocument::read(tool, &ReadLimits::default())?;
/// let schema = tool.document().root().member("inputSchema").ok_or("no schema")?;
/// let inlined = inline_view(schema, &Default::default(), &InlineLimits::default());
/// assert_eq!(inlined.text, r#"{"items":{"minimum": 1}}"#);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn inline_view(schema: View<'_>, parser: &Parser, limits: &InlineLimits) -> Inlined {
    let untouched = |why| Inlined {
        text: schema.raw().to_owned(),
        untouched: Some(why),
        ..Inlined::default()
    };
    let map = match Map::new(schema, parser, limits) {
        Ok(map) => map,
        Err(why) => return untouched(why),
    };
    let choice = Choice::new(&map, limits);
    let inlined = Writer::new(&map, &choice).write();
    if inlined.text.len() > limits.output_bytes(schema.raw().len()) {
        return untouched(Untouched::TooLarge);
    }
    inlined
}
