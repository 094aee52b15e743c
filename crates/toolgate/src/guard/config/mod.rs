//! The settings of a guard: defaults, overridden by the file, the environment and the flags.
//!
//! [`keys`] lists everything that can be set, for the file, the environment, the flags and the
//! reference page (`docs/guard/settings.md`). [`finish`] checks the settings together.

mod excerpt;
mod file;
mod finish;
mod keys;
mod overrides;
mod problem;
mod rule;
mod schemas;
mod shared;
mod slot;
mod words;

#[cfg(test)]
mod reference;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use toolgate_analysis::lint::Profile;
use toolgate_guard::policy::{self, Policy};
use toolgate_guard::{AggregatorLimits, Lock, default_prefix};
use toolgate_proxy::guard as proxy;

pub(crate) use finish::Faults;
pub(crate) use overrides::Override;
use problem::Place;
pub(crate) use words::LogFormat;

/// All settings, after every source was read.
///
/// It has no `Debug`, because it contains the values of headers and variables.
#[derive(Clone)]
pub(crate) struct Config {
    /// The servers behind the guard, by name.
    pub(crate) upstreams: BTreeMap<String, Upstream>,
    /// Rules for single tools. Later rules override earlier ones, setting by setting.
    tools: Vec<ToolRule>,
    /// The policy for all tools; [`Config::policy`] completes it for one upstream.
    policy: Policy,
    /// Documents that references may resolve to, by URI.
    documents: Vec<(String, PathBuf)>,
    /// The provider or client that tools are rewritten for.
    project_for: Option<&'static Profile>,
    drift: words::DriftWord,
    new_tools: words::DriftWord,
    rate: RateWords,
    pub(crate) listen: Listen,
    pub(crate) sessions: Sessions,
    pub(crate) shared: shared::Shared,
    pub(crate) admin: Option<SocketAddr>,
    /// The limits of the transports; the limits of the policy are in its `limits`.
    pub(crate) bounds: proxy::Bounds,
    /// The fuel of one check.
    fuel: usize,
    pub(crate) times: proxy::Times,
    /// How long a call may take.
    call_timeout: Duration,
    pub(crate) log: Log,
    pub(crate) audit: Audit,
    pub(crate) telemetry: Telemetry,
    /// The section keys that were set, and the last source of each.
    written: BTreeMap<&'static str, Place>,
    /// What works, but should be changed by the operator: one line each.
    pub(crate) warnings: Vec<String>,
}

/// One server behind the guard: a command or a URL.
#[derive(Clone)]
pub(crate) struct Upstream {
    pub(crate) command: Vec<String>,
    pub(crate) env: Vec<(String, String)>,
    pub(crate) dir: Option<PathBuf>,
    pub(crate) url: Option<String>,
    pub(crate) headers: Vec<(String, String)>,
    /// Certificate authorities that are trusted besides the platform's.
    tls_ca: Option<PathBuf>,
    pub(crate) restarts: usize,
    pub(crate) restart_window: Duration,
    /// The address for clients of this upstream, if it has its own.
    pub(crate) listen: Option<SocketAddr>,
    /// The URL path for clients; always set after [`Config::load`].
    pub(crate) path: Option<String>,
    /// The configured prefix of its tools' names in a listing of several upstreams.
    pub(crate) prefix: Option<String>,
    pub(crate) translate: words::TranslateWord,
    lock: Option<PathBuf>,
    /// The contents of the lock, once read.
    pins: Option<Arc<Lock>>,
    /// Where its name is in the file.
    place: Option<Range<usize>>,
}

/// The settings of the tools whose names match.
#[derive(Clone, Default)]
struct ToolRule {
    pattern: Option<String>,
    /// A file with an argument schema; the next field has its text instead.
    argument_schema: Option<PathBuf>,
    argument_schema_text: Option<String>,
    rule: policy::ToolRule,
    rate: RateWords,
}

/// The address for clients, and what is accepted there.
#[derive(Clone, Default)]
pub(crate) struct Listen {
    /// `None` means standard input and output.
    pub(crate) address: Option<SocketAddr>,
    pub(crate) hosts: Vec<String>,
    pub(crate) origins: Vec<String>,
    pub(crate) tls_certificate: Option<PathBuf>,
    pub(crate) tls_key: Option<PathBuf>,
    /// The contents of both files, once read.
    pub(crate) certificate: Option<proxy::ServerCertificate>,
}

