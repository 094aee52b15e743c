//! The settings as the guard uses them.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use toolsure_analysis::project::{Limits, Projector};
use toolsure_analysis::readers::Reader;
use toolsure_guard::policy::Policy;
use toolsure_guard::{AggregatorLimits, default_prefix};
use toolsure_json::quote;
use toolsure_proxy::guard as proxy;

use super::auth::Auth;
use super::caller_rule::{CallerRule, RulePlaces};
use super::listen::Listen;
use super::place::{Place, SHOWN};
use super::rate::RateWords;
use super::read::{file, read};
use super::sessions::Sessions;
use super::shared::Shared;
use super::tool_rule::ToolRule;
use super::upstream::Upstream;
use super::words::{LogFormat, TranslateWord};

/// All settings, after every source was read.
///
/// It has no `Debug`, because it contains the values of headers and variables.
#[derive(Clone)]
pub(crate) struct Config {
    /// The servers behind the guard, by name.
    pub(crate) upstreams: BTreeMap<String, Upstream>,
    /// Rules for single tools. Later rules override earlier ones, setting by setting.
    pub(super) tools: Vec<ToolRule>,
    /// What callers may use.
    pub(super) callers: Vec<CallerRule>,
    /// The policy for all tools; [`Config::policy`] completes it for one upstream.
    pub(super) policy: Policy,
    /// Documents that references may resolve to, by URI.
    pub(super) documents: Vec<(String, PathBuf)>,
    /// The provider or client that tools are rewritten for.
    pub(super) project_for: Option<&'static Reader>,
    pub(super) rate: RateWords,
    pub(super) tool_rate: RateWords,
    pub(super) total_rate: RateWords,
    pub(super) address_rate: RateWords,
    pub(crate) listen: Listen,
    pub(crate) auth: Auth,
    pub(crate) sessions: Sessions,
    pub(crate) shared: Shared,
    pub(crate) admin: Option<SocketAddr>,
    /// The digest of the token that approvals on the page need, as configured.
    pub(crate) admin_token: Option<String>,
    /// The limits of the transports; the limits of the policy are in its `limits`.
    pub(crate) bounds: proxy::Bounds,
    /// The fuel of one check.
    pub(super) fuel: usize,
    pub(crate) times: proxy::Times,
    /// How long a call may take.
    pub(super) call_timeout: Duration,
    pub(crate) log: Log,
    pub(crate) audit: Audit,
    pub(crate) telemetry: Telemetry,
    /// The name and the text of the configuration file.
    pub(super) source: (String, String),
    /// The section keys that were set, and the last source of each.
    pub(super) written: BTreeMap<&'static str, Place>,
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

impl Config {
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
        let mut policy = self.limited().without_filters();
        policy.address_rate = self.address_rate.rate();
        let merged = self.merged();
        let names: Vec<&str> = merged.iter().map(|(name, _)| *name).collect();
        policy.admission = CallerRule::of_upstreams(&self.callers, &names);
        policy
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

    /// The policy for one upstream.
    pub(crate) fn policy(&self, name: &str, upstream: &Upstream) -> Policy {
        let mut policy = self.limited();
        let is_merged = self.merged().iter().any(|(merged, _)| *merged == name);
        if is_merged {
            policy.name_prefix = Self::prefix(name, upstream).into();
        }
        policy.project_for = self.project_for.map(|profile| {
            let projector = Projector::new(profile)
                // Relations to the originals are only for people; `toolsure project` shows them.
                .limits(Limits::without_relations())
                .compiler(policy.compiler.clone())
                .server(name)
                .prefix(policy.name_prefix.chars().count());
            Arc::new(projector)
        });
        policy.drift.lock.clone_from(&upstream.pins);
        let config = Some(self.source.0.as_str()).filter(|name| !name.is_empty());
        policy.drift.review = upstream.review(name, config);
        // Passes are counted, whether or not the audit log records them.
        policy.record_passes = true;
        policy.translated_from_modern = upstream.translate == TranslateWord::LegacyClients;
        policy.rate = self.rate.rate();
        policy.tool_rate = self.tool_rate.rate();
        policy.total_rate = self.total_rate.rate();
        // Behind others, it does not know the clients' addresses.
        policy.address_rate = self.address_rate.rate().filter(|_| !is_merged);
        policy.callers = CallerRule::of_upstreams(&self.callers, &[name]);
        policy.tools = self
            .tools
            .iter()
            .map(|rule| {
                let mut made = rule.rule.clone();
                made.name = rule.pattern.clone().unwrap_or_default();
                made.rate = rule.rate.rate();
                made
            })
            .collect();
        policy
    }

    /// Whether there are rules for callers.
    pub(crate) fn has_caller_rules(&self) -> bool {
        !self.callers.is_empty()
    }

    /// Where the rules for callers are.
    pub(crate) fn rule_places(&self) -> RulePlaces {
        let (name, text) = &self.source;
        RulePlaces::of(&self.callers, name, text)
    }

    /// Whether there is a static token with this name.
    pub(crate) fn has_token(&self, name: &str) -> bool {
        self.auth.tokens.iter().any(|(own, _)| own == name)
    }

    /// How many connections may start their servers, if each starts `children`: `limits.children`
    /// bounds all processes together.
    pub(crate) fn children_of_each(&self, children: usize) -> Result<usize, String> {
        match self.bounds.children.checked_div(children) {
            Some(0) => Err(format!(
                "each connection starts {children} servers, which is more than `limits.children` ({})",
                self.bounds.children
            )),
            Some(each) => Ok(each),
            None => Ok(self.bounds.sessions),
        }
    }

    /// Registers the documents that references may resolve to.
    pub(super) fn register(&mut self) -> Result<(), String> {
        for (uri, path) in &self.documents {
            let bytes = read(path).map_err(|why| format!("`schemas.documents`: {why}"))?;
            let made = self.policy.compiler.clone().register(uri, &bytes);
            self.policy.compiler = made.map_err(|error| {
                let uri = quote(uri, SHOWN);
                format!("`schemas.documents`: {} as `{uri}`: {error}", file(path))
            })?;
        }
        Ok(())
    }
}

impl Default for Config {
    fn default() -> Self {
        let policy = Policy::default();
        Self {
            bounds: proxy::Bounds::default(),
            fuel: usize::try_from(policy.limits.fuel).unwrap_or(usize::MAX),
            times: proxy::Times::default(),
            call_timeout: policy.request_timeout.unwrap_or(Duration::from_secs(300)),
            upstreams: BTreeMap::new(),
            tools: Vec::new(),
            callers: Vec::new(),
            policy,
            documents: Vec::new(),
            project_for: None,
            rate: RateWords::default(),
            tool_rate: RateWords::default(),
            total_rate: RateWords::default(),
            address_rate: RateWords::default(),
            listen: Listen::default(),
            auth: Auth::default(),
            sessions: Sessions::default(),
            shared: Shared::default(),
            admin: None,
            admin_token: None,
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
            source: (String::new(), String::new()),
            written: BTreeMap::new(),
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
