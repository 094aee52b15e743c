//! `toolgate validate`: checks whether instances match a schema, and shows where and why not.

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
/// Compiles the schema within hard limits, checks each instance, and shows where each problem is in
/// the instance and in the schema. Nothing is fetched unless `--fetch-host` names a host. Without an
/// instance, only the schema is checked.
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct ValidateArgs {
    /// The schema, a JSON file; `-` is standard input
    pub(crate) schema: PathBuf,

    /// The instances, JSON files; `-` is standard input
    #[arg(value_name = "INSTANCE")]
    pub(crate) instances: Vec<PathBuf>,

    /// Read each line of the files as an instance (JSON Lines), on all cores, with results in order;
    /// blank lines are skipped
    #[arg(long, requires = "instances")]
    pub(crate) jsonl: bool,

    /// Read the schema as an argument schema, and the instances as arguments of calls
    #[arg(long)]
    pub(crate) argument_schema: bool,

    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,

    /// Print an output of the JSON Schema specification instead, one line for each instance
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
        help = format!("Short for `--limit fuel=N`: maximum units of work for one instance, 10 to 40 ns each [default: {}]", default_of("limits.fuel"))
    )]
    pub(crate) fuel: Option<u64>,

    #[arg(
        long,
        value_name = "N",
        help = format!("Short for `--limit instance.bytes=N`: maximum bytes of one instance; more bytes allow more values [default: {}]", default_of("limits.instance.bytes"))
    )]
    pub(crate) max_instance_bytes: Option<u64>,

    #[command(flatten)]
    pub(crate) schemas: SchemaArgs<Annotated>,

    #[command(flatten)]
    pub(crate) fetch: FetchArgs,

    /// Print every instance that is not valid, not only the first 100 (`json` always prints all)
    #[arg(long)]
    pub(crate) all: bool,

    /// Maximum findings shown for each instance
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(crate) max_findings: usize,
}

/// How to print the problems.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Text for people, with excerpts and marked locations
    Human,
    /// One versioned JSON object for each instance, one per line
    Json,
    /// Workflow commands for GitHub Actions
    Github,
    /// SARIF 2.1.0; without `--all`, of the first 100 instances that are not valid
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
  7  a limit was reached before the verdict on an instance
  1  an instance does not match
  0  every instance matches";
