//! Options of a store: its address, the login, and how long data is kept.

use std::fmt;
use std::time::Duration;

use redis::{IntoConnectionInfo as _, RedisConnectionInfo};
use toolsure_json::quote;

use crate::fault::{Fault, FaultKind, Party, Phase};

/// The address of a store, the login, and how long data is kept. `Debug` output has no password.
#[derive(Clone)]
#[non_exhaustive]
pub struct StoreOptions {
    /// `valkey://HOST:PORT/DATABASE`, `valkeys://` with TLS, or `redis://` and `rediss://`; without
    /// a password.
    pub url: String,
    /// The user to log in as. Default the server's default user.
    pub user: Option<String>,
    /// The password. Default none.
    pub password: Option<String>,
    /// The prefix of every key, followed by the version of the format. Default `toolsure`.
    pub prefix: String,
    /// The pause between two updates of the store. Default 100 ms.
    pub every: Duration,
    /// How long a pin is kept after a guard last asked for it. Default 30 days.
    pub keep_pins: Duration,
    /// How long a tool is quarantined after a guard found it changed. Default 10 min.
    pub quarantine: Duration,
}

impl StoreOptions {
    /// Options with defaults.
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            user: None,
            password: None,
            prefix: "toolsure".to_owned(),
            every: Duration::from_millis(100),
            keep_pins: Duration::from_secs(30 * 86_400),
            quarantine: Duration::from_secs(600),
        }
    }

    /// Checks the options.
    ///
    /// # Errors
    ///
    /// The URL is invalid, has a user or a password, or has another scheme; or the prefix is empty,
    /// too long, or has characters other than letters, digits and `-_.:`. The fault contains no
    /// secret.
    pub fn check(&self) -> Result<(), Fault> {
        self.client().map(|_| ())
    }

    pub(super) fn client(&self) -> Result<redis::Client, Fault> {
        let shown = quote(&self.url, SHOWN);
        let schemes = ["valkey://", "valkeys://", "redis://", "rediss://"];
        if !schemes.iter().any(|scheme| self.url.starts_with(scheme)) {
            // Do not show the text: it may contain a password in an unexpected place.
            return Err(bad(
                "the store's URL must begin with `valkey://`, `valkeys://`, `redis://` or `rediss://`",
            ));
        }
        let info = self.url.as_str().into_connection_info();
        let info = info.map_err(|_| bad("the store's URL is invalid"))?;
        let settings = info.redis_settings();
        if settings.password().is_some() || settings.username().is_some() {
            return Err(bad(
                "the store's URL must not have a user or a password; they have settings of their own",
            ));
        }
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_.:".contains(c);
        let prefix = &self.prefix;
        if !(1..=LONGEST_PREFIX).contains(&prefix.len()) || !prefix.chars().all(plain) {
            return Err(bad(&format!(
                "the prefix `{}` is not 1 to {LONGEST_PREFIX} letters, digits and `-_.:`",
                quote(prefix, SHOWN)
            )));
        }
        let mut login = RedisConnectionInfo::default()
            .set_db(settings.db())
            .set_skip_set_lib_name();
        if let Some(user) = &self.user {
            login = login.set_username(user);
        }
        if let Some(password) = &self.password {
            login = login.set_password(password);
        }
        let client = redis::Client::open(info.set_redis_settings(login));
        client.map_err(|error| bad(&format!("`{shown}`: {error}")))
    }
}

impl fmt::Debug for StoreOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoreOptions")
            .field("prefix", &self.prefix)
            .finish_non_exhaustive()
    }
}

fn bad(what: &str) -> Fault {
    Fault::new(
        Party::Operator,
        FaultKind::Config,
        Phase::Start,
        what.to_owned(),
    )
}

/// Maximum characters of a URL in a message.
const SHOWN: usize = 120;
const LONGEST_PREFIX: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(url: &str, prefix: &str) -> Option<String> {
        let mut options = StoreOptions::new(url);
        options.prefix = prefix.to_owned();
        options.password = Some("hush".to_owned());
        let wrong = options.check().err().map(|fault| fault.to_string());
        assert!(!format!("{wrong:?} {options:?}").contains("hush"));
        wrong
    }

    #[test]
    fn urls_and_prefixes() {
        for url in [
            "valkey://127.0.0.1",
            "valkey://store:6380/3",
            "valkeys://store",
            "redis://[::1]:6379",
            "rediss://store/1",
        ] {
            assert_eq!(wrong(url, "a-b_c.d:e"), None, "{url}");
        }
        for url in [
            "",
            "store:6379",
            "http://store",
            "unix:///tmp/store",
            "valkey://",
            "valkey://store/x",
            "valkey://:hush@store",
            "valkey://me@store",
            "hush",
        ] {
            assert!(wrong(url, "toolsure").is_some(), "{url}");
        }
        for prefix in ["", "a b", "{a}", "a*", &"x".repeat(65)] {
            assert!(wrong("valkey://store", prefix).is_some(), "{prefix}");
        }
    }
}
