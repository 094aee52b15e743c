//! The settings of `[shared]`: what replicas share, and through which store.

use std::path::{Path, PathBuf};
use std::time::Duration;

use toolsure_guard::ShareTerms;
use toolsure_guard::policy::DriftMode;

use super::environment::Environment;
use super::read::{file, read};

/// The settings as written.
#[derive(Clone)]
pub(crate) struct Shared {
    pub(crate) store: Option<String>,
    pub(super) user: Option<String>,
    pub(super) password: Vec<String>,
    pub(super) password_file: Option<PathBuf>,
    pub(super) key: Vec<String>,
    pub(super) key_file: Option<PathBuf>,
    pub(super) prefix: Option<String>,
    pub(super) every: Duration,
    pub(super) pins: DriftMode,
    pub(super) keep_pins: Duration,
    pub(super) quarantine: Duration,
    /// The result of reading the settings; `None` without a store.
    pub(crate) ready: Option<Ready>,
}

/// A store and what is shared through it. Without the feature `valkey` there is none.
#[derive(Clone)]
#[cfg_attr(
    not(feature = "valkey"),
    expect(dead_code, reason = "no store is opened")
)]
pub(crate) struct Ready {
    #[cfg(feature = "valkey")]
    pub(crate) options: toolsure_proxy::store::StoreOptions,
    pub(crate) terms: ShareTerms,
    /// The HMAC key for callers.
    pub(crate) secret: String,
}

impl Default for Shared {
    fn default() -> Self {
        Self {
            store: None,
            user: None,
            password: Vec::new(),
            password_file: None,
            key: Vec::new(),
            key_file: None,
            prefix: Some("toolsure".to_owned()),
            every: Duration::from_millis(100),
            pins: DriftMode::Report,
            keep_pins: Duration::from_secs(30 * 86_400),
            quarantine: Duration::from_secs(600),
            ready: None,
        }
    }
}

impl Shared {
    /// Reads the secrets and checks the settings together. Errors contain no secret.
    pub(super) fn finish(&mut self, environment: &Environment) -> Result<(), String> {
        let password = secret(
            "shared.password",
            &self.password,
            self.password_file.as_deref(),
            environment,
        )?;
        let key = secret(
            "shared.key",
            &self.key,
            self.key_file.as_deref(),
            environment,
        )?;
        let Some(url) = &self.store else {
            return match self.pins {
                DriftMode::Refuse => Err("`shared.pins` needs `shared.store`".to_owned()),
                _ => Ok(()),
            };
        };
        let key = key.ok_or(
            "`shared.store` needs `shared.key_file` or `shared.key`, the same in every replica: it is the HMAC key under which callers are named in the store",
        )?;
        if !(SHORTEST..=LONGEST).contains(&key.len()) {
            return Err(format!(
                "`shared.key` has {} bytes, not {SHORTEST} to {LONGEST}",
                key.len()
            ));
        }
        let terms = ShareTerms {
            pins: self.pins,
            quarantine: !self.quarantine.is_zero(),
        };
        self.ready = Some(self.ready(url, password, terms, key)?);
        Ok(())
    }

    #[cfg(feature = "valkey")]
    fn ready(
        &self,
        url: &str,
        password: Option<String>,
        terms: ShareTerms,
        secret: String,
    ) -> Result<Ready, String> {
        let mut options = toolsure_proxy::store::StoreOptions::new(url);
        options.user.clone_from(&self.user);
        options.password = password;
        if let Some(prefix) = &self.prefix {
            options.prefix.clone_from(prefix);
        }
        options.every = self.every;
        options.keep_pins = self.keep_pins;
        options.quarantine = self.quarantine;
        options
            .check()
            .map_err(|fault| format!("`[shared]`: {fault}"))?;
        Ok(Ready {
            options,
            terms,
            secret,
        })
    }

    #[cfg(not(feature = "valkey"))]
    fn ready(&self, _: &str, _: Option<String>, _: ShareTerms, _: String) -> Result<Ready, String> {
        Err("`shared.store`: this program was built without the feature `valkey`".to_owned())
    }
}

/// A secret from the setting `name`, or from the file that the setting `name` with `_file` names.
fn secret(
    name: &str,
    written: &[String],
    path: Option<&Path>,
    environment: &Environment,
) -> Result<Option<String>, String> {
    match (written, path) {
        ([], None) => Ok(None),
        ([one], None) => environment
            .expand(one)
            .map(Some)
            .map_err(|why| format!("`{name}`: {why}")),
        (_, None) => Err(format!("`{name}` must be a string, not a list")),
        ([], Some(path)) => {
            let text = String::from_utf8(read(path)?)
                .map_err(|_| format!("{} is not UTF-8 text", file(path)))?;
            match text.trim() {
                "" => Err(format!("{} is empty", file(path))),
                secret => Ok(Some(secret.to_owned())),
            }
        }
        (_, Some(_)) => Err(format!("set only one of `{name}` and `{name}_file`")),
    }
}

/// Minimum and maximum bytes of a key, the same as for session keys.
const SHORTEST: usize = 32;
const LONGEST: usize = 1_024;
