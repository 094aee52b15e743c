//! `cargo xtask rmcp`: tests the adapter with each minor version of rmcp that it supports, and
//! builds the programs of `docs/rmcp.md` as crates outside the workspace.

mod package;
mod page;

use std::fs;
use std::path::{Path, PathBuf};

use toolsure_testkit::tally::Tally;

use crate::arguments::Arguments;
use crate::build;
use package::{cargo, write};

/// The minor versions that `Cargo.toml` allows. New ones must be added here.
const MINORS: [&str; 3] = ["3.9", "3.10", "3.11"];

/// Tests the adapter with each version (the given ones, or all), and builds the programs of the
/// page. Returns how many checks failed.
pub(crate) fn run(arguments: &Arguments) -> Result<u64, String> {
    let repository = repository()?;
    let scratch = build::target()?.join("rmcp");
    let given: Vec<&str> = arguments.words.iter().map(String::as_str).collect();
    let minors = if given.is_empty() {
        MINORS.to_vec()
    } else {
        given
    };
    let mut tally = Tally::default();
    for minor in &minors {
        let workspace = scratch.join(minor);
        write_workspace(&repository, &workspace, minor)?;
        // why: the adapter's test asks cargo about its packages offline, which needs all of them, also those that
        // are not built.
        let fetched = cargo(&workspace, &scratch, ["fetch"])?;
        let passed = fetched
            && cargo(
                &workspace,
                &scratch,
                ["test", "--package", "toolsure-rmcp", "--features"]
                    .into_iter()
                    .chain(["http-client,http-server"]),
            )?;
        tally.record(
            passed
                .then_some(())
                .ok_or_else(|| format!("the adapter's tests with rmcp {minor}")),
        );
        println!("rmcp {minor}: {}", if passed { "good" } else { "FAILED" });
    }
    let newest = minors.last().copied().unwrap_or_default();
    page::check(&repository, &scratch, newest, &mut tally)?;
    print!("{}", tally.details());
    println!("{}", tally.line());
    Ok(tally.failed)
}

/// Writes a workspace with only the adapter and one minor version of rmcp. It links to the sources,
/// so that neither they nor the repository's lock file change.
fn write_workspace(repository: &Path, workspace: &Path, minor: &str) -> Result<(), String> {
    fs::create_dir_all(workspace).map_err(|e| format!("{}: {e}", workspace.display()))?;
    for name in ["crates", "testkit", "docs"] {
        let link = workspace.join(name);
        if !link.exists() {
            std::os::unix::fs::symlink(repository.join(name), &link)
                .map_err(|e| format!("{}: {e}", link.display()))?;
        }
    }
    let manifest = repository.join("Cargo.toml");
    let text = fs::read_to_string(&manifest).map_err(|e| format!("{}: {e}", manifest.display()))?;
    let (before, rest) = text
        .split_once("members = [")
        .ok_or("Cargo.toml has no `members`")?;
    let (_, after) = rest
        .split_once(']')
        .ok_or("`members` of Cargo.toml has no end")?;
    let adapter_alone = format!("{before}members = [\"crates/toolsure-rmcp\"]{after}");
    let (before, rest) = adapter_alone
        .split_once("\nrmcp = { version = \"")
        .ok_or("Cargo.toml has no `rmcp`")?;
    let (_, after) = rest
        .split_once('"')
        .ok_or("the version of rmcp has no end")?;
    let manifest = format!("{before}\nrmcp = {{ version = \"~{minor}\"{after}");
    write(&workspace.join("Cargo.toml"), &manifest)
}

fn repository() -> Result<PathBuf, String> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let parent = here.parent().map(Path::to_owned);
    parent.ok_or_else(|| "xtask is not in a repository".to_owned())
}
