//! `toolgate validate`: does an instance match a schema, and if not, where and why?

mod belt;
mod contract;
mod human;
mod input;
mod json;
mod jsonl;
mod judge;
mod options;
mod output;
mod print;
mod problem;
mod progress;
mod run;
mod tally;
mod workflow;

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::exit::{Exit, Failure};
use crate::term::Term;
use contract::Texts;
use input::Input;
use options::{DialectName, FormatUse, Output, Registration};
use run::Run;

/// Validate JSON instances against a JSON Schema
///
/// Compiles the schema under hard bounds, checks each instance, and shows what is wrong where it
/// stands in the instance and in the schema. Nothing is ever fetched. Without an instance only
/// the schema is checked.
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct ValidateArgs {
    /// The schema, a JSON file; `-` is standard input
    pub(crate) schema: PathBuf,

    /// The instances, JSON files; `-` is standard input
    #[arg(value_name = "INSTANCE")]
    pub(crate) instances: Vec<PathBuf>,

    /// Take each line of the files for an instance (JSON Lines), as a stream on all cores, in order;
    /// blank lines are skipped
    #[arg(long, requires = "instances")]
    pub(crate) jsonl: bool,

    /// How to print what is wrong
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,

    /// Print for each instance, on one line, an output of the JSON Schema specification instead
    #[arg(
        long,
        value_enum,
        value_name = "OUTPUT",
        conflicts_with = "format",
        requires = "instances"
    )]
    pub(crate) output: Option<Output>,

    /// What `format` does: the specification's default is to annotate only
    #[arg(long, value_enum, value_name = "USE", default_value_t = FormatUse::Annotate)]
    pub(crate) formats: FormatUse,

    /// Short for `--formats assert`
    #[arg(long, conflicts_with = "formats")]
    pub(crate) assert_formats: bool,

    /// The dialect of every schema, whatever its `$schema` says [default: 2020-12 where it says nothing]
    #[arg(long, value_enum, value_name = "DIALECT", hide_default_value = true)]
    pub(crate) dialect: Option<DialectName>,

    /// Hand in a document that references may lead to, split at the last `=`; may be repeated
    #[arg(long = "register", value_name = "URI=FILE", value_parser = options::registration)]
    pub(crate) registrations: Vec<Registration>,

    /// Warn of keywords that their dialect forbids instead of refusing the schema
    #[arg(long)]
    pub(crate) lenient: bool,

    /// The most units of work for one instance, 10 to 40 ns each [default: 2500000]
    #[arg(long, value_name = "N")]
    pub(crate) fuel: Option<u64>,

    /// The most bytes of one instance; with them grows the most values in it
    #[arg(long, value_name = "N", default_value_t = options::INSTANCE_BYTES)]
    pub(crate) max_instance_bytes: usize,

    /// The most findings shown of one instance
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(crate) max_findings: usize,
}

/// How to print what is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people: excerpts with the places marked
    Human,
    /// One JSON object per instance and line, versioned
    Json,
    /// Workflow commands for GitHub Actions
    Github,
}

/// Runs the command.
pub(crate) fn run(args: &ValidateArgs, term: &Term) -> Result<Exit, Failure> {
    let instances: Vec<Input> = args.instances.iter().map(|path| Input::of(path)).collect();
    let texts = Texts::load(args, &instances)?;
    let mut run = Run::new(args, term, &texts);
    match contract::compile(args, &texts) {
        Err(error) => run.refused(&error),
        Ok(schema) => run.instances(&schema, &instances),
    }
}

const AFTER_HELP: &str = "\
Examples:
  toolgate validate order.schema.json order.json
  curl -s https://example.com/order/7 | toolgate validate order.schema.json -
  toolgate validate --jsonl event.schema.json events.jsonl
  toolgate validate --register https://example.com/money=money.json order.schema.json *.json

Exit codes, the first that applies:
  2  wrong usage, or an instance that cannot be read or is not JSON
  6  the schema was refused; no instance was checked
  7  a bound was reached before an instance was decided
  1  an instance does not match
  0  every instance matches";
