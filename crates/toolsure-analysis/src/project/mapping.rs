//! Maps values of a published schema to values of the original, and back.

use toolsure_json::View;

use super::conversions::{MappedArguments, UnmappedArguments};
use super::tree::{Form, Json, visit};
use super::walk::{Side, Walk};

/// Maps the arguments that a model writes for a published schema to arguments of the original tool, and
/// back.
///
/// Made by a [`Projector`](super::Projector). Values that do not match the published schema are mapped as
/// far as possible; the caller must check the result against the original schema.
///
/// ```
/// use toolsure_analysis::readers::reader;
/// use toolsure_analysis::project::Projector;
/// use toolsure_json::{OwnedDocument, ReadLimits};
///
/// let schema = r#"{"type": "object", "properties": {"q": {"type": "string"}, "n": {"type": "integer"}},
///     "required": ["q"], "additionalProperties": false}"#;
/// let projector = Projector::new(reader("openai-strict").unwrap());
/// let mapping = projector.project_schema(schema)?.mapping;
/// assert!(!mapping.is_plain());
/// // The mode requires every property, so an absent one is null.
/// let written = OwnedDocument::read(r#"{"q":"a","n":null}"#, &ReadLimits::default())?;
/// assert_eq!(mapping.back(written.document().root()).as_deref(), Some(r#"{"q":"a"}"#));
/// let original = OwnedDocument::read(r#"{"q":"a"}"#, &ReadLimits::default())?;
/// assert_eq!(mapping.forward(original.document().root()).as_deref(), Some(r#"{"q":"a","n":null}"#));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Mapping {
    published: Json,
    plain: bool,
}

impl Mapping {
    pub(super) fn new(published: Json, plain: bool) -> Self {
        if plain {
            return Self::plain();
        }
        let mut published = published;
        visit(
            &mut published,
            &mut String::new(),
            0,
            &mut |members, _, _| {
                // The words say which values there are.
                if matches!(members.coding.form, Form::Words(_)) {
                    members.take("enum");
                }
            },
        );
        Self { published, plain }
    }

    /// The mapping of values that stay as they are.
    pub(super) const fn plain() -> Self {
        Self {
            published: Json::Bool(true),
            plain: true,
        }
    }

