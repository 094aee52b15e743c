//! `toolsure project`: rewrites a listing for a provider or client.

mod human;
mod json;
mod page;

use std::path::{Path, PathBuf};

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser as _};
use clap::{Args, ValueEnum};
use toolsure_analysis::project::{Limits, Projector, ProviderForm, Refusal, Relation};
use toolsure_analysis::readers::{PROJECTED_FOR, Reader, reader};
use toolsure_json::quote;

use crate::compilers::{Compilers, FetchArgs};
use crate::exit::{Exit, Failure};
use crate::interrupt::ExitOnInterrupt;
use crate::lint::names;
use crate::listing::exit_of;
use crate::listing::{self, TargetArgs};
use crate::policy::ConfigArgs;
use crate::settings::{self, Asserted, SchemaArgs};
use crate::term::Term;
use page::Page;

/// Rewrite a listing so that a provider or client accepts it
///
/// Lists the tools and rewrites their input schemas with the keywords that the profile supports. The
/// rest is expressed differently, sent in another form, or moved into the description. The report
/// lists each step, and says whether the projected schema accepts the same calls, more or fewer, with a
/// call that proves it. No tool is ever called.
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct ProjectArgs {
    #[command(flatten)]
    target: TargetArgs,

    /// The provider or client that the listing is for
    #[arg(
        long = "for",
        value_name = "READER",
        hide_possible_values = true,
        long_help = names(
            "The provider or client that the listing is for",
            PROJECTED_FOR.iter().filter_map(|name| reader(name)).map(|one| (one.name, one.about))
        ),
        value_parser = readers().try_map(|name| reader(&name).ok_or("unknown reader"))
    )]
    reader: &'static Reader,

    /// Write the projected listing to a file, and the report to standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Output format of the report; `json` includes the listing
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,

    /// Print the tools as the member `tools` of a request to this API, instead of as a listing
    #[arg(
        long,
        value_name = "API",
        value_parser = forms().try_map(|name| form(&name).ok_or("unknown form"))
    )]
    form: Option<ProviderForm>,

    /// Exit with code 1 if a projected schema is, or may be, of this kind
    #[arg(long, value_enum, value_name = "RELATION")]
    fail_on: Option<FailOn>,

    /// Assume that calls have members that the schemas do not name, and tell null from absent where null
    /// is the default; otherwise such members count as absent
    #[arg(long)]
    open: bool,

    /// List every step of every tool
    #[arg(long)]
    all: bool,

    /// The server's name, for clients that put it before tool names [default: its name in the
    /// configuration, or the one that it reports]
    #[arg(long, value_name = "NAME")]
    server_name: Option<String>,

    /// Levels of recursion that are written out in a recursive schema
    #[arg(long, value_name = "TIMES", default_value_t = Limits::default().recursion)]
    recursion: usize,

    #[command(flatten)]
    config: ConfigArgs,

    #[command(flatten)]
    schemas: SchemaArgs<Asserted>,

    #[command(flatten)]
    fetch: FetchArgs,
}

/// How to print the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Text for people
    Human,
    /// One versioned JSON document
    Json,
}

/// What makes the command fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum FailOn {
    /// It refuses calls that the original accepts, or this is unknown
    Narrower,
    /// It accepts calls that the original refuses, or this is unknown
    Wider,
    /// Either of these
    Unequal,
}

/// Runs the command.
pub(crate) fn run(args: &ProjectArgs, term: &Term) -> Result<Exit, Failure> {
    let project = args.config.project()?;
    let compiler = project.schemas(&args.schemas)?.compiler_with_documents()?;
    let compilers = Compilers::new(compiler, &args.fetch)?;
    let listings = listing::all(&args.target, &compilers, term)?;
    if listings.len() > 1 && (args.output.is_some() || args.format == Format::Human) {
        return Err(
            Failure::usage("only one server's listing can be projected like this")
                .with_help("choose one with `--server NAME`, or print all with `--format json`"),
        );
    }
    let compiler = compilers.compiler();
    let model = &compiler.bounds().model;
    let limits = Limits {
        recursion: args.recursion.min(MOST_RECURSION),
        depth: model.depth,
        subschemas: model.subschemas,
        ..Limits::default()
    };
    let projector = Projector::new(args.reader)
        .limits(limits)
        .open(args.open)
        .compiler(compiler);
    let _interruptible = ExitOnInterrupt::new(term);
    term.progress("projecting …");
    let mut exit = Exit::Ok;
    let mut pages = Vec::new();
    for listing in listings {
        let named = match args
            .server_name
            .as_deref()
            .or_else(|| listing.server_name())
        {
            Some(name) => projector.clone().server(name),
            None => projector.clone(),
        };
        let projection = named.project(listing.texts());
        if let Some(fault) = &listing.fault {
            exit = exit.worst(exit_of(fault.kind()));
        }
        if projection.tools.iter().any(Result::is_err) {
            exit = exit.worst(Exit::Schema);
        }
        let fails = |relation: &Relation| args.fail_on.is_some_and(|on| on.meets(relation));
        if projection
            .projected()
            .any(|tool| fails(&tool.input.relation))
        {
            exit = exit.worst(Exit::Invalid);
        }
        let form = args.form.map(|form| (form, projector.is_strict()));
        pages.push(Page {
            listing,
            projection,
            form,
        });
    }
    print(args, &pages, exit, term)?;
    Ok(exit)
}

