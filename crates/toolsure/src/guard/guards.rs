//! The guards of a process: how they start, and what a reload changes in them.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use tokio::sync::{mpsc, watch};
use toolsure_guard::Guard;
use toolsure_proxy::Fault;
use toolsure_proxy::guard::{
    Aggregate, AggregateMember, Clock, Exit as Ended, GuardOptions, Listener, MessageMemory,
    Observer, Running, SessionKeys, serve,
};

use super::config::{Config, Sources, Upstream};
use super::log::Logging;
use super::options::{AGGREGATE, in_front, member_upstream, options, sessions};
use super::otel::Telemetry;
use super::store::Store;
use super::watch::{Shared, Watch};
use crate::exit::{Exit, Failure};
use crate::listing::exit_of;
use crate::render::count_of;

/// What every guard of the process is started with.
pub(super) struct Parts<'r> {
    shared: Arc<Shared>,
    telemetry: Option<&'r Telemetry>,
    clock: Clock,
    store: Option<&'r Store>,
    session_keys: SessionKeys,
    /// One for all listeners: they share the memory of the process.
    message_memory: MessageMemory,
    /// Reports the ends of guards.
    report: mpsc::UnboundedSender<(String, Ended)>,
    ends: mpsc::UnboundedReceiver<(String, Ended)>,
    stop: watch::Sender<bool>,
}

impl<'r> Parts<'r> {
    pub(super) fn new(
        shared: &Arc<Shared>,
        telemetry: Option<&'r Telemetry>,
        clock: Clock,
        store: Option<&'r Store>,
    ) -> Self {
        let (report, ends) = mpsc::unbounded_channel();
        Self {
            shared: Arc::clone(shared),
            telemetry,
            clock,
            store,
            session_keys: SessionKeys::default(),
            message_memory: MessageMemory::default(),
            report,
            ends,
            stop: watch::Sender::new(false),
        }
    }

    /// The guard of an upstream, with its policy.
    fn guard(&self, name: &str, upstream: &Upstream, config: &Config) -> Result<Guard, Failure> {
        let policy = config.policy(name, upstream);
        let guard = match self.store {
            Some(store) => Guard::sharing(policy, name, store.share()),
            None => Guard::new(policy),
        };
        let guard = guard.map_err(|error| Failure::usage(format!("upstream `{name}`: {error}")))?;
        self.shared
            .state
            .serves(name, &guard, upstream.lock.as_deref());
        Ok(guard)
    }

    fn observer(&self, name: &str, upstream: &Upstream, stdio: bool) -> Arc<dyn Observer> {
        let telemetry = self.telemetry;
        let line = telemetry.map(|telemetry| telemetry.line(name, upstream, stdio));
        Arc::new(Watch::new(name, Arc::clone(&self.shared), line))
    }

    /// An upstream that shares one listing with others.
    fn member(
        &self,
        name: &str,
        (upstream, config): (&Upstream, &Config),
        guard: &Guard,
    ) -> Result<AggregateMember, Failure> {
        // It has sessions with the guard in front of it.
        let observer = self.observer(name, upstream, false);
        let behind = (guard, &observer);
        let upstream_of = member_upstream(
            name,
            upstream,
            config,
            (&self.message_memory, self.clock),
            behind,
        )?;
        Ok(AggregateMember {
            name: name.to_owned(),
            prefix: Config::prefix(name, upstream),
            upstream: upstream_of,
            guard: guard.clone(),
            observer,
        })
    }

    /// Starts an upstream with clients of its own.
    async fn start_alone(
        &self,
        name: &str,
        (upstream, config): (&Upstream, &Config),
        guard: &Guard,
    ) -> Result<(), Failure> {
        let stdio = upstream.listen.or(config.listen.address).is_none();
        let observer = self.observer(name, upstream, stdio);
        let mut options = options(name, upstream, config)?;
        options.sessions = sessions(config, &self.session_keys);
        options.message_memory = self.message_memory.clone();
        options.clock = self.clock;
        if let Some(translate) = upstream.translate.mode() {
            options = options.translated(translate, guard, Arc::clone(&observer));
        }
        self.start(options, guard.clone(), observer).await
    }

