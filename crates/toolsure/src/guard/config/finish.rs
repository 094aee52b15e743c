//! Completes the settings, and checks what must hold between them.

use std::net::SocketAddr;
use std::sync::Arc;

use toolsure_guard::Digest;
use toolsure_guard::policy::{self, RuleUsage, name_matches};
use toolsure_guard::{Aggregator, AggregatorLimits, Member};
use toolsure_json::{quote, shown_url};
use toolsure_proxy::HttpTarget;
use toolsure_schema::closest;
use tracing_subscriber::filter::{LevelFilter, Targets};

use super::auth::Around;
use super::no_effect;
use super::place::{Place, SHOWN, Shows};
use super::problem::Problem;
use super::settings::Config;
use super::slot::wrong_word;
use super::sources::Sources;
use super::upstream::Upstream;
use super::words::{AuthorizationWord, TranslateWord, Words as _};

/// Completes the settings, and returns what does not fit together.
pub(super) fn finish(config: &mut Config, sources: &Sources<'_>) -> Vec<Problem> {
    let mut problems = Vec::new();
    server(config, sources, &mut problems);
    // Checked before paths get their defaults.
    let without_address = without_address(config);
    for rule in &mut config.tools {
        if let Err(why) = rule.finish() {
            let place = Place::File(rule.place.clone(), Shows::Key);
            problems.push(Problem::new(place, why));
        }
    }
    for (number, rule) in (1..).zip(&mut config.callers) {
        if let Err(why) = rule.finish(number) {
            let place = Place::File(rule.place.clone(), Shows::Key);
            problems.push(Problem::new(place, why));
        }
    }
    problems.extend(no_effect::rates(config).chain(no_effect::listen(config)));
    problems.extend(no_effect::changes(config).chain(no_effect::alone(config)));
    let read = [
        config.register(),
        config.sessions.finish(&sources.environment),
        config.shared.finish(&sources.environment),
        config.listen.finish(),
    ];
    let wrong = read.into_iter().filter_map(Result::err);
    problems.extend(wrong.map(|why| problem(config, why)));
    for (name, upstream) in &mut config.upstreams {
        let place = upstream.place();
        for why in upstream.finish(name, &sources.environment, sources.makes_locks) {
            problems.push(Problem::new(
                place.clone(),
                format!("upstream `{name}`: {why}"),
            ));
        }
    }
    if let Some(token) = &config.admin_token
        && Digest::read(token).is_none()
    {
        problems.push(problem(
            config,
            "`admin.token` must be `sha256:` and 64 hexadecimal digits",
        ));
    }
    problems.extend(without_address);
    problems.extend(authentication(config, sources));
    if config.upstreams.is_empty() {
        problems.push(problem(config,
            "there is no server: give a command after `--`, `--upstream URL`, or `[upstreams.NAME]` in the file",
        ));
    }
    let mut addresses: Vec<Option<SocketAddr>> = config
        .upstreams
        .values()
        .filter_map(|upstream| upstream.listen.map(Some))
        .collect();
    if addresses.len() < config.upstreams.len() {
        // All other upstreams share that address.
        addresses.push(config.listen.address);
    }
    if addresses.len() > 1 && addresses.contains(&None) {
        problems.push(problem(config,
            "with `upstreams.NAME.listen` the other upstreams need an address too, `listen.address`: standard input and output serve only one client",
        ));
    }
    let merging = merging(config);
    problems.extend(merging.into_iter().map(|why| problem(config, why)));
    config.policy.rule_usage = Some(Arc::new(RuleUsage::new(config.upstreams.len())));
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
            problems.push(problem(config, format!(
                "`{one}` is used twice; `listen.address`, `admin.address` and each `upstreams.NAME.listen` need different addresses"
            )));
        }
    }
    if let Some(level) = &config.log.level
        && !is_levels(level)
    {
        let wrong = level.split(',').find(|part| !is_level(part));
        let wrong = wrong.unwrap_or(level);
        let hint = match closest(wrong, LEVELS) {
            Some(word) => format!("; did you mean `{word}`?"),
            None => String::new(),
        };
        problems.push(problem(
            config,
            format!(
                "`log.level`: `{}` is neither a level nor a list of `module=level`{hint}",
                quote(wrong, SHOWN)
            ),
        ));
    }
    if let Some(endpoint) = &config.telemetry.endpoint
        && HttpTarget::new(endpoint).is_err()
    {
        problems.push(problem(
            config,
            format!(
                "`telemetry.endpoint`: `{}` is not an http or https URL",
                shown_url(endpoint)
            ),
        ));
    }
    for (name, upstream) in &config.upstreams {
        if let Err(error) = config.policy(name, upstream).check() {
            let message = format!("upstream `{name}`: policy: {error}");
            problems.push(Problem::new(upstream.place(), message));
        }
    }
    problems
}

