//! `cargo xtask rmcp`: tests the adapter with each minor version of rmcp that it supports, and
//! builds the programs of `docs/rmcp.md` as crates outside the workspace. The tests of the workspace
//! run with the version of `dependencies.lock`, so that one is not tested again.

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
        others(&repository)?
    } else {
        given
    };
    let mut tally = Tally::default();
    // One folder, so that the crates below the adapter are built once.
    let workspace = scratch.join("workspace");
    for minor in &minors {
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

/// The minor versions that the workspace's own tests do not run with.
fn others(repository: &Path) -> Result<Vec<&'static str>, String> {
    let lock = repository.join("dependencies.lock");
    let text = fs::read_to_string(&lock).map_err(|e| format!("{}: {e}", lock.display()))?;
    let mut lines = text.lines();
    let own = lines.find_map(|line| line.strip_prefix("rmcp "));
    let own = own.ok_or("dependencies.lock has no `rmcp`")?;
    let is_own = |minor: &str| {
        own.strip_prefix(minor)
            .is_some_and(|it| it.starts_with('.'))
    };
    Ok(MINORS.into_iter().filter(|minor| !is_own(minor)).collect())
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
    // That of another minor version would be kept as far as it fits.
    let _none_before_the_first = fs::remove_file(workspace.join("Cargo.lock"));
    write(&workspace.join("Cargo.toml"), &manifest)
}

fn repository() -> Result<PathBuf, String> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let parent = here.parent().map(Path::to_owned);
    parent.ok_or_else(|| "xtask is not in a repository".to_owned())
}
