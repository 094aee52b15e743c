//! Runs a guard from its start to its end: the order in which things start, and what signals do.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};
use tokio::sync::{mpsc, watch};
use toolsure_guard::Guard;
use toolsure_json::quote;
use toolsure_proxy::Fault;
use toolsure_proxy::guard::{
    AggregateMember, Clock, Exit as Ended, GuardOptions, Listener, MessageMemory, Observer,
    Running, SessionKeys, serve,
};

use super::admin::Admin;
use super::audit::Audit;
use super::config::{Config, Sources, Upstream};
use super::log::{self, Logging};
use super::metrics::Metrics;
use super::options::{AGGREGATE, in_front, member_upstream, options, sessions};
use super::otel::Telemetry;
use super::signals::{Signal, Signals};
use super::state::State;
use super::store::Store;
use super::watch::{Shared, Watch};
use crate::exit::{Exit, Failure};
use crate::listing::exit_of;
use crate::render::count_of;

/// Serves until the client is gone, a signal stops it, or no server is left.
pub(super) fn run(config: Config, sources: &Sources<'_>) -> Result<Exit, Failure> {
    let logging = log::start(&config.log);
    let runtime = runtime(&config)?;
    let exit = runtime.block_on(work(config, sources, &logging));
    // A blocking read of standard input cannot be cancelled, and must not delay the end.
    runtime.shutdown_timeout(Duration::ZERO);
    exit
}

/// One thread for one client on standard input and output, all cores for network clients.
fn runtime(config: &Config) -> Result<Runtime, Failure> {
    let mut builder = match config.is_on_network() {
        false => Builder::new_current_thread(),
        true => Builder::new_multi_thread(),
    };
    let runtime = builder.enable_all().build();
    runtime.map_err(|error| cannot("set up input and output", &error))
}

async fn work(config: Config, sources: &Sources<'_>, logging: &Logging) -> Result<Exit, Failure> {
    let mut signals = Signals::new().map_err(|error| cannot("listen for signals", &error))?;
    let metrics = Metrics::new();
    metrics.show_lost_lines(logging.lost());
    let state = Arc::new(State::new(config.upstreams.keys()));
    let audit = audit(&config, &metrics)?;
    let telemetry = Telemetry::start(&config, &metrics)?;
    let last = config.times.drain.min(LAST_WRITES);
    let admin = match config.admin {
        None => None,
        Some(address) => {
            let admin = Admin::start(address, Arc::clone(&metrics), Arc::clone(&state)).await;
            let admin = admin.map_err(|error| cannot(&format!("listen on {address}"), &error))?;
            tracing::info!(address = %admin.address, "admin");
            Some(admin)
        }
    };
    let clock = Clock::start();
    let store = Store::start(&config, clock, &metrics, &state)?;
    let shared = Arc::new(Shared {
        metrics,
        state,
        audit,
        passes: AtomicBool::new(config.audit.passes),
    });
    let mut guards =
        Guards::start(config, &shared, telemetry.as_ref(), (clock, store.as_ref())).await?;
    shared.state.started();
    tracing::info!("ready");
    let exit = loop {
        tokio::select! {
            ended = guards.ended() => {
                if let Some(exit) = guards.settle(ended) {
                    break exit;
                }
            }
            signal = signals.next() => match signal {
                Signal::Reload => guards.reload(sources, logging),
                Signal::Stop if guards.stopping => {
                    tracing::warn!("asked to stop again: exiting at once");
                    break Exit::Interrupted;
                }
                Signal::Stop => guards.stop(),
            },
        }
    };
    if let Some(store) = store.filter(|_| !matches!(exit, Exit::Interrupted)) {
        store.end().await;
    }
    if !matches!(exit, Exit::Interrupted) && shared.audit.is_some() {
        let shared = Arc::clone(&shared);
        let flush = move || shared.audit.as_ref().map(|audit| audit.flush(last));
        // Fails only if it panicked, which was already printed.
        let _flushed = tokio::task::spawn_blocking(flush).await;
    }
    if let Some(telemetry) = telemetry.filter(|_| !matches!(exit, Exit::Interrupted)) {
        let sent = tokio::task::spawn_blocking(move || telemetry.end(last));
        // Fails only if it panicked, which was already printed.
        let _ended = sent.await;
    }
    drop(admin);
    Ok(exit)
}

