//! A document that owns its source.

use std::fmt;
use std::sync::Arc;

use crate::document::{Document, KeyView};
use crate::error::{ReadError, ReadErrorKind};
use crate::limits::ReadLimits;
use crate::node::Kind;
use crate::read::{Reader, admit_bytes};
use crate::tape::{NONE, Slot, Tag, Tape};

/// A document together with the text it was read from.
///
/// Clones share the memory. For many short-lived documents use a
/// [`Reader`], which reuses its own.
///
/// ```
/// use toolsure_json::{Node as _, OwnedDocument, ReadLimits};
///
/// let document = OwnedDocument::read("[1, 2]", &ReadLimits::default())?;
/// let copy = document.clone();
/// assert_eq!(copy.document().root().len(), 2);
/// assert_eq!(document.into_source(), "[1, 2]");
/// # Ok::<(), toolsure_json::ReadError>(())
/// ```
#[derive(Clone)]
pub struct OwnedDocument {
    inner: Arc<Inner>,
}

struct Inner {
    source: String,
    tape: Tape,
}

impl OwnedDocument {
    /// Reads a source text.
    ///
    /// ```
    /// use toolsure_json::{Node as _, OwnedDocument, ReadLimits};
    ///
    /// let document = OwnedDocument::read("[1, 2]", &ReadLimits::default())?;
    /// assert_eq!(document.document().root().len(), 2);
    /// # Ok::<(), toolsure_json::ReadError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Reader::read`].
    pub fn read(source: impl Into<Vec<u8>>, limits: &ReadLimits) -> Result<Self, ReadError> {
        let bytes = source.into();
        admit_bytes(&bytes, limits)?;
        let source = String::from_utf8(bytes).map_err(|error| {
            ReadError::new(ReadErrorKind::InvalidUtf8, error.utf8_error().valid_up_to())
        })?;
        let tape = Reader::new().into_tape(&source, limits)?;
        Ok(Self {
            inner: Arc::new(Inner { source, tape }),
        })
    }

    /// Reads a text that was read before within the same limits, without those arrays and objects
    /// that are not wanted: they are `null` in this document, with their place in the text.
    ///
    /// `wanted` is called for each nested array and object, with its answer for the enclosing one (`root` for the
    /// outermost), the key if it is a member, and the kind. `None` leaves it out; below an answer of 0 everything
    /// is read.
    ///
    /// ```
    /// use toolsure_json::{Key as _, Kind, Node as _, OwnedDocument, ReadLimits};
    ///
    /// let text = r#"{"a": [1], "b": [2]}"#;
    /// let part = OwnedDocument::read_part(text, &ReadLimits::default(), 1, |_around, key, _kind| {
    ///     key.is_some_and(|key| key.text() == "b").then_some(0)
    /// })?;
    /// let a = part.document().root().member("a").ok_or("no member")?;
    /// assert_eq!((a.kind(), a.raw()), (Kind::Null, "[1]"));
    /// assert_eq!(part.document().len(), 6);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Reader::read`], unless the flaw is inside what is left out.
    pub fn read_part(
        source: &str,
        limits: &ReadLimits,
        root: u32,
        wanted: impl FnMut(u32, Option<KeyView<'_>>, Kind) -> Option<u32>,
    ) -> Result<Self, ReadError> {
        admit_bytes(source.as_bytes(), limits)?;
        let tape = Reader::new().into_tape_of_part(source, limits, root, wanted)?;
        let source = source.to_owned();
        Ok(Self {
            inner: Arc::new(Inner { source, tape }),
        })
    }

    /// The document `null`.
    ///
    /// ```
    /// use toolsure_json::{Kind, Node as _, OwnedDocument};
    ///
    /// assert_eq!(OwnedDocument::null().document().root().kind(), Kind::Null);
    /// ```
    #[must_use]
    pub fn null() -> Self {
        Self::of_one("null", NULL)
    }

    /// The document `{}`, which means the same as omitted arguments of a call.
    ///
    /// ```
    /// use toolsure_json::{Kind, Node as _, OwnedDocument};
    ///
    /// let empty = OwnedDocument::empty_object();
    /// let root = empty.document().root();
    /// assert_eq!((root.kind(), root.len(), root.raw()), (Kind::Object, 0, "{}"));
    /// ```
    #[must_use]
    pub fn empty_object() -> Self {
        Self::of_one("{}", EMPTY_OBJECT)
    }

    fn of_one(source: &str, slot: Slot) -> Self {
        let mut tape = Tape::default();
        tape.slots.push(slot);
        let source = source.to_owned();
        Self {
            inner: Arc::new(Inner { source, tape }),
        }
    }

    /// The source text alone; a copy of it if clones share the memory.
    #[must_use]
    pub fn into_source(self) -> String {
        Arc::try_unwrap(self.inner).map_or_else(|shared| shared.source.clone(), |own| own.source)
    }

    /// The document.
    #[inline]
    #[must_use]
    pub fn document(&self) -> Document<'_> {
        Document::new(&self.inner.tape, &self.inner.source)
    }
}

impl fmt::Debug for OwnedDocument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Owned{:?}", self.document())
    }
}

/// The tape of `{}`.
const EMPTY_OBJECT: Slot = Slot {
    start: 0,
    end: 2,
    a: 1,
    b: 0,
    c: NONE,
    tag: Tag::Object,
};

/// The tape of `null`.
const NULL: Slot = Slot {
    start: 0,
    end: 4,
    a: 0,
    b: 0,
    c: NONE,
    tag: Tag::Null,
};