/// Completes the authentication of callers, and returns what is wrong with it.
fn authentication(config: &mut Config, sources: &Sources<'_>) -> Vec<Problem> {
    let upstreams = config.upstreams.values();
    let around = Around {
        environment: &sources.environment,
        public_url: config.listen.public_url.as_deref(),
        has_proxies: !config.listen.trusted_proxies.is_empty(),
        has_client_authorities: config.listen.client_authorities.is_some(),
        passes_on: upstreams
            .clone()
            .any(|upstream| upstream.authorization == AuthorizationWord::Caller),
    };
    if let Err(why) = config.auth.finish(&around) {
        return vec![problem(config, why)];
    }
    let mut problems = Vec::new();
    let addresses = upstreams.filter_map(|upstream| Some((upstream.listen?, upstream.place())));
    let own = config.listen.address;
    let mut addresses = addresses.chain(own.map(|own| (own, place_of(config, "listen.address"))));
    let public = addresses.find(|(address, _)| !address.ip().is_loopback());
    let is_open = config.auth.authenticator.is_none();
    if let Some((public, place)) = public.filter(|_| is_open && !config.listen.open) {
        let message = format!(
            "everybody who reaches `{public}` could use the guard: callers do not have to authenticate"
        );
        let problem = Problem::new(place, message);
        problems.push(problem.with_help(
            "set up `[auth]` or `listen.tls_client_ca`; `listen.open = true` lets everybody in, for example if something in front authenticates",
        ));
    }
    if let Some(rule) = config.callers.first().filter(|_| is_open) {
        let place = Place::File(rule.place.clone(), Shows::Key);
        let message = "`[[callers]]` need callers that authenticate";
        let problem = Problem::new(place, message);
        problems.push(
            problem.with_help("set up `[auth]` or `listen.tls_client_ca`, with `listen.address`"),
        );
    }
    for rule in &config.callers {
        let unknown = rule
            .upstreams
            .iter()
            .find(|name| !config.upstreams.contains_key(*name));
        if let Some(unknown) = unknown {
            let place = Place::File(rule.place.clone(), Shows::Key);
            let message = format!("there is no upstream `{}`", quote(unknown, SHOWN));
            let names = config.upstreams.keys().map(String::as_str);
            problems.push(Problem::new(place, message).meant(closest(unknown, names)));
        }
    }
    problems.extend(idle_callers(config));
    // A token for the guard is for no other server.
    if !is_open {
        for upstream in config.upstreams.values_mut() {
            if upstream.authorization == AuthorizationWord::Auto {
                upstream.authorization = AuthorizationWord::None;
            }
        }
    }
    problems
}

/// Rules that no caller can match, or that list names that no upstream's tools and prompts can have.
fn idle_callers(config: &Config) -> Vec<Problem> {
    let mut problems = Vec::new();
    let merged = config.merged();
    // Upstreams with an address of their own have names without a prefix.
    let is_prefixed = !merged.is_empty() && merged.len() == config.upstreams.len();
    for rule in &config.callers {
        let at = || Place::File(rule.place.clone(), Shows::Key);
        if let Some(token) = &rule.rule.token
            && !config
                .auth
                .tokens
                .iter()
                .any(|(name, _)| name_matches(token, name))
        {
            let message = format!("`auth.tokens` has no `{}`", quote(token, SHOWN));
            let names = config.auth.tokens.iter().map(|(name, _)| name.as_str());
            problems.push(Problem::new(at(), message).meant(closest(token, names)));
        }
        for entry in rule.tools.iter().flatten() {
            let name = entry.strip_prefix('!').unwrap_or(entry);
            let each = "write an entry for each pattern";
            if let Some((message, help)) = no_effect::meaningless("tools", name, each) {
                problems.push(Problem::new(at(), message).with_help(help));
            }
        }
        for (key, needs) in without_source(config, &rule.rule) {
            let message = format!("`{key}` matches no caller without {needs}");
            problems.push(Problem::new(at(), message));
        }
        let is_for = |name: &str| {
            rule.upstreams.is_empty() || rule.upstreams.iter().any(|upstream| upstream == name)
        };
        let own = merged.iter().filter(|(name, _)| is_for(name));
        let prefixes: Vec<String> = own
            .map(|(name, upstream)| Config::prefix(name, upstream))
            .collect();
        let entries = [&rule.tools, &rule.prompts].into_iter().flatten().flatten();
        for entry in entries.filter(|_| is_prefixed && !prefixes.is_empty()) {
            let name = entry.strip_prefix('!').unwrap_or(entry);
            let head = name.split(['*', '?']).next().unwrap_or(name);
            let fits = |prefix: &String| prefix.starts_with(head) || head.starts_with(prefix);
            if !name.starts_with('@') && !prefixes.iter().any(fits) {
                let message = format!(
                    "no name is like `{}`: with several upstreams, names begin with one of {}",
                    quote(name, SHOWN),
                    prefixes.join(", ")
                );
                problems.push(Problem::new(at(), message));
            }
        }
    }
    problems
}

