//! `toolsure lock`: review what changed in a server's tools, and approve or reject what was reviewed.

mod decide;
mod review;
mod tool_change;

use clap::{Args, Subcommand};

use crate::exit::{Exit, Failure};
use crate::term::Term;

/// Review what changed in a server's tools, and approve or reject what was reviewed
///
/// A lock file has the definitions of tools that somebody approved; `toolsure guard` holds the server to
/// them. `review` compares a server with its lock file and leaves what it found in a candidate beside it;
/// `approve` moves definitions from the candidate to the lock file, and `reject` notes there that a
/// definition must not be used.
#[derive(Debug, Args)]
pub(crate) struct LockArgs {
    #[command(subcommand)]
    command: LockCommand,
}

#[derive(Debug, Subcommand)]
enum LockCommand {
    Review(review::ReviewArgs),
    Approve(decide::ApproveArgs),
    Reject(decide::RejectArgs),
}

/// Runs the command.
pub(crate) fn run(args: &LockArgs, term: &Term) -> Result<Exit, Failure> {
    match &args.command {
        LockCommand::Review(args) => review::run(args, term),
        LockCommand::Approve(args) => decide::approve(args, term),
        LockCommand::Reject(args) => decide::reject(args, term),
    }
}
