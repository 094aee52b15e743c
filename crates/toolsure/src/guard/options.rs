//! Turns the settings into the options of each guard: its listener, its server, its limits.

use std::net::SocketAddr;
use std::sync::Arc;

use toolsure_guard::Guard;
use toolsure_proxy::Launch;
use toolsure_proxy::guard::{
    Aggregate, AggregateMember, Clock, GuardOptions, HttpListener, Listener, MessageMemory,
    Observer, Restart, SessionKeys, Sessions, Upstream as Behind,
};

use super::allocator;
use super::config::{Config, Upstream};
use crate::exit::Failure;
use crate::listing::Peer;

/// The options of the guard in front of several upstreams, and the upstreams.
pub(super) fn in_front(
    members: Vec<AggregateMember>,
    config: &Config,
    message_memory: &MessageMemory,
    clock: Clock,
) -> Result<(GuardOptions, Arc<Aggregate>), Failure> {
    let children = |member: &AggregateMember| !matches!(member.upstream, Behind::Http(_));
    let children = members.iter().filter(|member| children(member)).count();
    let mut bounds = config.bounds;
    let own = bounds;
    bounds.children = config.children_of_each(children).map_err(Failure::usage)?;
    // As many connections as fit into the processes; 0 is half of them in any case.
    if let Some(of_one) = config.bounds.caller_children.checked_div(children)
        && config.bounds.caller_children > 0
    {
        bounds.caller_children = of_one.max(1);
    }
    let times = config.times;
    let aggregate = Aggregate::new(members, (own, times), config.aggregator_limits(), clock);
    let aggregate = aggregate.map_err(|error| Failure::usage(error.to_string()))?;
    let aggregate = Arc::new(aggregate.sharing(message_memory.clone()));
    let listener = listener(config.listen.address, MERGED_PATH, config);
    let upstream = Behind::Several(Arc::clone(&aggregate));
    let mut options = GuardOptions::new(AGGREGATE, listener, upstream);
    options.bounds = bounds;
    options.times = times;
    options.clock = clock;
    options.message_memory = message_memory.clone();
    Ok((options, aggregate))
}

/// The server of an upstream that shares one listing with others.
pub(super) fn member_upstream(
    name: &str,
    upstream: &Upstream,
    config: &Config,
    (message_memory, clock): (&MessageMemory, Clock),
    (guard, observer): (&Guard, &Arc<dyn Observer>),
) -> Result<Behind, Failure> {
    let behind = behind(name, upstream, None)?;
    let Some(translate) = upstream.translate.mode() else {
        return Ok(behind);
    };
    let listener = listener(config.listen.address, MERGED_PATH, config);
    let mut options = GuardOptions::new(name, listener, behind);
    options.bounds = config.bounds;
    options.times = config.times;
    options.message_memory = message_memory.clone();
    options.clock = clock;
    let options = options.translated(translate, guard, Arc::clone(observer));
    Ok(options.upstream)
}

pub(super) fn options(
    name: &str,
    upstream: &Upstream,
    config: &Config,
) -> Result<GuardOptions, Failure> {
    let listen = &config.listen;
    let path = upstream.path.as_deref().unwrap_or(MERGED_PATH);
    let mut listener = listener(upstream.listen.or(listen.address), path, config);
    if let Listener::Http(http) = &mut listener
        && (upstream.listen.is_some() || upstream.public_url.is_some())
    {
        http.public_url.clone_from(&upstream.public_url);
    }
    let behind = behind(name, upstream, Some(&listener))?;
    let mut options = GuardOptions::new(name, listener, behind);
    options.bounds = config.bounds;
    options.times = config.times;
    Ok(options)
}

/// The listener for clients.
fn listener(address: Option<SocketAddr>, path: &str, config: &Config) -> Listener {
    let Some(address) = address else {
        return Listener::Stdio;
    };
    let listen = &config.listen;
    let mut http = HttpListener::new(address);
    http.path = path.to_owned();
    http.hosts.clone_from(&listen.hosts);
    http.origins.clone_from(&listen.origins);
    http.tls.clone_from(&listen.certificate);
    http.public_url.clone_from(&listen.public_url);
    http.trusted_proxies.clone_from(&listen.trusted_proxies);
    http.client_authorities
        .clone_from(&listen.client_authorities);
    http.authenticator.clone_from(&config.auth.authenticator);
    Listener::Http(http)
}

/// The server of an upstream; `listener` is the upstream's own, if it has one.
fn behind(name: &str, upstream: &Upstream, listener: Option<&Listener>) -> Result<Behind, Failure> {
    match (&upstream.url, upstream.command.split_first()) {
        (Some(url), _) => {
            let target = upstream.target(url);
            Ok(Behind::Http(target.map_err(Failure::usage)?))
        }
        (None, Some((program, arguments))) => Ok(Behind::Child {
            launch: launch(program, arguments, upstream),
            restart: restart(upstream, listener),
        }),
        // `Config::load` refuses such an upstream.
        (None, None) => Err(Failure::usage(format!("upstream `{name}` names no server"))),
    }
}

/// How a command other than the guard reaches the server of an upstream.
pub(super) fn peer(name: &str, upstream: &Upstream) -> Result<Peer, Failure> {
    Ok(match behind(name, upstream, None)? {
        Behind::Http(target) => Peer::Http(target),
        Behind::Child { launch, .. } => Peer::Child(launch),
        _ => {
            return Err(Failure::usage(format!(
                "upstream `{name}` is no single server"
            )));
        }
    })
}

pub(super) fn sessions(config: &Config, keys: &SessionKeys) -> Sessions {
    Sessions {
        keys: keys.clone(),
        age: config.sessions.age,
        bound: config.sessions.bound,
    }
}

fn launch(program: &str, arguments: &[String], upstream: &Upstream) -> Launch {
    let mut launch = Launch::new(program).args(arguments);
    if let Some(own) = allocator::own_variable() {
        launch = launch.env_remove(own);
    }
    for (name, value) in &upstream.env {
        launch = launch.env(name, value);
    }
    match &upstream.dir {
        Some(dir) => launch.dir(dir),
        None => launch,
    }
}

/// A client on standard input and output has sent its server messages that a new process does not
/// know, so the guard ends with the server. Other clients can use a restarted server; one that
/// shares a listing gets the opening messages of the first again.
fn restart(upstream: &Upstream, listener: Option<&Listener>) -> Restart {
    if matches!(listener, Some(Listener::Stdio)) {
        return Restart::NEVER;
    }
    Restart {
        most: u32::try_from(upstream.restarts).unwrap_or(u32::MAX),
        window: upstream.restart_window,
    }
}

/// The name of the guard in front of several upstreams in logs and metrics; no upstream has it.
pub(super) const AGGREGATE: &str = "*";
/// The URL path of several upstreams with one listing.
const MERGED_PATH: &str = "/mcp";
