//! Runs a guard from its start to its end: the order in which things start, and what signals do.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};
use tokio::sync::Notify;
use toolsure_json::quote;
use toolsure_proxy::guard::Clock;

use super::admin::{Admin, AdminState};
use super::audit::Audit;
use super::config::{Config, Sources};
use super::guards::{Guards, Parts};
use super::log::{self, Logging};
use super::metrics::Metrics;
use super::otel::Telemetry;
use super::recent::Recent;
use super::signals::{Signal, Signals};
use super::state::State;
use super::store::Store;
use super::watch::Shared;
use crate::exit::{Exit, Failure};

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
    let recent = Arc::new(Recent::default());
    let reload = Arc::new(Notify::new());
    let audit = audit(&config, &metrics)?;
    let telemetry = Telemetry::start(&config, &metrics)?;
    let last = config.times.drain.min(LAST_WRITES);
    let admin = match config.admin {
        None => None,
        Some(address) => {
            let state = AdminState::new(&config, (&metrics, &state, &recent), &reload);
            let admin = Admin::start(address, state).await;
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
        recent,
        audit,
        passes: AtomicBool::new(config.audit.passes),
    });
    let parts = Parts::new(&shared, telemetry.as_ref(), clock, store.as_ref());
    let mut guards = Guards::start(config, parts).await?;
    shared.state.started();
    tracing::info!("ready");
    let exit = loop {
        tokio::select! {
            ended = guards.ended() => {
                if let Some(exit) = guards.settle(ended) {
                    break exit;
                }
            }
            () = reload.notified() => guards.reload(sources, logging).await,
            signal = signals.next() => match signal {
                Signal::Reload => guards.reload(sources, logging).await,
                Signal::Stop if guards.is_stopping() => {
                    tracing::warn!("asked to stop again: exiting at once");
                    break Exit::Interrupted;
                }
                Signal::Stop => guards.stop(),
            },
        }
    };
    drop(guards);
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

fn cannot(what: &str, error: &std::io::Error) -> Failure {
    Failure::usage(format!("cannot {what}: {error}"))
}

/// How long the end waits for the audit log and for the last telemetry, each, unless `times.drain`
/// is shorter: a client that starts the guard itself may not wait long for it to end.
const LAST_WRITES: Duration = Duration::from_secs(5);
