//! Argument schemas, the short notation of `docs/argument-schema.md`, and their JSON Schemas.

use toolsure_mcp::argument::{ArgumentLimits, ArgumentSchema, Diagnosis};

use crate::listing::{NoReport, options_of};
use crate::write::Object;

/// Converts an argument schema to JSON Schema 2020-12, and writes its version, the schema and the diagnoses; no
/// schema if there is an error among them. The option `version` is the one that was sent beside the schema.
///
/// # Errors
///
/// An option cannot be read.
pub fn convert(schema: &[u8], options: &[u8]) -> Result<String, NoReport> {
    let options = options_of(options, &[VERSION])?;
    let version = options.own_text(VERSION).map_err(NoReport::Option)?;
    let limits = ArgumentLimits::default();
    let mut out = String::new();
    let mut object = Object::new(&mut out);
    match ArgumentSchema::read_with(schema, version, &limits) {
        Ok(read) => {
            object.text("version", &read.version().to_string());
            object.boolean("declared", read.declares_version() || version.is_some());
            object.member("schema", |out| out.push_str(&read.to_json_schema()));
            object.array("diagnoses", read.diagnoses(), diagnosis);
        }
        Err(_) => {
            let found = toolsure_mcp::argument::diagnose(schema, version, &limits);
            object.array("diagnoses", &found, diagnosis);
        }
    }
    drop(object);
    Ok(out)
}

fn diagnosis(out: &mut String, one: &Diagnosis) {
    let mut object = Object::new(out);
    object.text("severity", &one.severity().to_string());
    object.text("code", one.code());
    object.text("pointer", one.pointer());
    object.text("message", &one.kind().to_string());
}

const VERSION: &str = "version";
