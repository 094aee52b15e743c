//! `cargo xtask api`: the public API of each library, one line per item, in `api/`.
//!
//! The lists are made from the sources with `syn`, so a stable compiler is enough.
//! `cargo xtask tidy` compares them with the sources, so that a change of the API shows in a diff.
//! Calls of macros that the same module defines are expanded.

mod expand;
mod listing;
mod source;

use std::fs;
use std::path::{Path, PathBuf};

use toolsure_testkit::place;
use toolsure_testkit::tally::Tally;

pub(crate) use listing::impls;
pub(crate) use source::{Sources, Target, is_test, name_of};

/// Writes the lists. Fails only if a file cannot be read or written.
pub(crate) fn run() -> Result<u64, String> {
    let workspace = place::workspace();
    for name in LIBRARIES {
        let path = file(workspace, name);
        let text = listing::of(&workspace.join("crates").join(name))?;
        let folder = path.parent().unwrap_or(workspace);
        fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        fs::write(&path, &text).map_err(|e| format!("{}: {e}", path.display()))?;
        println!("{name}: {} lines", text.lines().count());
    }
    Ok(0)
}

/// Compares the lists with the sources.
pub(crate) fn check(workspace: &Path, tally: &mut Tally) -> Result<(), String> {
    for name in LIBRARIES {
        let expected = listing::of(&workspace.join("crates").join(name))?;
        let found = fs::read_to_string(file(workspace, name)).unwrap_or_default();
        tally.record(match difference(&found, &expected) {
            None => Ok(()),
            Some(line) => Err(format!(
                "api/{name}.txt: the public API has changed; if that is meant, run `cargo xtask api`: {line}"
            )),
        });
    }
    Ok(())
}

/// The public items of the crate in a folder, one per line.
pub(crate) fn listing(folder: &Path) -> Result<String, String> {
    listing::of(folder)
}

fn file(workspace: &Path, name: &str) -> PathBuf {
    workspace.join("api").join(format!("{name}.txt"))
}

/// The first line that only one of the two texts has.
fn difference(old: &str, new: &str) -> Option<String> {
    if old == new {
        return None;
    }
    let gone = old
        .lines()
        .find(|line| !new.lines().any(|one| one == *line));
    let added = new
        .lines()
        .find(|line| !old.lines().any(|one| one == *line));
    Some(match (gone, added) {
        (Some(gone), _) => format!("without `{gone}`"),
        (None, Some(added)) => format!("with `{added}`"),
        (None, None) => "other order".to_owned(),
    })
}

/// The libraries whose API is listed: programs outside this repository depend on them.
const LIBRARIES: [&str; 7] = [
    "toolsure-json",
    "toolsure-pattern",
    "toolsure-syntax",
    "toolsure-schema",
    "toolsure-analysis",
    "toolsure-mcp",
    "toolsure-rmcp",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_difference_is_named() {
        assert_eq!(difference("a\nb\n", "a\nb\n"), None);
        assert_eq!(difference("a\nb\n", "a\n").unwrap(), "without `b`");
        assert_eq!(difference("a\n", "a\nb\n").unwrap(), "with `b`");
    }
}
