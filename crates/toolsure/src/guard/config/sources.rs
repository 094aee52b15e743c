//! What the settings are read from.

use std::path::{Path, PathBuf};

use super::environment::Environment;
use super::overrides::Override;
use super::upstream::Upstream;

/// The sources of the settings.
pub(crate) struct Sources<'a> {
    pub(crate) file: Option<&'a Path>,
    pub(crate) environment: Environment,
    pub(crate) flags: Vec<Override>,
    pub(crate) server: Server,
    /// Whether lock files need not be there yet, because they are made.
    pub(crate) makes_locks: bool,
}

/// What the command line says about the server.
#[derive(Clone, Default)]
pub(crate) struct Server {
    /// Its name, if one was given.
    pub(crate) name: Option<String>,
    /// The server, if the command line names one.
    pub(crate) upstream: Option<Upstream>,
    pub(crate) lock: Option<PathBuf>,
    /// The value of the key `translate`.
    pub(crate) translate: Option<String>,
}
