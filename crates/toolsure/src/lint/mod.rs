//! `toolsure lint`: finds what is invalid, and what is valid but harmful, with locations and fixes.

pub(crate) mod explain;
mod fix;
mod github;
mod human;
mod json;
mod page;
mod sarif;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser as _};
use clap::{Args, ValueEnum};
use toolsure_analysis::lint::{
    Linter, PROFILES, Profile, RULES, Report, Rule, Safety, Severity, profile, rule,
};
use toolsure_json::quote;

use crate::check::{self, TargetArgs, report::exit_of};
use crate::compilers::{Compilers, FetchArgs};
use crate::exit::{Exit, Failure};
use crate::interrupt::ExitOnInterrupt;
use crate::policy::{Decision, LINT, Policy, PolicyArgs, Project, Remark, Subject, unknown};
use crate::render;
use crate::settings::{Asserted, SchemaArgs, raise};
use crate::term::{Term, WARNING};
use page::Page;

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
        value_parser = names_of_profiles().try_map(|name| profile(&name).ok_or("unknown profile"))
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
    #[arg(long, value_enum, value_name = "SEVERITY", default_value_t = Level::Error)]
    fail_on: Level,

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
    let reports = check::reports(&args.target, &compilers, term)?;
    let linter = linter.compiler(compilers.compiler());
    let _interruptible = ExitOnInterrupt::new(term);
    for report in reports {
        for (tool, finding) in report.argument_schemas() {
            let help = finding.help.as_deref().unwrap_or_default();
            let name = quote(tool.name.as_deref().unwrap_or(page::NO_NAME), 64);
            term.note(&format!(
                "{WARNING}warning{WARNING:#}: tool `{name}`: {}; {help}",
                finding.message
            ));
        }
        let texts = report.tools.iter().map(|tool| tool.text.as_str());
        let named = match args.server_name.as_deref().or_else(|| report.server_name()) {
            Some(name) => linter.clone().server(name),
            None => linter.clone(),
        };
        let mut found = named.lint(texts);
        for finding in &mut found.findings {
            if let Some(setting) = finding.setting {
                finding.help = Some(raise(setting));
            }
        }
        filter(&mut policy, &report, &mut found);
        exit = exit.worst(
            report
                .fault
                .as_ref()
                .map_or(Exit::Ok, |fault| exit_of(fault.kind())),
        );
        let kept = found.findings.iter().map(|finding| finding.severity);
        let worst = kept.max().max(found.worst_more);
        if worst.is_some_and(|worst| worst >= fail_on) {
            exit = exit.worst(Exit::Invalid);
        }
        pages.push(Page::new(report, found, level));
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
                match page.report.fault {
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

/// Removes ignored findings, and gives the others the severity that the policy asks for.
fn filter(policy: &mut Policy, report: &check::report::Report, found: &mut Report) {
    found.findings.retain_mut(|finding| {
        let tool = finding.tool.and_then(|tool| report.tools.get(tool));
        let decision = policy.decide(&Subject {
            code: finding.rule.code,
            server: report.key.as_deref(),
            tool: tool.and_then(|tool| tool.name.as_deref()),
            pointer: &finding.pointer,
            message: &finding.message,
        });
        finding.severity = match decision {
            Decision::Ignore => return false,
            Decision::Keep => finding.severity,
            Decision::As(render::Severity::Error) => Severity::Error,
            Decision::As(render::Severity::Warning) => Severity::Warning,
            Decision::As(render::Severity::Note) => Severity::Note,
        };
        true
    });
    found
        .findings
        .sort_by_key(|finding| std::cmp::Reverse(finding.severity));
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

fn names_of_profiles() -> PossibleValuesParser {
    let value = |profile: &'static Profile| PossibleValue::new(profile.name).help(profile.about);
    PossibleValuesParser::new(PROFILES.iter().map(value))
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
  1  findings at or above `--fail-on`
  0  no finding at or above `--fail-on`";
