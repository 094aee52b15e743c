//! `toolsure argument-schema`: checks, converts and explains argument schemas.

use std::fmt::Write as _;
use std::path::PathBuf;

use clap::{Args, Subcommand};
use toolsure_json::{OwnedDocument, ReadLimits, View, line_column, quote};
use toolsure_mcp::argument::{
    Answer, ArgumentLimits, ArgumentSchema, Diagnosis, MOST_DIAGNOSES, Property, Severity,
    ValueRule, diagnose,
};

use crate::exit::{Exit, Failure};
use crate::input::Input;
use crate::render::{count, hang, json::harmless};
use crate::term::{BOLD, DIM, ERROR, Term, WARNING};

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
    /// Check an argument schema: which parts are not enforced, and what is recommended
    ///
    /// Every member is either enforced, or reported with its place: as an error if the schema declares
    /// its version, otherwise as a warning. Members that only describe, and recommendations, are notes.
    Check(SchemaFile),
    /// Print the JSON Schema 2020-12 that accepts the same arguments; what it leaves out is reported
    Convert(SchemaFile),
    /// Show the properties of a schema with all limits and values, or the violations in arguments
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
            let (schema, name) = file.load(|_| true, term)?;
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
            let (schema, _) = file.load(is_left_out, term)?;
            let text = schema.to_json_schema();
            term.write_bytes(format!("{}\n", harmless(&text)).as_bytes())?;
            Ok(Exit::Ok)
        }
        Action::Explain {
            schema: file,
            arguments: None,
        } => {
            let (schema, name) = file.load(is_warning, term)?;
            let mut out = format!("{BOLD}{name}{BOLD:#}: version {}\n", schema.version());
            describe(&mut out, schema.properties(), 1);
            term.write(&out).map(|()| Exit::Ok)
        }
        Action::Explain {
            schema: file,
            arguments: Some(path),
        } => {
            let (schema, _) = file.load(is_warning, term)?;
            explain(&schema, &Input::of(path), term)
        }
    }
}

/// Converts an argument schema for commands that accept either; warns of what is not enforced.
pub(crate) fn converted(text: &[u8], name: &str, term: &Term) -> Result<Vec<u8>, Failure> {
    let schema = read(text, None, name, is_warning, term)?;
    Ok(schema.to_json_schema().into_bytes())
}

impl SchemaFile {
    /// Reads the schema, and prints the diagnoses that are `wanted`.
    fn load(
        &self,
        wanted: fn(&Diagnosis) -> bool,
        term: &Term,
    ) -> Result<(ArgumentSchema, String), Failure> {
        let input = Input::of(&self.file);
        let name = quote(&input.name(), 200).to_string();
        let text = input
            .read(ArgumentLimits::default().schema_bytes)
            .map_err(|error| Failure::usage(format!("cannot read `{name}`: {error}")))?;
        let version = self.schema_version.as_deref();
        let schema = read(&text, version, &name, wanted, term)?;
        Ok((schema, name))
    }
}

/// Reads a schema. If it has errors, the last one is the failure, and the others are printed before.
fn read(
    text: &[u8],
    version: Option<&str>,
    name: &str,
    wanted: fn(&Diagnosis) -> bool,
    term: &Term,
) -> Result<ArgumentSchema, Failure> {
    let limits = ArgumentLimits::default();
    let read = ArgumentSchema::read_with(text, version, &limits);
    let refused = match &read {
        Ok(_) => Vec::new(),
        Err(_) => diagnose(text, version, &limits),
    };
    let diagnoses = read
        .as_ref()
        .map_or(refused.as_slice(), ArgumentSchema::diagnoses);
    let document = OwnedDocument::read(text, &ReadLimits::default()).ok();
    let line = |diagnosis: &Diagnosis| {
        // Errors of the JSON reader have a byte offset, and no pointer.
        let readable = document.as_ref().filter(|_| diagnosis.code() != "json");
        let view =
            readable.and_then(|document| document.document().at_pointer(diagnosis.pointer()));
        let at = view.map(|view| line_column(text, view.span().start));
        let place = at.map_or_else(String::new, |at| format!(":{}:{}", at.line, at.column));
        format!("{name}{place}: {diagnosis}")
    };
    let is_error = |one: &&Diagnosis| one.severity() == Severity::Error;
    let failure = diagnoses.iter().rfind(is_error);
    for diagnosis in diagnoses {
        let text = line(diagnosis);
        match diagnosis.severity() {
            Severity::Error if failure.is_some_and(|last| std::ptr::eq(last, diagnosis)) => {}
            Severity::Error => term.aside(&format!("{ERROR}error{ERROR:#}: {text}\n")),
            _ if !wanted(diagnosis) => {}
            Severity::Warning => term.note(&format!("{WARNING}warning{WARNING:#}: {text}")),
            Severity::Note => term.note(&format!("{BOLD}note{BOLD:#}: {text}")),
        }
    }
    for severity in [Severity::Error, Severity::Warning, Severity::Note] {
        let alike = diagnoses.iter().filter(|one| one.severity() == severity);
        if alike.filter(|one| wanted(one)).count() == MOST_DIAGNOSES {
            term.note(&format!(
                "only {MOST_DIAGNOSES} diagnoses of the severity {severity} are collected"
            ));
        }
    }
    let message = failure.map(line);
    read.map_err(|error| Failure {
        exit: Exit::Schema,
        message: message.unwrap_or_else(|| format!("{name}: {error}")),
        help: None,
    })
}

fn is_warning(diagnosis: &Diagnosis) -> bool {
    diagnosis.severity() > Severity::Note
}

/// Whether a diagnosis is about a part that the converted schema does not have.
fn is_left_out(diagnosis: &Diagnosis) -> bool {
    is_warning(diagnosis) || diagnosis.code() == "annotation"
}

fn describe<'s>(out: &mut String, properties: impl Iterator<Item = Property<'s>>, level: usize) {
    for property in properties {
        let indent = "  ".repeat(level);
        let name = quote(property.name(), 80);
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
        let (value, innermost) = shape(property.value());
        // Writing to a string cannot fail.
        let _infallible = writeln!(
            out,
            "{indent}{BOLD}{name}{BOLD:#}: {value}{required}{default}{deprecated}{about}"
        );
        describe(out, innermost.properties(), level.saturating_add(1));
    }
}

/// The text, escaped but not cut.
fn whole(text: &str) -> String {
    quote(text, text.len().saturating_mul(LONGEST_ESCAPE)).to_string()
}

/// `integer, minimum 1`, `array, maxItems 3, of string, "a" or "b"`; and the rule of the innermost
/// elements, which may have properties.
fn shape(value: ValueRule<'_>) -> (String, ValueRule<'_>) {
    let mut text = value.type_name().unwrap_or("anything").to_owned();
    let limits = value.limits();
    for (name, limit) in &limits {
        text.push_str(&format!(", {name} {}", whole(limit)));
    }
    if let Some(choices) = value.choices() {
        text.push_str(", ");
        text.push_str(match choices.is_empty() {
            true => "no value matches",
            false => "one of ",
        });
        text.push_str(&whole(&choices.join(" ")));
    }
    let Some(element) = value.items() else {
        return (text, value);
    };
    let (of, innermost) = shape(element);
    let comma = if limits.is_empty() { "" } else { "," };
    (format!("{text}{comma} of {of}"), innermost)
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

/// The number of characters of the longest escape, `\u{10ffff}`.
const LONGEST_ESCAPE: usize = 10;

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