/// The keys for session ids over HTTP, and how long and for whom a session is valid.
#[derive(Clone)]
pub(crate) struct Sessions {
    keys: Vec<String>,
    key_file: Option<PathBuf>,
    /// The keys from `keys` or `key_file`, once read.
    pub(crate) secrets: Vec<String>,
    pub(crate) age: Duration,
    pub(crate) bound: bool,
}

/// A rate as configured; 0 calls mean no limit.
#[derive(Clone, Copy)]
struct RateWords {
    calls: usize,
    per: Duration,
    burst: usize,
}

/// The level and format of logs.
#[derive(Clone)]
pub(crate) struct Log {
    pub(crate) level: Option<String>,
    pub(crate) format: LogFormat,
}

/// Where audit lines are written, and which.
#[derive(Clone)]
pub(crate) struct Audit {
    pub(crate) file: Option<PathBuf>,
    pub(crate) max_bytes: usize,
    pub(crate) keep: usize,
    /// Whether passes are recorded too.
    pub(crate) passes: bool,
}

/// What is exported to a collector.
#[derive(Clone)]
pub(crate) struct Telemetry {
    /// The collector's OTLP/HTTP endpoint, without the path of a signal.
    pub(crate) endpoint: Option<String>,
    /// The percentage of traces started by the guard that are exported.
    pub(crate) sample: usize,
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

impl Upstream {
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
}

/// The sources of the settings.
pub(crate) struct Sources<'a> {
    pub(crate) file: Option<&'a Path>,
    pub(crate) environment: Vec<(String, String)>,
    pub(crate) flags: Vec<Override>,
    pub(crate) server: Server,
}

impl Config {
    /// Reads every source and checks the settings together.
    ///
    /// # Errors
    ///
    /// Every problem that was found, each with its place.
    pub(crate) fn load(sources: &Sources<'_>) -> Result<Self, Faults> {
        let mut config = Self::default();
        let mut faults = Faults::default();
        if let Some(path) = sources.file {
            let folder = path.parent().unwrap_or(Path::new(""));
            if let Some(text) = faults.open(path) {
                let found = file::apply(&mut config, &text, folder);
                faults.extend(found);
                faults.text = text;
            }
        }
        let outside = Override::variables(sources.environment.iter().cloned())
            .into_iter()
            .chain(sources.flags.iter().cloned());
        faults.extend(outside.filter_map(|setting| setting.apply(&mut config).err()));
        // A value that was refused would only cause more errors.
        if faults.is_empty() {
            faults.extend(finish::finish(&mut config, sources));
        }
        if faults.is_empty() {
            Ok(config)
        } else {
            Err(faults)
        }
    }

    /// The upstreams that share one listing, for clients of `listen.address` or of standard input
    /// and output. Empty for a single upstream without a prefix, which is passed through as it is.
    pub(crate) fn merged(&self) -> Vec<(&str, &Upstream)> {
        let shared = self.upstreams.iter();
        let shared = shared.filter(|(_, upstream)| upstream.listen.is_none());
        let shared: Vec<(&str, &Upstream)> = shared
            .map(|(name, upstream)| (name.as_str(), upstream))
            .collect();
        let one_as_it_is = |(_, only): &(&str, &Upstream)| only.prefix.is_none();
        if shared.len() < 2 && shared.iter().all(one_as_it_is) {
            return Vec::new();
        }
        shared
    }

    /// The prefix of an upstream's tool names in a listing of several upstreams.
    pub(crate) fn prefix(name: &str, upstream: &Upstream) -> String {
        let own = upstream.prefix.clone();
        own.unwrap_or_else(|| default_prefix(name))
    }

    /// The policy of the guard in front of several upstreams, each of which has its own filters.
    pub(crate) fn without_filters(&self) -> Policy {
        self.limited().without_filters()
    }

    /// The policy of every upstream, before the settings of one upstream and the rules for tools.
    fn limited(&self) -> Policy {
        let mut policy = self.policy.clone();
        policy.request_timeout = Some(self.call_timeout);
        policy.limits.message_bytes = self.bounds.message_bytes;
        policy.limits.fuel = u64::try_from(self.fuel).unwrap_or(u64::MAX);
        policy
    }

