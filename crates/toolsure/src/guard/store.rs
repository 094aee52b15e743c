//! What replicas share: the store of a running guard, and the reporting on it.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use toolsure_guard::Share;
use toolsure_proxy::guard::Clock;
use toolsure_proxy::store::{self, StoreEvent};

use super::config::Config;
use super::metrics::Metrics;
use super::state::State;
use crate::exit::Failure;

/// The store of this process.
pub(super) struct Store(store::Store);

impl Store {
    /// Starts to use the store that the settings name, if they name one. An unreachable store is no
    /// failure: guards work alone until it is found.
    pub(super) fn start(
        config: &Config,
        clock: Clock,
        metrics: &Arc<Metrics>,
        state: &Arc<State>,
    ) -> Result<Option<Self>, Failure> {
        let Some(ready) = &config.shared.ready else {
            return Ok(None);
        };
        let teller = Teller {
            metrics: Arc::clone(metrics),
            state: Arc::clone(state),
            odd: Mutex::new(None),
        };
        state.store(Some("not yet reached".to_owned()));
        metrics.store_up(false);
        let observer = Arc::new(move |event: &StoreEvent<'_>| teller.take(event));
        let secret = ready.secret.as_bytes();
        let options = ready.options.clone();
        let started = store::Store::start(options, ready.terms, secret, clock, observer);
        started
            .map(|store| Some(Self(store)))
            .map_err(|fault| Failure::usage(fault.to_string()))
    }

    pub(super) fn share(&self) -> &Share {
        self.0.share()
    }

    /// Sends the remaining updates to the store, if it can be reached.
    pub(super) async fn end(self) {
        self.0.end().await;
    }
}

/// Counts and logs the events of the store.
struct Teller {
    metrics: Arc<Metrics>,
    state: Arc<State>,
    /// When values that no guard wrote were last logged.
    odd: Mutex<Option<Instant>>,
}

impl Teller {
    fn take(&self, event: &StoreEvent<'_>) {
        match event {
            StoreEvent::Found => {
                self.metrics.store_up(true);
                self.state.store(None);
                tracing::info!("the store is reachable");
            }
            StoreEvent::Lost { why } => {
                self.metrics.store_up(false);
                self.metrics.store_lost();
                self.state.store(Some((*why).to_owned()));
                tracing::warn!(why, "the store is unreachable: guards work without it");
            }
            StoreEvent::Written {
                buckets,
                pins,
                quarantine,
            } => {
                self.metrics.store_written("rate", *buckets);
                self.metrics.store_written("pin", *pins);
                self.metrics.store_written("quarantine", *quarantine);
            }
            StoreEvent::Garbled { what, count } => {
                self.metrics.store_garbled(what, *count);
                let now = Instant::now();
                let mut odd = self.odd.lock().unwrap_or_else(PoisonError::into_inner);
                if odd.is_none_or(|last| now.duration_since(last) >= ODD) {
                    *odd = Some(now);
                    tracing::error!(
                        what,
                        count,
                        "the store has values that no guard wrote; they are ignored"
                    );
                }
            }
            _ => {}
        }
    }
}

/// Minimum time between two logs of values that no guard wrote; all are counted.
const ODD: Duration = Duration::from_secs(60);
