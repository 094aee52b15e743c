//! `toolsure argument-schema`: checks, converts and explains argument schemas.

use std::fmt::Write as _;
use std::path::PathBuf;

use clap::{Args, Subcommand};
use toolsure_json::{OwnedDocument, ReadLimits, View, line_column, quote};
use toolsure_mcp::argument::{Answer, ArgumentLimits, ArgumentSchema, Property, SchemaError};

use crate::exit::{Exit, Failure};
use crate::input::Input;
use crate::render::{count, hang, json::harmless};
use crate::term::{BOLD, DIM, Term, WARNING};

/// Check an argument schema, convert it to JSON Schema, or explain it
///
/// Argument schemas are a short notation for a tool's arguments, with two forms, dated versions and
/// plain errors; docs/argument-schema.md describes them.
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct ArgumentSchemaArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Check an argument schema, and show its version and which parts are not enforced
    Check(SchemaFile),
    /// Print the JSON Schema 2020-12 that accepts the same arguments
    Convert(SchemaFile),
    /// Show the properties of a schema, or the violations in arguments
    Explain {
        #[command(flatten)]
        schema: SchemaFile,

        /// Arguments of a call, a JSON file; `-` is standard input
        #[arg(value_name = "ARGUMENTS")]
        arguments: Option<PathBuf>,
    },
}

#[derive(Debug, Args)]
struct SchemaFile {
    /// The argument schema, a JSON file; `-` is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Version of the schema, if it does not declare one itself
    #[arg(long, value_name = "DATE")]
    schema_version: Option<String>,
}

/// Runs the command.
pub(crate) fn run(args: &ArgumentSchemaArgs, term: &Term) -> Result<Exit, Failure> {
    match &args.action {
        Action::Check(file) => {
            let (schema, name) = file.load(term)?;
            let properties = u64::try_from(schema.properties().len()).unwrap_or(u64::MAX);
            let declared = match schema.declares_version() || file.schema_version.is_some() {
                true => "",
                false => ", which it does not declare",
            };
            let version = schema.version();
            let properties = count(properties, "argument");
            let text = format!(
                "{name}: an argument schema of version {version}{declared}, {properties}\n"
            );
            let columns = term.stdout().columns;
            term.write(&hang(&text, columns)).map(|()| Exit::Ok)
        }
        Action::Convert(file) => {
            let (schema, _) = file.load(term)?;
            let text = schema.to_json_schema();
            term.write_bytes(format!("{}\n", harmless(&text)).as_bytes())?;
            Ok(Exit::Ok)
        }
        Action::Explain {
            schema: file,
            arguments: None,
        } => {
            let (schema, name) = file.load(term)?;
            let mut out = format!("{BOLD}{name}{BOLD:#}: version {}\n", schema.version());
            describe(&mut out, schema.properties(), 1);
            term.write(&out).map(|()| Exit::Ok)
        }
        Action::Explain {
            schema: file,
            arguments: Some(path),
        } => {
            let (schema, _) = file.load(term)?;
            explain(&schema, &Input::of(path), term)
        }
    }
}

/// Converts an argument schema for commands that accept either; warns of what is not enforced.
pub(crate) fn converted(text: &[u8], name: &str, term: &Term) -> Result<Vec<u8>, Failure> {
    let schema = read(text, None, name)?;
    notes(&schema, text, name, term);
    Ok(schema.to_json_schema().into_bytes())
}

impl SchemaFile {
    fn load(&self, term: &Term) -> Result<(ArgumentSchema, String), Failure> {
        let input = Input::of(&self.file);
        let name = quote(&input.name(), 200).to_string();
        let text = input
            .read(ArgumentLimits::default().schema_bytes)
            .map_err(|error| Failure::usage(format!("cannot read `{name}`: {error}")))?;
        let schema = read(&text, self.schema_version.as_deref(), &name)?;
        notes(&schema, &text, &name, term);
        Ok((schema, name))
    }
}

