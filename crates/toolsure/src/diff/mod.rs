//! `toolsure diff OLD NEW`: what changed between two listings, and whether it breaks callers.

mod github;
pub(crate) mod human;
pub(crate) mod json;
pub(crate) mod markdown;
mod sarif;
mod shared;
mod sides;

use clap::{Args, ValueEnum};
use toolsure_analysis::diff::{Class, Differ, Kind};
use toolsure_json::quote;

use crate::compilers::{Compilers, FetchArgs};
use crate::exit::{Exit, Failure};
use crate::interrupt::ExitOnInterrupt;
use crate::listing::saved::{self, Saved, SavedListing};
use crate::listing::{self, Listing, Skipped, TargetArgs, exit_of};
use crate::policy::{PolicyArgs, Remark};
use crate::settings::{Asserted, SchemaArgs, raise};
use crate::term::Term;
pub(crate) use shared::approval_word;
pub(crate) use sides::Sides;

/// Compare a saved listing with a newer one, and report whether the changes break callers
///
/// Compares the schemas by rules. Where the rules cannot decide, it checks instances of the old schema
/// against the new one, and shows a value that was valid and no longer is.
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct DiffArgs {
    /// The older listing, or those of several servers: a JSON file that `toolsure check --save` wrote;
    /// `-` is standard input
    old: String,

    #[command(flatten)]
    target: TargetArgs,

    /// Exit with code 1 if there are changes of this class or worse
    #[arg(long, value_enum, value_name = "CLASS", default_value_t = FailOn::Breaking)]
    fail_on: FailOn,

    /// Assume that callers send members that the old input schema does not name; otherwise these
    /// count as absent
    #[arg(long)]
    open: bool,

    /// Print every change, not only the first ones
    #[arg(long)]
    all: bool,

    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,

    #[command(flatten)]
    policy: PolicyArgs,

    #[command(flatten)]
    schemas: SchemaArgs<Asserted>,

    #[command(flatten)]
    fetch: FetchArgs,
}

/// At what the command fails.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum FailOn {
    /// Calls that worked can fail, or results can break the old output schema
    Breaking,
    /// The same, or the effect of a change is unknown
    Unknown,
    /// The same, or a parameter is no longer declared, or an annotation allows more than users consented to
    Warning,
    /// Any change
    Any,
}

/// How to print the changes.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    /// Text for people
    Human,
    /// One versioned JSON document
    Json,
    /// Workflow commands for GitHub Actions
    Github,
    /// SARIF 2.1.0
    Sarif,
    /// Markdown, for a comment on a pull request
    Markdown,
}

/// Runs the command.
pub(crate) fn run(args: &DiffArgs, term: &Term) -> Result<Exit, Failure> {
    if args.old == "-" && args.target.targets.iter().any(|target| target == "-") {
        return Err(Failure::usage(
            "only one of the two listings can be standard input",
        ));
    }
    let mut policy = args.policy.load("diff")?;
    let compiler = policy.schemas(&args.schemas)?.compiler_with_documents()?;
    let compilers = Compilers::new(compiler, &args.fetch)?;
    let olds = listings(&args.old, &args.target, term)?;
    let (news, skipped) = listing::all_and_skipped(&args.target, &compilers, term)?;
    let differ = Differ::new().open(args.open).compiler(compilers.compiler());
    let _interruptible = term.shows_progress().then(|| ExitOnInterrupt::new(term));
    term.progress("comparing …");
    let mut exit = Exit::Ok;
    let mut faults = Vec::new();
    let mut pairs = Vec::new();
    for (old, new) in pair(&args.old, olds, news)? {
        if let Some(fault) = new.as_ref().and_then(|new| new.fault.as_ref()) {
            let target = new.as_ref().map_or("", |new| new.target.as_str());
            faults.push(format!("{target}: {fault}"));
            exit = exit.worst(exit_of(fault.kind()));
        } else {
            let mut sides = compare(&differ, &args.old, old, new, &skipped);
            sides.filter(&mut policy);
            pairs.push(sides);
        }
    }
    let only_writes = policy.only_writes();
    let owns = |code: &str| Kind::ALL.iter().any(|kind| kind.name() == code);
    let remarks = policy.finish(owns, term)?;
    if only_writes {
        return Ok(Exit::Ok);
    }
    let least = match args.fail_on {
        FailOn::Breaking => Class::Breaking,
        FailOn::Unknown => Class::Unknown,
        FailOn::Warning => Class::Warning,
        FailOn::Any => Class::Compatible,
    };
    let classes = pairs.iter().filter_map(|sides| sides.report.class());
    if classes.max().is_some_and(|class| class >= least) {
        exit = exit.worst(Exit::Invalid);
    }
    let exit = policy.exit(exit);
    for fault in &faults {
        term.failure(&Failure {
            exit,
            message: fault.clone(),
            help: None,
        });
    }
    match args.format {
        Format::Human => {
            let columns = term.stdout().columns;
            for sides in &pairs {
                term.write(&human::render(sides, args.all, term.quiet, columns))?;
            }
        }
        Format::Json => {
            let text = json::render(&pairs, &faults, &remarks, exit, term.quiet);
            term.write_bytes(text.as_bytes())?;
        }
        Format::Github => {
            let mut text = github::render(&pairs, args.all);
            text.extend(remarks.all.iter().map(Remark::github));
            term.write_bytes(text.as_bytes())?;
        }
        Format::Sarif => {
            let text = sarif::render(&pairs, &faults, &remarks);
            term.write_bytes(text.as_bytes())?;
        }
        Format::Markdown => term.write_bytes(markdown::render(&pairs).as_bytes())?,
    }
    if matches!(args.format, Format::Human | Format::Markdown) {
        for remark in &remarks.all {
            remark.say(term);
        }
    }
    Ok(exit)
}

