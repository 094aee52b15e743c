//! Checks what must hold between settings, and reads the files that they name.

use std::fs::File;
use std::io::Read;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use toolgate_analysis::project::{Limits, Projector};
use toolgate_guard::policy::{Policy, Rate, RuleUsage};
use toolgate_guard::{Aggregator, AggregatorLimits, Lock, Member};
use toolgate_json::quote;
use toolgate_proxy::guard::{ServerCertificate, SessionKeys};
use toolgate_proxy::{Fault, HttpTarget, shown_url};
use tracing_subscriber::filter::{LevelFilter, Targets};

use super::problem::{Place, Problem, Shows};
use super::slot::wrong_word;
use super::words::{TranslateWord, Words as _};
use super::{Config, Listen, RateWords, Sessions, Sources, Upstream, rule};
use crate::check::expand;
use crate::render::Source;
use crate::term::Canvas;

/// The problems of the settings, with the text in which they are located.
#[derive(Default)]
pub(crate) struct Faults {
    problems: Vec<Problem>,
    name: String,
    pub(super) text: String,
}

impl Faults {
    /// Each problem as a diagnostic in cargo's style, one after the other.
    pub(crate) fn draw(&self, canvas: Canvas) -> String {
        let source = Source::new(&self.name, self.text.as_bytes());
        let drawn = |problem: &Problem| problem.draw(Some(&source), canvas);
        self.problems.iter().map(drawn).collect()
    }

    /// Each problem as one line of a log.
    pub(crate) fn lines(&self) -> impl Iterator<Item = String> {
        let source = Source::new(&self.name, self.text.as_bytes());
        let lines: Vec<String> = self
            .problems
            .iter()
            .map(|problem| problem.line(Some(&source)))
            .collect();
        lines.into_iter()
    }

    /// The number of problems.
    pub(crate) fn len(&self) -> usize {
        self.problems.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.problems.is_empty()
    }

    pub(super) fn extend(&mut self, problems: impl IntoIterator<Item = Problem>) {
        self.problems.extend(problems);
    }

    /// Reads the configuration file; if it cannot, adds a problem.
    pub(super) fn open(&mut self, path: &Path) -> Option<String> {
        self.name = path.display().to_string();
        match read(path).map(String::from_utf8) {
            Ok(Ok(text)) => return Some(text),
            Ok(Err(_)) => self.whole(format!("{} is not UTF-8 text", file(path))),
            Err(why) => self.whole(why),
        }
        None
    }

    fn whole(&mut self, message: String) {
        self.problems.push(Problem::new(Place::Whole, message));
    }
}

