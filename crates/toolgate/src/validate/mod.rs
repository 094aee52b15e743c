//! `toolgate validate`: does an instance match a schema, and if not, where and why?

mod belt;
mod contract;
mod human;
mod json;
mod jsonl;
mod judge;
mod options;
mod output;
mod print;
mod problem;
mod progress;
mod run;
mod sarif;
mod tally;
mod workflow;

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::compilers::FetchArgs;
use crate::exit::{Exit, Failure};
use crate::input::Input;
use crate::settings::{Annotated, SchemaArgs, default_of};
use crate::term::Term;
use contract::Texts;
use options::Output;
use run::Run;

/// Validate JSON instances against a JSON Schema
///
/// Compiles the schema under hard bounds, checks each instance, and shows each problem at its place
/// in the instance and in the schema. Nothing is fetched unless `--fetch-host` names a host. Without an instance only
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

    /// The schema is an argument schema: the instances are the arguments of calls
    #[arg(long)]
    pub(crate) argument_schema: bool,

    /// How to print the problems
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

    /// Short for `--formats assert`
    #[arg(long, conflicts_with = "formats")]
    pub(crate) assert_formats: bool,

    /// Short for `--strictness lenient`
    #[arg(long, conflicts_with = "strictness")]
    pub(crate) lenient: bool,

    #[arg(
        long,
        value_name = "N",
        help = format!("Short for `--limit fuel=N`: the most units of work for one instance, 10 to 40 ns each [default: {}]", default_of("limits.fuel"))
    )]
    pub(crate) fuel: Option<u64>,

    #[arg(
        long,
        value_name = "N",
        help = format!("Short for `--limit instance.bytes=N`: the most bytes of one instance; with them grows the most values in it [default: {}]", default_of("limits.instance.bytes"))
    )]
    pub(crate) max_instance_bytes: Option<u64>,

    #[command(flatten)]
    pub(crate) schemas: SchemaArgs<Annotated>,

    #[command(flatten)]
    pub(crate) fetch: FetchArgs,

    /// Print every instance that is not valid, not only the first 100, where people read
    #[arg(long)]
    pub(crate) all: bool,

    /// The most findings shown of one instance
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(crate) max_findings: usize,
}

/// How to print the problems.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people: excerpts with the places marked
    Human,
    /// One JSON object per instance and line, versioned
    Json,
    /// Workflow commands for GitHub Actions
    Github,
    /// SARIF 2.1.0, of the first 100 instances that are not valid unless `--all` is given
    Sarif,
}

/// Runs the command.
pub(crate) fn run(args: &ValidateArgs, term: &Term) -> Result<Exit, Failure> {
    let instances: Vec<Input> = args.instances.iter().map(|path| Input::of(path)).collect();
    let compiler = options::compiler(args)?;
    let mut texts = Texts::load(args, &compiler, &instances, term)?;
    texts.fetch(&args.fetch, &compiler, term)?;
    let mut run = Run::new(args, term, &texts, compiler.bounds().instance);
    match contract::compile(compiler, &texts) {
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
