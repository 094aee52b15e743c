//! Shares the state of guards through a Valkey or Redis server.
//!
//! One task of this process writes the updates of its guards and reads those of all guards. Nothing
//! waits for it: decisions use the state that was read last ([`toolsure_guard::Share`]). While the
//! server is unreachable, updates stay in memory, within limits, and the task reconnects with a
//! growing delay, from 100 ms up to 10 s.

mod connection;
mod options;
mod scripts;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use redis::RedisError;
use tokio::sync::{Notify, watch};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};
use toolsure_guard::{Share, ShareTerms};
use toolsure_json::quote;

pub use options::StoreOptions;

use crate::fault::Fault;
use crate::guard::Clock;
use connection::Connection;
use scripts::{Scripts, Written};

/// An event of a store.
#[derive(Debug)]
#[non_exhaustive]
pub enum StoreEvent<'a> {
    /// The store can be used, for the first time or again.
    Found,
    /// The store cannot be used, and guards go on without it. Reported once, until it is found
    /// again.
    Lost {
        /// Why, one line without a secret.
        why: &'a str,
    },
    /// Updates were written.
    Written {
        /// Buckets that were charged.
        buckets: usize,
        /// Pins that were written or queried.
        pins: usize,
        /// Tools that were quarantined.
        quarantine: usize,
    },
    /// The store contained values that no guard wrote. They are ignored.
    Garbled {
        /// The kind of value: `rate`, `pin` or `quarantine`.
        what: &'static str,
        /// How many values.
        count: usize,
    },
}

/// Notified of the events of a store. It must return at once.
pub type StoreObserver = Arc<dyn Fn(&StoreEvent<'_>) + Send + Sync>;

/// A running connection to a store, on the runtime that it was started on.
pub struct Store {
    share: Share,
    stop: watch::Sender<bool>,
    task: JoinHandle<()>,
}

impl Store {
    /// Starts to use a store, and returns at once; `observer` is notified whether it can be
    /// reached. `secret` is the key for hashing callers, the same in every guard on the store;
    /// `clock` is the clock of the guards.
    ///
    /// # Errors
    ///
    /// As [`StoreOptions::check`].
    pub fn start(
        options: StoreOptions,
        terms: ShareTerms,
        secret: &[u8],
        clock: Clock,
        observer: StoreObserver,
    ) -> Result<Self, Fault> {
        let client = options.client()?;
        let something = Arc::new(Notify::new());
        let woken = Arc::clone(&something);
        let share = Share::new(terms, secret, move || woken.notify_one());
        let (stop, stopped) = watch::channel(false);
        let courier = Courier {
            share: share.clone(),
            client,
            scripts: Scripts::new(&options),
            every: options.every,
            clock,
            observer,
            something,
            stopped,
            up: None,
        };
        Ok(Self {
            share,
            stop,
            task: tokio::spawn(courier.work()),
        })
    }

    /// The handle for guards that use this store.
    pub fn share(&self) -> &Share {
        &self.share
    }

    /// Sends the remaining updates, if the store can be reached, and ends.
    pub async fn end(mut self) {
        self.stop.send_replace(true);
        if timeout(PATIENCE, &mut self.task).await.is_err() {
            self.task.abort();
        }
    }
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store").finish_non_exhaustive()
    }
}

struct Courier {
    share: Share,
    client: redis::Client,
    scripts: Scripts,
    every: Duration,
    clock: Clock,
    observer: StoreObserver,
    something: Arc<Notify>,
    stopped: watch::Receiver<bool>,
    /// Whether the store could be reached, as last reported.
    up: Option<bool>,
}

impl Courier {
    async fn work(mut self) {
        let mut failures = 0_u32;
        loop {
            let opened = Connection::open(self.client.get_connection_info(), PATIENCE).await;
            let why = match opened {
                Ok(connection) => match self.serve(connection, &mut failures).await {
                    Ok(()) => return,
                    Err(error) => error,
                },
                Err(error) => error,
            };
            let why = quote(&why.to_string(), SHOWN).to_string();
            self.observe(&StoreEvent::Lost { why: &why });
            if self.pause(backoff(failures)).await {
                return;
            }
            failures = failures.saturating_add(1);
        }
    }