/// The guards of this process, and the settings that they started with.
struct Guards {
    started: Config,
    shared: Arc<Shared>,
    guards: Vec<(String, Guard)>,
    /// The guard in front of several upstreams.
    front: Option<Guard>,
    session_keys: SessionKeys,
    /// Receives the ends of guards.
    ends: mpsc::UnboundedReceiver<(String, Ended)>,
    left: usize,
    stop: watch::Sender<bool>,
    stopping: bool,
    exit: Exit,
}

impl Guards {
    async fn start(
        config: Config,
        shared: &Arc<Shared>,
        telemetry: Option<&Telemetry>,
        (clock, store): (Clock, Option<&Store>),
    ) -> Result<Self, Failure> {
        let (report, ends) = mpsc::unbounded_channel();
        let (stop, stopped) = watch::channel(false);
        let mut guards = Vec::new();
        let session_keys = SessionKeys::default();
        let kept = session_keys.replace(&config.sessions.secrets);
        kept.map_err(|fault| failure(&fault))?;
        tell_of_sessions(&config);
        let merged = config.merged();
        // One for all listeners: they share the memory of the process.
        let message_memory = MessageMemory::default();
        let mut left = 0_usize;
        let mut members = Vec::new();
        for (name, upstream) in &config.upstreams {
            let policy = config.policy(name, upstream);
            let guard = match store {
                Some(store) => Guard::sharing(policy, name, store.share()),
                None => Guard::new(policy),
            };
            let guard =
                guard.map_err(|error| Failure::usage(format!("upstream `{name}`: {error}")))?;
            guards.push((name.clone(), guard.clone()));
            let is_merged = merged.iter().any(|(merged, _)| merged == name);
            // An upstream with a common listing has sessions with the guard in front of it.
            let stdio = !is_merged && upstream.listen.or(config.listen.address).is_none();
            let line = telemetry.map(|telemetry| telemetry.line(name, upstream, stdio));
            let observer: Arc<dyn Observer> = Arc::new(Watch::new(name, Arc::clone(shared), line));
            if is_merged {
                members.push(AggregateMember {
                    name: name.clone(),
                    prefix: Config::prefix(name, upstream),
                    upstream: member_upstream(
                        name,
                        upstream,
                        &config,
                        &message_memory,
                        (&guard, &observer),
                    )?,
                    guard,
                    observer,
                    clock,
                });
                continue;
            }
            let mut options = options(name, upstream, &config)?;
            options.sessions = sessions(&config, &session_keys);
            options.message_memory = message_memory.clone();
            options.clock = clock;
            if let Some(translate) = upstream.translate.mode() {
                options = options.translated(translate, &guard, Arc::clone(&observer));
            }
            let running = listening(options, guard, observer).await?;
            left = left.saturating_add(1);
            let name = name.clone();
            tokio::spawn(attend(name, running, stopped.clone(), report.clone()));
        }
        let mut front = None;
        if !members.is_empty() {
            let policy = config.without_filters();
            let guard = Guard::new(policy).map_err(|error| Failure::usage(error.to_string()))?;
            let mut options = in_front(members, &config, &message_memory)?;
            options.sessions = sessions(&config, &session_keys);
            let stdio = matches!(options.listener, Listener::Stdio);
            let line = telemetry.map(|it| it.line(AGGREGATE, &Upstream::default(), stdio));
            let watch = Watch::new(AGGREGATE, Arc::clone(shared), line);
            let observer: Arc<dyn Observer> = Arc::new(watch);
            let running = listening(options, guard.clone(), observer).await?;
            front = Some(guard);
            left = left.saturating_add(1);
            let name = AGGREGATE.to_owned();
            tokio::spawn(attend(name, running, stopped.clone(), report.clone()));
        }
        Ok(Self {
            left,
            front,
            started: config,
            shared: Arc::clone(shared),
            guards,
            session_keys,
            ends,
            stop,
            stopping: false,
            exit: Exit::Ok,
        })
    }

    /// Waits for the next end of a guard; forever if none is left.
    async fn ended(&mut self) -> (String, Ended) {
        match self.ends.recv().await {
            Some(end) => end,
            None => std::future::pending().await,
        }
    }