/// Completes the settings, and returns what does not fit together.
pub(super) fn finish(config: &mut Config, sources: &Sources<'_>) -> Vec<Problem> {
    let mut problems = Vec::new();
    server(config, sources, &mut problems);
    let pathed: Vec<String> = config
        .merged()
        .into_iter()
        .filter(|(_, upstream)| upstream.path.is_some())
        .map(|(name, _)| name.to_owned())
        .collect();
    for rule in &mut config.tools {
        if let Err(why) = rule.finish() {
            problems.push(Problem::new(Place::Whole, why));
        }
    }
    problems.extend(rule::rate(config));
    let read = [
        config.register(),
        config.sessions.finish(sources),
        config.shared.finish(sources),
        config.listen.finish(),
    ];
    let wrong = read.into_iter().filter_map(Result::err);
    problems.extend(wrong.map(|why| Problem::new(Place::Whole, why)));
    for (name, upstream) in &mut config.upstreams {
        let place = upstream.place.clone();
        let place = place.map_or(Place::Whole, |span| Place::File(span, Shows::Key));
        for why in upstream.finish(|name| sources.variable(name)) {
            problems.push(Problem::new(
                place.clone(),
                format!("upstream `{name}`: {why}"),
            ));
        }
    }
    for name in pathed {
        let message = format!(
            "upstream `{name}`: `path` needs the upstream's own address, `listen`; upstreams that share an address are served at `/mcp`"
        );
        problems.push(Problem::new(Place::Whole, message));
    }
    let mut whole = |message: &str| problems.push(Problem::new(Place::Whole, message));
    if config.upstreams.is_empty() {
        whole(
            "there is no server: give a command after `--`, `--upstream URL`, or `[upstreams.NAME]` in the file",
        );
    }
    let listen = &config.listen;
    let mut addresses: Vec<Option<SocketAddr>> = config
        .upstreams
        .values()
        .filter_map(|upstream| upstream.listen.map(Some))
        .collect();
    if addresses.len() < config.upstreams.len() {
        // All other upstreams share that address.
        addresses.push(listen.address);
    }
    if addresses.len() > 1 && addresses.contains(&None) {
        whole(
            "with `upstreams.NAME.listen` the other upstreams need an address too, `listen.address`: standard input and output serve only one client",
        );
    }
    for message in merging(config) {
        whole(&message);
    }
    config.policy.rule_usage = Some(Arc::new(RuleUsage::new(config.upstreams.len())));
    let plain =
        listen.hosts.is_empty() && listen.origins.is_empty() && listen.tls_certificate.is_none();
    if addresses.iter().all(Option::is_none) && !plain {
        whole("`listen.hosts`, `listen.origins` and TLS need `listen.address`");
    }
    let mut taken: Vec<SocketAddr> = addresses
        .into_iter()
        .flatten()
        .chain(config.admin)
        .collect();
    taken.retain(|address| address.port() != 0);
    taken.sort();
    for pair in taken.windows(2) {
        if let [one, other] = pair
            && one == other
        {
            whole(&format!(
                "`{one}` is used twice; `listen`, `admin` and each `upstreams.NAME.listen` need different addresses"
            ));
        }
    }
    if let Some(level) = &config.log.level
        && !is_levels(level)
    {
        whole(&format!(
            "`log.level`: `{}` is neither a level nor a list of `module=level`",
            quote(level, SHOWN)
        ));
    }
    if let Some(endpoint) = &config.telemetry.endpoint
        && HttpTarget::new(endpoint).is_err()
    {
        whole(&format!(
            "`telemetry.endpoint`: `{}` is not an http or https URL",
            shown_url(endpoint)
        ));
    }
    for (name, upstream) in &config.upstreams {
        if let Err(error) = config.policy(name, upstream).check() {
            let message = format!("upstream `{name}`: policy: {error}");
            problems.push(Problem::new(Place::Whole, message));
        }
    }
    problems
}

/// Why upstreams cannot share one listing.
fn merging(config: &Config) -> Vec<String> {
    let mut wrong: Vec<String> = config
        .upstreams
        .iter()
        .filter(|(_, upstream)| upstream.listen.is_some() && upstream.prefix.is_some())
        .map(|(name, _)| {
            format!(
                "upstream `{name}`: `prefix` is for upstreams that share a listing, but this one has its own address"
            )
        })
        .collect();
    let members = config.merged().into_iter().map(|(name, upstream)| Member {
        name: name.to_owned(),
        prefix: Config::prefix(name, upstream),
    });
    let aggregator = Aggregator::new(members.collect(), AggregatorLimits::default());
    wrong.extend(aggregator.err().map(|error| error.to_string()));
    let merged = config.merged().into_iter();
    let children = merged
        .filter(|(_, upstream)| upstream.url.is_none())
        .count();
    wrong.extend(config.children_of_each(children).err());
    wrong
}

