//! What the tests over shared suites have in common: finding and reading them.

use std::path::{Path, PathBuf};

/// A path in the shared collection beside the repository.
pub(crate) fn shared(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared")
        .join(path)
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
