//! `toolgate diff OLD NEW`: what changed between two listings, and whether it breaks callers.

mod github;
mod human;
mod json;

use clap::{Args, ValueEnum};
use toolgate_analysis::diff::{Class, Differ, Report};

use crate::check::saved::{self, Listing, Saved};
use crate::exit::{Exit, Failure};
use crate::interrupt::ExitOnInterrupt;
use crate::settings::{Asserted, SchemaArgs, raise};
use crate::term::Term;

/// Compare two saved listings: which calls that worked can fail, which results can surprise
///
/// Rules on schemas decide what they can; where they cannot, instances of the old schema are
/// tried on the new one, and a value that passes the first and fails the second is shown.
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct DiffArgs {
    /// The older listing: a JSON file, as `toolgate check --save` writes it
    old: String,

    /// The newer listing; `-` for either is standard input
    new: String,

    /// End with exit code 1 at changes of this class and worse
    #[arg(long, value_enum, value_name = "CLASS", default_value_t = FailOn::Breaking)]
    fail_on: FailOn,

    /// Callers may send members that the old input schema does not name; otherwise these are taken as absent
    #[arg(long)]
    open: bool,

    /// Print every change, however many there are
    #[arg(long)]
    all: bool,

    /// How to print the changes
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,

    #[command(flatten)]
    schemas: SchemaArgs<Asserted>,
}

/// At what the command fails.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum FailOn {
    /// Calls that worked can fail, or results are not what was promised
    Breaking,
    /// The same, or it cannot be told
    Unknown,
    /// The same, or a parameter is no longer declared, or an annotation changed that users consent to
    Warning,
    /// Any change
    Any,
}

/// How to print the changes.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    /// For people
    Human,
    /// One JSON document, versioned
    Json,
    /// Workflow commands for GitHub Actions
    Github,
}

/// Runs the command.
pub(crate) fn run(args: &DiffArgs, term: &Term) -> Result<Exit, Failure> {
    if args.old == "-" && args.new == "-" {
        return Err(Failure::usage("only one of the two can be standard input"));
    }
    let differ = Differ::new()
        .open(args.open)
        .compiler(args.schemas.compiler_with_documents()?);
    let (old, new) = (listing(&args.old)?, listing(&args.new)?);
    let _interruptible = term.shows_progress().then(|| ExitOnInterrupt::new(term));
    term.progress("comparing …");
    let texts = |listing: &Listing| listing.tools.clone();
    let (olds, news) = (texts(&old), texts(&new));
    let mut report = differ.diff(
        olds.iter().map(String::as_str),
        news.iter().map(String::as_str),
    );
    let tools = report.tools.iter_mut();
    for change in tools.flat_map(|tool| &mut tool.changes) {
        if let Some(setting) = change.setting {
            change.message.push_str("; ");
            change.message.push_str(&raise(setting));
        }
    }
    let least = match args.fail_on {
        FailOn::Breaking => Class::Breaking,
        FailOn::Unknown => Class::Unknown,
        FailOn::Warning => Class::Warning,
        FailOn::Any => Class::Compatible,
    };
    let exit = match report.class() {
        Some(class) if class >= least => Exit::Invalid,
        _ => Exit::Ok,
    };
    let sides = Sides {
        report,
        old: old.file.name,
        new: new.file.name,
    };
    match args.format {
        Format::Human => term.write(&human::render(&sides, args.all, term.quiet))?,
        Format::Json => term.write_bytes(json::render(&sides, exit).as_bytes())?,
        Format::Github => term.write_bytes(github::render(&sides, args.all).as_bytes())?,
    }
    Ok(exit)
}

/// A report and what was compared; names are escaped.
struct Sides {
    report: Report,
    old: String,
    new: String,
}

fn listing(path: &str) -> Result<Box<Listing>, Failure> {
    match saved::read(path)? {
        Saved::Listing(listing) => Ok(listing),
        Saved::Servers(_) => Err(Failure::usage(
            "`diff` compares listings, not `mcpServers` files",
        )
        .with_help("save a listing with `toolgate check --save FILE`")),
    }
}

const AFTER_HELP: &str = "\
Examples:
  toolgate check --save new.json -- npx -y some-server
  toolgate diff tools.lock.json new.json
  toolgate diff --fail-on any --format github old.json new.json

Exit codes:
  0  nothing at or over `--fail-on`
  1  a change at or over `--fail-on`
  2  wrong usage, or a file that cannot be read";