/// Adds the server that the command line names, and applies `--lock` and `--translate`.
fn server(config: &mut Config, sources: &Sources<'_>, problems: &mut Vec<Problem>) {
    let said = &sources.server;
    if let Some(upstream) = &said.upstream {
        if let Some(name) = config.upstreams.keys().next() {
            let message = format!("the settings already have a server, `{name}`");
            problems.push(
                Problem::new(
                    Place::Flag("the server on the command line".to_owned()),
                    message,
                )
                .with_help("leave one of the two out"),
            );
            return;
        }
        let name = said.name.as_deref().unwrap_or("server").to_owned();
        if let Err(why) = Upstream::check_name(&name) {
            problems.push(Problem::new(Place::Flag("--name".to_owned()), why));
            return;
        }
        config.upstreams.insert(name, upstream.clone());
    }
    let mut flag = |flag: &str, put: &dyn Fn(&mut Upstream)| {
        let count = config.upstreams.len();
        match config.upstreams.values_mut().next() {
            Some(only) if count == 1 => put(only),
            Some(_) => {
                let message = "there are several upstreams; set this for each of them in the file";
                problems.push(Problem::new(Place::Flag(flag.to_owned()), message));
            }
            None => {}
        }
    };
    if let Some(lock) = &said.lock {
        flag("--lock", &|upstream| upstream.lock = Some(lock.clone()));
    }
    if let Some(word) = &said.translate {
        match TranslateWord::of(word) {
            Some(translate) => flag("--translate", &|upstream| upstream.translate = translate),
            None => {
                let message = wrong_word(word, TranslateWord::WORDS);
                problems.push(Problem::new(Place::Flag("--translate".to_owned()), message));
            }
        }
    }
}

impl Sources<'_> {
    /// An environment variable.
    pub(super) fn variable(&self, wanted: &str) -> Option<String> {
        let found = self.environment.iter().find(|(name, _)| name == wanted);
        found.map(|(_, value)| value.clone())
    }
}

