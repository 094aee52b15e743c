//! `toolsure`: the contract layer for MCP tools, as a command line.
//!
//! A subcommand is a module with its arguments (a clap `Args` type) and a `run` function that
//! returns an [`exit::Exit`]; [`args::Command`] lists them, [`dispatch`] calls them.

mod args;
mod argument;
mod ascii;
mod cases;
mod check;
mod compilers;
mod demo;
mod diff;
mod exit;
mod fetch;
mod findings;
mod folder;
mod glob;
mod guard;
mod input;
mod interrupt;
mod lint;
mod listing;
mod local;
mod lock;
mod locked;
mod man;
mod not_json;
mod policy;
mod project;
mod recording;
mod render;
mod replay;
mod serve;
mod settings;
mod term;
mod test_server;
mod text;
mod validate;
mod wrap;
mod yaml;

use std::process::ExitCode;

use clap::{CommandFactory as _, FromArgMatches as _};

use args::{Cli, Command};
use exit::{Exit, Failure};
use term::Term;

fn main() -> ExitCode {
    let matches = args::command().try_get_matches();
    let cli = matches.and_then(|matches| Cli::from_arg_matches(&matches));
    let cli = cli.unwrap_or_else(|error| args::exit(&error));
    let term = Term::new(cli.color, cli.quiet);
    let exit = dispatch(cli.command, &term).unwrap_or_else(|failure| {
        term.failure(&failure);
        failure.exit
    });
    ExitCode::from(exit)
}

fn dispatch(command: Command, term: &Term) -> Result<Exit, Failure> {
    match command {
        Command::Check(args) => check::run(args, term),
        Command::Lint(args) => lint::run(&args, term),
        Command::Project(args) => project::run(&args, term),
        Command::Diff(args) => diff::run(&args, term),
        Command::Lock(args) => lock::run(&args, term),
        Command::Fetch(args) => fetch::run(&args, term),
        Command::Guard(args) => guard::run(&args, term),
        Command::Explain(args) => lint::explain::run(&args, term),
        Command::ArgumentSchema(args) => argument::run(&args, term),
        Command::Validate(args) => validate::run(&args, term),
        Command::Test(args) => cases::run(&args, term),
        Command::TestServer(args) => test_server::run(&args, term),
        Command::Replay(args) => replay::run(&args, term),
        Command::ServeDemo(args) => demo::run(&args, term),
        Command::Man(args) => man::run(&args, Cli::command(), term),
        Command::Completions { shell } => {
            let mut out = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "toolsure", &mut out);
            term.write_bytes(&out).map(|()| Exit::Ok)
        }
    }
}
