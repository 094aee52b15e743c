//! The options of the command, and the settings of the engine that they stand for.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use toolsure_schema::{Compiler, OutputFormat, settings};

use crate::compilers::FetchArgs;
use crate::exit::Failure;
use crate::settings::{Annotated, SchemaArgs, default_of};

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
    let fuel = args.fuel.map(|fuel| ("limits.fuel", fuel.to_string()));
    let bytes = args.max_instance_bytes;
    let bytes = bytes.map(|bytes| (INSTANCE_BYTES, bytes.to_string()));
    let formats = args
        .assert_formats
        .then(|| ("formats", "assert".to_owned()));
    let lenient = args.lenient.then(|| ("strictness", "lenient".to_owned()));
    for (name, value) in [fuel, bytes, formats, lenient].into_iter().flatten() {
        let applied = settings::find(name).and_then(|setting| setting.apply(compiler, &value));
        compiler = applied.map_err(|error| Failure::usage(error.to_string()))?;
    }
    if args.schemas.names(INSTANCE_NODES) {
        return Ok(compiler);
    }
    // Longer instances may have more values.
    let mut limits = compiler.bounds().clone();
    let nodes = limits.instance.bytes / BYTES_PER_NODE;
    limits.instance.nodes = limits.instance.nodes.max(nodes);
    Ok(compiler.limits(limits))
}

const INSTANCE_BYTES: &str = "limits.instance.bytes";
const INSTANCE_NODES: &str = "limits.instance.nodes";
/// Bytes of an instance that allow one more value in it; the engine's own ratio.
const BYTES_PER_NODE: usize = 16;

const AFTER_HELP: &str = "\
Examples:
  toolsure validate order.schema.json order.json
  curl -s https://example.com/order/7 | toolsure validate order.schema.json -
  toolsure validate --jsonl event.schema.json events.jsonl
  toolsure validate --register https://example.com/money=money.json order.schema.json *.json

Exit codes, the first that applies:
  2  wrong usage, or an instance that cannot be read or is not JSON
  6  the schema was refused; no instance was checked
  7  a limit was reached before the verdict on an instance
  1  an instance does not match
  0  every instance matches";

#[cfg(test)]
mod tests {
    use super::*;
    use toolsure_schema::Limits;

    #[test]
    fn the_ratio_is_that_of_the_engine() {
        let default = Limits::default().instance;
        assert!(default.bytes / BYTES_PER_NODE >= default.nodes);
    }
}
