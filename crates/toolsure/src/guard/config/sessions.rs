//! The settings of `[sessions]`.

use std::path::PathBuf;
use std::time::Duration;

use toolsure_proxy::guard as proxy;
use toolsure_proxy::guard::SessionKeys;

use super::environment::Environment;
use super::read::{file, read};

/// The keys for session ids over HTTP, and how long and for whom a session is valid.
#[derive(Clone)]
pub(crate) struct Sessions {
    pub(super) keys: Vec<String>,
    pub(super) key_file: Option<PathBuf>,
    /// The keys from `keys` or `key_file`, once read.
    pub(crate) secrets: Vec<String>,
    pub(crate) age: Duration,
    pub(crate) bound: bool,
}

impl Default for Sessions {
    fn default() -> Self {
        let sessions = proxy::Sessions::default();
        Self {
            keys: Vec::new(),
            key_file: None,
            secrets: Vec::new(),
            age: sessions.age,
            bound: sessions.bound,
        }
    }
}

impl Sessions {
    /// Reads the secrets. Errors contain none of them.
    pub(super) fn finish(&mut self, environment: &Environment) -> Result<(), String> {
        self.secrets = match &self.key_file {
            None => {
                let each = self.keys.iter();
                let expanded = each.map(|key| environment.expand(key));
                let expanded: Result<_, _> = expanded.collect();
                expanded.map_err(|why| format!("`sessions.keys`: {why}"))?
            }
            Some(_) if !self.keys.is_empty() => {
                return Err("set only one of `sessions.keys` and `sessions.key_file`".to_owned());
            }
            Some(path) => {
                let text = String::from_utf8(read(path)?)
                    .map_err(|_| format!("{} is not UTF-8 text", file(path)))?;
                let lines = text.lines().map(str::trim);
                let keys = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
                let keys: Vec<String> = keys.map(str::to_owned).collect();
                if keys.is_empty() {
                    return Err(format!("there is no session key in {}", file(path)));
                }
                keys
            }
        };
        SessionKeys::check(&self.secrets).map_err(|fault| format!("`[sessions]`: {fault}"))
    }
}
