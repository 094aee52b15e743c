//! The programs of a run: published clients and servers, and the guard.

use std::path::PathBuf;

use crate::build;
use crate::peers::{Javascript, Python};

/// The installed and built programs.
pub(super) struct Harness {
    pub(super) javascript: Javascript,
    pub(super) python: Python,
    pub(super) toolsure: PathBuf,
    /// The servers' working folder, emptied for each run.
    pub(super) folder: PathBuf,
}

impl Harness {
    /// Installs and builds them.
    ///
    /// # Errors
    ///
    /// One line if one cannot be installed or built.
    pub(super) fn install() -> Result<Self, String> {
        Ok(Self {
            javascript: Javascript::install()?,
            python: Python::install()?,
            toolsure: build::toolsure()?,
            folder: build::target()?.join("peers").join("published"),
        })
    }

    /// A text of `published.json` with the working folder filled in.
    pub(super) fn filled(&self, text: &str) -> String {
        text.replace("{folder}", &self.folder.display().to_string())
    }
}

/// The server as a client reaches it.
pub(super) enum Target {
    Command(Vec<String>),
    Url(String),
}
