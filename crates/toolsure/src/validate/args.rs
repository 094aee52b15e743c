//! The options of the command, and the settings of the engine that they stand for.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use toolsure_schema::{Compiler, OutputFormat, settings};

use crate::compilers::FetchArgs;
use crate::exit::Failure;
use crate::local::{FUEL, Fuel, Local};
use crate::settings::{Base as _, SchemaArgs};

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

    /// The instances, JSON files; a folder or pattern (`data/**/*.json`) stands for its JSON files, `-`
    /// for standard input
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
        value_parser = |text: &str| value(FUEL, text),
        help = format!("Short for `--limit fuel=N`: maximum units of work for one instance, 10 to 40 ns each [default: {}]", default_of(FUEL))
    )]
    pub(crate) fuel: Option<String>,

    #[arg(
        long,
        value_name = "N",
        value_parser = |text: &str| value(INSTANCE_BYTES, text),
        help = format!("Short for `--limit instance.bytes=N`: maximum size of one instance, in bytes or with a unit (`100MiB`) [default: {}]", default_of(INSTANCE_BYTES))
    )]
    pub(crate) max_instance_bytes: Option<String>,

    #[command(flatten)]
    pub(crate) schemas: SchemaArgs<Local>,

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

/// An output of the JSON Schema specification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Output {
    /// Only the verdict
    Flag,
    /// A flat list of the subschemas that were evaluated
    List,
    /// The same as a tree
    Hierarchical,
    /// 2020-12: a flat list of the keywords that fail, or of annotations
    Basic,
    /// 2020-12: the same as a tree, condensed
    Detailed,
    /// 2020-12: everything that was evaluated
    Verbose,
}

impl Output {
    pub(super) fn format(self) -> OutputFormat {
        match self {
            Self::Flag => OutputFormat::Flag,
            Self::List => OutputFormat::List,
            Self::Hierarchical => OutputFormat::Hierarchical,
            Self::Basic => OutputFormat::Basic,
            Self::Detailed => OutputFormat::Detailed,
            Self::Verbose => OutputFormat::Verbose,
        }
    }
}

/// A compiler with the settings of the arguments, without the registered documents.
pub(super) fn compiler(args: &ValidateArgs) -> Result<Compiler, Failure> {
    let mut compiler = args.schemas.compiler()?;
    let file = Some(args.schema.as_path()).filter(|path| *path != Path::new("-"));
    if let Some(base) = args.schemas.base_uri(file) {
        compiler = compiler.base_uri(&base);
    }
    let word = |is_on: bool, word: &str| is_on.then(|| word.to_owned());
    for (name, value) in [
        (FUEL, args.fuel.clone()),
        (INSTANCE_BYTES, args.max_instance_bytes.clone()),
        ("formats", word(args.assert_formats, "assert")),
        ("strictness", word(args.lenient, "lenient")),
    ] {
        if let Some(value) = value {
            let applied = settings::find(name).and_then(|setting| setting.apply(compiler, &value));
            compiler = applied.map_err(|error| Failure::usage(error.to_string()))?;
        }
    }
    Ok(compiler)
}

/// The work of each check.
pub(super) fn fuel(args: &ValidateArgs, compiler: &Compiler) -> Fuel {
    Fuel::new(compiler, args.fuel.is_some() || args.schemas.names(FUEL))
}

/// The default of a limit, for the help of a shorthand flag.
fn default_of(setting: &str) -> String {
    settings::find(setting).map_or_else(|error| error.to_string(), Local::default)
}

/// Accepts the text of a value that a setting takes.
fn value(name: &str, text: &str) -> Result<String, String> {
    let setting = settings::find(name).map_err(|error| error.to_string())?;
    match setting.apply(Compiler::new(), text) {
        Ok(_) => Ok(text.to_owned()),
        Err(_) => Err(format!("must be {}", setting.allowed())),
    }
}

const INSTANCE_BYTES: &str = "limits.instance.bytes";

const AFTER_HELP: &str = "\
Examples:
  toolsure validate order.schema.json order.json
  curl -s https://example.com/order/7 | toolsure validate order.schema.json -
  toolsure validate --jsonl event.schema.json events.jsonl
  toolsure validate order.schema.json orders/
  toolsure validate --register https://example.com/money=money.json order.schema.json *.json

Exit codes, the first that applies:
  2  wrong usage, or an instance that cannot be read or is not JSON
  6  the schema was refused; no instance was checked
  7  a limit was reached before the verdict on an instance
  1  an instance does not match
  0  every instance matches
  141  the output was closed before the end of a stream";
