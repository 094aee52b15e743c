//! The settings of one server behind the guard, `[upstreams.NAME]`.

use std::net::SocketAddr;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use toolsure_guard::Lock;
use toolsure_json::{quote, shown_command, shown_url};
use toolsure_proxy::guard as proxy;
use toolsure_proxy::{Fault, HttpTarget};

use super::environment::Environment;
use super::place::{Place, SHOWN, Shows};
use super::read::{file, read};
use super::words::{AuthorizationWord, TranslateWord};
use crate::locked::candidate_of;

/// One server behind the guard: a command or a URL.
#[derive(Clone)]
pub(crate) struct Upstream {
    pub(crate) command: Vec<String>,
    pub(crate) env: Vec<(String, String)>,
    pub(crate) dir: Option<PathBuf>,
    pub(crate) url: Option<String>,
    pub(crate) headers: Vec<(String, String)>,
    /// Certificate authorities that are trusted besides the platform's.
    pub(super) tls_ca: Option<PathBuf>,
    pub(crate) restarts: usize,
    pub(crate) restart_window: Duration,
    /// The address for clients of this upstream, if it has its own.
    pub(crate) listen: Option<SocketAddr>,
    /// The URL path for clients; always set after [`Config::load`](super::Config::load).
    pub(crate) path: Option<String>,
    /// The URL under which clients know the guard at that address.
    pub(crate) public_url: Option<String>,
    /// The configured prefix of its tools' names in a listing of several upstreams.
    pub(crate) prefix: Option<String>,
    pub(crate) translate: TranslateWord,
    /// Whether the server gets the `Authorization` of callers.
    pub(super) authorization: AuthorizationWord,
    pub(in crate::guard) lock: Option<PathBuf>,
    /// The contents of the lock, once read.
    pub(super) pins: Option<Arc<Lock>>,
    /// Where its name is in the file.
    pub(super) place: Option<Range<usize>>,
}

impl Default for Upstream {
    fn default() -> Self {
        let restart = proxy::Restart::default();
        Self {
            command: Vec::new(),
            env: Vec::new(),
            dir: None,
            url: None,
            tls_ca: None,
            headers: Vec::new(),
            restarts: usize::try_from(restart.most).unwrap_or(usize::MAX),
            restart_window: restart.window,
            listen: None,
            path: None,
            public_url: None,
            prefix: None,
            translate: TranslateWord::default(),
            authorization: AuthorizationWord::default(),
            lock: None,
            pins: None,
            place: None,
        }
    }
}

impl Upstream {
    /// Where its table begins.
    pub(super) fn place(&self) -> Place {
        let span = self.place.clone();
        span.map_or(Place::Whole, |span| Place::File(span, Shows::Key))
    }

    /// A server from the command line: a command or a URL.
    pub(crate) fn new(
        command: Vec<String>,
        url: Option<String>,
        headers: Vec<(String, String)>,
    ) -> Self {
        Self {
            command,
            url,
            headers,
            ..Self::default()
        }
    }

    /// Checks that `name` can be an upstream's name.
    pub(super) fn check_name(name: &str) -> Result<(), String> {
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        if (1..=64).contains(&name.len()) && name.chars().all(plain) {
            return Ok(());
        }
        Err(format!(
            "`{}` cannot be an upstream's name: 1 to 64 letters, digits, `-` and `_`",
            quote(name, SHOWN)
        ))
    }

    /// Completes it, and returns what is wrong with it.
    pub(super) fn finish(
        &mut self,
        name: &str,
        environment: &Environment,
        makes_locks: bool,
    ) -> Vec<String> {
        let mut wrong = Vec::new();
        match (&self.url, self.command.is_empty()) {
            (None, true) => wrong.push("needs `command` or `url`".to_owned()),
            (Some(_), false) => wrong.push("has both `command` and `url`".to_owned()),
            (None, false) if !self.headers.is_empty() => {
                wrong.push("`headers` are for a `url`".to_owned());
            }
            (None, false) if self.tls_ca.is_some() => {
                wrong.push("`tls_ca` is for a `url`".to_owned());
            }
            (Some(_), true) if !self.env.is_empty() || self.dir.is_some() => {
                wrong.push("`env` and `dir` are for a `command`".to_owned());
            }
            _ => {}
        }
        for (_, value) in self.headers.iter_mut().chain(&mut self.env) {
            match environment.expand(value) {
                Ok(expanded) => *value = expanded,
                Err(why) => wrong.push(why),
            }
        }
        if let Some(url) = &self.url
            && let Err(why) = self.target(url)
        {
            wrong.push(why);
        }
        if let Some(url) = &self.public_url
            && let Err(fault) = proxy::HttpListener::check_public_url(url)
        {
            wrong.push(format!("`public_url`: {fault}"));
        }
        let path = self.path.get_or_insert_with(|| "/mcp".to_owned());
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_./~".contains(c);
        if !path.starts_with('/') || !path.chars().all(plain) {
            wrong.push(format!(
                "`path` must start with `/` and have letters, digits and `-_.~/` only, found `{}`",
                quote(path, SHOWN)
            ));
        }
        let is_there = |lock: &&PathBuf| !makes_locks || lock.exists();
        if let Some(lock) = self.lock.as_ref().filter(is_there) {
            match read(lock).and_then(|bytes| pins(lock, &bytes, name)) {
                Ok(pins) => self.pins = Some(pins),
                Err(why) if lock.exists() => wrong.push(why),
                Err(why) => wrong.push(format!(
                    "{why}; `toolsure lock review` and `toolsure lock approve` make it"
                )),
            }
        }
        wrong
    }

    /// The names of the tools in its lock.
    pub(crate) fn locked_tools(&self) -> impl Iterator<Item = &str> {
        self.pins.iter().flat_map(|lock| lock.tools())
    }

    /// Whether its tools are compared with approved definitions.
    pub(super) fn has_lock(&self) -> bool {
        self.lock.is_some()
    }

    /// The commands that approve changes of its tools. `config` is the file that names it, if one does.
    pub(super) fn review(&self, name: &str, config: Option<&str>) -> Option<Arc<str>> {
        let lock = self.lock.as_ref()?;
        let path = |path: &Path| quote(&path.to_string_lossy(), SHOWN).to_string();
        let from = match (config, &self.url) {
            (Some(config), _) => format!("--config {} --server {name}", quote(config, SHOWN)),
            (None, Some(url)) => format!("{} {}", path(lock), shown_url(url)),
            (None, None) => {
                let command = self.command.iter().map(String::as_str);
                format!("{} -- {}", path(lock), shown_command(command))
            }
        };
        let candidate = path(&candidate_of(lock));
        let review =
            format!("`toolsure lock review {from}`, then `toolsure lock approve {candidate}`");
        Some(review.into())
    }

    /// The URL with its headers and certificate authorities.
    pub(crate) fn target(&self, url: &str) -> Result<HttpTarget, String> {
        let text = |fault: Fault| fault.to_string();
        let mut target = HttpTarget::new(url).map_err(text)?;
        if self.authorization == AuthorizationWord::None {
            target = target.without_authorization_of_callers();
        }
        for (name, value) in &self.headers {
            target = target.header(name, value).map_err(text)?;
        }
        match &self.tls_ca {
            Some(authorities) => target.trusting(authorities).map_err(text),
            None => Ok(target),
        }
    }
}

fn pins(path: &Path, bytes: &[u8], server: &str) -> Result<Arc<Lock>, String> {
    Lock::read(bytes, Some(server))
        .map(Arc::new)
        .map_err(|why| format!("{} is no lock: {why}", file(path)))
}
