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

use std::path::Path;

use toolsure_json::quote;

use crate::exit::{Exit, Failure};
use crate::glob;
use crate::input::Input;
use crate::term::Term;
pub(crate) use args::ValidateArgs;
use contract::Texts;
use run::Run;

/// Runs the command.
pub(crate) fn run(args: &ValidateArgs, term: &Term) -> Result<Exit, Failure> {
    let compiler = args::compiler(args)?;
    let instances = instances(args)?;
    let mut texts = Texts::load(args, &compiler, &instances, term)?;
    texts.fetch(&args.fetch, &compiler, term)?;
    let (limits, fuel) = (compiler.bounds().instance, args::fuel(args, &compiler));
    let mut run = Run::new(args, term, &texts, limits, fuel);
    match contract::compile(compiler, &texts) {
        Err(error) => run.refused(&error),
        Ok(schema) => run.instances(&schema, &instances),
    }
}

/// The instances that the command line names, or that are in the folders that it names.
fn instances(args: &ValidateArgs) -> Result<Vec<Input>, Failure> {
    let extensions: &[&str] = match args.jsonl {
        true => &["jsonl", "ndjson"],
        false => &["json"],
    };
    let wanted = |path: &Path| {
        let extension = path.extension().and_then(|extension| extension.to_str());
        extension.is_some_and(|extension| extensions.contains(&extension))
    };
    let schema = args.schema.canonicalize().ok();
    let mut instances = Vec::new();
    for named in &args.instances {
        let Some(mut found) = named
            .to_str()
            .map_or(Ok(None), |word| glob::expand(word, wanted))?
        else {
            instances.push(Input::of(named));
            continue;
        };
        // The schema may be in the folder of its instances.
        found.retain(|path| schema.is_none() || path.canonicalize().ok() != schema);
        if found.is_empty() {
            let name = quote(&named.display().to_string(), 200).to_string();
            let kinds = extensions.join("` or `*.");
            return Err(Failure::usage(format!(
                "there is no instance (`*.{kinds}`) in `{name}`"
            )));
        }
        instances.extend(found.into_iter().map(Input::File));
    }
    Ok(instances)
}
