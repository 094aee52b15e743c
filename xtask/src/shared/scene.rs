//! What every step needs: the programs, the fixture server, the store.

use std::path::PathBuf;

use super::server::Server;
use crate::replicas::guards::Replica;

/// The programs and addresses that every step needs.
pub(super) struct Scene {
    pub(super) toolsure: PathBuf,
    pub(super) folder: PathBuf,
    /// The fixture server.
    pub(super) upstream: String,
    pub(super) store: Server,
}

impl Scene {
    /// A guard on the store, in front of the fixture server.
    pub(super) fn guard(&self, settings: &[&str]) -> Result<Replica, String> {
        self.guard_of(&["--upstream", &self.upstream], settings)
    }

    /// A guard on the store, in front of a server of these arguments.
    pub(super) fn guard_of(&self, server: &[&str], settings: &[&str]) -> Result<Replica, String> {
        let at = |name: &str, file: &str| format!("{name}={}", self.folder.join(file).display());
        let mut all = vec![
            format!("shared.store={}", self.store.url()),
            at("shared.password_file", "password"),
            at("shared.key_file", "key"),
            "shared.every=10ms".to_owned(),
        ];
        all.extend(settings.iter().map(|setting| (*setting).to_owned()));
        let keys = self.folder.join("sessions");
        Replica::start_with(&self.toolsure, server, &keys, &all)
    }
}