fn read(text: &[u8], version: Option<&str>, name: &str) -> Result<ArgumentSchema, Failure> {
    let read = ArgumentSchema::read_with(text, version, &ArgumentLimits::default());
    read.map_err(|error| Failure {
        exit: Exit::Schema,
        message: format!("{}{error}", place(&error, text, name)),
        help: None,
    })
}

/// Prints a warning for each part of the schema that is not enforced.
fn notes(schema: &ArgumentSchema, text: &[u8], name: &str, term: &Term) {
    for note in schema.notes() {
        let place = place(note, text, name);
        term.note(&format!("{WARNING}warning{WARNING:#}: {place}{note}"));
    }
}

/// `FILE:LINE:COLUMN: `, or `FILE: ` if the position is not known.
fn place(error: &SchemaError, text: &[u8], name: &str) -> String {
    let limits = ReadLimits::default();
    let document = OwnedDocument::read(text, &limits).ok();
    let at = document.and_then(|document| {
        let view = document.document().at_pointer(error.pointer())?;
        Some(line_column(text, view.span().start))
    });
    at.map_or_else(
        || format!("{name}: "),
        |at| format!("{name}:{}:{}: ", at.line, at.column),
    )
}

fn describe<'s>(out: &mut String, properties: impl Iterator<Item = Property<'s>>, level: usize) {
    for property in properties {
        let indent = "  ".repeat(level);
        let name = quote(property.name(), 80);
        let mut kind = property.type_name().unwrap_or("anything").to_owned();
        if let Some(element) = property.element_type_name() {
            kind.push_str(" of ");
            kind.push_str(element);
        }
        let required = if property.is_required() {
            ", required"
        } else {
            ""
        };
        let deprecated = if property.is_deprecated() {
            ", deprecated"
        } else {
            ""
        };
        let default = property
            .default()
            .map_or_else(String::new, |text| format!(", default {}", quote(text, 60)));
        let about = property.description().map_or_else(String::new, |text| {
            format!("  {DIM}{}{DIM:#}", quote(&text, 200))
        });
        // Writing to a string cannot fail.
        let _infallible = writeln!(
            out,
            "{indent}{BOLD}{name}{BOLD:#}: {kind}{required}{default}{deprecated}{about}"
        );
        describe(out, property.properties(), level.saturating_add(1));
    }
}

fn explain(schema: &ArgumentSchema, input: &Input, term: &Term) -> Result<Exit, Failure> {
    let name = quote(&input.name(), 200).to_string();
    let limits = schema.limits().arguments;
    let text = input
        .read(limits.bytes)
        .map_err(|error| Failure::usage(format!("cannot read `{name}`: {error}")))?;
    let document = OwnedDocument::read(text.as_slice(), &limits)
        .map_err(|error| Failure::usage(format!("`{name}`: {error}")))?;
    let arguments: View<'_> = document.document().root();
    let (exit, text) = match schema.check(arguments) {
        Answer::Accepted => (Exit::Ok, format!("{name}: the arguments match\n")),
        Answer::Undecided => {
            let text = "undecided: the limit on work was reached";
            (Exit::Undecided, format!("{name}: {text}\n"))
        }
        Answer::Refused(refusals) => {
            let mut text: String = refusals
                .list()
                .iter()
                .map(|refusal| format!("{refusal}\n"))
                .collect();
            if !refusals.is_complete() {
                text.push_str("… and perhaps more\n");
            }
            (Exit::Invalid, text)
        }
    };
    term.write(&text)?;
    if exit == Exit::Ok {
        for deprecated in schema.deprecated_used(arguments) {
            term.note(&format!(
                "{WARNING}warning{WARNING:#}: argument '{}' is deprecated",
                quote(deprecated, 64)
            ));
        }
    }
    Ok(exit)
}

const AFTER_HELP: &str = "\
Examples:
  toolsure argument-schema check search.json
  toolsure argument-schema convert search.json > search.schema.json
  toolsure argument-schema explain search.json call.json
  toolsure validate --argument-schema search.json call.json

Exit codes:
  0  the argument schema is valid, or the arguments match
  1  the arguments do not match
  2  wrong usage, or a file that cannot be read
  6  the schema was refused
  7  a limit was reached before the verdict on the arguments";
