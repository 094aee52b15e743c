//! `toolsure test FILE`: checks that schemas give the verdicts that their author expects.

mod file;
mod outcome;
mod print;

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use toolsure_json::quote;
use toolsure_schema::{Compiler, Verdict, Workspace};

use crate::exit::{Exit, Failure};
use crate::glob;
use crate::input::Input;
use crate::local::{FUEL, Fuel, Local};
use crate::settings::SchemaArgs;
use crate::term::Term;
use file::{Case, Expected, Group};
use outcome::{Done, Outcome};

/// Run test cases: a schema, an instance and the expected verdict
///
/// Reads three layouts: `{"schema": …, "tests": [{"description", "data", "valid"}]}`, an array of
/// these (the official JSON Schema test suite), and `{"target": SCHEMA, "tests": […]}` (sourcemeta).
/// `schema` and `target` may be a path relative to the test file or the URI of a registered document;
/// `dataPath` names a file instead of `data`, and `expected` a verdict (`valid`, `invalid`,
/// `undecided`, `refused`) instead of `valid`.
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct TestArgs {
    /// Test files; a folder or pattern stands for its JSON files, `-` for standard input
    #[arg(value_name = "FILE", required = true)]
    files: Vec<String>,

    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,

    #[command(flatten)]
    schemas: SchemaArgs<Local>,
}

/// How to print what came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Text for people: failures, and the number of passes
    Human,
    /// One versioned JSON document
    Json,
    /// Workflow commands for GitHub Actions
    Github,
}

/// Runs the command.
pub(crate) fn run(args: &TestArgs, term: &Term) -> Result<Exit, Failure> {
    let compiler = args.schemas.compiler_with_documents()?;
    let fuel = Fuel::new(&compiler, args.schemas.names(FUEL));
    let mut outcomes = Vec::new();
    for word in &args.files {
        for (path, found_by_us) in expand(word)? {
            let input = Input::of(&path);
            let base = args.schemas.base_uri(Some(&path));
            let compiler = match base.filter(|_| input != Input::Stdin) {
                Some(base) => compiler.clone().base_uri(&base),
                None => compiler.clone(),
            };
            match file::read(&input, &compiler)? {
                Some(groups) => outcomes.push(Outcome {
                    file: file::name(&input),
                    cases: groups
                        .iter()
                        .flat_map(|group| judge(group, &compiler, fuel))
                        .collect(),
                }),
                None if found_by_us => {}
                None => {
                    let name = file::name(&input);
                    return Err(Failure::usage(format!("`{name}` has no `tests`"))
                        .with_help("`toolsure test --help` describes the layouts"));
                }
            }
        }
    }
    let mut cases = outcomes
        .iter()
        .flat_map(|outcome| &outcome.cases)
        .peekable();
    // A run that tests nothing must not look like one that passed.
    if cases.peek().is_none() {
        let words = args
            .files
            .iter()
            .map(|word| format!("`{}`", quote(word, 200)));
        let words = words.collect::<Vec<_>>().join(", ");
        return Err(Failure::usage(format!("there is no test case in {words}"))
            .with_help("`toolsure test --help` describes the layouts"));
    }
    let exit = match cases.all(Done::passed) {
        true => Exit::Ok,
        false => Exit::Invalid,
    };
    match args.format {
        Format::Human => term.write(&print::human(&outcomes, term.quiet, term.stdout().columns))?,
        Format::Json => term.write_bytes(print::json(&outcomes, exit, term.quiet).as_bytes())?,
        Format::Github => term.write_bytes(print::github(&outcomes).as_bytes())?,
    }
    Ok(exit)
}

/// Expands an argument to files. The flag is true if they were found, not named.
fn expand(word: &str) -> Result<Vec<(PathBuf, bool)>, Failure> {
    let is_json = |path: &Path| path.extension().is_some_and(|end| end == "json");
    Ok(match glob::expand(word, is_json)? {
        Some(found) => found.into_iter().map(|path| (path, true)).collect(),
        None => vec![(PathBuf::from(word), false)],
    })
}

fn judge(group: &Group, compiler: &Compiler, fuel: Fuel) -> Vec<Done> {
    let schema = group.schema.as_deref().map(|text| compiler.compile(text));
    let one = |case: &Case| {
        let bytes = case.instance.as_ref().map_or(0, Vec::len);
        let mut workspace = fuel.give(Workspace::new(), bytes);
        let (found, why) = match (&schema, &case.instance) {
            (Err(why), _) => (Expected::Unusable, Some(why.to_string())),
            (_, Err(why)) => (Expected::Unusable, Some(why.clone())),
            (Ok(Err(why)), _) => (Expected::Refused, Some(why.to_string())),
            (Ok(Ok(schema)), Ok(instance)) => match schema.explain(&mut workspace, instance) {
                Err(why) => (Expected::Unusable, Some(format!("the instance: {why}"))),
                Ok(report) => match report.verdict {
                    Verdict::Valid => (Expected::Valid, None),
                    Verdict::Undecided(why) => (Expected::Undecided, Some(why.to_string())),
                    Verdict::Invalid => {
                        let first = report.findings.first().map(ToString::to_string);
                        (Expected::Invalid, first)
                    }
                },
            },
        };
        Done {
            description: case.description.clone(),
            line: case.line,
            expected: case.expected,
            found,
            why,
        }
    };
    group.cases.iter().map(one).collect()
}

const AFTER_HELP: &str = "\
Examples:
  toolsure test tests/order.json
  toolsure test --formats assert tests/
  toolsure test --register https://example.com/money=money.json 'tests/**/*.json'

Exit codes:
  0  every case had the expected verdict
  1  a case did not
  2  wrong usage, no test case, or a file that cannot be read or is not a test file";
