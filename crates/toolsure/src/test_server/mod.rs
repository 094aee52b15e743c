//! `toolsure test-server`: calls the tools of a server, and says where it breaks its contracts.

mod found;
mod github;
mod human;
mod json;
mod junit;
mod run;
mod sarif;
mod server;
mod shape;
mod tools;

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use toolsure_json::{OwnedDocument, ReadLimits, quote};
use toolsure_mcp::testing::Pinned;

use crate::exit::{Exit, Failure};
use crate::interrupt::interrupted;
use crate::listing::{Source, Sources, TargetArgs, sources};
use crate::local;
use crate::policy::ConfigArgs;
use crate::recording::Recording;
use crate::term::Term;
use found::Report;
use run::{Run, Settings};

/// Test a server: call its tools, and check that it keeps its contracts
///
/// Makes calls from each tool's input schema: valid ones that cover its branches, bounds and listed values, and invalid ones
/// that each break one keyword. Valid calls must be answered as the output schema and the protocol say, invalid ones with
/// an error. Only tools that say that they are read-only (`annotations.readOnlyHint`) are called, unless they are named with
/// `--tool`, or `--allow-writes` is given.
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct TestServerArgs {
    #[command(flatten)]
    target: TargetArgs,

    /// Call this tool, and only tools that are named so; may be repeated
    #[arg(long = "tool", value_name = "NAME")]
    tools: Vec<String>,

    /// Call all tools, also those that may change something
    #[arg(long)]
    allow_writes: bool,

    /// Maximum number of calls in all
    #[arg(long, help_heading = LIMITS, value_name = "N", default_value_t = 500, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    calls: u32,

    /// Maximum duration, in seconds
    #[arg(long, help_heading = LIMITS, value_name = "SECONDS", default_value_t = 120, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    seconds: u64,

    /// Maximum number of calls per second
    #[arg(long, help_heading = LIMITS, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    rate: u32,

    /// Time limit for each call, in seconds
    #[arg(long, help_heading = LIMITS, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=3_600))]
    call_timeout: u64,

    /// Where pseudo-random choices start: the same seed makes the same calls
    #[arg(long, help_heading = LIMITS, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// A value that members with this name have in all calls; `TOOL.NAME` is for one tool; may be repeated, and `[values]`
    /// in `toolsure.toml` has them for all runs
    #[arg(long = "value", value_name = "NAME=JSON")]
    values: Vec<String>,

    /// Make only this call, such as a report names; may be repeated
    #[arg(long = "call", value_name = "TOOL=JSON", conflicts_with = "against")]
    only: Vec<String>,

    /// Write the listing, the calls and the answers to a file, for `toolsure replay` and `--against`
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,

    /// Make the calls of a recording instead, and compare the answers with it
    #[arg(long, value_name = "FILE")]
    against: Option<PathBuf>,

    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,

    #[command(flatten)]
    config: ConfigArgs,
}

/// How to print what was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Text for people
    Human,
    /// One versioned JSON document
    Json,
    /// JUnit's XML, which CI systems read
    Junit,
    /// SARIF 2.1.0
    Sarif,
    /// Workflow commands for GitHub Actions
    Github,
}

/// Runs the command.
pub(crate) fn run(args: &TestServerArgs, term: &Term) -> Result<Exit, Failure> {
    let settings = settings(args)?;
    let Sources {
        sources,
        skipped: _,
    } = sources(&args.target, term)?;
    if args.record.is_some() && sources.len() > 1 {
        return Err(Failure::usage("`--record` is for one server")
            .with_help("choose one of a configuration with `--server NAME`"));
    }
    if let Some(path) = &args.record {
        // Before any call is made. What the file has stays until the run has ended.
        Recording::can_be_written(path)?;
    }
    let mut reports = Vec::new();
    for source in sources {
        let (target, peer) = match source {
            Source::Live { target, peer, .. } => (target, peer),
            Source::File(listing) => {
                let name = &listing.file.name;
                return Err(Failure::usage(format!("`{name}` is a saved listing, and no server"))
                    .with_help("give a URL, a command after `--`, or a configuration with `mcpServers`"));
            }
            Source::Unreadable { failure, .. } => return Err(failure),
        };
        let options = crate::listing::live_options(settings.session_time(), !args.target.no_probe);
        let run = Run::new(target, *peer, options, &settings, *term);
        let mut report = drive(run)?;
        report.hide(&args.target.headers);
        reports.push(report);
    }
    if let (Some(path), [report]) = (&args.record, reports.as_slice())
        && report.fault.is_none()
    {
        report.recording.write(path)?;
    }
    let exit = reports.iter().map(Report::exit).fold(Exit::Ok, Exit::worst);
    match args.format {
        Format::Human => {
            for report in &reports {
                let text = human::render(report, term.quiet, term.stdout());
                match report.fault {
                    Some(_) => term.aside(&text),
                    None => term.write(&text)?,
                }
            }
        }
        Format::Json => term.write_bytes(json::render(&reports, exit).as_bytes())?,
        Format::Junit => term.write_bytes(junit::render(&reports).as_bytes())?,
        Format::Sarif => term.write_bytes(sarif::render(&reports).as_bytes())?,
        Format::Github => term.write_bytes(github::render(&reports).as_bytes())?,
    }
    Ok(exit)
}

