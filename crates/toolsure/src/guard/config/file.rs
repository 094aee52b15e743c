//! Reads settings from TOML text. Every key must be known, and every problem has its place.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use toml::Spanned;
use toml::de::{DeTable, DeValue};
use toolsure_json::quote;
use toolsure_schema::closest;

use super::caller_rule::CallerRule;
use super::keys::{self, CALLER, Key, TOOL, UPSTREAM};
use super::no_effect;
use super::place::{Place, SHOWN, Shows};
use super::problem::Problem;
use super::settings::Config;
use super::slot::Raw;
use super::tool_rule::ToolRule;
use super::upstream::Upstream;

/// Applies the settings of a TOML text to `config`; relative paths start at `folder`.
///
/// Returns every problem, so that one run shows all of them. TOML that does not parse has one.
pub(super) fn apply(config: &mut Config, text: &str, folder: &Path) -> Vec<Problem> {
    let root = match DeTable::parse(text) {
        Ok(root) => root,
        Err(error) => {
            let end = text.len();
            let span = error.span().unwrap_or(end..end);
            let message = quote(error.message(), MESSAGE).to_string();
            return vec![Problem::new(Place::File(span, Shows::NoValue), message)];
        }
    };
    let mut reader = Reader {
        folder,
        problems: Vec::new(),
        written: BTreeMap::new(),
    };
    reader.root(config, root.get_ref());
    config.written = reader.written;
    // The parser sorts keys, but people read from top to bottom.
    reader.problems.sort_by_key(|problem| match &problem.place {
        Place::File(span, _) => span.start,
        _ => usize::MAX,
    });
    reader.problems
}

/// Parses text as one TOML value, for lists and tables that are given outside of a file.
pub(super) fn value(text: &str) -> Option<Raw> {
    let parsed = DeValue::parse(text).ok()?;
    Some(raw(parsed.get_ref()))
}

struct Reader<'a> {
    folder: &'a Path,
    problems: Vec<Problem>,
    /// The keys that were set in sections.
    written: BTreeMap<&'static str, Place>,
}

