//! `toolsure check`: checks whether every tool of a server has schemas that can be enforced.

mod human;
mod json;
mod verdict;

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use toolsure_analysis::lint::{Linter, Profile, Rule, Severity, rule};

use crate::compilers::{Compilers, FetchArgs};
use crate::exit::{Exit, Failure};
use crate::findings::{Page, github, sarif};
use crate::interrupt::ExitOnInterrupt;
use crate::lint::{names_of_profiles, profiles};
use crate::listing::{self, Listing, Sources, TargetArgs, save};
use crate::policy::{PolicyArgs, Remark};
use crate::render::count;
use crate::settings::{Annotated, SchemaArgs};
use crate::term::Term;
use verdict::Verdicts;

/// Check the tool schemas of a server, a saved listing or a client's configuration
///
/// Lists the tools, compiles every input and output schema within hard limits, and prints a
/// verdict for each tool. No tool is ever called.
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(crate) target: TargetArgs,

    /// Check what this client, SDK or provider refuses too; may be repeated
    #[arg(
        long = "client",
        value_name = "NAME",
        value_delimiter = ',',
        hide_possible_values = true,
        long_help = names_of_profiles("Check what this client, SDK or provider refuses too; may be repeated"),
        value_parser = profiles()
    )]
    clients: Vec<&'static Profile>,

    /// Read `prompts/list`, `resources/list`, `resources/templates/list` and `skills/list` too
    #[arg(long)]
    all_lists: bool,

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
    let Sources { sources, skipped } = listing::sources(&args.target, term)?;
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
    let mut pages = Vec::new();
    let mut exit = Exit::Ok;
    for source in sources {
        let listing = source.read(&args.target, args.all_lists, term)?;
        let _interruptible = ExitOnInterrupt::new(term);
        let linter = Linter::admission().compiler(compilers.for_tools(listing.texts(), term));
        let linter = args
            .clients
            .iter()
            .fold(linter, |linter, client| linter.profile(client));
        let linter = match listing.server_name() {
            Some(name) => linter.server(name),
            None => linter,
        };
        term.progress("checking …");
        let page = Page::of(listing, &linter, &mut policy, Severity::Note);
        let verdicts = Verdicts::of(&page);
        exit = exit.worst(verdicts.exit(&page));
        if args.format == Format::Human {
            let text = human::render(&page, &verdicts, args.all, term.quiet, canvas);
            // A fault is not output of a run, so it goes to standard error.
            if to_stdout || page.listing.fault.is_some() {
                term.aside(&text);
            } else {
                term.write(&text)?;
            }
        }
        pages.push(page);
    }
    let listings: Vec<&Listing> = pages.iter().map(|page| &page.listing).collect();
    let saved = match &args.save {
        Some(path) => Some(save::write(path, &listings, term)?),
        None => None,
    };
    let only_writes = policy.only_writes();
    let is_checked =
        |rule: &Rule| rule.is_admission() || args.clients.iter().any(|client| client.has(rule));
    let owns = |code: &str| rule(code).is_some_and(is_checked);
    let remarks = policy.finish(owns, term)?;
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
                pages: &pages,
                skipped: &skipped,
                saved: saved.as_ref(),
            };
            term.write_bytes(json::render(&servers, &remarks, exit, term.quiet).as_bytes())?;
        }
        Format::Github => {
            let mut text = github::render(&pages, args.all);
            text.extend(pages.iter().filter_map(summary));
            text.extend(remarks.all.iter().map(Remark::github));
            term.write_bytes(text.as_bytes())?;
        }
        Format::Sarif => term.write_bytes(sarif::render(&pages, &remarks).as_bytes())?,
    }
    Ok(exit)
}

/// One line on a listing, beside its commands for GitHub.
fn summary(page: &Page) -> Option<String> {
    let listing = &page.listing;
    let tools = u64::try_from(listing.tools.len()).unwrap_or(u64::MAX);
    let refused = Verdicts::of(page).tally.refused;
    let (target, tools) = (&listing.target, count(tools, "tool"));
    let line = format!("{target}: {tools}, {refused} refused\n");
    listing.fault.is_none().then_some(line)
}

const AFTER_HELP: &str = "\
Examples:
  toolsure check --demo
  toolsure check -- npx -y @modelcontextprotocol/server-everything
  toolsure check https://example.com/mcp --header 'Authorization: Bearer …'
  toolsure check --client claude-code,openai listing.json
  toolsure check --all-lists https://example.com/mcp
  toolsure check ~/.cursor/mcp.json --server github

Exit codes, the first that applies to a server or file:
  2  wrong usage, or a file that cannot be read
  3  the server requires authorization
  4  the server cannot be reached, died, did not answer or sent invalid messages
  6  a tool or a list was refused
  0  the schemas of every tool can be enforced";
