//! A text together with its tape.

use std::borrow::Cow;
use std::fmt;

use super::{Reader, admit};
use crate::document::Document;
use crate::error::ReadError;
use crate::limits::ReadLimits;

/// A text and the memory that it was read into. Unlike a [`Document`] it does not borrow a reader,
/// so it can be passed on; unlike an [`OwnedDocument`](crate::OwnedDocument) it need not own its
/// text, and the memory can be used for another text.
pub struct Parsed<'s> {
    source: Cow<'s, str>,
    reader: Reader,
}

impl Reader {
    /// Reads one JSON text as [`read`](Self::read) does, and keeps the memory with the text.
    ///
    /// # Errors
    ///
    /// As [`read`](Self::read). The memory is dropped.
    ///
    /// ```
    /// use std::borrow::Cow;
    /// use toolsure_json::{Node as _, ReadLimits, Reader};
    ///
    /// let text = Cow::Borrowed(b"[1]".as_slice());
    /// let parsed = Reader::new().parse(text, &ReadLimits::default())?;
    /// assert_eq!(parsed.document().root().items().count(), 1);
    /// let _for_the_next_text: Reader = parsed.into_reader();
    /// # Ok::<(), toolsure_json::ReadError>(())
    /// ```
    pub fn parse<'s>(
        mut self,
        source: Cow<'s, [u8]>,
        limits: &ReadLimits,
    ) -> Result<Parsed<'s>, ReadError> {
        let source = match source {
            Cow::Borrowed(bytes) => Cow::Borrowed(admit(bytes, limits)?),
            Cow::Owned(bytes) => Cow::Owned(admit(&bytes, limits)?.to_owned()),
        };
        self.fill(&source, limits)?;
        Ok(Parsed {
            source,
            reader: self,
        })
    }
}

impl Parsed<'_> {
    /// The document.
    #[inline]
    #[must_use]
    pub fn document(&self) -> Document<'_> {
        Document::new(&self.reader.tape, &self.source)
    }

    /// The memory, for another text.
    #[must_use]
    pub fn into_reader(self) -> Reader {
        self.reader
    }
}

impl fmt::Debug for Parsed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Parsed{:?}", self.document())
    }
}
