//! Every key of the configuration: its name, its kind of value, its field, its meaning.

#[macro_use]
mod shapes;
mod global;
mod key;
mod limits;
mod local;
mod project_for;

use super::settings::Config;
use global::{NETWORK, POLICY, SCHEMAS, choices};
pub(super) use key::Key;
use limits::LIMITS;
pub(super) use local::{CALLER, TOOL, UPSTREAM};

/// The keys that apply to the whole guard, in the order of the reference.
pub(super) fn global() -> impl Iterator<Item = &'static Key<Config>> + Clone {
    let policy = choices("policy.").chain(POLICY);
    let schemas = choices("schemas.").chain(SCHEMAS);
    NETWORK.iter().chain(policy).chain(schemas).chain(LIMITS)
}

/// Whether a table or a key in a table has this name.
pub(super) fn is_name(name: &str) -> bool {
    let sections = global().flat_map(|key| key.name.split('.'));
    let upstream = UPSTREAM.iter().map(|key| key.name);
    let tool = TOOL.iter().map(|key| key.name);
    let caller = CALLER.iter().map(|key| key.name);
    let mut names =
        sections
            .chain(upstream)
            .chain(tool)
            .chain(caller)
            .chain(["upstreams", "tools", "callers"]);
    names.any(|known| known == name)
}

/// The sections that hold global keys, in the order of the reference.
pub(super) fn sections() -> impl Iterator<Item = &'static str> {
    let mut last = "";
    global()
        .filter_map(|key| key.name.split_once('.').map(|(section, _)| section))
        .filter(move |section| std::mem::replace(&mut last, section) != *section)
}

#[cfg(test)]
mod tests {
    use toolsure_schema::settings::{self, Kind};

    use super::super::words::Words as _;
    use super::key::SCHEMAS as PREFIX;
    use super::*;

    #[test]
    fn every_setting_of_the_engine_is_a_key() {
        // Settings that concern the guard's messages are in `[limits]`.
        let elsewhere =
            |name: &&str| *name == "limits.fuel" || name.starts_with("limits.instance.");
        let names = settings::ALL.iter().map(settings::Setting::name);
        let wanted: Vec<&str> = names.filter(|name| !elsewhere(name)).collect();
        let names = global().filter_map(|key| key.name.strip_prefix(PREFIX));
        let ours: Vec<&str> = names.filter(|name| *name != "result_formats").collect();
        assert_eq!(ours, wanted);
        let Kind::Word(words) = settings::find("formats").unwrap().kind() else {
            panic!("a word");
        };
        let words: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        assert_eq!(words, toolsure_schema::Formats::WORDS);
    }
}