    /// The limits of an aggregator: for open requests, known resources and tasks, and waiting.
    pub(crate) fn aggregator_limits(&self) -> AggregatorLimits {
        AggregatorLimits {
            parked: self.policy.limits.parked,
            parked_bytes: self.policy.limits.parked_bytes,
            pending: self.policy.limits.pending,
            known: self.policy.limits.tasks,
            patience: self.policy.list_timeout,
        }
    }

    /// Whether any client connects over HTTP.
    pub(crate) fn is_on_network(&self) -> bool {
        let mut own = self.upstreams.values().map(|upstream| upstream.listen);
        self.listen.address.is_some() || own.any(|address| address.is_some())
    }

    /// The fixed settings that differ in `new`; they take effect at the next start.
    pub(crate) fn fixed_changes(&self, new: &Self) -> Vec<String> {
        let mut names: Vec<String> = changes(keys::GLOBAL, self, new, "");
        for (name, upstream) in &self.upstreams {
            match new.upstreams.get(name) {
                None => names.push(format!("upstreams.{name}")),
                Some(new) => names.extend(changes(
                    keys::UPSTREAM,
                    upstream,
                    new,
                    &format!("upstreams.{name}."),
                )),
            }
        }
        let added = new
            .upstreams
            .keys()
            .filter(|name| !self.upstreams.contains_key(*name));
        names.extend(added.map(|name| format!("upstreams.{name}")));
        names
    }
}

fn changes<T: Clone>(keys: &'static [keys::Key<T>], old: &T, new: &T, prefix: &str) -> Vec<String> {
    let (mut old, mut new) = (old.clone(), new.clone());
    keys.iter()
        .filter(|key| !key.live && key.slot.raw(&mut old) != key.slot.raw(&mut new))
        .map(|key| format!("{prefix}{}", key.name))
        .collect()
}

impl Default for Config {
    fn default() -> Self {
        let policy = Policy::default();
        let sessions = proxy::Sessions::default();
        Self {
            bounds: proxy::Bounds::default(),
            fuel: usize::try_from(policy.limits.fuel).unwrap_or(usize::MAX),
            times: proxy::Times::default(),
            call_timeout: policy.request_timeout.unwrap_or(Duration::from_secs(300)),
            upstreams: BTreeMap::new(),
            tools: Vec::new(),
            policy,
            documents: Vec::new(),
            project_for: None,
            drift: words::DriftWord::default(),
            new_tools: words::DriftWord::default(),
            rate: RateWords::default(),
            listen: Listen::default(),
            sessions: Sessions {
                keys: Vec::new(),
                key_file: None,
                secrets: Vec::new(),
                age: sessions.age,
                bound: sessions.bound,
            },
            shared: shared::Shared::default(),
            admin: None,
            log: Log {
                level: Some("info".to_owned()),
                format: LogFormat::Human,
            },
            audit: Audit {
                file: None,
                max_bytes: 64 << 20,
                keep: 5,
                passes: true,
            },
            telemetry: Telemetry {
                endpoint: None,
                sample: 100,
            },
            written: BTreeMap::new(),
            warnings: Vec::new(),
        }
    }
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
            prefix: None,
            translate: words::TranslateWord::default(),
            lock: None,
            pins: None,
            place: None,
        }
    }
}

#[cfg(feature = "otel")]
impl Telemetry {
    /// The URL for a signal, if the endpoint is configured here.
    pub(crate) fn at(&self, path: &str) -> Option<String> {
        let endpoint = self.endpoint.as_ref()?;
        Some(format!("{}/{path}", endpoint.trim_end_matches('/')))
    }

    /// The fraction of traces that is exported; `None` if all are.
    pub(crate) fn ratio(&self) -> Option<f64> {
        let part = u32::try_from(self.sample).ok().filter(|part| *part < 100)?;
        Some(f64::from(part) / 100.0)
    }
}

impl Default for RateWords {
    fn default() -> Self {
        Self {
            calls: 0,
            per: Duration::from_secs(1),
            burst: 1,
        }
    }
}
