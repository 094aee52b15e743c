//! The names in a project's file: the keys of its tables, and the values that are names.

use toml::Spanned;
use toml::de::{DeTable, DeValue};
use toolsure_analysis::lint::PROFILES;
use toolsure_schema::Compiler;
use toolsure_schema::settings::{self, Setting};

use super::code::{code_of, unknown};

/// The keys outside of tables, and the tables.
pub(super) const ROOT: &[&str] = &[
    PROFILES_KEY,
    LEVELS_KEY,
    TOOLS,
    IGNORE,
    "documents",
    SCHEMAS,
    LIMITS,
    "baseline",
    "values",
];
/// The keys of one of `[[tools]]`.
pub(super) const TOOL: &[&str] = &["name", LEVELS_KEY];
/// The keys of one of `[[ignore]]`.
pub(super) const IGNORED: &[&str] = &[CODE, "tool", "reason", "until"];
/// The levels of a finding.
pub(super) const LEVELS: &[&str] = &["off", "note", "warning", "error"];

/// A name that is not known: the byte of the file, and a message that has the closest one.
pub(super) type Unknown = (usize, String);

/// Checks all names of a file; the error is about the first that is not known.
pub(super) fn check(root: &DeTable<'_>) -> Result<(), Unknown> {
    let mut found = Names::default();
    found.keys("key", root, ROOT);
    for (key, value) in root {
        let key: &str = key.get_ref();
        match (key, value.get_ref()) {
            (PROFILES_KEY, DeValue::Array(profiles)) => {
                let names = || PROFILES.iter().map(|profile| profile.name);
                for profile in profiles.iter() {
                    found.word("profile", profile, names);
                }
            }
            (LEVELS_KEY, DeValue::Table(levels)) => found.levels(levels),
            (TOOLS, DeValue::Array(tools)) => {
                for tool in tools.iter().filter_map(|tool| tool.get_ref().as_table()) {
                    found.keys("key", tool, TOOL);
                    if let Some(levels) = tool
                        .get(LEVELS_KEY)
                        .and_then(|one| one.get_ref().as_table())
                    {
                        found.levels(levels);
                    }
                }
            }
            (IGNORE, DeValue::Array(all)) => {
                for ignore in all.iter().filter_map(|one| one.get_ref().as_table()) {
                    found.keys("key", ignore, IGNORED);
                    if let Some(code) = ignore.get(CODE) {
                        found.code(code.get_ref().as_str(), code.span().start);
                    }
                }
            }
            (SCHEMAS, DeValue::Table(table)) => found.settings("setting", table, ""),
            (LIMITS, DeValue::Table(table)) => found.settings("limit", table, LIMIT),
            _ => {}
        }
    }
    // Tables are sorted by key, but people read from top to bottom.
    match found.0.into_iter().min_by_key(|(at, _)| *at) {
        Some(first) => Err(first),
        None => Ok(()),
    }
}

#[derive(Default)]
struct Names(Vec<Unknown>);

impl Names {
    fn keys(&mut self, what: &str, table: &DeTable<'_>, known: &[&str]) {
        for (key, _) in table {
            let name: &str = key.get_ref();
            if !known.contains(&name) {
                let message = unknown(what, name, known.iter().copied());
                self.0.push((key.span().start, message));
            }
        }
    }

    /// Checks a value that is one of some words, if it is a text.
    fn word<I: Iterator<Item = &'static str>>(
        &mut self,
        what: &str,
        value: &Spanned<DeValue<'_>>,
        known: impl Fn() -> I,
    ) {
        if let Some(word) = value.get_ref().as_str()
            && known().all(|name| name != word)
        {
            self.0
                .push((value.span().start, unknown(what, word, known())));
        }
    }

    fn code(&mut self, code: Option<&str>, at: usize) {
        self.0
            .extend(code.and_then(|code| Some((at, code_of(code).err()?))));
    }

    fn levels(&mut self, levels: &DeTable<'_>) {
        for (code, level) in levels {
            self.code(Some(code.get_ref()), code.span().start);
            self.word("level", level, || LEVELS.iter().copied());
        }
    }

    /// Checks the names of settings, which begin with `prefix` in the engine's table, and their values.
    fn settings(&mut self, what: &str, table: &DeTable<'_>, prefix: &str) {
        for (key, value) in table {
            let name: &str = key.get_ref();
            let Ok(setting) = settings::find(&setting_of(name, prefix)) else {
                self.0
                    .push((key.span().start, unknown(what, name, settings_of(prefix))));
                continue;
            };
            let value_text = match value.get_ref() {
                DeValue::String(text) => text.as_ref(),
                DeValue::Integer(number) => number.as_str(),
                _ => continue,
            };
            if let Err(error) = setting.apply(Compiler::new(), value_text) {
                let settings::Kind::Word(words) = setting.kind() else {
                    self.0.push((value.span().start, error.to_string()));
                    continue;
                };
                let words = words.into_iter().map(|(word, _)| word);
                let what = format!("value of `{name}`");
                self.0
                    .push((value.span().start, unknown(&what, value_text, words)));
            }
        }
    }
}