/// The older listings; if there are several, only those of the requested servers.
fn listings(path: &str, target: &TargetArgs, term: &Term) -> Result<Vec<SavedListing>, Failure> {
    let servers = &target.servers;
    match saved::read(path, target.max_file_bytes, term)? {
        Saved::Listing(listing) => Ok(vec![*listing]),
        Saved::Listings(listings) => {
            let wanted = |listing: &SavedListing| {
                let key = listing.key.as_ref();
                servers.is_empty() || key.is_some_and(|key| servers.contains(key))
            };
            Ok(listings.into_iter().filter(wanted).collect())
        }
        Saved::Servers(_) => Err(Failure::usage(
            "the older side must be a listing, not a file that names servers",
        )
        .with_help("save the listings with `toolsure check --save FILE`")),
    }
}

/// An older and a newer listing; one is missing if the server is gone or new.
type Pair = (Option<SavedListing>, Option<Listing>);

/// Pairs the listings by server name, or pairs the only two.
fn pair(old_file: &str, olds: Vec<SavedListing>, news: Vec<Listing>) -> Result<Vec<Pair>, Failure> {
    let named = olds.iter().any(|old| old.key.is_some());
    if !named || (olds.len() == 1 && news.len() == 1) {
        let (mut olds, mut news) = (olds.into_iter(), news.into_iter());
        return match (olds.next(), news.next(), news.next()) {
            (Some(old), Some(new), None) => Ok(vec![(Some(old), Some(new))]),
            _ => Err(Failure::usage(format!(
                "`{}` is the listing of one server, but there are several newer listings",
                quote(old_file, 200)
            ))
            .with_help(
                "choose one with `--server NAME`, or save all with `toolsure check --save`",
            )),
        };
    }
    if let Some(new) = news.iter().find(|new| new.key.is_none()) {
        return Err(Failure::usage(format!(
            "`{}` has the listings of several servers, and `{}` is one without a name",
            quote(old_file, 200),
            new.target
        ))
        .with_help("choose one with `--server NAME`"));
    }
    let mut news: Vec<Option<Listing>> = news.into_iter().map(Some).collect();
    let mut pairs = Vec::new();
    for old in olds {
        let same = |new: &&mut Option<Listing>| new.as_ref().is_some_and(|new| new.key == old.key);
        let new = news.iter_mut().find(same).and_then(Option::take);
        pairs.push((Some(old), new));
    }
    pairs.extend(news.into_iter().flatten().map(|new| (None, Some(new))));
    Ok(pairs)
}

/// Compares two listings. If the server is gone or new, all its tools are; of a server that was skipped,
/// nobody knows.
fn compare(
    differ: &Differ,
    old_file: &str,
    old: Option<SavedListing>,
    new: Option<Listing>,
    skipped: &[Skipped],
) -> Sides {
    let key = old.as_ref().and_then(|old| old.key.as_deref());
    let is_skipped = new.is_none() && skipped.iter().any(|one| Some(&*one.server) == key);
    let olds = old.iter().flat_map(|old| &old.tools).map(String::as_str);
    let news = new.iter().flat_map(|new| &new.tools);
    let partial = is_skipped || new.as_ref().is_some_and(|new| new.partial);
    let differ = differ.clone().partial(partial);
    let mut report = differ.diff(olds, news.map(|tool| tool.text.as_str()));
    let tools = report.tools.iter_mut();
    for change in tools.flat_map(|tool| &mut tool.changes) {
        if let Some(setting) = change.setting {
            change.message.push_str("; ");
            change.message.push_str(&raise(setting));
        }
    }
    let key = |key: Option<&String>| key.map(|key| quote(key, 60).to_string());
    let server = key(old.as_ref().and_then(|old| old.key.as_ref()))
        .or_else(|| key(new.as_ref().and_then(|new| new.key.as_ref())));
    let named = |name: String| if name == "-" { STDIN.to_owned() } else { name };
    Sides {
        report,
        server,
        old: match &old {
            Some(old) => old.file.name.clone(),
            None => named(quote(old_file, 200).to_string()),
        },
        new: match &new {
            Some(new) => new.target.clone(),
            None if is_skipped => "(skipped)".to_owned(),
            None => "(gone)".to_owned(),
        },
        old_file: old.map(|old| old.file),
        new_file: new.and_then(|new| new.file),
    }
}

const STDIN: &str = "standard input";

const AFTER_HELP: &str = "\
Examples:
  toolsure check --save new.json -- npx -y some-server
  toolsure diff tools.lock.json new.json
  toolsure diff tools.lock.json -- npx -y some-server
  toolsure diff servers.lock.json .vscode/mcp.json --yes
  toolsure diff --fail-on any --format github old.json new.json

Exit codes, the first that applies to a server or file:
  2  wrong usage, or a file that cannot be read
  3  the server requires authorization
  4  the server cannot be reached, died, did not answer or sent invalid messages
  1  a change at or above `--fail-on`
  0  no change at or above `--fail-on`";
