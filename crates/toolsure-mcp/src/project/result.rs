//! Projects `tools/call` results for one reader.

use toolsure_json::{Kind, Node as _, View};

use super::{Lost, Projection, TextFallback, Treatment, UnsupportedResult};
use crate::contract::{OutputShape, ToolContract};
use crate::era::{Era, Structured};
use crate::message::{Edits, MalformedResult, ResultKind, ToolResult, text_block};

/// A result in the form that its reader gets.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProjectedResult {
    /// The result, or the message that contains it.
    pub text: String,
    /// What the reader does not get.
    pub lost: Vec<Lost>,
}

/// Why a result cannot be projected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProjectionError {
    /// It is not a tool result.
    Malformed(MalformedResult),
    /// The reader's era does not have this result type.
    UnsupportedResult(UnsupportedResult),
}

impl std::fmt::Display for ProjectionError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Malformed(error) => error.fmt(f),
            Self::UnsupportedResult(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ProjectionError {}

/// How structured content is sent to one reader; see [`Projection::content_form`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ContentForm {
    /// Whether a text block with the value's JSON, as the server gave it, is added.
    pub text: bool,
    /// What becomes of the value.
    pub content: StructuredForm,
}

impl ContentForm {
    /// The same if the result is an error, whose author may have written a text block. Clients that
    /// hold errors to the output schema would report that instead of the error, and an error hardly
    /// matches it: its value is left out instead of wrapped.
    ///
    /// ```
    /// use toolsure_mcp::era::Era;
    /// use toolsure_mcp::project::{Projection, StructuredForm};
    ///
    /// let form = Projection::to(Era::V2025_11_25).content_form(None, false, true);
    /// assert_eq!(form.of_error(true).content, StructuredForm::LeftOut);
    /// ```
    #[must_use]
    pub fn of_error(self, has_text: bool) -> Self {
        if self.content != StructuredForm::Wrapped {
            return self;
        }
        Self {
            text: !has_text,
            content: StructuredForm::LeftOut,
        }
    }
}

/// How structured content is sent to one reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "code that projects a result must have a case for each"
)]
pub enum StructuredForm {
    /// It is sent as it is.
    Natural,
    /// It is wrapped in the member `result` of an object.
    Wrapped,
    /// It is left out.
    LeftOut,
}

impl StructuredForm {
    /// What the reader does not get because of it.
    ///
    /// ```
    /// use toolsure_mcp::project::{Lost, StructuredForm};
    ///
    /// assert_eq!(StructuredForm::Wrapped.lost(), Some(Lost::WrappedContent));
    /// assert_eq!(StructuredForm::Natural.lost(), None);
    /// ```
    #[must_use]
    pub fn lost(self) -> Option<Lost> {
        match self {
            Self::Natural => None,
            Self::Wrapped => Some(Lost::WrappedContent),
            Self::LeftOut => Some(Lost::StructuredContent),
        }
    }
}

/// A change to the members of a result.
pub(super) enum Member {
    Remove(&'static str),
    Append(String),
}

impl Projection {
    /// Projects the result of a call of `tool` (`None` if its contract is unknown) from a server of
    /// era `server`. The text is that of the whole document that contains `result`, so that an
    /// envelope is kept.
    ///
    /// ```
    /// use toolsure_json::{OwnedDocument, ReadLimits};
    /// use toolsure_mcp::era::Era;
    /// use toolsure_mcp::project::Projection;
    ///
    /// let result = r#"{"content": [{"type": "text", "text": "5"}], "structuredContent": 5}"#;
    /// let result = OwnedDocument::read(result, &ReadLimits::default())?;
    /// let reader = Projection::to(Era::V2025_11_25);
    /// let shown = reader.result(None, Era::V2026_07_28, result.document().root())?;
    /// assert!(shown.text.contains(r#""structuredContent": {"result":5}"#));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// It is not a tool result, or the reader's era has no such result.
    pub fn result(
        &self,
        tool: Option<&ToolContract>,
        server: Era,
        result: View<'_>,
    ) -> Result<ProjectedResult, ProjectionError> {
        let source = result.document().source();
        let read = server
            .read_result(result)
            .map_err(ProjectionError::Malformed)?;
        let (mut edits, mut lost) = (Edits::new(), Vec::new());
        if read.kind != ResultKind::Complete {
            self.check_supported(read.kind)?;
            return Ok(ProjectedResult {
                text: source.to_owned(),
                lost,
            });
        }
        let mut members = Vec::new();
        if let Some(value) = read.structured {
            self.structured(tool, &read, value, &mut edits, &mut members, &mut lost);
        }
        self.era_members(result, false, &mut edits, &mut lost, &members);
        Ok(ProjectedResult {
            text: edits.apply(source),
            lost,
        })
    }

