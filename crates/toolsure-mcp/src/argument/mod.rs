//! The lightweight argument schema: two shapes, dated versions, plain errors.
//!
//! A schema is either a *direct map* from property names to property schemas,
//! or *JSON Schema–like* with `properties` and an optional `required` list.
//! Both are read into one form. A schema is JSON Schema–like if it has a `properties` map or the
//! type `object`; if the `type` inside `properties` is a string, `properties` is a property with
//! that name in a direct map.
//!
//! ```
//! use toolsure_mcp::argument::{Answer, ArgumentSchema};
//!
//! let schema = ArgumentSchema::read(
//!     br#"{"q": {"type": "string", "required": true, "minLength": 3}, "limit": {"type": "integer"}}"#,
//! )?;
//! assert_eq!(schema.check_bytes(br#"{"q": "abc"}"#)?, Answer::Accepted);
//! let Answer::Refused(why) = schema.check_bytes(br#"{"q": "ab", "limit": "5"}"#)? else {
//!     return Err("refused".into());
//! };
//! assert_eq!(
//!     why.to_string(),
//!     "argument 'q' string length must be >= 3; argument 'limit' must be an integer"
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What each field means
//!
//! | field | meaning |
//! |---|---|
//! | `type` | `string`, `integer` (whole, however written: `5.0` is), `float` and `number` (any number), `boolean`, `enum`, `array` |
//! | `required` | per property, or the list beside `properties`; a listed name need not be declared |
//! | `isArray` | the value is an array whose elements have `items.type`, else `type` |
//! | `items` | type, bounds and `enum` of the elements |
//! | `minLength`, `maxLength` | code points of strings; of elements from `items`, or with `isArray` and the type `string` |
//! | `minimum`, `maximum` | of numbers; of elements from `items`, or with `isArray` and a numeric type |
//! | `enum` | allowed values by string form: `"1"` and `1` are one; of an array each element |
//!
//! A value without a (known) `type` may be anything; its bounds apply if the value is a string or
//! number. Arguments that are not declared are accepted. If both `items` and the array have a
//! bound, both apply.
//!
//! # Versions
//!
//! `schemaVersion`, a string at the top of the schema or sent beside it, is one of
//! [`Version::ALL`]; others are refused. A schema that declares a version is read strictly: it is
//! refused if a part is malformed, unknown, contradictory or without effect, except that members of
//! a later version are left out. A schema without a version counts as the latest one, and is read as
//! permissively as any version allows: such parts are left out, and the extensions, which older
//! readers never enforced, are not enforced. [`diagnose`] and [`ArgumentSchema::diagnoses`] tell
//! every part that is not enforced.
//!
//! | version | change |
//! |---|---|
//! | 2025-10-09 | `type`, `required`, `description`, `isArray`, `items`, `minLength`, `maxLength`, `minimum`, `maximum`, `enum`, `schemaVersion` |
//! | 2026-11-21 | `pattern` (ECMA-262, not anchored; strings and elements), `type: "object"` with nested `properties` and `required`, arrays in `items`, `default` (applied by [`ArgumentSchema::with_defaults`]; must match its own property), `deprecated` (reported by [`ArgumentSchema::deprecated_used`]), `minItems`, `maxItems` |
//!
//! # Bounds
//!
//! See [`ArgumentLimits`]. Checking is linear in the arguments except for patterns, and everything
//! is paid from one budget: a check that runs out of it ends as [`Answer::Undecided`].

mod advice;
mod check;
mod diagnosis;
mod error;
mod field;
mod fill;
mod in_place;
mod keyword;
mod limits;
mod member;
mod mistaken;
mod position;
mod property;
mod publish;
mod read;
#[cfg(test)]
mod tests;
mod text;

pub use toolsure_analysis::argument::{Sign, Version, recognise};
use toolsure_json::{Node, OwnedDocument, ReadError, Reader, View};

pub use check::{Answer, Refusal, RefusalKind, Refusals};
pub use diagnosis::{Diagnosis, MOST_DIAGNOSES, Severity};
pub use error::{SchemaError, SchemaErrorKind};
pub use in_place::{InPlace, in_place};
pub use limits::ArgumentLimits;
pub use mistaken::Mistaken;
pub use property::{Property, ValueRule};

use diagnosis::Diagnoses;
use field::Fields;

/// The member of a listed tool's `_meta` under which a server may publish an argument schema. Readers
/// use it only if they are configured to.
pub const LISTED: &str = "toolsure/argument-schema";