    /// Starts the guard in front of several upstreams.
    async fn start_in_front(
        &self,
        members: Vec<AggregateMember>,
        config: &Config,
    ) -> Result<(Guard, Arc<Aggregate>), Failure> {
        let policy = config.without_filters();
        let guard = Guard::new(policy).map_err(|error| Failure::usage(error.to_string()))?;
        let (mut options, aggregate) = in_front(members, config, &self.message_memory, self.clock)?;
        options.sessions = sessions(config, &self.session_keys);
        let stdio = matches!(options.listener, Listener::Stdio);
        let observer = self.observer(AGGREGATE, &Upstream::default(), stdio);
        self.start(options, guard.clone(), observer).await?;
        Ok((guard, aggregate))
    }

    async fn start(
        &self,
        options: GuardOptions,
        guard: Guard,
        observer: Arc<dyn Observer>,
    ) -> Result<(), Failure> {
        let name = options.name.clone();
        let running = listening(options, guard, observer).await?;
        let (stopped, report) = (self.stop.subscribe(), self.report.clone());
        tokio::spawn(attend(name, running, stopped, report));
        Ok(())
    }
}

/// The guards of this process, and the settings that they started with.
pub(super) struct Guards<'r> {
    parts: Parts<'r>,
    started: Config,
    guards: Vec<(String, Guard)>,
    /// The guard in front of several upstreams, and the upstreams.
    front: Option<(Guard, Arc<Aggregate>)>,
    left: usize,
    exit: Exit,
}

impl<'r> Guards<'r> {
    pub(super) async fn start(config: Config, parts: Parts<'r>) -> Result<Self, Failure> {
        let kept = parts.session_keys.replace(&config.sessions.secrets);
        kept.map_err(|fault| failure(&fault))?;
        tell_of_sessions(&config);
        tell_of_callers(&config);
        let merged = config.merged();
        let mut guards = Vec::new();
        let mut left = 0_usize;
        let mut members = Vec::new();
        for (name, upstream) in &config.upstreams {
            let guard = parts.guard(name, upstream, &config)?;
            if merged.iter().any(|(merged, _)| merged == name) {
                members.push(parts.member(name, (upstream, &config), &guard)?);
            } else {
                parts.start_alone(name, (upstream, &config), &guard).await?;
                left = left.saturating_add(1);
            }
            guards.push((name.clone(), guard));
        }
        let mut front = None;
        if !members.is_empty() {
            front = Some(parts.start_in_front(members, &config).await?);
            left = left.saturating_add(1);
        }
        Ok(Self {
            parts,
            started: config,
            guards,
            front,
            left,
            exit: Exit::Ok,
        })
    }

    pub(super) fn is_stopping(&self) -> bool {
        *self.parts.stop.borrow()
    }

    /// Starts the upstreams that are only in the new settings, and removes from the settings those that cannot
    /// be started or need a restart. Returns `false` if one could not be started.
    async fn add_new(&mut self, new: &mut Config) -> bool {
        let state = Arc::clone(&self.parts.shared.state);
        let is_new = |name: &String| !self.started.upstreams.contains_key(name);
        let names: Vec<String> = new
            .upstreams
            .keys()
            .filter(|name| is_new(name))
            .cloned()
            .collect();
        state.keep(|name| !is_new(name) || names.contains(name));
        let mut good = true;
        for name in names {
            let Some(upstream) = new.upstreams.get(&name).cloned() else {
                continue;
            };
            // One without an address of its own joins those that have one listing.
            if upstream.listen.is_none() && self.front.is_none() {
                tracing::warn!("`upstreams.{name}` changes only after a restart");
                new.upstreams.remove(&name);
                continue;
            }
            state.add(&name);
            if let Err(failure) = self.add(&name, (&upstream, new)).await {
                let why = failure.message;
                tracing::error!(upstream = name, "the server is not added: {why}");
                state.down(&name, why);
                new.upstreams.remove(&name);
                good = false;
                continue;
            }
            tracing::info!(upstream = name, "the server was added");
            self.started.upstreams.insert(name, upstream);
        }
        good
    }

