//! Where and how artefacts are built.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::program::Outcome;

/// The settings of a build.
pub(super) struct ReleaseBuild {
    /// The repository.
    pub(super) root: PathBuf,
    /// The working folder, below the target directory.
    pub(super) folder: PathBuf,
    /// The cargo profile.
    pub(super) profile: String,
    /// The time of the commit, in seconds. Every file in every artefact gets this time.
    pub(super) epoch: String,
}

impl ReleaseBuild {
    /// Creates an empty folder.
    pub(super) fn fresh(&self, name: &str) -> Outcome<PathBuf> {
        let folder = self.folder.join(name);
        let fail = |e: std::io::Error| format!("{}: {e}", folder.display());
        if folder.exists() {
            std::fs::remove_dir_all(&folder).map_err(fail)?;
        }
        std::fs::create_dir_all(&folder).map_err(fail)?;
        Ok(folder)
    }

    /// A build command in a folder of the repository, with settings for reproducible output.
    pub(super) fn builder(&self, program: impl AsRef<std::ffi::OsStr>, folder: &str) -> Command {
        let mut command = Command::new(program);
        let target = self.folder.join("target");
        // why: panic messages contain paths of source files, which differ between machines.
        let remap = |from: &Path, to: &str| format!("--remap-path-prefix={}={to}", from.display());
        let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
        let home = home.or_else(|| std::env::home_dir().map(|home| home.join(".cargo")));
        let flags = [
            remap(&target, "/target"),
            remap(&self.root, "/toolsure"),
            remap(&home.unwrap_or_default(), "/cargo"),
        ];
        command
            .current_dir(self.root.join(folder))
            .env("SOURCE_DATE_EPOCH", &self.epoch)
            .env("CARGO_TARGET_DIR", &target)
            .env("CARGO_INCREMENTAL", "0")
            .env("CARGO_ENCODED_RUSTFLAGS", flags.join("\u{1f}"))
            // why: a user's build does not have the flags of the caller's checkout.
            .env_remove("RUSTFLAGS");
        for (name, _) in std::env::vars_os() {
            let text = name.to_string_lossy();
            if text.starts_with("CARGO_PROFILE_") || text.starts_with("CARGO_PKG_") {
                command.env_remove(&name);
            }
        }
        command
    }

    /// The repository.
    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// The folder that the builds of this run share.
    pub(super) fn shared(&self) -> PathBuf {
        self.folder.clone()
    }

    /// The cargo profile.
    pub(super) fn profile(&self) -> &str {
        &self.profile
    }
}