    /// Whether values stay as they are.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        self.plain
    }

    /// The arguments for the original tool, as JSON text. `None` if [`map_back`](Self::map_back) has an
    /// error.
    #[must_use]
    pub fn back(&self, arguments: View<'_>) -> Option<String> {
        self.map_back(arguments).ok().map(|mapped| mapped.text)
    }

    /// The arguments for the original tool, and what was mapped.
    ///
    /// ```
    /// use toolsure_analysis::project::{Mapping, Projector, Refusal, StepKind, UnmappedArguments};
    /// use toolsure_analysis::readers::reader;
    /// use toolsure_json::{OwnedDocument, ReadLimits};
    ///
    /// fn mapping(name: &str, properties: &str, required: &str) -> Result<Mapping, Refusal> {
    ///     let schema = format!(r#"{{"type": "object", "properties": {properties}, "required": {required}}}"#);
    ///     let projected = Projector::new(reader(name).unwrap()).project_schema(&schema)?;
    ///     Ok(projected.mapping)
    /// }
    ///
    /// let strict = mapping(
    ///     "openai-strict",
    ///     r#"{"page": {"type": "integer"}, "labels": {"type": "object", "additionalProperties": {"type": "string"}},
    ///         "filter": {}, "content": {"anyOf": [{"type": "string"}, {"type": "object"}]}}"#,
    ///     r#"["labels", "filter", "content"]"#,
    /// )?;
    /// // Null for an absent member, a list of keys and values, JSON text, and JSON text beside strings.
    /// let written = r#"{"page": null, "labels": [{"key": "a", "value": "b"}], "filter": "[1]", "content": {"json": "{}"}}"#;
    /// let written = OwnedDocument::read(written, &ReadLimits::default())?;
    /// let mapped = strict.map_back(written.document().root())?;
    /// assert_eq!(mapped.text, r#"{"labels":{"a":"b"},"filter":[1],"content":{}}"#);
    /// let mut done: Vec<(StepKind, &str)> = Vec::new();
    /// done.extend(mapped.conversions.iter().map(|one| (one.kind, one.pointer.as_str())));
    /// assert_eq!(done, [
    ///     (StepKind::RequireAll, "/page"),
    ///     (StepKind::Entries, "/labels"),
    ///     (StepKind::JsonText, "/filter"),
    ///     (StepKind::Wrap, "/content"),
    /// ]);
    ///
    /// // A word for a value of an `enum` that is no string.
    /// let gemini = mapping("gemini", r#"{"level": {"enum": [1, 2]}}"#, "[]")?;
    /// let written = OwnedDocument::read(r#"{"level": "2"}"#, &ReadLimits::default())?;
    /// let mapped = gemini.map_back(written.document().root())?;
    /// assert_eq!((mapped.text.as_str(), mapped.conversions[0].kind), (r#"{"level":2}"#, StepKind::Words));
    ///
    /// // A property whose name the provider does not accept.
    /// let anthropic = mapping("anthropic", r#"{"$top": {"type": "integer"}}"#, "[]")?;
    /// let written = OwnedDocument::read(r#"{"_top": 5}"#, &ReadLimits::default())?;
    /// let mapped = anthropic.map_back(written.document().root())?;
    /// assert_eq!((mapped.text.as_str(), mapped.conversions[0].kind), (r#"{"$top":5}"#, StepKind::RenameProperty));
    ///
    /// // No object has a key twice.
    /// let twice = r#"{"labels": [{"key": "a", "value": "b"}, {"key": "a", "value": "c"}]}"#;
    /// let twice = OwnedDocument::read(twice, &ReadLimits::default())?;
    /// let error = strict.map_back(twice.document().root()).unwrap_err();
    /// assert!(matches!(error, UnmappedArguments::RepeatedKey { ref key, .. } if key == "a"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// A key is given twice where an object is written as a list of keys and values, or it takes too many
    /// steps to find out which branches of unions apply.
    pub fn map_back(&self, arguments: View<'_>) -> Result<MappedArguments, UnmappedArguments> {
        let unchanged = |text: &str| MappedArguments {
            text: text.to_owned(),
            conversions: Vec::new(),
            more_conversions: 0,
        };
        if self.plain {
            return Ok(unchanged(arguments.raw()));
        }
        let mut walk = Walk::new(&self.published, Side::Published, false);
        walk.all(arguments);
        match (walk.left > 0, walk.repeated) {
            (false, _) => Err(UnmappedArguments::TooManySteps),
            (true, Some((pointer, key))) => Err(UnmappedArguments::RepeatedKey { pointer, key }),
            (true, None) => Ok(MappedArguments {
                text: walk.out,
                conversions: walk.conversions,
                more_conversions: walk.more_conversions,
            }),
        }
    }

    /// The arguments for the published tool, as JSON text: the inverse of [`back`](Self::back).
    #[must_use]
    pub fn forward(&self, arguments: View<'_>) -> Option<String> {
        if self.plain {
            return Some(arguments.raw().to_owned());
        }
        let mut walk = Walk::new(&self.published, Side::Original, false);
        walk.all(arguments);
        (walk.left > 0).then_some(walk.out)
    }

    /// The arguments of the original tool with null for each absent member whose default is null; `None` if
    /// it takes too many steps.
    pub(super) fn completed(&self, arguments: View<'_>) -> Option<String> {
        if self.plain {
            return Some(arguments.raw().to_owned());
        }
        let mut walk = Walk::new(&self.published, Side::Original, true);
        walk.all(arguments);
        (walk.left > 0).then_some(walk.out)
    }
}
