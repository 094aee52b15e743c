//! The file that a listing was read from, and places in it.

use std::sync::Arc;

use toolsure_json::LineColumn;

use crate::render::{LineIndex, Source};
use crate::yaml::Original;

/// The file that a listing was read from.
#[derive(Clone, Debug)]
pub(crate) struct SourceFile {
    /// As the operator named it; escaped.
    pub(crate) name: String,
    pub(crate) text: Arc<[u8]>,
    /// The byte of `text` where each tool's text begins.
    pub(crate) starts: Vec<usize>,
    /// The file that `text` was converted from, if it is not the text itself.
    original: Option<Arc<Original>>,
    /// The byte of the file where its text begins.
    begin: u64,
    lines: Arc<LineIndex>,
}

impl SourceFile {
    pub(crate) fn new(
        name: String,
        text: Vec<u8>,
        original: Option<Original>,
        starts: Vec<usize>,
    ) -> Self {
        let shown = original.as_ref().map_or(&text, |original| &original.text);
        Self {
            lines: Arc::new(LineIndex::new(shown)),
            original: original.map(Arc::new),
            begin: 0,
            name,
            text: text.into(),
            starts,
        }
    }

    /// The same file, whose text begins at this byte.
    pub(crate) fn after(self, begin: u64) -> Self {
        Self { begin, ..self }
    }

    /// The same file for the tools of another listing.
    pub(crate) fn with_starts(&self, starts: Vec<usize>) -> Self {
        Self {
            starts,
            ..self.clone()
        }
    }

    /// The line and column in the file of a byte of the text.
    pub(crate) fn line_column(&self, at: usize) -> LineColumn {
        match &self.original {
            Some(original) => self.lines.find(&original.text, original.place(at)),
            None => self.lines.find(&self.text, at),
        }
    }

    /// The byte of the file that corresponds to a byte of the text.
    pub(crate) fn byte(&self, at: usize) -> u64 {
        let original = self.original.as_ref();
        let at = original.map_or(at, |original| original.place(at));
        self.begin
            .saturating_add(u64::try_from(at).unwrap_or(u64::MAX))
    }

    /// Whether the file is YAML, and the text was converted from it.
    pub(crate) fn is_yaml(&self) -> bool {
        self.original
            .as_ref()
            .is_some_and(|original| original.is_yaml())
    }

    /// The text, for diagnostics.
    pub(crate) fn source(&self) -> Source<'_> {
        Source::new(&self.name, &self.text).of(self.original.as_deref())
    }
}