impl Reader<'_> {
    fn root(&mut self, config: &mut Config, root: &DeTable<'_>) {
        for (key, value) in root {
            let name: &str = key.get_ref();
            match name {
                "upstreams" => self.upstreams(config, value),
                "tools" => self.tools(config, value),
                "callers" => self.callers(config, value),
                _ if keys::sections().any(|section| section == name) => {
                    if let Some(table) = self.table(value) {
                        self.keys(config, table, keys::global(), &format!("{name}."));
                    }
                }
                _ => {
                    let known = keys::sections().chain(["upstreams", "tools", "callers"]);
                    self.unknown("section", name, key.span(), known);
                }
            }
        }
    }

    fn upstreams(&mut self, config: &mut Config, value: &Spanned<DeValue<'_>>) {
        let Some(upstreams) = self.table(value) else {
            return;
        };
        for (key, value) in upstreams {
            let name: &str = key.get_ref();
            if let Err(why) = Upstream::check_name(name) {
                self.fault(key.span(), Shows::Key, why);
                continue;
            }
            if let Some(table) = self.table(value) {
                let mut upstream = Upstream::default();
                self.keys(&mut upstream, table, UPSTREAM.iter(), "");
                upstream.place = Some(key.span());
                config.upstreams.insert(name.to_owned(), upstream);
            }
        }
    }

    fn tools(&mut self, config: &mut Config, value: &Spanned<DeValue<'_>>) {
        for (span, table) in self.rules("tools", value) {
            let mut read = ToolRule {
                place: span.clone(),
                ..ToolRule::default()
            };
            self.keys(&mut read, table, TOOL.iter(), "");
            self.problems.extend(no_effect::tool_rule(span, table));
            config.tools.push(read);
        }
    }

    fn callers(&mut self, config: &mut Config, value: &Spanned<DeValue<'_>>) {
        for (span, table) in self.rules("callers", value) {
            let mut read = CallerRule {
                place: span,
                ..CallerRule::default()
            };
            self.keys(&mut read, table, CALLER.iter(), "");
            self.problems.extend(no_effect::rate_of_rule(table));
            config.callers.push(read);
        }
    }

    /// The tables of a list of rules.
    fn rules<'v, 'i>(
        &mut self,
        name: &str,
        value: &'v Spanned<DeValue<'i>>,
    ) -> Vec<(Range<usize>, &'v DeTable<'i>)> {
        let Some(rules) = value.get_ref().as_array() else {
            let found = value.get_ref().type_str();
            let message = format!("expected `[[{name}]]`, a list of tables, found {found}");
            self.fault(value.span(), Shows::NoValue, message);
            return Vec::new();
        };
        let tables = rules.iter().map(|rule| (rule.span(), self.table(rule)));
        let tables = tables.filter_map(|(span, table)| Some((span, table?)));
        tables.collect()
    }

    /// Reads the keys of one table; their names in `known` begin with `prefix`.
    fn keys<T: 'static>(
        &mut self,
        target: &mut T,
        table: &DeTable<'_>,
        known: impl Iterator<Item = &'static Key<T>> + Clone,
        prefix: &str,
    ) {
        for (key, value) in table {
            let name: &str = key.get_ref();
            let Some(found) = known
                .clone()
                .find(|known| known.name.strip_prefix(prefix) == Some(name))
            else {
                // `[schemas.limits]` has the keys `schemas.limits.…`.
                let inner = format!("{prefix}{name}.");
                if known.clone().any(|known| known.name.starts_with(&inner)) {
                    if let Some(table) = self.table(value) {
                        self.keys(target, table, known.clone(), &inner);
                    }
                    continue;
                }
                let names = known
                    .clone()
                    .filter_map(|known| known.name.strip_prefix(prefix));
                // Keys of tables in this one, and these tables.
                let tables = names
                    .clone()
                    .filter_map(|name| Some(name.split_once('.')?.0));
                self.unknown("key", name, key.span(), names.chain(tables));
                continue;
            };
            if !prefix.is_empty() {
                let place = Place::File(key.span(), Shows::Key);
                self.written.insert(found.name, place);
            }
            if let Err(why) = found.slot.put(target, raw(value.get_ref()), self.folder) {
                let shows = match found.slot.is_secret() {
                    true => Shows::NoValue,
                    false => Shows::Value,
                };
                self.fault(value.span(), shows, format!("`{name}`: {why}"));
            }
        }
    }

    fn table<'v, 'i>(&mut self, value: &'v Spanned<DeValue<'i>>) -> Option<&'v DeTable<'i>> {
        let table = value.get_ref().as_table();
        if table.is_none() {
            let found = value.get_ref().type_str();
            let message = format!("expected a table, found {found}");
            self.fault(value.span(), Shows::NoValue, message);
        }
        table
    }

    fn unknown<'k>(
        &mut self,
        what: &str,
        name: &str,
        span: Range<usize>,
        known: impl Iterator<Item = &'k str>,
    ) {
        let known: Vec<&str> = known.collect();
        let message = format!("there is no {what} `{}`", quote(name, SHOWN));
        let problem = Problem::new(Place::File(span, Shows::Key), message);
        self.problems
            .push(match closest(name, known.iter().copied()) {
                Some(word) => problem.meant(Some(word)),
                None => problem.with_help(format!("known here: {}", known.join(", "))),
            });
    }

    fn fault(&mut self, span: Range<usize>, shows: Shows, message: String) {
        let problem = Problem::new(Place::File(span, shows), message);
        self.problems.push(problem);
    }
}

/// A TOML value in one of the forms that keys accept.
fn raw(value: &DeValue<'_>) -> Raw {
    let what = value.type_str();
    match value {
        DeValue::String(text) => Raw::Text(text.clone().into_owned()),
        DeValue::Integer(number) if number.radix() == 10 => {
            Raw::Integer(number.as_str().to_owned())
        }
        DeValue::Boolean(flag) => Raw::Flag(*flag),
        DeValue::Array(items) => items
            .iter()
            .map(|item| item.get_ref().as_str().map(str::to_owned))
            .collect::<Option<_>>()
            .map_or(Raw::Other("a list of other things"), Raw::Texts),
        DeValue::Table(table) => table
            .iter()
            .map(|(key, value)| {
                let text = value.get_ref().as_str()?;
                Some((key.get_ref().clone().into_owned(), text.to_owned()))
            })
            .collect::<Option<_>>()
            .map_or(Raw::Other("a table of other things"), Raw::Pairs),
        _ => Raw::Other(what),
    }
}
/// Maximum characters of a message of the TOML parser.
const MESSAGE: usize = 200;
