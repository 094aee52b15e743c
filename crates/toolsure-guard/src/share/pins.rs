//! Pins tools as a guard on the store saw them first.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::store_key::field;
use super::waker::Waker;
use crate::lock::{Digest, Pin};

/// The pins of one upstream.
pub(super) struct Pins {
    upstream: Arc<str>,
    waker: Arc<Waker>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    held: HashMap<Arc<str>, Held>,
    /// Tools to query at once.
    urgent: Vec<Arc<str>>,
    /// The rest of this round over all tools; each round keeps the pins in the store.
    round: VecDeque<Arc<str>>,
    next_round: Duration,
}

struct Held {
    /// The pin that the tool is compared with: the store's, or else the one seen here first.
    pin: Pin,
    /// The tool as it was seen last.
    seen: Pin,
    urgent: bool,
}

impl Pins {
    pub(super) fn new(upstream: Arc<str>, waker: Arc<Waker>) -> Self {
        Self {
            upstream,
            waker,
            state: Mutex::default(),
        }
    }

    /// The pin for a tool that looks like `seen` now; `None` if too many tools are pinned already.
    pub(super) fn pinned(&self, tool: &str, seen: &Pin) -> Option<Pin> {
        let mut state = self.state();
        let State { held, urgent, .. } = &mut *state;
        if let Some(held) = held.get_mut(tool) {
            held.seen = *seen;
            let pin = held.pin;
            if pin != *seen && !held.urgent {
                // An operator may have approved the change in the meantime.
                held.urgent = true;
                urgent.push(Arc::from(tool));
                drop(state);
                self.waker.wake();
            }
            return Some(pin);
        }
        if held.len() >= TOOLS {
            return None;
        }
        let name: Arc<str> = Arc::from(tool);
        let new = Held {
            pin: *seen,
            seen: *seen,
            urgent: true,
        };
        held.insert(Arc::clone(&name), new);
        urgent.push(name);
        drop(state);
        self.waker.wake();
        Some(*seen)
    }

    /// Returns reports for at most `room` tools.
    pub(super) fn reports(self: &Arc<Self>, now: Duration, room: usize) -> Vec<PinReport> {
        let mut state = self.state();
        if now >= state.next_round && state.round.is_empty() && !state.held.is_empty() {
            state.next_round = now.saturating_add(ROUND);
            state.round = state.held.keys().cloned().collect();
        }
        let mut names = Vec::new();
        while names.len() < room
            && let Some(name) = state.urgent.pop()
        {
            names.push(name);
        }
        while names.len() < room
            && let Some(name) = state.round.pop_front()
        {
            names.push(name);
        }
        let more = !state.urgent.is_empty() || !state.round.is_empty();
        let reports = names.into_iter().filter_map(|name| {
            let held = state.held.get_mut(&name)?;
            held.urgent = false;
            Some(PinReport {
                key: format!("pin:{}:{}", self.upstream, field(&name)),
                pin: held.pin,
                seen: held.seen,
                pins: Arc::clone(self),
                name,
                settled: false,
            })
        });
        let reports: Vec<PinReport> = reports.collect();
        drop(state);
        if more {
            self.waker.wake();
        }
        reports
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A tool that was seen here: the first guard that writes it pins it for all.
pub struct PinReport {
    pins: Arc<Pins>,
    key: String,
    name: Arc<str>,
    pin: Pin,
    seen: Pin,
    settled: bool,
}

impl PinReport {
    /// Its key in the store, without the store's prefix.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.key
    }

    /// The value to write if the key has none.
    #[must_use]
    pub fn pin(&self) -> String {
        written(&self.pin)
    }

    /// The value to write if the key has [`NEXT`] and the tool differs from its pin.
    #[must_use]
    pub fn seen(&self) -> String {
        written(&self.seen)
    }

    /// Completes the report; `stands` is the key's value now. Returns `false` if that is not a pin; the
    /// tool then keeps its earlier pin.
    #[must_use]
    pub fn settle(mut self, stands: &str) -> bool {
        self.settled = true;
        let Some(pin) = read(stands) else {
            return false;
        };
        if let Some(held) = self.pins.state().held.get_mut(&self.name) {
            held.pin = pin;
        }
        true
    }
}

impl Drop for PinReport {
    fn drop(&mut self) {
        if self.settled {
            return;
        }
        let mut state = self.pins.state();
        let State { held, urgent, .. } = &mut *state;
        if let Some(held) = held.get_mut(&self.name)
            && !held.urgent
        {
            held.urgent = true;
            urgent.push(Arc::clone(&self.name));
        }
        drop(state);
        self.pins.waker.wake();
    }
}

impl fmt::Debug for PinReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PinReport({})", self.key)
    }
}

fn written(pin: &Pin) -> String {
    format!("{} {}", pin.contract, pin.description)
}

fn read(text: &str) -> Option<Pin> {
    let (contract, description) = text.split_once(' ')?;
    Some(Pin {
        contract: Digest::read(contract)?,
        description: Digest::read(description)?,
    })
}

/// The value that an operator writes in place of a pin: the next guard that finds the tool changed pins
/// what it sees.
pub const NEXT: &str = "next";
/// Maximum tools of one upstream that are pinned to what was seen first.
const TOOLS: usize = 20_000;
/// How often every pin is sent again, so that it does not expire, and read again.
const ROUND: Duration = Duration::from_secs(30);
