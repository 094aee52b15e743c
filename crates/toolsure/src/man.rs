//! `toolsure man`: the manual pages, generated from the arguments.

use std::path::{Path, PathBuf};

use clap::Args;
use clap_mangen::Man;
use toolsure_json::quote;

use crate::exit::{Exit, Failure};
use crate::term::Term;

/// Print the manual page of a command, or write all pages to a folder
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct ManArgs {
    /// The command, such as `check` or `argument-schema convert` [default: `toolsure` itself]
    #[arg(value_name = "COMMAND", conflicts_with = "dir")]
    words: Vec<String>,

    /// Write the pages of all commands to this folder
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

/// Runs the command.
pub(crate) fn run(args: &ManArgs, root: clap::Command, term: &Term) -> Result<Exit, Failure> {
    let mut root = root.disable_help_subcommand(true);
    // Adds the global flags to each command.
    root.build();
    let mut pages = Vec::new();
    pages_of(&root, "toolsure", &mut pages);
    if let Some(folder) = &args.dir {
        let cannot = |path: &Path, error: &std::io::Error| {
            let name = quote(&path.display().to_string(), 200).to_string();
            Failure::usage(format!("cannot write `{name}`: {error}"))
        };
        std::fs::create_dir_all(folder).map_err(|error| cannot(folder, &error))?;
        for (name, page) in &pages {
            let path = folder.join(format!("{name}.1"));
            std::fs::write(&path, text(page)).map_err(|error| cannot(&path, &error))?;
        }
        return Ok(Exit::Ok);
    }
    let mut wanted = String::from("toolsure");
    for word in &args.words {
        wanted.push('-');
        wanted.push_str(word);
    }
    let found = pages.iter().find(|(name, _)| *name == wanted);
    let Some((_, page)) = found else {
        let word = quote(&args.words.join(" "), 60).to_string();
        return Err(Failure::usage(format!("there is no command `{word}`"))
            .with_help("`toolsure --help` lists them"));
    };
    term.write_bytes(&text(page)).map(|()| Exit::Ok)
}

/// Collects a command and those below it, with the names of their pages.
fn pages_of(command: &clap::Command, name: &str, pages: &mut Vec<(String, clap::Command)>) {
    let page = command.clone().name(name.to_owned());
    pages.push((name.to_owned(), page));
    for inner in command.get_subcommands() {
        pages_of(inner, &format!("{name}-{}", inner.get_name()), pages);
    }
}

fn text(page: &clap::Command) -> Vec<u8> {
    let mut text = Vec::new();
    // Writing to a vector cannot fail.
    let _infallible = Man::new(page.clone()).render(&mut text);
    text
}

const AFTER_HELP: &str = "\
Examples:
  toolsure man check | man -l -
  toolsure man --dir ~/.local/share/man/man1";
