//! A text together with its tape.

use std::fmt;

use super::{Reader, admit_bytes};
use crate::document::Document;
use crate::error::{ReadError, ReadErrorKind};
use crate::limits::ReadLimits;

/// A text and the memory that it was read into. Unlike an [`OwnedDocument`](crate::OwnedDocument), it
/// gives both back, so that the memory can be used for another text.
pub struct Parsed {
    pub(super) source: String,
    // Boxed, because it is passed on with each text.
    pub(super) reader: Box<Reader>,
    /// The limits that it was read within.
    pub(super) limits: ReadLimits,
}

impl Reader {
    /// Reads one JSON text as [`read`](Self::read) does, and keeps the memory with the text.
    ///
    /// # Errors
    ///
    /// As [`read`](Self::read), with the text. The memory is dropped.
    ///
    /// ```
    /// use toolsure_json::{Node as _, ReadLimits, Reader};
    ///
    /// let parsed = Box::new(Reader::new()).parse(b"[1]".to_vec(), &ReadLimits::default());
    /// let Ok(parsed) = parsed else { panic!("it is JSON") };
    /// assert_eq!(parsed.document().root().items().count(), 1);
    /// let (text, _for_the_next_text): (String, Box<Reader>) = parsed.into_parts();
    /// assert_eq!(text, "[1]");
    /// ```
    pub fn parse(
        mut self: Box<Self>,
        source: Vec<u8>,
        limits: &ReadLimits,
    ) -> Result<Parsed, (Vec<u8>, ReadError)> {
        if let Err(error) = admit_bytes(&source, limits) {
            return Err((source, error));
        }
        let source = match String::from_utf8(source) {
            Ok(source) => source,
            Err(error) => {
                let at = error.utf8_error().valid_up_to();
                let flaw = ReadError::new(ReadErrorKind::InvalidUtf8, at);
                return Err((error.into_bytes(), flaw));
            }
        };
        match self.fill(&source, limits) {
            Ok(()) => Ok(Parsed {
                source,
                reader: self,
                limits: *limits,
            }),
            Err(error) => Err((source.into_bytes(), error)),
        }
    }
}

impl Parsed {
    /// The document.
    #[inline]
    #[must_use]
    pub fn document(&self) -> Document<'_> {
        Document::new(&self.reader.tape, &self.source)
    }

    /// The text, and the memory for another one.
    #[must_use]
    pub fn into_parts(self) -> (String, Box<Reader>) {
        (self.source, self.reader)
    }
}

impl fmt::Debug for Parsed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Parsed{:?}", self.document())
    }
}
