//! An artefact: how it is built, installed and tested.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::program::Outcome;
use super::release_build::ReleaseBuild;

/// Something that users install.
pub(super) struct Artefact {
    /// Its name in the table and for `--only`.
    pub(super) name: &'static str,
    /// Why it cannot be built here, if it cannot.
    pub(super) absent: fn(&ReleaseBuild) -> Option<String>,
    /// Builds it into the folder and returns its files.
    pub(super) build: fn(&ReleaseBuild, &Path) -> Outcome<Vec<PathBuf>>,
    /// Installs the files into an empty folder and tests them.
    pub(super) smoke: fn(&ReleaseBuild, &[PathBuf], &Path) -> Outcome<()>,
    /// The maximum total size of its files, in bytes.
    pub(super) most: u64,
}

/// One line of the table.
pub(super) struct Row {
    pub(super) name: &'static str,
    pub(super) file: String,
    pub(super) bytes: u64,
    pub(super) took: Duration,
    pub(super) note: String,
}

impl Artefact {
    /// Builds it, tests it, and adds a line for each file.
    pub(super) fn make(
        &self,
        release: &ReleaseBuild,
        twice: bool,
        rows: &mut Vec<Row>,
    ) -> Outcome<()> {
        let out = release.fresh(&format!("{}/out", self.name))?;
        let begun = Instant::now();
        let files = (self.build)(release, &out)?;
        let took = begun.elapsed();
        let mut all = 0;
        for file in &files {
            let bytes = std::fs::metadata(file)
                .map_err(|e| format!("{}: {e}", file.display()))?
                .len();
            all += bytes;
            rows.push(Row {
                name: self.name,
                file: file_name(file),
                bytes,
                took,
                note: String::new(),
            });
        }
        if files.is_empty() {
            return Err("nothing was built".to_owned());
        }
        (self.smoke)(
            release,
            &files,
            &release.fresh(&format!("{}/fresh", self.name))?,
        )?;
        if all > self.most {
            return Err(format!("{all} bytes, at most {} are allowed", self.most));
        }
        if twice {
            self.compare(release, &files)?;
            if let Some(row) = rows.last_mut() {
                row.note = "same bytes twice".to_owned();
            }
        }
        Ok(())
    }

    /// Builds it again, in another target directory, and compares the files.
    fn compare(&self, release: &ReleaseBuild, first: &[PathBuf]) -> Outcome<()> {
        let again = ReleaseBuild {
            folder: release.folder.join("again"),
            root: release.root.clone(),
            profile: release.profile.clone(),
            epoch: release.epoch.clone(),
        };
        let out = again.fresh(&format!("{}/out", self.name))?;
        let second = (self.build)(&again, &out)?;
        if first.len() != second.len() {
            return Err(format!("{} files, then {}", first.len(), second.len()));
        }
        for (one, other) in first.iter().zip(&second) {
            let bytes =
                |path: &Path| std::fs::read(path).map_err(|e| format!("{}: {e}", path.display()));
            if bytes(one)? != bytes(other)? {
                return Err(format!(
                    "two builds of one commit differ: {} and {}",
                    one.display(),
                    other.display()
                ));
            }
        }
        Ok(())
    }
}

fn file_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}
