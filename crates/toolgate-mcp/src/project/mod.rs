//! Tool lists and results for readers of any era.
//!
//! A projection changes bytes only where the reader's era cannot say what
//! stands there; everything else, unknown members included, survives as it was
//! written. What a reader does not get is returned as [`Lost`].

mod list;
mod lost;
mod references;
mod result;
mod sampling;
mod schema;

pub use list::{Listed, ProjectedList, ProjectedTool};
pub use lost::{Lost, UnsupportedResult};
pub use result::{ContentForm, ProjectedResult, ProjectionError, StructuredForm};

use crate::contract::{OutputShape, ToolContract};
use crate::era::{Era, Structured};

/// What becomes of output that is not an object, for a reader that knows
/// objects only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(
    clippy::exhaustive_enums,
    reason = "output is sent as it is, in another form, or not at all"
)]
pub enum OutputPolicy {
    /// Schema and value stand in the member `result` of an object (the default,
    /// and what current SDKs do).
    #[default]
    Wrap,
    /// Schema and value are left out; the text stays.
    Drop,
}

/// When a text block with the structured content's JSON is added to a result
/// that has no text block of its author.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(
    clippy::exhaustive_enums,
    reason = "the structured content is any value, an object, or not looked at"
)]
pub enum TextFallback {
    /// For every structured content (the default; the specification's SHOULD).
    #[default]
    Always,
    /// For content that is not an object only.
    NonObject,
    /// Never, unless the structured content itself is left out.
    Never,
}

/// What becomes of structured content that is not an object, between a server and a
/// reader that both know objects only, where no output schema allows another value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(
    clippy::exhaustive_enums,
    reason = "the rule of the older protocol holds, or it does not"
)]
pub enum LegacyValues {
    /// The older protocol's rule holds (the default): the value is left out and the text
    /// stays, and a result whose output schema is one of objects is bad
    /// ([`Projection::requires_object`]).
    #[default]
    Enforce,
    /// [`OutputPolicy`] holds, as for the values of a modern server.
    Project,
}

/// How lists and results are rewritten for one reader.
///
/// ```
/// use toolgate_mcp::era::Era;
/// use toolgate_mcp::project::Projection;
/// use toolgate_mcp::catalog::Listing;
///
/// let listing = Listing::read(br#"{"tools": [{"name": "count",
///   "inputSchema": {"type": "object"}, "outputSchema": {"type": "integer"}}]}"#.as_slice())?;
/// let listed = Projection::to(Era::V2025_11_25).list(&listing);
/// assert!(listed.text.contains(r#"{"type":"object","properties":{"result":{"type": "integer"}},"required":["result"]}"#));
/// assert_eq!(listed.lost.len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Projection {
    pub(crate) reader: Era,
    pub(crate) output: OutputPolicy,
    pub(crate) text: TextFallback,
    pub(crate) http: bool,
    pub(crate) as_written: bool,
    pub(crate) legacy: Option<LegacyValues>,
}

impl Projection {
    /// For a reader of this era: wrap, add text for every structured content.
    #[must_use]
    pub fn to(reader: Era) -> Self {
        Self {
            reader,
            output: OutputPolicy::Wrap,
            text: TextFallback::Always,
            http: false,
            as_written: false,
            legacy: None,
        }
    }

    /// Sets what becomes of output that is not an object.
    #[must_use]
    pub fn output(mut self, policy: OutputPolicy) -> Self {
        self.output = policy;
        self
    }

    /// Sets when a text block is added.
    #[must_use]
    pub fn text(mut self, fallback: TextFallback) -> Self {
        self.text = fallback;
        self
    }

    /// Says that the reader is a modern client on HTTP, which must not see tools
    /// whose `x-mcp-header` annotations break the rules.
    #[must_use]
    pub fn over_http(mut self) -> Self {
        self.http = true;
        self
    }

    /// Says that the server may be as old as the reader: then an output schema without
    /// `type` whose keywords speak of objects is one of objects, and is listed with
    /// `"type": "object"`; the values that it is about stay as they are. Without this
    /// such output is wrapped, as any that may not be an object. `values` says what becomes of
    /// values that the server's protocol does not allow.
    ///
    /// ```
    /// use toolgate_mcp::era::Era;
    /// use toolgate_mcp::project::{LegacyValues, Projection, StructuredForm};
    ///
    /// let modern = Projection::to(Era::V2025_11_25);
    /// let legacy = modern.from_legacy(LegacyValues::Enforce);
    /// assert_eq!(modern.content_form(None, false, true).content, StructuredForm::Wrapped);
    /// assert_eq!(legacy.content_form(None, false, true).content, StructuredForm::LeftOut);
    /// ```
    #[must_use]
    pub fn from_legacy(mut self, values: LegacyValues) -> Self {
        self.legacy = Some(values);
        self
    }

    /// Passes everything as the server wrote it: only malformed tools, or
    /// that are refused, are left out of lists.
    #[must_use]
    pub fn as_written(mut self) -> Self {
        self.as_written = true;
        self
    }

    /// Whether values that are not objects break the protocol of server and reader.
    #[must_use]
    pub fn forbids_other_values(&self) -> bool {
        let enforced = self.legacy == Some(LegacyValues::Enforce) && !self.as_written;
        enforced && self.reader.structured() == Structured::Object
    }

    /// Whether the output schema of `tool`, as the reader gets it, is one of objects, and
    /// other values break the protocol of server and reader: a result with such a value is
    /// bad, unless it is an error.
    #[must_use]
    pub fn requires_object(&self, tool: &ToolContract) -> bool {
        let of_objects = match tool.output_shape() {
            OutputShape::Object
            | OutputShape::ObjectWithoutType
            | OutputShape::ObjectByKeywords => true,
            OutputShape::None | OutputShape::Other => false,
        };
        self.forbids_other_values() && of_objects
    }

    /// What becomes of output of this shape.
    fn treatment(self, shape: OutputShape) -> Treatment {
        if self.as_written {
            return Treatment::Keep;
        }
        match (self.reader.structured(), shape, self.output) {
            (_, OutputShape::None, _) | (Structured::Any, ..) => Treatment::Keep,
            (Structured::None, ..) => Treatment::Drop,
            (Structured::Object, OutputShape::Object, _) => Treatment::Keep,
            (Structured::Object, OutputShape::ObjectWithoutType, _) => Treatment::Enclose,
            (Structured::Object, OutputShape::ObjectByKeywords, _) if self.legacy.is_some() => {
                Treatment::Stamp
            }
            (Structured::Object, OutputShape::ObjectByKeywords, OutputPolicy::Wrap) => {
                Treatment::Wrap
            }
            (Structured::Object, OutputShape::ObjectByKeywords, OutputPolicy::Drop) => {
                Treatment::Drop
            }
            (Structured::Object, OutputShape::Other, OutputPolicy::Wrap) => Treatment::Wrap,
            (Structured::Object, OutputShape::Other, OutputPolicy::Drop) => Treatment::Drop,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Treatment {
    Keep,
    Wrap,
    Enclose,
    /// `"type": "object"` is added.
    Stamp,
    Drop,
}
