//! The file that a listing was read from, and places in it.

use std::sync::Arc;

use toolsure_analysis::project::ProviderTool;
use toolsure_json::LineColumn;

use crate::render::{LineIndex, Source};
use crate::yaml::Original;

/// The file that a listing was read from.
#[derive(Clone, Debug)]
pub(crate) struct SourceFile {
    /// As the operator named it; escaped.
    pub(crate) name: String,
    pub(crate) text: Arc<[u8]>,
    /// Where each tool is in `text`.
    pub(crate) tools: Vec<ToolPlace>,
    /// The file that `text` was converted from, if it is not the text itself.
    original: Option<Arc<Original>>,
    /// The byte of the file where its text begins.
    begin: u64,
    lines: Arc<LineIndex>,
}

/// Where a tool is in the text of a file.
#[derive(Clone, Debug)]
pub(crate) struct ToolPlace {
    pub(crate) start: usize,
    /// How it was read, if it has the form of a provider's API.
    pub(crate) read: Option<ProviderTool>,
}

impl ToolPlace {
    /// The byte of the file's text for a byte of the tool's text.
    pub(crate) fn byte(&self, at: usize) -> usize {
        let Some(read) = &self.read else {
            return self.start.saturating_add(at);
        };
        let mut parts = read.parts.iter();
        let part = parts.find(|(own, _)| own.start <= at && at <= own.end);
        part.map_or(self.start, |(own, there)| match own.len() == there.len() {
            true => there.start.saturating_add(at.saturating_sub(own.start)),
            // It was rewritten: only its ends are known.
            false if at == own.end => there.end,
            false => there.start,
        })
    }

    /// The pointer into what the file has for a pointer into the tool.
    pub(crate) fn pointer(&self, pointer: &str) -> Option<String> {
        let mut members = self.read.as_ref()?.members.iter();
        members.find_map(|(own, there)| {
            let rest = pointer.strip_prefix(own)?;
            (rest.is_empty() || rest.starts_with('/')).then(|| format!("{there}{rest}"))
        })
    }
}

impl SourceFile {
    pub(crate) fn new(
        name: String,
        text: Vec<u8>,
        original: Option<Original>,
        tools: Vec<ToolPlace>,
    ) -> Self {
        let shown = original.as_ref().map_or(&text, |original| &original.text);
        Self {
            lines: Arc::new(LineIndex::new(shown)),
            original: original.map(Arc::new),
            begin: 0,
            name,
            text: text.into(),
            tools,
        }
    }

    /// The same file, whose text begins at this byte.
    pub(crate) fn after(self, begin: u64) -> Self {
        Self { begin, ..self }
    }

    /// The same file for the tools of another listing.
    pub(crate) fn with_tools(&self, tools: Vec<ToolPlace>) -> Self {
        Self {
            tools,
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

    /// Whether edits of the tools are edits of the file: it is not YAML, and has tools in the protocol's form.
    pub(crate) fn takes_edits(&self) -> bool {
        !self.is_yaml() && self.tools.iter().all(|tool| tool.read.is_none())
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