    fn structured(
        &self,
        tool: Option<&ToolContract>,
        result: &ToolResult<'_>,
        value: View<'_>,
        edits: &mut Edits,
        members: &mut Vec<Member>,
        lost: &mut Vec<Lost>,
    ) {
        let mut form = self.content_form(tool, value.kind() == Kind::Object, result.has_text());
        if result.is_error {
            form = form.of_error(result.has_text());
        }
        if form.text {
            let block = text_block(value);
            match result.content {
                Some(content) => edits.reshape(content, |_, _| false, &[block]),
                None => members.push(Member::Append(format!("\"content\":[{block}]"))),
            }
        }
        match form.content {
            StructuredForm::Natural => {}
            StructuredForm::Wrapped => edits.surround(value, "{\"result\":", "}"),
            StructuredForm::LeftOut => members.push(Member::Remove("structuredContent")),
        }
        lost.extend(form.content.lost());
    }

    /// How the structured content of a final result of `tool` (`None` if its contract is unknown)
    /// is sent, for a caller whose result is not JSON text. It depends on whether the value is an
    /// object, and on whether the author wrote a text block.
    ///
    /// ```
    /// use toolsure_mcp::era::Era;
    /// use toolsure_mcp::project::{Projection, StructuredForm};
    ///
    /// let form = Projection::to(Era::V2025_11_25).content_form(None, false, true);
    /// assert_eq!((form.content, form.text), (StructuredForm::Wrapped, false));
    /// ```
    #[must_use]
    pub fn content_form(
        &self,
        tool: Option<&ToolContract>,
        is_object: bool,
        has_text: bool,
    ) -> ContentForm {
        let shape = tool.map_or(OutputShape::None, ToolContract::output_shape);
        let treatment = match self.treatment(shape) {
            // Readers that support only objects get objects, even if no schema says so.
            Treatment::Keep | Treatment::Enclose | Treatment::Stamp
                if self.must_wrap(is_object) =>
            {
                if self.forbids_other_values() {
                    Treatment::Drop
                } else {
                    self.treatment(OutputShape::Other)
                }
            }
            Treatment::Keep if self.reader.structured() == Structured::None => Treatment::Drop,
            treatment => treatment,
        };
        let wanted = match self.text {
            TextFallback::Always => true,
            TextFallback::NonObject => !is_object,
            TextFallback::Never => false,
        };
        ContentForm {
            text: (wanted || treatment == Treatment::Drop) && !has_text,
            content: match treatment {
                Treatment::Keep | Treatment::Enclose | Treatment::Stamp => StructuredForm::Natural,
                Treatment::Wrap => StructuredForm::Wrapped,
                Treatment::Drop => StructuredForm::LeftOut,
            },
        }
    }

    fn must_wrap(&self, is_object: bool) -> bool {
        self.reader.structured() == Structured::Object && !is_object
    }

    fn check_supported(&self, kind: ResultKind<'_>) -> Result<(), ProjectionError> {
        let result_type = match kind {
            _ if self.reader.is_modern() => return Ok(()),
            ResultKind::Complete => return Ok(()),
            ResultKind::InputRequired => "input_required",
            ResultKind::Task => "task",
            ResultKind::Unknown(_) => "unknown",
        };
        Err(ProjectionError::UnsupportedResult(UnsupportedResult {
            result_type,
            reader: self.reader,
        }))
    }
}
