//! `toolsure check`: checks whether every tool of a server has schemas that can be enforced.

mod config;
mod excerpt;
mod github;
mod human;
mod json;
mod live;
pub(crate) mod report;
mod sarif;
mod save;
pub(crate) mod saved;
mod target;
mod tool;

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use toolsure_analysis::diff::Kind;
use toolsure_analysis::lint::rule;

use crate::compilers::{Compilers, FetchArgs};
use crate::exit::{Exit, Failure};
use crate::policy::{PolicyArgs, Remark};
use crate::settings::{Annotated, SchemaArgs};
use crate::term::Term;
pub(crate) use config::expand_with as expand;
use report::Report;
use target::Sources;
pub(crate) use target::{Skipped, TargetArgs};

/// Check the tool schemas of a server, a saved listing or a client's configuration
///
/// Lists the tools, compiles every input and output schema within hard limits, and prints a
/// verdict for each tool. No tool is ever called.
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(crate) target: TargetArgs,

    /// Save the listing, or those of several servers, for `toolsure check FILE` and `toolsure diff`;
    /// with `-` it goes to standard output, and the verdicts to standard error
    #[arg(long, value_name = "FILE")]
    pub(crate) save: Option<PathBuf>,

    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,

    /// Print every tool, not only the first ones
    #[arg(long)]
    pub(crate) all: bool,

    #[command(flatten)]
    policy: PolicyArgs,

    #[command(flatten)]
    pub(crate) schemas: SchemaArgs<Annotated>,

    #[command(flatten)]
    pub(crate) fetch: FetchArgs,
}

/// How to print the verdicts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Text for people
    Human,
    /// One versioned JSON document
    Json,
    /// Workflow commands for GitHub Actions
    Github,
    /// SARIF 2.1.0
    Sarif,
}

/// Runs the command.
pub(crate) fn run(args: CheckArgs, term: &Term) -> Result<Exit, Failure> {
    let mut policy = args.policy.load("check")?;
    let compiler = policy.schemas(&args.schemas)?.compiler_with_documents()?;
    let compilers = Compilers::new(compiler, &args.fetch)?;
    let Sources { sources, skipped } = target::sources(&args.target, term)?;
    let to_stdout = args.save.as_deref() == Some(Path::new("-"));
    if to_stdout && args.format != Format::Human {
        return Err(Failure::usage(
            "`--save -` and `--format` both write to standard output",
        ));
    }
    let canvas = if to_stdout {
        term.stderr()
    } else {
        term.stdout()
    };
    let columns = canvas.columns;
    let mut reports = Vec::new();
    let mut exit = Exit::Ok;
    for source in sources {
        let mut report = source.check(&args.target, &compilers, term)?;
        report.filter(&mut policy);
        exit = exit.worst(report.exit());
        if args.format == Format::Human {
            let text = human::render(&report, args.all, term.quiet, columns);
            // A fault is not output of a run, so it goes to standard error.
            if to_stdout || report.fault.is_some() {
                term.aside(&text);
            } else {
                term.write(&text)?;
            }
        }
        reports.push(report);
    }
    let saved = match &args.save {
        Some(path) => Some(save::write(path, &reports, term)?),
        None => None,
    };
    let only_writes = policy.only_writes();
    let others =
        |code: &str| rule(code).is_some() || Kind::ALL.iter().any(|kind| kind.name() == code);
    let remarks = policy.finish(|code| !others(code), term)?;
    if only_writes {
        return Ok(Exit::Ok);
    }
    let exit = policy.exit(exit);
    match args.format {
        Format::Human => {
            for remark in &remarks.all {
                remark.say(term);
            }
        }
        Format::Json => {
            let servers = json::Servers {
                reports: &reports,
                skipped: &skipped,
                saved: saved.as_ref(),
            };
            term.write_bytes(json::render(&servers, &remarks, exit, term.quiet).as_bytes())?;
        }
        Format::Github => {
            let mut text = github::render(&reports, args.all);
            text.extend(remarks.all.iter().map(Remark::github));
            term.write_bytes(text.as_bytes())?;
        }
        Format::Sarif => term.write_bytes(sarif::render(&reports, &remarks).as_bytes())?,
    }
    Ok(exit)
}

/// Checks the listings that the command line names.
pub(crate) fn reports(
    target: &TargetArgs,
    compilers: &Compilers,
    term: &Term,
) -> Result<Vec<Report>, Failure> {
    reports_and_skipped(target, compilers, term).map(|(reports, _)| reports)
}

/// The same, and the servers of configurations that were left out.
pub(crate) fn reports_and_skipped(
    target: &TargetArgs,
    compilers: &Compilers,
    term: &Term,
) -> Result<(Vec<Report>, Vec<Skipped>), Failure> {
    let Sources { sources, skipped } = target::sources(target, term)?;
    let sources = sources.into_iter();
    let reports = sources.map(|source| source.check(target, compilers, term));
    Ok((reports.collect::<Result<_, _>>()?, skipped))
}

const AFTER_HELP: &str = "\
Examples:
  toolsure check --demo
  toolsure check -- npx -y @modelcontextprotocol/server-everything
  toolsure check https://example.com/mcp --header 'Authorization: Bearer …'
  toolsure check listing.json
  toolsure check ~/.cursor/mcp.json --server github

Exit codes, the first that applies to a server or file:
  2  wrong usage, or a file that cannot be read
  3  the server requires authorization
  4  the server cannot be reached, died, did not answer or sent invalid messages
  6  a tool was refused
  0  the schemas of every tool can be enforced";
