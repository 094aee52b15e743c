//! The command line's definition: the flags that all commands share, and the list of commands.

use clap::{CommandFactory as _, Parser, Subcommand};
use clap_complete::Shell;

use crate::argument::ArgumentSchemaArgs;
use crate::cases::TestArgs;
use crate::check::CheckArgs;
use crate::demo::DemoArgs;
use crate::diff::DiffArgs;
use crate::fetch::FetchCommand;
use crate::guard::GuardArgs;
use crate::lint::LintArgs;
use crate::lint::explain::ExplainArgs;
use crate::lock::LockArgs;
use crate::man::ManArgs;
use crate::project::ProjectArgs;
use crate::replay::ReplayArgs;
use crate::term::{Color, Term};
use crate::test_server::TestServerArgs;
use crate::validate::ValidateArgs;

/// The contract layer for MCP tools
#[derive(Debug, Parser)]
#[command(
    name = "toolsure",
    version,
    max_term_width = 100,
    arg_required_else_help = true
)]
pub(crate) struct Cli {
    /// Colour the output; `NO_COLOR` and `CLICOLOR_FORCE` are honoured
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto, value_name = "WHEN")]
    pub(crate) color: Color,

    /// Print problems only
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,

    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What `toolsure` can do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Check(CheckArgs),
    Lint(LintArgs),
    Explain(ExplainArgs),
    Diff(DiffArgs),
    Lock(Box<LockArgs>),
    Project(Box<ProjectArgs>),
    Fetch(FetchCommand),
    Guard(Box<GuardArgs>),
    Validate(ValidateArgs),
    Test(TestArgs),
    TestServer(Box<TestServerArgs>),
    Replay(ReplayArgs),
    ArgumentSchema(ArgumentSchemaArgs),
    #[command(hide = true)]
    ServeDemo(DemoArgs),
    Man(ManArgs),
    /// Print a completion script for a shell
    Completions {
        /// The shell to complete for
        shell: Shell,
    },
}

/// The commands, whose `-h` fits on a screen: flags that most runs do not need, the second half of
/// long texts, and the exit codes are in `--help` only.
pub(crate) fn command() -> clap::Command {
    brief(Cli::command()).mut_subcommands(|command| {
        let Some(about) = command.get_about().map(ToString::to_string) else {
            return command;
        };
        let command = match command.get_long_about() {
            Some(_) => command,
            None => command.long_about(about.clone()),
        };
        command.about(cut(&about, &[':', ',']))
    })
}

fn brief(command: clap::Command) -> clap::Command {
    let command = command.mut_args(|arg| {
        // What has a heading of its own are settings: of schemas, of the project, of the guard.
        let is_rare = arg.get_help_heading().is_some() || RARE.contains(&arg.get_id().as_str());
        let arg = arg.hide_short_help(is_rare);
        match (arg.get_help().map(ToString::to_string), arg.get_long_help()) {
            (Some(help), None) => arg.help(cut(&help, &[';'])).long_help(help),
            _ => arg,
        }
    });
    let command = match command.get_after_help().map(ToString::to_string) {
        None => command,
        Some(long) => {
            let (examples, _) = long.split_once("\n\n").unwrap_or((&long, ""));
            let first = examples.lines().take(EXAMPLES).collect::<Vec<_>>();
            command.after_help(first.join("\n")).after_long_help(long)
        }
    };
    command.mut_subcommands(brief)
}

/// The text before the first of these signs.
fn cut(text: &str, signs: &[char]) -> String {
    text.split(signs).next().unwrap_or(text).to_owned()
}

/// Flags that most runs do not need.
const RARE: [&str; 9] = [
    "color",
    "headers",
    "max_file_bytes",
    "no_probe",
    "recursion",
    "server_name",
    "timeout",
    "unsafe_fixes",
    "diff",
];
/// Lines of examples in `-h`, with their heading.
const EXAMPLES: usize = 3;

/// Prints a help text or a usage error, and ends the program.
pub(crate) fn exit(error: &clap::Error) -> ! {
    let term = Term::new(Color::Auto, false);
    if !term.is_ascii() {
        error.exit();
    }
    let text = error.render().ansi().to_string();
    match error.use_stderr() {
        true => term.aside(&text),
        // A closed pipe is no failure here either.
        false => drop(term.write(&text)),
    }
    std::process::exit(error.exit_code())
}
