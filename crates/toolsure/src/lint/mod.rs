//! `toolsure lint`: finds what is invalid, and what is valid but harmful, with locations and fixes.

pub(crate) mod explain;
mod fix;
mod human;
mod json;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use toolsure_analysis::lint::{
    Linter, PROFILES, Profile, RULES, Rule, Safety, Severity, profile, rule,
};

use crate::compilers::{Compilers, FetchArgs};
use crate::exit::{Exit, Failure};
use crate::findings::{Page, github, sarif};
use crate::interrupt::ExitOnInterrupt;
use crate::listing::{self, TargetArgs, exit_of};
use crate::policy::{LINT, PolicyArgs, Project, Remark, unknown};
use crate::settings::{Asserted, SchemaArgs};
use crate::term::Term;

/// Lint the tools of a server, a saved listing or a client's configuration
///
/// Lists the tools and checks each against about 100 rules: schemas that validators refuse, constraints
/// that have no effect, descriptions that leave a model guessing. No tool is ever called. `toolsure
/// explain CODE` says what a rule requires and why.
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct LintArgs {
    #[command(flatten)]
    target: TargetArgs,

    /// Turn on the rules of this profile too; may be repeated
    #[arg(
        long = "profile",
        value_name = "NAME",
        value_delimiter = ',',
        hide_possible_values = true,
        long_help = names_of_profiles("Turn on the rules of this profile too; may be repeated"),
        value_parser = profiles()
    )]
    profiles: Vec<&'static Profile>,

    /// The server's name, for clients that put it before tool names [default: its name in the
    /// configuration, or the one that it reports]
    #[arg(long, value_name = "NAME")]
    server_name: Option<String>,

    /// Turn on a rule and report its findings as errors; may be repeated
    #[arg(long = "deny", value_name = "CODE", value_delimiter = ',', value_parser = known)]
    denied: Vec<&'static Rule>,

    /// Show findings of this severity or worse [default: warning, or that of `--fail-on` if it is lower]
    #[arg(long, value_enum, value_name = "SEVERITY")]
    level: Option<Level>,

    /// Show every location, not only the first few of each rule (`github`: the first 50 of each
    /// severity)
    #[arg(long)]
    all: bool,

    /// Exit with code 1 if there are findings of this severity or worse
    #[arg(long, value_enum, value_name = "SEVERITY", default_value_t = FailOn::Error)]
    fail_on: FailOn,

    /// Apply the fixes that cannot change what a schema accepts, then lint the result
    #[arg(long)]
    fix: bool,

    /// Also apply fixes that are probably what the author intended
    #[arg(long, requires = "fix")]
    unsafe_fixes: bool,

    /// Show what `--fix` would change, without writing it
    #[arg(long, requires = "fix")]
    diff: bool,

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

/// A severity on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Level {
    Error,
    Warning,
    Note,
}

/// What makes the command fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum FailOn {
    /// What a client or provider refuses or does not offer
    Refused,
    Error,
    Warning,
    Note,
}

/// How to print the findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Text for people
    Human,
    /// One versioned JSON document
    Json,
    /// SARIF 2.1.0
    Sarif,
    /// Workflow commands for GitHub Actions
    Github,
}

