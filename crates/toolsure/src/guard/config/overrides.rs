//! Settings from outside of the file: environment variables and command-line flags.
//!
//! A variable is `TOOLSURE__SECTION__KEY`. The two underscores avoid the names that container
//! platforms derive from a service's name (`TOOLSURE_PORT`). So every variable with this prefix
//! must be known, and a misspelled one is an error.

use std::path::Path;

use toolsure_json::quote;
use toolsure_schema::closest;

use super::environment::Environment;
use super::file;
use super::keys::{self, Key};
use super::place::Place;
use super::problem::Problem;
use super::settings::Config;
use super::slot::Raw;
use super::upstream::Upstream;

/// One setting from outside of the file.
#[derive(Clone, Debug)]
pub(crate) struct Override {
    /// The parts of its key: `["limits", "message"]`, `["upstreams", "files", "url"]`.
    path: Vec<String>,
    text: String,
    place: Place,
}

impl Override {
    /// A flag that sets `key`, a dotted name; messages call the flag `shown`.
    pub(crate) fn flag(shown: impl Into<String>, key: &str, text: impl Into<String>) -> Self {
        Self {
            path: key.split('.').map(str::to_owned).collect(),
            text: text.into(),
            place: Place::Flag(shown.into()),
        }
    }

    /// The settings among environment variables; others are ignored.
    pub(super) fn variables(environment: &Environment) -> Vec<Self> {
        let mut found: Vec<Self> = environment
            .variables()
            .iter()
            .filter_map(|(name, text)| {
                let path = name.strip_prefix(PREFIX)?.split("__");
                Some(Self {
                    path: path.map(str::to_ascii_lowercase).collect(),
                    text: text.clone(),
                    place: Place::Variable(name.clone()),
                })
            })
            .collect();
        // The environment has no order, but messages should have one.
        found.sort_by(|a, b| a.path.cmp(&b.path));
        found
    }

    /// Applies the setting to `config`. Relative paths start at the working directory.
    pub(super) fn apply(self, config: &mut Config) -> Result<(), Problem> {
        let words: Vec<&str> = self.path.iter().map(String::as_str).collect();
        match words.as_slice() {
            ["upstreams", name, key] => {
                let name = upstream_name(config, name);
                if let Err(why) = Upstream::check_name(&name) {
                    return Err(Problem::new(self.place, why));
                }
                let found = find(keys::UPSTREAM.iter(), key).ok_or_else(|| {
                    let known = keys::UPSTREAM.iter().map(|known| known.name);
                    unknown(&self.place, key, known)
                })?;
                let upstream = config.upstreams.entry(name).or_default();
                put(found, upstream, self.text, self.place)
            }
            _ => {
                let name = words.join(".");
                let found = find(keys::global(), &name).ok_or_else(|| {
                    unknown(&self.place, &name, keys::global().map(|known| known.name))
                })?;
                config.written.insert(found.name, self.place.clone());
                put(found, config, self.text, self.place)
            }
        }
    }
}

/// The upstream that a variable names. Case is ignored, and `-` is the same as `_`.
fn upstream_name(config: &Config, wanted: &str) -> String {
    let plain = |name: &str| name.to_ascii_lowercase().replace('-', "_");
    let mut names = config.upstreams.keys();
    let known = names.find(|name| plain(name) == plain(wanted));
    known.map_or_else(|| wanted.to_owned(), String::clone)
}

fn find<T: 'static>(
    mut keys: impl Iterator<Item = &'static Key<T>>,
    name: &str,
) -> Option<&'static Key<T>> {
    keys.find(|key| key.name == name)
}

fn put<T>(key: &Key<T>, target: &mut T, text: String, place: Place) -> Result<(), Problem> {
    let mut help = None;
    let raw = match key.slot.is_compound() {
        true => match file::value(&text) {
            Some(raw @ (Raw::Text(_) | Raw::Texts(_) | Raw::Pairs(_))) => raw,
            value => {
                if value.is_none() {
                    help =
                        Some("the text is not TOML: write `[\"…\", \"…\"]` or `{ NAME = \"…\" }`");
                }
                Raw::Text(text)
            }
        },
        false => Raw::Text(text),
    };
    key.slot.put(target, raw, Path::new("")).map_err(|why| {
        let problem = Problem::new(place, why);
        match help {
            Some(help) => problem.with_help(help),
            None => problem,
        }
    })
}

fn unknown<'k>(place: &Place, name: &str, known: impl Iterator<Item = &'k str>) -> Problem {
    for rules in ["tools", "callers"] {
        if name == rules || name.starts_with(&format!("{rules}.")) {
            let message =
                format!("the rules of `[[{rules}]]` can be set in the configuration file only");
            return Problem::new(place.clone(), message);
        }
    }
    let message = format!("there is no key `{}`", quote(name, 60));
    Problem::new(place.clone(), message).meant(closest(name, known))
}

const PREFIX: &str = "TOOLSURE__";
