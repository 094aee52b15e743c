//! The command line's definition: the flags that all commands share, and the list of commands.

use clap::{Parser, Subcommand};
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
use crate::man::ManArgs;
use crate::project::ProjectArgs;
use crate::term::Color;
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
    Project(Box<ProjectArgs>),
    Fetch(FetchCommand),
    Guard(Box<GuardArgs>),
    Validate(ValidateArgs),
    Test(TestArgs),
    ArgumentSchema(ArgumentSchemaArgs),
    ServeDemo(DemoArgs),
    Man(ManArgs),
    /// Print a completion script for a shell
    Completions {
        /// The shell to complete for
        shell: Shell,
    },
}