    async fn add(&mut self, name: &str, of: (&Upstream, &Config)) -> Result<(), Failure> {
        let (upstream, config) = of;
        let guard = self.parts.guard(name, upstream, config)?;
        match &self.front {
            Some((_, aggregate)) if upstream.listen.is_none() => {
                let member = self.parts.member(name, of, &guard)?;
                let added = aggregate.add(member);
                added.map_err(|error| Failure::usage(error.to_string()))?;
            }
            _ => {
                self.parts.start_alone(name, of, &guard).await?;
                self.left = self.left.saturating_add(1);
            }
        }
        self.guards.push((name.to_owned(), guard));
        Ok(())
    }

    /// Waits for the next end of a guard; forever if none is left.
    pub(super) async fn ended(&mut self) -> (String, Ended) {
        match self.parts.ends.recv().await {
            Some(end) => end,
            None => std::future::pending().await,
        }
    }

    /// Records the end of a guard; returns the exit code of the process if it was the last.
    pub(super) fn settle(&mut self, (name, end): (String, Ended)) -> Option<Exit> {
        let upstream = name.as_str();
        let exit = match end {
            Ended::ClientGone => Exit::Ok,
            Ended::Stopped => Exit::Ok,
            Ended::UpstreamGone(how) => {
                tracing::error!(upstream, how, "the server is gone");
                self.parts.shared.state.down(upstream, how);
                Exit::Unreachable
            }
            Ended::Failed(fault) => {
                tracing::error!(upstream, %fault, help = fault.help(), "the server cannot be used");
                self.parts.shared.state.down(upstream, fault.to_string());
                failure(&fault).exit
            }
            _ => Exit::Unreachable,
        };
        self.exit = self.exit.worst(exit);
        self.left = self.left.saturating_sub(1);
        (self.left == 0).then_some(self.exit)
    }

    pub(super) fn stop(&mut self) {
        self.parts.shared.state.draining();
        tracing::info!("stopping: no new calls are accepted, open calls are answered");
        // Fails only if every guard has already ended.
        let _nobody_left = self.parts.stop.send(true);
    }

    /// Loads the settings again. Valid ones apply from the next message on; if there is a problem,
    /// nothing changes.
    pub(super) async fn reload(&mut self, sources: &Sources<'_>, logging: &Logging) {
        let mut new = match Config::load(sources) {
            Ok(new) => new,
            Err(faults) => {
                self.parts.shared.metrics.reload(false);
                for line in faults.lines() {
                    tracing::error!("{line}");
                }
                let errors = count_of(faults.len(), "error");
                tracing::error!("the settings are not changed, because the new ones have {errors}");
                return;
            }
        };
        // The rules for callers, which apply at once, would be for callers that the guard does not know, or
        // would no longer be there for those that it still knows.
        if self.started.auth.authenticator.is_some() != new.auth.authenticator.is_some() {
            self.parts.shared.metrics.reload(false);
            tracing::error!(
                "the settings are not changed, because authentication of callers is turned on or off only by a restart"
            );
            return;
        }
        match (&self.started.listen.certificate, &new.listen.certificate) {
            (Some(served), Some(new)) => served.replace(new),
            (None, None) => {}
            _ => tracing::warn!("HTTPS is turned on or off only after a restart"),
        }
        if let Some(used) = &self.started.auth.authenticator
            && let Err(fault) = used.replace(&new.auth.made)
        {
            // `Config::load` has already checked this.
            tracing::error!(%fault, "authentication is not changed");
        }
        for name in self.started.fixed_changes(&new) {
            tracing::warn!("`{name}` changes only after a restart");
        }
        // Policies and new listeners must match what runs.
        new.listen.clone_from(&self.started.listen);
        let authenticator = &self.started.auth.authenticator;
        new.auth.authenticator.clone_from(authenticator);
        new.bounds = self.started.bounds;
        new.times = self.started.times;
        for (name, started) in &self.started.upstreams {
            let kept = || started.clone();
            let upstream = new.upstreams.entry(name.clone()).or_insert_with(kept);
            upstream.translate = started.translate;
            upstream.prefix.clone_from(&started.prefix);
            upstream.listen = started.listen;
        }
        let mut good = self.add_new(&mut new).await;
        for (name, guard) in &self.guards {
            let Some(upstream) = new.upstreams.get(name) else {
                continue;
            };
            let state = &self.parts.shared.state;
            match guard.replace(new.policy(name, upstream)) {
                Ok(()) => state.serves(name, guard, upstream.lock.as_deref()),
                Err(error) => {
                    // `Config::load` has already checked this.
                    tracing::error!(upstream = name, %error, "the policy is not changed");
                    good = false;
                }
            }
        }
        if let Some((front, _)) = &self.front
            && let Err(error) = front.replace(new.without_filters())
        {
            tracing::error!(%error, "the limits of the common listing are not changed");
            good = false;
        }
        if let Err(fault) = self.parts.session_keys.replace(&new.sessions.secrets) {
            // `Config::load` has already checked this.
            tracing::error!(%fault, "the session keys are not changed");
            good = false;
        }
        logging.set_levels(&new.log);
        self.parts
            .shared
            .passes
            .store(new.audit.passes, Ordering::Relaxed);
        if let Some(audit) = &self.parts.shared.audit {
            audit.reopen();
        }
        self.parts.shared.metrics.reload(good);
        tell_of_callers(&new);
        tracing::info!("the settings were read again");
    }
}