/// An argument schema, read and ready to check with.
///
/// ```
/// use toolsure_json::{OwnedDocument, ReadLimits};
/// use toolsure_mcp::argument::{Answer, ArgumentLimits, ArgumentSchema, Version};
///
/// let text = br#"{"q": {"type": "string", "required": true},
///     "page": {"type": "integer", "default": 1}, "old": {"type": "string", "deprecated": true}}"#;
/// let limits = ArgumentLimits::default();
/// let schema = ArgumentSchema::read_with(text, Some("2026-11-21"), &limits)?;
/// assert_eq!(schema.version(), Version::V20261121);
/// assert!(schema.declares_version() && schema.diagnoses().iter().all(|one| one.code() == "advice"));
/// assert_eq!((schema.properties().len(), schema.limits().fuel), (3, limits.fuel));
/// assert!(schema.to_json_schema().contains(r#""required":["q"]"#));
///
/// let arguments = OwnedDocument::read(r#"{"q": "cats", "old": "x"}"#, &ReadLimits::default())?;
/// let arguments = arguments.document().root();
/// assert_eq!(schema.check(arguments), Answer::Accepted);
/// assert_eq!(schema.deprecated_used(arguments), ["old"]);
/// assert!(schema.with_defaults(arguments).is_some_and(|text| text.contains("page")));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct ArgumentSchema {
    version: Version,
    declared: bool,
    fields: Fields,
    diagnoses: Vec<Diagnosis>,
    limits: ArgumentLimits,
}

/// Everything there is to say about a schema: errors, parts that are not enforced, and what the
/// notation recommends, in the order of the text. `version` is the one that was sent beside it.
///
/// A schema is refused by [`ArgumentSchema::read_with`] if and only if one of these is an error; the
/// first one is what it returns. At most [`MOST_DIAGNOSES`] of each severity are kept.
///
/// ```
/// use toolsure_mcp::argument::{ArgumentLimits, Severity, diagnose};
///
/// let limits = ArgumentLimits::default();
/// let schema = br#"{"n": {"type": "boolean", "minimum": 1, "description": "Whether."}}"#;
/// for (version, severity) in [(None, Severity::Warning), (Some("2025-10-09"), Severity::Error)] {
///     let found = diagnose(schema, version, &limits);
///     let [diagnosis] = &found[..] else { panic!("one diagnosis") };
///     assert_eq!((diagnosis.severity(), diagnosis.pointer()), (severity, "/n/minimum"));
///     assert_eq!(diagnosis.code(), "no-effect");
///     assert_eq!(
///         diagnosis.kind().to_string(),
///         "`minimum` has no effect: it limits numbers only"
///     );
/// }
/// ```
pub fn diagnose(schema: &[u8], version: Option<&str>, limits: &ArgumentLimits) -> Vec<Diagnosis> {
    let (schema, diagnoses) = ArgumentSchema::parse(schema, version, limits);
    drop(schema);
    diagnoses
}

impl ArgumentSchema {
    /// Reads a schema under the default limits.
    ///
    /// # Errors
    ///
    /// The same as for [`read_with`](Self::read_with).
    pub fn read(schema: &[u8]) -> Result<Self, SchemaError> {
        Self::read_with(schema, None, &ArgumentLimits::default())
    }

    /// Reads a schema. `version` is the `schemaVersion` that was sent beside the schema object, if
    /// it was not sent inside.
    ///
    /// # Errors
    ///
    /// The text is not a JSON object, or is a tool, a listing or a JSON Schema that cannot be an
    /// argument schema; its version is unknown; a limit is reached; or the schema declares its
    /// version and has a part that is malformed, unknown, contradictory or without effect. The error
    /// is the first one of [`diagnose`].
    pub fn read_with(
        schema: &[u8],
        version: Option<&str>,
        limits: &ArgumentLimits,
    ) -> Result<Self, SchemaError> {
        let (schema, diagnoses) = Self::parse(schema, version, limits);
        let is_error = |one: &&Diagnosis| one.severity() == Severity::Error;
        match (schema, diagnoses.iter().find(is_error)) {
            (Some(schema), None) => Ok(Self {
                diagnoses,
                ..schema
            }),
            (_, Some(first)) => Err(first.problem.clone()),
            (None, None) => Err(SchemaError::new(String::new(), SchemaErrorKind::Internal)),
        }
    }

