//! The schemas of forms (client/elicitation, "Requested Schema"): a flat object of strings, numbers,
//! booleans and choices.

use std::sync::LazyLock;

use toolsure_json::View;
use toolsure_schema::{Compiler, Schema, Workspace};

/// What a form's schema has that the protocol does not allow, in words; `None` if it is one.
///
/// Versions before 2025-11-25 know no choice of several values, and versions before 2026-07-28 take
/// only integers as bounds by the text of their schema; both pass here, because clients take them.
///
/// ```
/// use toolsure_json::{OwnedDocument, ReadLimits};
/// use toolsure_mcp::message::bad_form;
///
/// let good = r#"{"type": "object", "properties": {"age": {"type": "integer", "minimum": 0}}}"#;
/// let bad = r#"{"type": "object", "properties": {"home": {"type": "object", "properties": {}}}}"#;
/// let [good, bad] = [good, bad].map(|text| OwnedDocument::read(text, &ReadLimits::default()));
/// assert_eq!(bad_form(good?.document().root()), None);
/// assert!(bad_form(bad?.document().root()).is_some_and(|why| why.contains("/properties/home")));
/// # Ok::<(), toolsure_json::ReadError>(())
/// ```
#[must_use]
pub fn bad_form(schema: View<'_>) -> Option<String> {
    let forms = FORMS.as_ref()?;
    let mut workspace = Workspace::new();
    if forms.check(&mut workspace, schema).is_valid() {
        return None;
    }
    let report = forms.explain(&mut workspace, schema);
    report.summary().lines().next().map(str::to_owned)
}

/// The schema of such schemas. It is compiled once; a test holds it against those of the protocol.
static FORMS: LazyLock<Option<Schema>> =
    LazyLock::new(|| Compiler::new().compile(FORM.as_bytes()).ok());

const FORM: &str = r##"{
  "type": "object",
  "properties": {
    "$schema": {"type": "string"},
    "type": {"const": "object"},
    "properties": {"type": "object", "additionalProperties": {"$ref": "#/$defs/field"}},
    "required": {"$ref": "#/$defs/strings"}
  },
  "required": ["type", "properties"],
  "$defs": {
    "strings": {"type": "array", "items": {"type": "string"}},
    "choices": {
      "type": "array",
      "items": {
        "type": "object",
        "properties": {"const": {"type": "string"}, "title": {"type": "string"}},
        "required": ["const", "title"]
      }
    },
    "field": {
      "type": "object",
      "properties": {
        "type": {"enum": ["string", "number", "integer", "boolean", "array"]},
        "title": {"type": "string"},
        "description": {"type": "string"}
      },
      "required": ["type"],
      "allOf": [
        {"if": {"properties": {"type": {"const": "string"}}}, "then": {"$ref": "#/$defs/text"}},
        {"if": {"properties": {"type": {"enum": ["number", "integer"]}}}, "then": {"$ref": "#/$defs/number"}},
        {"if": {"properties": {"type": {"const": "boolean"}}}, "then": {"properties": {"default": {"type": "boolean"}}}},
        {"if": {"properties": {"type": {"const": "array"}}}, "then": {"$ref": "#/$defs/several"}}
      ]
    },
    "text": {
      "properties": {"default": {"type": "string"}},
      "anyOf": [
        {
          "properties": {
            "format": {"enum": ["date", "date-time", "email", "uri"]},
            "minLength": {"type": "integer"},
            "maxLength": {"type": "integer"}
          }
        },
        {"properties": {"enum": {"$ref": "#/$defs/strings"}}, "required": ["enum"]},
        {"properties": {"oneOf": {"$ref": "#/$defs/choices"}}, "required": ["oneOf"]}
      ]
    },
    "number": {
      "properties": {
        "minimum": {"type": "number"},
        "maximum": {"type": "number"},
        "default": {"type": "number"}
      }
    },
    "several": {
      "properties": {
        "items": {
          "type": "object",
          "anyOf": [
            {"properties": {"type": {"const": "string"}, "enum": {"$ref": "#/$defs/strings"}}, "required": ["type", "enum"]},
            {"properties": {"anyOf": {"$ref": "#/$defs/choices"}}, "required": ["anyOf"]}
          ]
        },
        "minItems": {"type": "integer"},
        "maxItems": {"type": "integer"},
        "default": {"$ref": "#/$defs/strings"}
      },
      "required": ["items"]
    }
  }
}"##;