/// The keys of a rule about what callers get from a way to authenticate that is not set, and that way.
fn without_source<'r>(
    config: &Config,
    rule: &'r policy::CallerRule,
) -> impl Iterator<Item = (&'static str, &'static str)> + use<'r> {
    let has_issuer = config.auth.issuer.is_some();
    let has_subjects = has_issuer || config.auth.header.is_some();
    let has_certificates = config.listen.client_authorities.is_some();
    let keys = [
        ("group", &rule.group, has_issuer, "`auth.issuer`"),
        ("scope", &rule.scope, has_issuer, "`auth.issuer`"),
        ("issuer", &rule.issuer, has_issuer, "`auth.issuer`"),
        (
            "subject",
            &rule.subject,
            has_subjects,
            "`auth.issuer` or `auth.header`",
        ),
        (
            "certificate",
            &rule.certificate,
            has_certificates,
            "`listen.tls_client_ca`",
        ),
    ];
    let missing = keys
        .into_iter()
        .filter(|(_, value, is_given, _)| value.is_some() && !is_given);
    missing.map(|(key, _, _, needs)| (key, needs))
}

/// Keys of upstreams that need an address of their own.
fn without_address(config: &Config) -> Vec<Problem> {
    let merged = config.merged().into_iter();
    let keys = merged.flat_map(|(name, upstream)| {
        let path = upstream.path.is_some().then_some("path");
        let public_url = upstream.public_url.is_some().then_some("public_url");
        let keys = path.into_iter().chain(public_url);
        keys.map(move |key| (name, key))
    });
    let problems = keys.map(|(name, key)| {
        problem(config, format!(
            "upstream `{name}`: `{key}` needs the upstream's own address, `listen`; upstreams that share an address are served at `/mcp`"
        ))
    });
    problems.collect()
}

/// A problem between settings. It is shown at the first one that the message names between backquotes and
/// that was set: a key, a section in brackets, or an upstream.
fn problem(config: &Config, message: impl Into<String>) -> Problem {
    let message = message.into();
    let named = message.split('`').skip(1).step_by(2);
    let mut places = named.map(|name| place_of(config, name));
    let place = places.find(|place| *place != Place::Whole);
    Problem::new(place.unwrap_or(Place::Whole), message)
}

/// Where a key, a section in brackets or an upstream was set.
fn place_of(config: &Config, name: &str) -> Place {
    if let Some(upstream) = config.upstreams.get(name) {
        return upstream.place();
    }
    let section = name
        .strip_prefix('[')
        .and_then(|name| name.strip_suffix(']'));
    let mut written = config.written.iter();
    let found = written.find(|(key, _)| match section {
        Some(section) => key.split('.').next() == Some(section),
        None => **key == name,
    });
    found.map_or(Place::Whole, |(_, place)| place.clone())
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

/// Whether a text is a level or a list of levels by module. [`Targets`] alone would accept a
/// misspelled level as a module.
fn is_levels(text: &str) -> bool {
    text.split(',').all(is_level) && text.parse::<Targets>().is_ok()
}

fn is_level(part: &str) -> bool {
    let level = part.rsplit('=').next().unwrap_or(part);
    level.parse::<LevelFilter>().is_ok()
}

/// The words for levels.
const LEVELS: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];
