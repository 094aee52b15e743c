//! Converts an argument schema that a server publishes in place of JSON Schema, unless JSON Schema
//! would enforce more.

use std::fmt;

use toolsure_analysis::tool::HEADER;
use toolsure_json::{Key as _, Kind, Node as _, View, json_string, quote};
use toolsure_syntax::{AppliesTo, Keyword};

use super::Version;
use super::{ArgumentLimits, ArgumentSchema, Diagnosis, SchemaErrorKind, Severity};
use super::{Sign, recognise};

/// An argument schema that stands where JSON Schema was expected.
///
/// It has an equivalent JSON Schema only if conversion loses nothing that JSON Schema enforces. So
/// a schema with a sign of the notation stays JSON Schema if it has a keyword that can refuse a
/// value and that the notation does not have in that place (`$ref`, `anyOf`, `format`,
/// `additionalProperties`), a member that starts with `$`, or an invalid part. Without
/// `schemaVersion` it is read as the latest version, so that `pattern` and nested objects are enforced.
///
/// ```
/// use toolsure_json::{OwnedDocument, ReadLimits};
/// use toolsure_mcp::argument::in_place;
///
/// let read = |text: &str| OwnedDocument::read(text, &ReadLimits::default());
/// let schema = read(r#"{"type": "object", "properties": {"t": {"type": "string", "isArray": true}}}"#)?;
/// let found = in_place(schema.document().root()).ok_or("an argument schema")?;
/// assert!(found.json_schema()?.contains(r#""t":{"type":"array","items":{"type":"string"}}"#));
///
/// let schema = read(r#"{"properties": {"t": {"isArray": true}}, "additionalProperties": false}"#)?;
/// let found = in_place(schema.document().root()).ok_or("an argument schema")?;
/// assert!(found.json_schema().is_err_and(|why| why.contains("`additionalProperties`")));
///
/// let schema = read(r#"{"type": "object", "properties": {"t": {"type": "string"}}}"#)?;
/// assert!(in_place(schema.document().root()).is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InPlace {
    sign: Sign,
    converted: Result<String, String>,
}

impl InPlace {
    /// The sign; its location is relative to the schema.
    pub fn sign(&self) -> &Sign {
        &self.sign
    }

    /// The equivalent JSON Schema.
    ///
    /// # Errors
    ///
    /// Why it stays JSON Schema as written.
    pub fn json_schema(&self) -> Result<&str, &str> {
        self.converted.as_deref().map_err(String::as_str)
    }
}

/// One line.
impl fmt::Display for InPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (what, at) = (self.sign.what(), quote(self.sign.pointer(), SHOWN));
        match &self.converted {
            Ok(_) => write!(
                f,
                "`inputSchema` is an argument schema ({what} at `{at}`), and is converted to JSON Schema"
            ),
            Err(why) => write!(
                f,
                "`inputSchema` looks like an argument schema ({what} at `{at}`), but stays JSON Schema: {why}"
            ),
        }
    }
}

/// The argument schema that a schema is; `None` if [`recognise`] finds no sign of one.
pub fn in_place(schema: View<'_>) -> Option<InPlace> {
    let sign = recognise(schema)?.relative_to(&super::read::pointer(schema));
    Some(InPlace {
        sign,
        converted: convert(schema),
    })
}

fn convert(schema: View<'_>) -> Result<String, String> {
    let declared = schema
        .member(VERSION)
        .filter(|version| version.kind() == Kind::String);
    let version = declared.map_or(Some(Version::LATEST), |version| {
        Version::from_date(version.string())
    });
    let version = version.ok_or("its version is unknown")?;
    let mut rewriter = Rewriter {
        out: String::from("{"),
        extended: version.has_extensions(),
        levels: ArgumentLimits::default().levels(),
    };
    rewriter.root(schema)?;
    rewriter.out.push('}');
    let limits = ArgumentLimits::default();
    let text = rewriter.out.as_bytes();
    let (read, told) = ArgumentSchema::parse(text, Some(version.date()), &limits);
    let is_foreign = |one: &&Diagnosis| {
        use SchemaErrorKind::{Contradiction, Later, NeverMatches, NoEffect};
        match one.kind() {
            Later { .. } => true,
            // It means the same in JSON Schema.
            Contradiction { .. } | NeverMatches | NoEffect { .. } => false,
            _ => one.severity() == Severity::Error,
        }
    };
    if let Some(first) = told.iter().find(is_foreign) {
        return Err(first.to_string());
    }
    let read = read.ok_or("it cannot be read")?;
    Ok(read.to_json_schema())
}