    /// Reads a schema as far as possible, whatever there is to say about it.
    fn parse(
        schema: &[u8],
        version: Option<&str>,
        limits: &ArgumentLimits,
    ) -> (Option<Self>, Vec<Diagnosis>) {
        let mut told = Diagnoses::default();
        let document = match OwnedDocument::read(schema, &limits.schema_read()) {
            Ok(document) => document,
            Err(error) => {
                told.push(Severity::Error, SchemaError::unreadable(error));
                return (None, told.sorted(None));
            }
        };
        let root = document.document().root();
        let schema = match read::read(root, version, limits, &mut told) {
            Ok(parsed) => {
                let this = Self {
                    version: parsed.version,
                    declared: parsed.declared,
                    fields: parsed.fields,
                    diagnoses: Vec::new(),
                    limits: limits.clone(),
                };
                for default in &parsed.defaults {
                    let value = document.document().at_pointer(&default.pointer);
                    if let Err(refused) = this.accept_default(default, value) {
                        told.push(Severity::Error, refused);
                    }
                }
                Some(this)
            }
            Err(error) => {
                told.push(Severity::Error, error);
                None
            }
        };
        (schema, told.sorted(Some(&document)))
    }

    /// The version that the schema is read as.
    pub fn version(&self) -> Version {
        self.version
    }

    /// Whether the schema declares its version; otherwise it is read permissively.
    pub fn declares_version(&self) -> bool {
        self.declared
    }

    /// The limits for reading and checking.
    pub fn limits(&self) -> &ArgumentLimits {
        &self.limits
    }

    /// The properties, in the order they were declared.
    pub fn properties(&self) -> impl ExactSizeIterator<Item = Property<'_>> {
        property::properties(&self.fields)
    }

    /// What [`diagnose`] says about the schema, which has no errors: warnings about the parts that
    /// are not enforced, and notes.
    pub fn diagnoses(&self) -> &[Diagnosis] {
        &self.diagnoses
    }

    /// Checks arguments in any representation. The caller replaces absent arguments with `{}`.
    pub fn check<'i, N: Node<'i>>(&self, arguments: N) -> Answer {
        check::check(
            &self.fields,
            arguments,
            self.limits.refusals,
            self.limits.fuel,
        )
    }

    /// Reads JSON text and checks it.
    ///
    /// # Errors
    ///
    /// The text is not JSON, or exceeds the limits of [`ArgumentLimits::arguments`].
    pub fn check_bytes(&self, arguments: &[u8]) -> Result<Answer, ReadError> {
        let mut reader = Reader::new();
        let document = reader.read(arguments, &self.limits.arguments)?;
        Ok(self.check(document.root()))
    }

    /// The arguments with every missing `default` inserted into their text; `None` if none is
    /// missing. Nested objects are filled if present; missing ones are not created.
    pub fn with_defaults(&self, arguments: View<'_>) -> Option<String> {
        fill::with_defaults(&self.fields, arguments)
    }

    /// The deprecated properties that the arguments use, each once.
    pub fn deprecated_used(&self, arguments: View<'_>) -> Vec<&str> {
        fill::deprecated(&self.fields, arguments)
    }

    /// The same contract as a JSON Schema 2020-12 text with an object root, for
    /// publication as a tool's `inputSchema`. It accepts exactly what
    /// [`check`](Self::check) accepts.
    pub fn to_json_schema(&self) -> String {
        publish::publish(&self.fields, self.limits.fuel)
    }

    fn accept_default(
        &self,
        default: &read::Default,
        value: Option<View<'_>>,
    ) -> Result<(), SchemaError> {
        let internal = || SchemaError::new(default.pointer.clone(), SchemaErrorKind::Internal);
        let mut fields = Some(&self.fields);
        let mut rule = None;
        let mut name = "";
        for index in &default.path {
            let field = fields.and_then(|fields| fields.iter().nth(*index));
            let Some(field) = field else {
                return Err(internal());
            };
            name = &field.name;
            rule = Some(&field.rule);
            let mut inner = &field.rule;
            while let Some(list) = &inner.list {
                inner = &list.element;
            }
            fields = inner.fields.as_ref();
        }
        let (Some(rule), Some(value)) = (rule, value) else {
            return Err(internal());
        };
        match check::check_value(rule, name, value, self.limits.fuel) {
            Answer::Accepted => Ok(()),
            Answer::Refused(why) => {
                let Some(first) = why.list().first() else {
                    return Err(internal());
                };
                let refusal = first.to_string();
                let kind = SchemaErrorKind::Default { refusal };
                Err(SchemaError::new(default.pointer.clone(), kind))
            }
            Answer::Undecided => {
                let kind = SchemaErrorKind::Default {
                    refusal: "checking it took more work than is allowed".to_owned(),
                };
                Err(SchemaError::new(default.pointer.clone(), kind))
            }
        }
    }
}