/// Waits for a guard to end, and stops it when the process stops.
async fn attend(
    name: String,
    mut running: Running,
    mut stopped: watch::Receiver<bool>,
    report: mpsc::UnboundedSender<(String, Ended)>,
) {
    let going_down = async {
        // Fails only if the process ends.
        let _stop = stopped.wait_for(|stop| *stop).await;
    };
    let ended = tokio::select! {
        end = running.ended() => Some(end),
        () = going_down => None,
    };
    let end = match ended {
        Some(end) => end,
        None => {
            running.stop();
            running.ended().await
        }
    };
    // Fails only if the process ends.
    let _nobody_asks = report.send((name, end));
}

/// Starts a guard, and logs the address that it listens on.
async fn listening(
    options: GuardOptions,
    guard: Guard,
    observer: Arc<dyn Observer>,
) -> Result<Running, Failure> {
    let name = options.name.clone();
    let (scheme, path) = match &options.listener {
        Listener::Http(http) if http.tls.is_some() => ("https", http.path.clone()),
        Listener::Http(http) => ("http", http.path.clone()),
        _ => ("", String::new()),
    };
    let running = serve(options, guard, observer).await;
    let running = running.map_err(|fault| failure(&fault))?;
    if let Some(address) = running.address() {
        tracing::info!(upstream = name, "listening on {scheme}://{address}{path}");
    }
    Ok(running)
}

/// Logs where the sessions of older clients over HTTP are valid, if there can be any.
fn tell_of_sessions(config: &Config) {
    if !config.is_on_network() {
        return;
    }
    match config.sessions.secrets.len() {
        0 => tracing::info!(
            "sessions of clients before 2026-07-28 are valid in this process only; several replicas, and sessions that outlive a restart, need `sessions.keys`"
        ),
        keys => tracing::info!(
            keys,
            "sessions of clients before 2026-07-28 are valid in every process with these keys"
        ),
    }
}

/// Logs what of the authentication of callers may not be what was wanted.
fn tell_of_callers(config: &Config) {
    if config.auth.authenticator.is_some() && !config.has_caller_rules() {
        tracing::info!(
            "every caller that authenticates may use everything: there are no rules for callers (`[[callers]]`)"
        );
    }
    if config.auth.is_in_the_clear() {
        tracing::warn!(
            "the issuer's keys are fetched without TLS, so somebody on the way could replace them"
        );
    }
}

fn failure(fault: &Fault) -> Failure {
    Failure {
        exit: exit_of(fault.kind()),
        message: fault.to_string(),
        help: fault.help().map(str::to_owned),
    }
}
