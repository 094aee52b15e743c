//! `toolsure validate`: checks whether instances match a schema, and shows where and why not.

mod args;
mod belt;
mod contract;
mod human;
mod json;
mod jsonl;
mod judge;
mod output;
mod print;
mod problem;
mod progress;
mod run;
mod sarif;
mod tally;
mod workflow;

use crate::exit::{Exit, Failure};
use crate::input::Input;
use crate::term::Term;
pub(crate) use args::ValidateArgs;
use contract::Texts;
use run::Run;

/// Runs the command.
pub(crate) fn run(args: &ValidateArgs, term: &Term) -> Result<Exit, Failure> {
    let instances: Vec<Input> = args.instances.iter().map(|path| Input::of(path)).collect();
    let compiler = args::compiler(args)?;
    let mut texts = Texts::load(args, &compiler, &instances, term)?;
    texts.fetch(&args.fetch, &compiler, term)?;
    let mut run = Run::new(args, term, &texts, compiler.bounds().instance);
    match contract::compile(compiler, &texts) {
        Err(error) => run.refused(&error),
        Ok(schema) => run.instances(&schema, &instances),
    }
}