/// Runs the command.
pub(crate) fn run(args: &LintArgs, term: &Term) -> Result<Exit, Failure> {
    let mut policy = args.policy.load(LINT)?;
    let compiler = policy.schemas(&args.schemas)?.compiler_with_documents()?;
    let compilers = Compilers::new(compiler.clone(), &args.fetch)?;
    let linter = linter(args, &policy.project).compiler(compiler);
    if args.fix {
        if args.fetch.is_on() {
            return Err(Failure::usage("`--fix` does not fetch")
                .with_help("fetch with `toolsure fetch --save-dir DIR`, then give `--register`"));
        }
        let safety = if args.unsafe_fixes {
            Safety::Unsafe
        } else {
            Safety::Safe
        };
        let path = fix::path(&args.target)?;
        let most = args.target.max_file_bytes;
        fix::run(path, most, &linter, safety, args.diff, term)?;
        if args.diff {
            return Ok(Exit::Ok);
        }
    }
    let fail_on = args.fail_on.severity();
    // Findings that make the command fail are shown, unless the operator asks for fewer.
    let level = match args.level {
        Some(level) => level.severity(),
        None => Severity::Warning.min(fail_on),
    };
    let mut exit = Exit::Ok;
    let mut pages = Vec::new();
    let listings = listing::all(&args.target, &compilers, term)?;
    let linter = linter.compiler(compilers.compiler());
    let _interruptible = ExitOnInterrupt::new(term);
    for listing in listings {
        if let Some(fault) = &listing.fault {
            exit = exit.worst(exit_of(fault.kind()));
        }
        let named = match args
            .server_name
            .as_deref()
            .or_else(|| listing.server_name())
        {
            Some(name) => linter.clone().server(name),
            None => linter.clone(),
        };
        let page = Page::of(listing, &named, &mut policy, level);
        let fails = page.worst.is_some_and(|worst| worst >= fail_on);
        if fails && (args.fail_on != FailOn::Refused || page.has_refusal) {
            exit = exit.worst(Exit::Invalid);
        }
        pages.push(page);
    }
    if policy.only_writes() {
        policy.finish(|_| true, term)?;
        return Ok(Exit::Ok);
    }
    let remarks = policy.finish(|code| rule(code).is_some(), term)?;
    if !remarks.all.is_empty() && fail_on <= Severity::Warning {
        exit = exit.worst(Exit::Invalid);
    }
    let exit = policy.exit(exit);
    match args.format {
        Format::Human => {
            let canvas = term.stdout();
            for page in &pages {
                let text = human::render(page, args.all, term.quiet, canvas);
                match page.listing.fault {
                    Some(_) => term.aside(&text),
                    None => term.write(&text)?,
                }
            }
            for remark in &remarks.all {
                remark.say(term);
            }
        }
        Format::Json => term.write_bytes(json::render(&pages, &remarks, exit).as_bytes())?,
        Format::Sarif => term.write_bytes(sarif::render(&pages, &remarks).as_bytes())?,
        Format::Github => {
            let mut text = github::render(&pages, args.all);
            text.extend(remarks.all.iter().map(Remark::github));
            term.write_bytes(text.as_bytes())?;
        }
    }
    Ok(exit)
}

impl FailOn {
    fn severity(self) -> Severity {
        match self {
            Self::Refused | Self::Error => Severity::Error,
            Self::Warning => Severity::Warning,
            Self::Note => Severity::Note,
        }
    }
}

impl Level {
    fn severity(self) -> Severity {
        match self {
            Self::Error => Severity::Error,
            Self::Warning => Severity::Warning,
            Self::Note => Severity::Note,
        }
    }
}

fn linter(args: &LintArgs, project: &Project) -> Linter {
    let profiles = project.profiles.iter().chain(&args.profiles);
    let linter = profiles.fold(Linter::new(), |linter, profile| linter.profile(profile));
    let rules = project.rules();
    let linter = rules.fold(linter, |linter, (rule, severity)| {
        linter.level(rule, severity)
    });
    args.denied
        .iter()
        .fold(linter, |linter, rule| linter.deny(rule))
}

/// A help text, and the names of the profiles.
pub(crate) fn names_of_profiles(help: &str) -> String {
    names(help, PROFILES.iter().map(|one| (one.name, one.about)))
}

/// A help text, and names with what they stand for.
pub(crate) fn names<'n>(help: &str, names: impl Iterator<Item = (&'n str, &'n str)>) -> String {
    let lines: String = names
        .map(|(name, about)| format!("\n- {name}: {about}"))
        .collect();
    format!("{help}\n\nPossible values:{lines}")
}

/// Parses the name of a profile.
pub(crate) fn profiles() -> impl TypedValueParser<Value = &'static Profile> {
    let value = |profile: &'static Profile| PossibleValue::new(profile.name).help(profile.about);
    let names = PossibleValuesParser::new(PROFILES.iter().map(value));
    names.try_map(|name| profile(&name).ok_or("unknown profile"))
}

/// The rule that a command-line argument names.
fn known(word: &str) -> Result<&'static Rule, String> {
    let names = || RULES.iter().flat_map(|rule| [rule.code, rule.name]);
    rule(word).ok_or_else(|| unknown("rule", word, names()))
}

const AFTER_HELP: &str = "\
Examples:
  toolsure lint listing.json
  toolsure lint --profile openai,strict --level note -- npx -y some-server
  toolsure lint --fix --diff listing.json
  toolsure lint --deny no-annotations --format sarif https://example.com/mcp
  toolsure explain TL032

Exit codes, the first that applies to a server or file:
  2  wrong usage, or a file that cannot be read
  3  the server requires authorization
  4  the server cannot be reached, died, did not answer or sent invalid messages
  1  findings at or above `--fail-on`; with `refused`, errors that make a client or provider refuse it
  0  no finding at or above `--fail-on`";
