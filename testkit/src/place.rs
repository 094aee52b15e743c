//! The location of test material: given by the caller or the environment, or beside the project.

use std::path::{Path, PathBuf};

/// A set of test material outside the repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Material {
    /// The official JSON Schema test suite.
    Suite,
    /// Hostile (schema, instance) pairs.
    Hostile,
    /// Tool listings of published servers and labelled values for them.
    Corpus,
    /// Public benchmark schemas with their instances.
    Bench,
}

impl Material {
    /// The environment variable with the directory.
    #[must_use]
    pub fn variable(self) -> &'static str {
        match self {
            Self::Suite => "TOOLSURE_SUITE",
            Self::Hostile => "TOOLSURE_HOSTILE",
            Self::Corpus => "TOOLSURE_CORPUS",
            Self::Bench => "TOOLSURE_BENCH",
        }
    }

    /// The directory to read: the caller's, else the one from the environment, else the one under
    /// `../shared` beside the workspace.
    ///
    /// # Errors
    ///
    /// One line that says which directory is missing and how to give another.
    pub fn directory(self, named: Option<&str>) -> Result<PathBuf, String> {
        let chosen = named
            .map(PathBuf::from)
            .or_else(|| std::env::var_os(self.variable()).map(PathBuf::from))
            .unwrap_or_else(|| shared().join(self.default_folder()));
        if chosen.is_dir() {
            Ok(chosen)
        } else {
            Err(format!(
                "`{}` is not a directory; name one on the command line or in {}",
                chosen.display(),
                self.variable()
            ))
        }
    }

    fn default_folder(self) -> &'static str {
        match self {
            Self::Suite => "suites/json-schema-test-suite",
            Self::Hostile => "hostile",
            Self::Corpus => "corpus",
            Self::Bench => "bench",
        }
    }
}

/// The workspace's root.
#[must_use]
pub fn workspace() -> &'static Path {
    let testkit = Path::new(env!("CARGO_MANIFEST_DIR"));
    testkit.parent().unwrap_or(testkit)
}

/// The directory of shared material beside the workspace.
#[must_use]
pub fn shared() -> PathBuf {
    let root = workspace();
    root.parent().unwrap_or(root).join("shared")
}

/// Every file under `directory` whose name ends in `.extension`, sorted.
///
/// # Errors
///
/// One line that names the directory that cannot be read.
pub fn files(directory: &Path, extension: &str) -> Result<Vec<PathBuf>, String> {
    let mut found = Vec::new();
    let mut waiting = vec![directory.to_path_buf()];
    while let Some(folder) = waiting.pop() {
        let entries =
            std::fs::read_dir(&folder).map_err(|e| format!("`{}`: {e}", folder.display()))?;
        for entry in entries {
            let path = entry
                .map_err(|e| format!("`{}`: {e}", folder.display()))?
                .path();
            if path.is_dir() {
                waiting.push(path);
            } else if path.extension().is_some_and(|e| e == extension) {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// The text of a file.
///
/// # Errors
///
/// One line that names the file.
pub fn text(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|e| format!("`{}`: {e}", path.display()))
}
