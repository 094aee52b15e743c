//! The settings of a guard: defaults, overridden by the file, the environment and the flags.
//!
//! [`settings`] has them all. [`keys`] lists everything that can be set, for the file, the
//! environment, the flags and the reference page (`docs/guard/settings.md`). [`finish`] checks the
//! settings together.

mod auth;
mod caller_rule;
mod environment;
mod excerpt;
mod faults;
mod file;
mod finish;
mod keys;
mod listen;
mod no_effect;
mod overrides;
mod place;
mod problem;
mod rate;
mod read;
mod sessions;
mod settings;
mod shared;
mod slot;
mod sources;
mod tool_rule;
mod upstream;
mod words;

#[cfg(test)]
mod reference;
#[cfg(test)]
mod tests;

use std::path::Path;

pub(crate) use caller_rule::RulePlaces;
pub(crate) use environment::Environment;
pub(crate) use faults::Faults;
pub(crate) use overrides::Override;
#[cfg(feature = "otel")]
pub(crate) use settings::Telemetry;
pub(crate) use settings::{Audit, Config, Log};
pub(crate) use slot::show_time;
pub(crate) use sources::{Server, Sources};
pub(crate) use upstream::Upstream;
pub(crate) use words::LogFormat;

impl Config {
    /// Reads every source and checks the settings together.
    ///
    /// # Errors
    ///
    /// Every problem that was found, each with its place.
    pub(crate) fn load(sources: &Sources<'_>) -> Result<Self, Faults> {
        let mut config = Self::default();
        let mut faults = Faults::default();
        if let Some(path) = sources.file {
            let folder = path.parent().unwrap_or(Path::new(""));
            if let Some(text) = faults.open(path) {
                let found = file::apply(&mut config, &text, folder);
                faults.extend(found);
                faults.text = text;
            }
        }
        let outside = Override::variables(&sources.environment)
            .into_iter()
            .chain(sources.flags.iter().cloned());
        faults.extend(outside.filter_map(|setting| setting.apply(&mut config).err()));
        // A value that was refused would only cause more errors.
        if faults.is_empty() {
            faults.extend(finish::finish(&mut config, sources));
        }
        if faults.is_empty() {
            config.source = (faults.name().to_owned(), faults.text);
            Ok(config)
        } else {
            Err(faults)
        }
    }

    /// The fixed settings that differ in `new`; they take effect at the next start. New upstreams are not among
    /// them.
    pub(crate) fn fixed_changes(&self, new: &Self) -> Vec<String> {
        let mut names: Vec<String> = changes(keys::global(), self, new, "");
        for (name, upstream) in &self.upstreams {
            match new.upstreams.get(name) {
                None => names.push(format!("upstreams.{name}")),
                Some(new) => names.extend(changes(
                    keys::UPSTREAM.iter(),
                    upstream,
                    new,
                    &format!("upstreams.{name}."),
                )),
            }
        }
        names
    }
}

fn changes<T: Clone + 'static>(
    keys: impl Iterator<Item = &'static keys::Key<T>>,
    old: &T,
    new: &T,
    prefix: &str,
) -> Vec<String> {
    let (mut old, mut new) = (old.clone(), new.clone());
    keys.filter(|key| !key.live && key.slot.raw(&mut old) != key.slot.raw(&mut new))
        .map(|key| format!("{prefix}{}", key.name))
        .collect()
}