/// The name in the engine's table of a setting in the file.
pub(super) fn setting_of(name: &str, prefix: &str) -> String {
    format!("{prefix}{}", name.replace('-', "_"))
}

/// The settings that the table of the file with this prefix has, without the prefix.
pub(super) fn settings_of(prefix: &str) -> impl Iterator<Item = &'static str> {
    let names = settings::ALL.iter().map(Setting::name);
    names
        .filter_map(move |name| name.strip_prefix(prefix))
        // Limits and documents have tables of their own.
        .filter(|name| !name.starts_with(LIMIT) && *name != "documents")
}

/// The prefix of limits among the engine's settings.
pub(super) const LIMIT: &str = "limits.";
const PROFILES_KEY: &str = "profiles";
const LEVELS_KEY: &str = "levels";
const TOOLS: &str = "tools";
const IGNORE: &str = "ignore";
const SCHEMAS: &str = "schemas";
const LIMITS: &str = "limits";
const CODE: &str = "code";

#[cfg(test)]
mod tests {
    use super::*;

    /// Swaps two letters in the middle, or adds one to a name of fewer than four.
    fn misspelled(name: &str) -> String {
        let mut letters: Vec<char> = name.chars().collect();
        let at = letters.len() / 2;
        match letters.len() > 3 && letters[at - 1] != letters[at] {
            true => letters.swap(at - 1, at),
            false => letters.push('x'),
        }
        letters.into_iter().collect()
    }

    fn told(text: &str) -> Option<String> {
        let root = DeTable::parse(text).unwrap();
        check(root.get_ref()).err().map(|(_, message)| message)
    }

    /// Each row of each table of names, as it is and misspelled.
    #[test]
    fn every_name_is_known_and_each_misspelled_one_is_told() {
        type Write = fn(&str) -> String;
        let quoted = |name: &str| format!("{name:?}");
        let first = |setting: &str| match settings::find(setting).unwrap().kind() {
            settings::Kind::Word(words) => quoted(words[0].0),
            settings::Kind::Count(range) | settings::Kind::Bytes(range) => {
                range.start().to_string()
            }
            _ => "1".to_owned(),
        };
        let mut rows: Vec<(String, String, String)> = Vec::new();
        let mut add = |names: Vec<&str>, write: Write| {
            for name in names {
                rows.push((name.to_owned(), write(name), write(&misspelled(name))));
            }
        };
        add(ROOT.to_vec(), |name| format!("{name} = 1"));
        add(TOOL.to_vec(), |name| format!("[[tools]]\n{name} = 1"));
        add(IGNORED.to_vec(), |name| format!("[[ignore]]\n{name} = 1"));
        add(LEVELS.to_vec(), |name| {
            format!("[levels]\nTL006 = \"{name}\"")
        });
        add(LEVELS.to_vec(), |name| {
            format!("[[tools]]\nlevels = {{ TL006 = \"{name}\" }}")
        });
        let profiles = PROFILES.iter().map(|profile| profile.name).collect();
        add(profiles, |name| format!("profiles = [\"{name}\"]"));
        let codes: Vec<&str> = super::super::code::all().collect();
        add(codes.clone(), |code| format!("[levels]\n{code} = \"off\""));
        add(codes, |code| format!("[[ignore]]\ncode = \"{code}\""));
        for (table, prefix) in [(SCHEMAS, ""), (LIMITS, LIMIT)] {
            for name in settings_of(prefix) {
                let value = first(&format!("{prefix}{name}"));
                let write = |name: &str| format!("[{table}]\n\"{name}\" = {value}");
                for name in [name.to_owned(), name.replace('_', "-")] {
                    rows.push((name.clone(), write(&name), write(&misspelled(&name))));
                }
                let kind = settings::find(&format!("{prefix}{name}")).unwrap().kind();
                if let settings::Kind::Word(words) = kind {
                    for (word, _) in words {
                        let write = |word: &str| format!("[{table}]\n\"{name}\" = {word:?}");
                        rows.push((word.to_owned(), write(word), write(&misspelled(word))));
                    }
                }
            }
        }
        assert!(rows.len() > 300, "{}", rows.len());
        for (name, right, wrong) in rows {
            assert_eq!(told(&right), None, "{right}");
            let told = told(&wrong).unwrap_or_else(|| panic!("accepted: {wrong}"));
            assert!(told.contains("did you mean `"), "{name}: {wrong}: {told}");
        }
    }
}
