//! What the tests over shared suites have in common: finding and reading them.

use std::path::{Path, PathBuf};

/// A path in the shared collection beside the repository, if it is there.
pub(crate) fn shared(path: &str) -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let found = root.join(path);
    if !found.exists() {
        eprintln!("skipped: `../shared/{path}` is not there");
        return None;
    }
    Some(found)
}

/// Every JSON file below a folder, sorted.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut waiting = vec![folder.to_owned()];
    while let Some(folder) = waiting.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                waiting.push(path);
            } else if path.extension().is_some_and(|end| end == "json") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}