    /// Sends and reads updates until the store is stopped or the connection fails.
    async fn serve(
        &mut self,
        mut connection: Connection,
        failures: &mut u32,
    ) -> Result<(), RedisError> {
        loop {
            // A store that was dropped ends like one that was stopped.
            let last = *self.stopped.borrow() || self.stopped.has_changed().is_err();
            let updates = self.share.take_updates(self.clock.now());
            match updates.is_empty() {
                // Notice a lost store before the first call needs it.
                true => {
                    let ping = redis::cmd("PING");
                    ping.exec_async(&mut connection.commands).await?;
                }
                false => {
                    let clock = self.clock;
                    let result = self
                        .scripts
                        .write(&mut connection.commands, updates, clock)
                        .await;
                    self.report(&result.written);
                    result.end?;
                }
            }
            // Only now: a server that accepts connections but no commands is not usable.
            *failures = 0;
            self.observe(&StoreEvent::Found);
            if last {
                return Ok(());
            }
            if !self.pause(self.every).await {
                let woken = Arc::clone(&self.something);
                let mut stopped = self.stopped.clone();
                tokio::select! {
                    () = woken.notified() => {}
                    () = sleep(IDLE) => {}
                    // Fails when the store is dropped.
                    _ = stopped.wait_for(|stop| *stop) => {}
                }
            }
        }
    }

    /// Waits; returns whether the store is to stop.
    async fn pause(&self, time: Duration) -> bool {
        let mut stopped = self.stopped.clone();
        let stop = stopped.wait_for(|stop| *stop);
        timeout(time, stop).await.is_ok()
    }

    fn report(&self, written: &Written) {
        let (observer, odd) = (&self.observer, &written.garbled);
        observer(&StoreEvent::Written {
            buckets: written.buckets,
            pins: written.pins,
            quarantine: written.quarantine,
        });
        for (what, count) in [
            ("rate", odd.rates),
            ("pin", odd.pins),
            ("quarantine", odd.quarantine),
        ] {
            if count > 0 {
                observer(&StoreEvent::Garbled { what, count });
            }
        }
    }

    /// Reports that the store is found or lost, unless that was reported already.
    fn observe(&mut self, event: &StoreEvent<'_>) {
        let up = matches!(event, StoreEvent::Found);
        if self.up.replace(up) != Some(up) {
            (self.observer)(event);
        }
    }
}

/// The delay after `failures` failures: doubled each time, and random in the upper half, so that
/// replicas do not reconnect all at once.
fn backoff(failures: u32) -> Duration {
    let whole = FIRST.saturating_mul(1 << failures.min(10)).min(LAST);
    let mut byte = [0_u8];
    // Without randomness they reconnect at the same time, which does no harm.
    let _or_zero = getrandom::fill(&mut byte);
    let [byte] = byte;
    let half = whole / 2;
    half.saturating_add(half * u32::from(byte) / 255)
}

/// The timeout for a connection, and for an answer.
const PATIENCE: Duration = Duration::from_secs(2);
/// The longest pause between two commands.
const IDLE: Duration = Duration::from_secs(1);
const FIRST: Duration = Duration::from_millis(100);
const LAST: Duration = Duration::from_secs(10);
/// Maximum characters of a store's error in a message.
const SHOWN: usize = 200;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_tried_less_and_less_often() {
        for (failures, least, most) in [
            (0, 50, 100),
            (1, 100, 200),
            (6, 3_200, 6_400),
            (7, 5_000, 10_000),
            (u32::MAX, 5_000, 10_000),
        ] {
            let wait = backoff(failures).as_millis();
            assert!((least..=most).contains(&wait), "{failures} {wait}");
        }
    }
}
