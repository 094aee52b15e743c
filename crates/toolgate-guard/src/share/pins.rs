//! Pins tools as a guard on the store saw them first.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::sync::{Arc, MutexGuard, PoisonError};
use std::time::Duration;

use super::{SharedState, field};
use crate::lock::{Digest, Pin};

/// The pins of one upstream.
#[derive(Default)]
pub(super) struct Pins {
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

impl SharedState {
    /// The pin for a tool that looks like `seen` now; `None` if too many tools are pinned already.
    pub(crate) fn pinned(&self, tool: &str, seen: &Pin) -> Option<Pin> {
        let mut pins = self.pins();
        let Pins { held, urgent, .. } = &mut *pins;
        if let Some(held) = held.get_mut(tool) {
            held.seen = *seen;
            let pin = held.pin;
            if pin != *seen && !held.urgent {
                // An operator may have approved the change in the meantime.
                held.urgent = true;
                urgent.push(Arc::from(tool));
                drop(pins);
                self.share.wake();
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
        drop(pins);
        self.share.wake();
        Some(*seen)
    }

    /// Returns reports for at most `room` tools.
    pub(super) fn pins_seen(self: &Arc<Self>, now: Duration, room: usize) -> Vec<PinReport> {
        let mut pins = self.pins();
        if now >= pins.next_round && pins.round.is_empty() && !pins.held.is_empty() {
            pins.next_round = now.saturating_add(ROUND);
            pins.round = pins.held.keys().cloned().collect();
        }
        let mut names = Vec::new();
        while names.len() < room
            && let Some(name) = pins.urgent.pop()
        {
            names.push(name);
        }
        while names.len() < room
            && let Some(name) = pins.round.pop_front()
        {
            names.push(name);
        }
        let more = !pins.urgent.is_empty() || !pins.round.is_empty();
        let pins_seen = names.into_iter().filter_map(|name| {
            let held = pins.held.get_mut(&name)?;
            held.urgent = false;
            Some(PinReport {
                key: format!("pin:{}:{}", self.upstream, field(&name)),
                pin: held.pin,
                seen: held.seen,
                shared: Arc::clone(self),
                name,
                settled: false,
            })
        });
        let pins_seen: Vec<PinReport> = pins_seen.collect();
        drop(pins);
        if more {
            self.share.wake();
        }
        pins_seen
    }

    fn pins(&self) -> MutexGuard<'_, Pins> {
        self.pins.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A tool that was seen here: the first guard that writes it pins it for all.
pub struct PinReport {
    shared: Arc<SharedState>,
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
        if let Some(held) = self.shared.pins().held.get_mut(&self.name) {
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
        let mut pins = self.shared.pins();
        let Pins { held, urgent, .. } = &mut *pins;
        if let Some(held) = held.get_mut(&self.name)
            && !held.urgent
        {
            held.urgent = true;
            urgent.push(Arc::clone(&self.name));
        }
        drop(pins);
        self.shared.share.wake();
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