    /// Records the end of a guard; returns the exit code of the process if it was the last.
    fn settle(&mut self, (name, end): (String, Ended)) -> Option<Exit> {
        let upstream = name.as_str();
        let exit = match end {
            Ended::ClientGone => Exit::Ok,
            Ended::Stopped => Exit::Ok,
            Ended::UpstreamGone(how) => {
                tracing::error!(upstream, how, "the server is gone");
                self.shared.state.down(upstream, how);
                Exit::Unreachable
            }
            Ended::Failed(fault) => {
                tracing::error!(upstream, %fault, help = fault.help(), "the server cannot be used");
                self.shared.state.down(upstream, fault.to_string());
                failure(&fault).exit
            }
            _ => Exit::Unreachable,
        };
        self.exit = self.exit.worst(exit);
        self.left = self.left.saturating_sub(1);
        (self.left == 0).then_some(self.exit)
    }

    fn stop(&mut self) {
        self.stopping = true;
        self.shared.state.draining();
        tracing::info!("stopping: no new calls are accepted, open calls are answered");
        // Fails only if every guard has already ended.
        let _nobody_left = self.stop.send(true);
    }

    /// Loads the settings again. Valid ones apply from the next message on; if there is a problem,
    /// nothing changes.
    fn reload(&mut self, sources: &Sources<'_>, logging: &Logging) {
        let mut new = match Config::load(sources) {
            Ok(new) => new,
            Err(faults) => {
                self.shared.metrics.reload(false);
                for line in faults.lines() {
                    tracing::error!("{line}");
                }
                let errors = count_of(faults.len(), "error");
                tracing::error!("the settings are not changed, because the new ones have {errors}");
                return;
            }
        };
        for name in self.started.fixed_changes(&new) {
            tracing::warn!("`{name}` changes only after a restart");
        }
        // The transports keep their limit, so the policy must keep it too.
        new.bounds.message_bytes = self.started.bounds.message_bytes;
        // The policy must match the translator that runs.
        for (name, upstream) in &mut new.upstreams {
            if let Some(started) = self.started.upstreams.get(name) {
                upstream.translate = started.translate;
            }
        }
        let mut good = true;
        for (name, guard) in &self.guards {
            let Some(upstream) = new.upstreams.get(name) else {
                continue;
            };
            if let Err(error) = guard.replace(new.policy(name, upstream)) {
                // `Config::load` has already checked this.
                tracing::error!(upstream = name, %error, "the policy is not changed");
                good = false;
            }
        }
        if let Some(front) = &self.front
            && let Err(error) = front.replace(new.without_filters())
        {
            tracing::error!(%error, "the limits of the common listing are not changed");
            good = false;
        }
        if let Err(fault) = self.session_keys.replace(&new.sessions.secrets) {
            // `Config::load` has already checked this.
            tracing::error!(%fault, "the session keys are not changed");
            good = false;
        }
        match (&self.started.listen.certificate, &new.listen.certificate) {
            (Some(served), Some(new)) => served.replace(new),
            (None, None) => {}
            _ => tracing::warn!("HTTPS is turned on or off only after a restart"),
        }
        logging.set_levels(&new.log);
        self.shared
            .passes
            .store(new.audit.passes, Ordering::Relaxed);
        if let Some(audit) = &self.shared.audit {
            audit.reopen();
        }
        self.shared.metrics.reload(good);
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

fn audit(config: &Config, metrics: &Arc<Metrics>) -> Result<Option<Audit>, Failure> {
    let Some(file) = &config.audit.file else {
        return Ok(None);
    };
    let audit = Audit::start(file, &config.audit, Arc::clone(metrics));
    audit.map(Some).map_err(|error| {
        let name = file.display().to_string();
        cannot(
            &format!("write the audit log `{}`", quote(&name, 200)),
            &error,
        )
    })
}

fn failure(fault: &Fault) -> Failure {
    Failure {
        exit: exit_of(fault.kind()),
        message: fault.to_string(),
        help: fault.help().map(str::to_owned),
    }
}

fn cannot(what: &str, error: &std::io::Error) -> Failure {
    Failure::usage(format!("cannot {what}: {error}"))
}

/// How long the end waits for the audit log and for the last telemetry, each, unless `times.drain`
/// is shorter: a client that starts the guard itself may not wait long for it to end.
const LAST_WRITES: Duration = Duration::from_secs(5);