/// Writes a schema without the members that neither JSON Schema nor the notation enforces.
struct Rewriter {
    out: String,
    /// Whether the version has the extensions.
    extended: bool,
    levels: usize,
}

impl Rewriter {
    fn root(&mut self, schema: View<'_>) -> Result<(), String> {
        let map = schema
            .member(PROPERTIES)
            .filter(|map| map.kind() == Kind::Object);
        let is_text = |value: View<'_>| value.kind() == Kind::String;
        if map.and_then(|map| map.member(TYPE)).is_some_and(is_text) {
            return Err("`properties` may be a map or an argument".to_owned());
        }
        let schema_like = map.is_some() || schema.member(TYPE).is_some_and(is_text);
        for (key, value) in schema.members() {
            match key.text() {
                VERSION if is_text(value) => {}
                name if !schema_like => {
                    let keyword = Keyword::from_name(name).filter(|keyword| {
                        let applies = keyword.applies_to();
                        keyword.can_reject()
                            && matches!(applies, AppliesTo::Any | AppliesTo::Objects)
                            && keyword.value().fits(value.kind())
                    });
                    if keyword.is_some() || name.starts_with('$') {
                        return Err(foreign(name));
                    }
                    self.named(name);
                    self.property(value, 0)?;
                }
                TYPE if value.string() == "object" => self.copy(TYPE, value),
                TYPE => return Err("the root has another `type` than `object`".to_owned()),
                PROPERTIES => self.map(value, 0)?,
                REQUIRED => self.copy(REQUIRED, value),
                name => self.leave_out(name)?,
            }
        }
        Ok(())
    }

    fn map(&mut self, map: View<'_>, depth: usize) -> Result<(), String> {
        self.named(PROPERTIES);
        self.out.push('{');
        for (key, value) in map.members() {
            self.named(key.text());
            self.property(value, depth)?;
        }
        self.out.push('}');
        Ok(())
    }

    /// Recurses as deep as an argument schema may be.
    fn property(&mut self, schema: View<'_>, depth: usize) -> Result<(), String> {
        if schema.kind() != Kind::Object {
            return Err("a property's schema is not an object".to_owned());
        }
        if depth >= self.levels {
            return Err(format!("it has more than {} levels", self.levels));
        }
        let kind = schema.member(TYPE).map_or("", |kind| kind.string());
        let flag = schema.member("isArray");
        let is_list = kind == "array" || flag.is_some_and(|flag| flag.boolean());
        let has_fields = kind == "object" && self.extended;
        self.out.push('{');
        for (key, value) in schema.members() {
            match key.text() {
                name @ (TYPE | "isArray" | "description" | "minLength" | "maxLength"
                | "minimum" | "maximum" | "enum") => self.copy(name, value),
                REQUIRED if value.kind() == Kind::Boolean || has_fields => {
                    self.copy(REQUIRED, value);
                }
                "items" if is_list => {
                    self.named("items");
                    self.property(value, depth + 1)?;
                }
                name @ ("minItems" | "maxItems") if is_list && self.extended => {
                    self.copy(name, value);
                }
                name @ ("pattern" | "default" | "deprecated") if self.extended => {
                    self.copy(name, value);
                }
                PROPERTIES if has_fields && value.kind() == Kind::Object => {
                    self.map(value, depth + 1)?;
                }
                name => self.leave_out(name)?,
            }
        }
        self.out.push('}');
        Ok(())
    }

    /// Leaves out a member that the notation does not have.
    ///
    /// # Errors
    ///
    /// JSON Schema, or the protocol, may enforce it.
    fn leave_out(&self, name: &str) -> Result<(), String> {
        let enforced = Keyword::from_name(name).is_some_and(Keyword::can_reject);
        if enforced || name == HEADER || (name.starts_with('$') && name != "$comment") {
            return Err(foreign(name));
        }
        Ok(())
    }

    fn named(&mut self, name: &str) {
        if !self.out.ends_with('{') {
            self.out.push(',');
        }
        self.out.push_str(&json_string(name));
        self.out.push(':');
    }

    fn copy(&mut self, name: &str, value: View<'_>) {
        self.named(name);
        self.out.push_str(value.raw());
    }
}

fn foreign(name: &str) -> String {
    format!(
        "argument schemas have no `{}` there, and conversion would lose it",
        quote(name, SHOWN)
    )
}

const VERSION: &str = "schemaVersion";
const TYPE: &str = "type";
const PROPERTIES: &str = "properties";
const REQUIRED: &str = "required";
/// The maximum number of characters of foreign text in a message.
const SHOWN: usize = 64;
