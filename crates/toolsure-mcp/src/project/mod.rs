//! Tool lists and results for readers of any era.
//!
//! A projection changes bytes only where the reader's era cannot express them; everything else,
//! including unknown members, stays as written. What a reader does not get is returned as [`Lost`].

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

/// How to send output that is not an object to a reader that supports only objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(
    clippy::exhaustive_enums,
    reason = "output is sent as it is, in another form, or not at all"
)]
pub enum OutputPolicy {
    /// Wrap schema and value in the member `result` of an object (the default, and what current
    /// SDKs do).
    #[default]
    Wrap,
    /// Leave out schema and value; the text stays.
    Drop,
}

/// When to add a text block with the structured content's JSON to a result that has no text block
/// of its author.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(
    clippy::exhaustive_enums,
    reason = "the structured content is any value, an object, or not looked at"
)]
pub enum TextFallback {
    /// For every structured content (the default; the specification's SHOULD).
    #[default]
    Always,
    /// Only for content that is not an object.
    NonObject,
    /// Never, unless the structured content itself is left out.
    Never,
}

/// How to handle structured content that is not an object, between a server and a reader that both
/// support only objects, if no output schema allows another value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(
    clippy::exhaustive_enums,
    reason = "the rule of the older protocol holds, or it does not"
)]
pub enum LegacyValues {
    /// Apply the older protocol's rule (the default): the value is left out and the text stays, and
    /// a result whose output schema allows only objects is invalid
    /// ([`Projection::requires_object`]).
    #[default]
    Enforce,
    /// Apply [`OutputPolicy`], as for the values of a modern server.
    Project,
}

/// How lists and results are rewritten for one reader.
///
/// ```
/// use toolsure_mcp::era::Era;
/// use toolsure_mcp::project::Projection;
/// use toolsure_mcp::catalog::Listing;
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

    /// Sets how to send output that is not an object.
    ///
    /// ```
    /// use toolsure_mcp::era::Era;
    /// use toolsure_mcp::project::{OutputPolicy, Projection, StructuredForm};
    ///
    /// let reader = Projection::to(Era::V2025_11_25).output(OutputPolicy::Drop);
    /// assert_eq!(reader.content_form(None, false, true).content, StructuredForm::LeftOut);
    /// ```
    #[must_use]
    pub fn output(mut self, policy: OutputPolicy) -> Self {
        self.output = policy;
        self
    }

    /// Sets when a text block is added.
    ///
    /// ```
    /// use toolsure_mcp::era::Era;
    /// use toolsure_mcp::project::{Projection, TextFallback};
    ///
    /// let reader = Projection::to(Era::NEWEST).text(TextFallback::Never);
    /// assert!(!reader.content_form(None, true, false).text);
    /// ```
    #[must_use]
    pub fn text(mut self, fallback: TextFallback) -> Self {
        self.text = fallback;
        self
    }

    /// Marks the reader as a modern client on HTTP, which must not get tools whose `x-mcp-header`
    /// annotations break the rules.
    ///
    /// ```
    /// use toolsure_mcp::contract::{SchemaStore, ToolContract};
    /// use toolsure_mcp::era::Era;
    /// use toolsure_mcp::project::Projection;
    ///
    /// let tool = br#"{"name": "find", "inputSchema": {"type": "object", "properties": {"q": {"x-mcp-header": 5}}}}"#;
    /// let tool = ToolContract::read(tool, &SchemaStore::new())?;
    /// assert!(Projection::to(Era::NEWEST).tool(&tool).is_ok());
    /// assert!(Projection::to(Era::NEWEST).over_http().tool(&tool).is_err());
    /// # Ok::<(), toolsure_mcp::contract::MalformedTool>(())
    /// ```
    #[must_use]
    pub fn over_http(mut self) -> Self {
        self.http = true;
        self
    }

    /// Marks the server as possibly as old as the reader: then an output schema without `type`
    /// whose keywords apply to objects counts as one of objects, and is listed with
    /// `"type": "object"`; its values stay as they are. Otherwise such output is wrapped, like any
    /// output that may not be an object. `values` decides how to handle values that the server's protocol
    /// does not allow.
    ///
    /// ```
    /// use toolsure_mcp::era::Era;
    /// use toolsure_mcp::project::{LegacyValues, Projection, StructuredForm};
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

    /// Passes everything as the server wrote it: lists only lose malformed and refused tools.
    ///
    /// ```
    /// use toolsure_mcp::era::Era;
    /// use toolsure_mcp::project::{Projection, StructuredForm};
    ///
    /// let reader = Projection::to(Era::V2025_11_25).as_written();
    /// assert_eq!(reader.content_form(None, false, true).content, StructuredForm::Natural);
    /// ```
    #[must_use]
    pub fn as_written(mut self) -> Self {
        self.as_written = true;
        self
    }

    /// Whether values that are not objects violate the protocol of server and reader.
    ///
    /// ```
    /// use toolsure_mcp::era::Era;
    /// use toolsure_mcp::project::{LegacyValues, Projection};
    ///
    /// let reader = Projection::to(Era::V2025_11_25);
    /// assert!(!reader.forbids_other_values());
    /// assert!(reader.from_legacy(LegacyValues::Enforce).forbids_other_values());
    /// ```
    #[must_use]
    pub fn forbids_other_values(&self) -> bool {
        let enforced = self.legacy == Some(LegacyValues::Enforce) && !self.as_written;
        enforced && self.reader.structured() == Structured::Object
    }

    /// Whether the output schema of `tool`, in the form that the reader gets, allows only objects,
    /// and other values violate the protocol of server and reader: a result with such a value is
    /// invalid, unless it is an error.
    ///
    /// ```
    /// use toolsure_mcp::contract::{SchemaStore, ToolContract};
    /// use toolsure_mcp::era::Era;
    /// use toolsure_mcp::project::{LegacyValues, Projection};
    ///
    /// let tool = br#"{"name": "find", "inputSchema": {"type": "object"}, "outputSchema": {"type": "object"}}"#;
    /// let tool = ToolContract::read(tool, &SchemaStore::new())?;
    /// let reader = Projection::to(Era::V2025_11_25);
    /// assert!(!reader.requires_object(&tool));
    /// assert!(reader.from_legacy(LegacyValues::Enforce).requires_object(&tool));
    /// # Ok::<(), toolsure_mcp::contract::MalformedTool>(())
    /// ```
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

    /// How to send output of this shape.
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