fn print(args: &ProjectArgs, pages: &[Page], exit: Exit, term: &Term) -> Result<(), Failure> {
    term.clear_progress();
    if let (Some(path), [page]) = (&args.output, pages)
        && page.listing.fault.is_none()
    {
        write(path, &page.text())?;
    }
    if args.format == Format::Json {
        let text = json::render(pages, args.reader, exit)?;
        return term.write_bytes(text.as_bytes());
    }
    for page in pages {
        let beside = args.output.is_none() && page.listing.fault.is_none();
        let canvas = if beside { term.stderr() } else { term.stdout() };
        let report = human::render(page, args.reader, args.all, term.quiet, canvas.columns);
        if page.listing.fault.is_some() {
            term.aside(&report);
        } else if args.output.is_some() {
            term.write(&report)?;
        } else {
            term.write_bytes(page.text().as_bytes())?;
            term.aside(&report);
        }
        for refused in page
            .projection
            .tools
            .iter()
            .filter_map(|tool| tool.as_ref().err())
        {
            if let Some(help) = help_with(&refused.reason) {
                let name = refused.name.as_deref().unwrap_or_default();
                term.aside(&format!("help: tool `{}`: {help}\n", quote(name, 64)));
            }
        }
    }
    Ok(())
}

/// How to raise the limit that a tool is over, in terms of the command line.
fn help_with(reason: &Refusal) -> Option<String> {
    match reason {
        Refusal::Schema(error) => settings::help(error).filter(|_| error.limit().is_some()),
        Refusal::TooLarge { limit: "depth", .. } => Some(settings::raise("limits.depth")),
        Refusal::TooLarge {
            limit: "subschemas",
            ..
        } => Some(settings::raise("limits.subschemas")),
        _ => None,
    }
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    std::fs::write(path, text).map_err(|error| {
        Failure::usage(format!(
            "cannot write `{}`: {error}",
            quote(&path.to_string_lossy(), 200)
        ))
    })
}

impl FailOn {
    fn meets(self, relation: &Relation) -> bool {
        match self {
            Self::Narrower => !relation.keeps_all(),
            Self::Wider => !relation.adds_none(),
            Self::Unequal => !matches!(relation, Relation::Equal),
        }
    }
}

/// The readers that listings are projected for.
fn readers() -> PossibleValuesParser {
    let value = |name: &'static str| {
        let about = reader(name).map_or("", |reader| reader.about);
        PossibleValue::new(name).help(about)
    };
    PossibleValuesParser::new(PROJECTED_FOR.iter().copied().map(value))
}

/// The APIs by name; Vertex takes the same form as Gemini.
fn forms() -> PossibleValuesParser {
    let names = ProviderForm::ALL.iter().map(|form| form.name());
    PossibleValuesParser::new(names.chain(["vertex"]))
}

fn form(name: &str) -> Option<ProviderForm> {
    let mut all = ProviderForm::ALL.iter().copied();
    let same = all.find(|form| form.name() == name);
    same.or((name == "vertex").then_some(ProviderForm::Gemini))
}

/// Deeper than any model writes.
const MOST_RECURSION: usize = 16;

const AFTER_HELP: &str = "\
Examples:
  toolsure project --for gemini listing.json > gemini.json
  toolsure project --for openai-strict --output strict.json -- npx -y some-server
  toolsure project --for openai --form responses listing.json
  toolsure project --for anthropic-strict --fail-on narrower --format json https://example.com/mcp

Exit codes, the first that applies to a server or file:
  2  wrong usage, or a file that cannot be read
  3  the server requires authorization
  4  the server cannot be reached, died, did not answer or sent invalid messages
  6  a tool cannot be projected, and is left out
  1  a relation that `--fail-on` names
  0  every tool was projected";