/// Runs the test of one server to its end, or to an interrupt.
fn drive(run: Run<'_>) -> Result<Report, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::usage(format!("cannot set up input and output: {error}")))?;
    runtime.block_on(async {
        tokio::select! {
            biased;
            () = interrupted() => Err(Failure {
                exit: Exit::Interrupted,
                message: "interrupted".to_owned(),
                help: None,
            }),
            report = run.all() => Ok(report),
        }
    })
}

fn settings(args: &TestServerArgs) -> Result<Settings, Failure> {
    let project = args.config.project()?;
    let mut values = Vec::new();
    for (name, value) in &project.values {
        values.push(value_for(name, value.clone()));
    }
    for word in &args.values {
        let (name, value) = word
            .split_once('=')
            .ok_or_else(|| Failure::usage("a value is written `MEMBER=JSON`, such as `id=7`"))?;
        json_text(value, "--value", word)?;
        values.push(value_for(name, value.to_owned()));
    }
    let mut only = Vec::new();
    for word in &args.only {
        let (tool, arguments) = word
            .split_once('=')
            .ok_or_else(|| Failure::usage("a call is written `TOOL=JSON`"))?;
        json_text(arguments, "--call", word)?;
        only.push((tool.to_owned(), arguments.to_owned()));
    }
    let against = match &args.against {
        Some(path) => Some(Recording::read(path, local::BYTES)?),
        None => None,
    };
    Ok(Settings {
        tools: args.tools.clone(),
        allow_writes: args.allow_writes,
        calls: usize::try_from(args.calls).unwrap_or(usize::MAX),
        duration: Duration::from_secs(args.seconds),
        pause: Duration::from_secs(1)
            .checked_div(args.rate)
            .unwrap_or_default(),
        call_timeout: Duration::from_secs(args.call_timeout),
        open_timeout: args.target.timeout,
        seed: args.seed,
        values,
        only,
        against,
        is_recorded: args.record.is_some(),
    })
}

/// A value for a member of all tools, or of one.
fn value_for(name: &str, value: String) -> (Option<String>, Pinned) {
    match name.rsplit_once('.') {
        Some((tool, member)) => (Some(tool.to_owned()), Pinned::new(member, value)),
        None => (None, Pinned::new(name, value)),
    }
}

fn json_text(text: &str, flag: &str, word: &str) -> Result<(), Failure> {
    match OwnedDocument::read(text.as_bytes(), &ReadLimits::default()) {
        Ok(_) => Ok(()),
        Err(error) => {
            let word = quote(word, 120);
            Err(Failure::usage(format!("`{flag} {word}`: no JSON: {error}"))
                .with_help("a string needs quotes: `name=\"a\"`"))
        }
    }
}

/// The heading of limits in help texts.
const LIMITS: &str = "Limits of the test";

const AFTER_HELP: &str = "\
Examples:
  toolsure test-server -- npx -y @modelcontextprotocol/server-everything
  toolsure test-server --tool get_order --value 'id=\"A-7\"' https://example.com/mcp
  toolsure test-server --record calls.jsonl -- node server.mjs
  toolsure test-server --against calls.jsonl -- node server.mjs

Exit codes:
  0  no fault was found
  1  the server breaks a contract
  2  wrong usage, a file that cannot be read, a tool that there is not, or no tool was called
  3  the server requires authorization
  4  the server cannot be reached, or did not open a session";
