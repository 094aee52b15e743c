//! One key, and what the lists of keys are written with.

use std::time::Duration;

use super::super::settings::Config;
use super::super::slot::Slot;
use super::super::words::Words;

/// A key of the configuration.
pub(in super::super) struct Key<T: 'static> {
    /// Its name; the name of a global key includes its section: `limits.message`.
    pub(in super::super) name: &'static str,
    pub(in super::super) slot: Slot<T>,
    /// Whether a reload changes it while the guard runs.
    pub(in super::super) live: bool,
    /// One sentence for the reference page.
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "the reference page is held to it by a test")
    )]
    pub(in super::super) meaning: &'static str,
}

/// A key of `[schemas]` with the name of an engine setting, which defines the rest.
pub(super) const fn setting(name: &'static str) -> Key<Config> {
    let (_, short) = name.split_at(SCHEMAS.len());
    fixed(
        name,
        Slot::Setting(short, |config| &mut config.policy.compiler),
        "",
    )
}

/// The period of a rate.
pub(super) const fn rate_per(
    name: &'static str,
    field: fn(&mut Config) -> &mut Duration,
) -> Key<Config> {
    let slot = Slot::Time(ms(1)..=h(24), field);
    live(name, slot, "the time in which `calls` are counted")
}

/// The burst of a rate.
pub(super) const fn rate_burst(
    name: &'static str,
    field: fn(&mut Config) -> &mut usize,
) -> Key<Config> {
    let slot = Slot::Count(1..=1_000_000, field);
    live(name, slot, "calls that may come at once")
}

pub(super) const fn live<T>(name: &'static str, slot: Slot<T>, meaning: &'static str) -> Key<T> {
    Key {
        name,
        slot,
        live: true,
        meaning,
    }
}

pub(super) const fn fixed<T>(name: &'static str, slot: Slot<T>, meaning: &'static str) -> Key<T> {
    Key {
        name,
        slot,
        live: false,
        meaning,
    }
}

pub(super) fn put<W: Words>(slot: &mut W, word: &str) -> bool {
    W::of(word).map(|value| *slot = value).is_some()
}

pub(super) fn put_some<W: Words>(slot: &mut Option<W>, word: &str) -> bool {
    *slot = W::of(word);
    slot.is_some()
}

/// The prefix of the keys that have the names of engine settings.
pub(super) const SCHEMAS: &str = "schemas.";

pub(super) const fn ms(count: u64) -> Duration {
    Duration::from_millis(count)
}

pub(super) const fn s(count: u64) -> Duration {
    Duration::from_secs(count)
}

pub(super) const fn h(count: u64) -> Duration {
    Duration::from_secs(count * 3_600)
}