impl Sessions {
    /// Reads the secrets. Errors contain none of them.
    fn finish(&mut self, sources: &Sources<'_>) -> Result<(), String> {
        self.secrets = match &self.key_file {
            None => {
                let each = self.keys.iter();
                let expanded = each.map(|key| expand(key, |name| sources.variable(name)));
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

impl Config {
    /// How many connections may start their servers, if each starts `children`: `limits.children`
    /// bounds all processes together.
    pub(in crate::guard) fn children_of_each(&self, children: usize) -> Result<usize, String> {
        match self.bounds.children.checked_div(children) {
            Some(0) => Err(format!(
                "each connection starts {children} servers, which is more than `limits.children` ({})",
                self.bounds.children
            )),
            Some(each) => Ok(each),
            None => Ok(self.bounds.sessions),
        }
    }
}

impl Listen {
    /// Reads the certificate and checks the origins.
    fn finish(&mut self) -> Result<(), String> {
        // The origin of a sandboxed page is `null`.
        let is_origin = |origin: &str| match origin.split_once("://") {
            Some((scheme, host)) => !scheme.is_empty() && !host.is_empty() && !host.contains('/'),
            None => origin == "null",
        };
        if let Some(wrong) = self.origins.iter().find(|origin| !is_origin(origin)) {
            let wrong = quote(wrong, SHOWN);
            return Err(format!(
                "`listen.origins`: `{wrong}` is not an origin; it has a scheme and no path, as in `https://app.example`"
            ));
        }
        self.certificate = match (&self.tls_certificate, &self.tls_key) {
            (None, None) => None,
            (Some(certificate), Some(key)) => {
                let read = ServerCertificate::read(certificate, key);
                Some(read.map_err(|fault| fault.to_string())?)
            }
            _ => {
                return Err("`listen.tls_certificate` and `listen.tls_key` go together".into());
            }
        };
        Ok(())
    }
}

impl Upstream {
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

    fn finish(&mut self, environment: impl Fn(&str) -> Option<String>) -> Vec<String> {
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
            match expand(value, &environment) {
                Ok(expanded) => *value = expanded,
                Err(why) => wrong.push(why),
            }
        }
        if let Some(url) = &self.url
            && let Err(why) = self.target(url)
        {
            wrong.push(why);
        }
        let path = self.path.get_or_insert_with(|| "/mcp".to_owned());
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_./~".contains(c);
        if !path.starts_with('/') || !path.chars().all(plain) {
            wrong.push(format!(
                "`path` must start with `/` and have letters, digits and `-_.~/` only, found `{}`",
                quote(path, SHOWN)
            ));
        }
        if let Some(lock) = &self.lock {
            match read(lock).and_then(|bytes| pins(lock, &bytes)) {
                Ok(pins) => self.pins = Some(pins),
                Err(why) => wrong.push(why),
            }
        }
        wrong
    }

    /// The URL with its headers and certificate authorities.
    pub(crate) fn target(&self, url: &str) -> Result<HttpTarget, String> {
        let text = |fault: Fault| fault.to_string();
        let mut target = HttpTarget::new(url).map_err(text)?;
        for (name, value) in &self.headers {
            target = target.header(name, value).map_err(text)?;
        }
        match &self.tls_ca {
            Some(authorities) => target.trusting(authorities).map_err(text),
            None => Ok(target),
        }
    }
}

impl Config {
    /// The policy for one upstream.
    pub(crate) fn policy(&self, name: &str, upstream: &Upstream) -> Policy {
        let mut policy = self.limited();
        policy.project_for = self.project_for.map(|profile| {
            let is_merged = self.merged().iter().any(|(merged, _)| *merged == name);
            let prefix = is_merged.then(|| Self::prefix(name, upstream));
            let projector = Projector::new(profile)
                // Relations to the originals are only for people; `toolgate project` shows them.
                .limits(Limits::without_relations())
                .compiler(policy.compiler.clone())
                .server(name)
                .prefix(prefix.map_or(0, |prefix| prefix.chars().count()));
            Arc::new(projector)
        });
        let locked = upstream.pins.is_some();
        policy.drift.changed = self.drift.mode(locked);
        policy.drift.added = self.new_tools.mode(locked);
        policy.drift.lock.clone_from(&upstream.pins);
        // Passes are counted, whether or not the audit log records them.
        policy.record_passes = true;
        policy.translated_from_modern = upstream.translate == TranslateWord::LegacyClients;
        policy.rate = self.rate.rate();
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
}

impl RateWords {
    fn rate(self) -> Option<Rate> {
        let narrow = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        (self.calls > 0).then(|| Rate {
            calls: narrow(self.calls),
            per: self.per,
            burst: narrow(self.burst),
        })
    }
}

/// Whether a text is a level or a list of levels by module. [`Targets`] alone would accept a
/// misspelled level as a module.
fn is_levels(text: &str) -> bool {
    let is_level = |part: &str| part.contains('=') || part.parse::<LevelFilter>().is_ok();
    text.split(',').all(is_level) && text.parse::<Targets>().is_ok()
}

fn pins(path: &Path, bytes: &[u8]) -> Result<Arc<Lock>, String> {
    Lock::read(bytes)
        .map(Arc::new)
        .map_err(|why| format!("{} is not a listing: {why}", file(path)))
}

/// Reads a file of at most [`FILE_BYTES`].
pub(super) fn read(path: &Path) -> Result<Vec<u8>, String> {
    let cannot = |error: std::io::Error| format!("cannot read {}: {error}", file(path));
    let mut bytes = Vec::new();
    let opened = File::open(path).map_err(cannot)?;
    opened
        .take(FILE_BYTES.saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(cannot)?;
    if u64::try_from(bytes.len()).is_ok_and(|length| length > FILE_BYTES) {
        return Err(format!("{} has more than {FILE_BYTES} bytes", file(path)));
    }
    Ok(bytes)
}

pub(super) fn file(path: &Path) -> String {
    format!("`{}`", quote(&path.display().to_string(), 200))
}

/// Maximum bytes of a configuration file or a lock. The largest listing known to us has 2 MB.
const FILE_BYTES: u64 = 64 << 20;
/// Maximum characters of an untrusted text in a message.
const SHOWN: usize = 60;
