//! Keeps a projected schema within the sizes that a reader takes: the largest enums become sentences.

use std::cmp::Reverse;
use std::collections::HashSet;

use toolsure_json::pointer;
use toolsure_syntax::Dialect;
use toolsure_syntax::positions::{SubschemaLayout, layout_in};

use super::abilities::Abilities;
use super::limits::Limits;
use super::report::{Refusal, StepKind};
use super::rewrite::{Effect, Log, say};
use super::tree::{Form, Json, Members};
use super::words;
use crate::readers::{LONG_ENUM, Limit};

/// What a schema has of what a reader limits.
#[derive(Default)]
struct Sizes {
    properties: usize,
    levels: usize,
    /// The characters of names and of constants.
    text: usize,
    enums: Vec<Enum>,
}

/// An `enum`.
struct Enum {
    pointer: String,
    members: usize,
    /// The characters of its strings.
    text: usize,
}

/// Replaces enums by sentences, the largest first, until the others are within the limits of the reader.
pub(super) fn drop_large_enums(
    abilities: &Abilities,
    limits: &Limits,
    tree: &mut Json,
    log: &mut Log,
    pointer: &str,
) {
    if abilities.budgets.is_empty() {
        return;
    }
    let mut sizes = Sizes::of(tree, pointer);
    // Null may be added to each of them.
    for one in &mut sizes.enums {
        one.members = one.members.saturating_add(1);
    }
    let mut enums = std::mem::take(&mut sizes.enums);
    let most = |pick: fn(Limit) -> Option<usize>| {
        let own = abilities.budgets.iter().copied().find_map(pick);
        own.unwrap_or(usize::MAX)
    };
    let members = most(|limit| match limit {
        Limit::EnumMembers(most) => Some(most),
        _ => None,
    });
    let text = most(|limit| match limit {
        Limit::Text(most) => Some(most),
        _ => None,
    });
    let long = most(|limit| match limit {
        Limit::EnumText(most) => Some(most),
        _ => None,
    });
    let fits = |one: &Enum| one.members <= LONG_ENUM || one.text <= long;
    // Those that do not fit alone, then the largest.
    enums.sort_by_key(|one| (fits(one), Reverse((one.members, one.text))));
    let sum = |of: fn(&Enum) -> usize| enums.iter().map(of).fold(0, usize::saturating_add);
    let (mut all_members, mut all_text) = (sum(|one| one.members), sum(|one| one.text));
    let mut gone = HashSet::new();
    for one in enums {
        if fits(&one) && all_members <= members && all_text.saturating_add(sizes.text) <= text {
            break;
        }
        all_members = all_members.saturating_sub(one.members);
        all_text = all_text.saturating_sub(one.text);
        gone.insert(one.pointer);
    }
    if !gone.is_empty() {
        visit(tree, &mut pointer.to_owned(), 0, &mut |members, at, _| {
            if gone.contains(at)
                && let Some(values) = members.take("enum")
            {
                let sentence = words::of("enum", &values, members);
                say(members, &sentence, limits);
                log.step(StepKind::Describe, Effect::Either, at, "enum");
            }
        });
    }
}

/// The first limit of the reader that a published schema exceeds, as a refusal.
pub(super) fn check(abilities: &Abilities, published: &mut Json) -> Result<(), Refusal> {
    if abilities.budgets.is_empty() {
        return Ok(());
    }
    match Sizes::of(published, "").over(&abilities.budgets) {
        None => Ok(()),
        Some((limit, found)) => Err(Refusal::Budget { limit, found }),
    }
}

impl Sizes {
    fn of(tree: &mut Json, pointer: &str) -> Self {
        let mut sizes = Self::default();
        visit(
            tree,
            &mut pointer.to_owned(),
            0,
            &mut |members, at, level| {
                sizes.add(members, at, level);
            },
        );
        sizes
    }

    fn add(&mut self, members: &Members, at: &str, level: usize) {
        self.levels = self.levels.max(level);
        self.properties = self
            .properties
            .saturating_add(members.map("properties").len());
        for keyword in ["properties", "$defs", "definitions"] {
            for (name, _) in members.map(keyword) {
                self.text = self.text.saturating_add(name.chars().count());
            }
        }
        if let Some(text) = members.text("const") {
            self.text = self.text.saturating_add(text.chars().count());
        }
        if let Some(list) = members.get("enum") {
            let texts = list.texts().map(|text| text.chars().count());
            self.enums.push(Enum {
                pointer: at.to_owned(),
                members: list.items().len(),
                text: texts.fold(0, usize::saturating_add),
            });
        }
    }

    /// A limit that is exceeded, and what was found of it.
    fn over(&self, budgets: &[Limit]) -> Option<(Limit, usize)> {
        let sum = |of: fn(&Enum) -> usize| self.enums.iter().map(of).fold(0, usize::saturating_add);
        let long = self.enums.iter().filter(|one| one.members > LONG_ENUM);
        let longest = long.map(|one| one.text).max().unwrap_or_default();
        budgets.iter().find_map(|limit| {
            let (found, most) = match *limit {
                Limit::Properties(most) => (self.properties, most),
                Limit::Depth(most) => (self.levels, most),
                Limit::EnumMembers(most) => (sum(|one| one.members), most),
                Limit::EnumText(most) => (longest, most),
                Limit::Text(most) => (self.text.saturating_add(sum(|one| one.text)), most),
                _ => return None,
            };
            (found > most).then_some((*limit, found))
        })
    }
}

/// Calls `act` for each schema of a tree, with its pointer and its level of properties.
///
/// The tree has been rewritten, so it is not deeper than a projection allows.
fn visit(
    schema: &mut Json,
    at: &mut String,
    level: usize,
    act: &mut impl FnMut(&mut Members, &str, usize),
) {
    let Json::Object(members) = schema else {
        return;
    };
    act(members, at, level);
    if matches!(members.coding.form, Form::JsonText(_)) {
        return;
    }
    let length = at.len();
    for (keyword, value) in &mut members.list {
        let Some(holds) = layout_in(Dialect::Draft202012, keyword) else {
            continue;
        };
        pointer::push(at, keyword);
        let inner = at.len();
        match (holds, value) {
            (SubschemaLayout::Map, Json::Object(map)) => {
                let level = level.saturating_add(usize::from(keyword == "properties"));
                for (name, one) in &mut map.list {
                    pointer::push(at, name);
                    visit(one, at, level, act);
                    at.truncate(inner);
                }
            }
            (SubschemaLayout::Schemas, Json::Array(list)) => {
                for (index, one) in list.iter_mut().enumerate() {
                    pointer::push(at, &index.to_string());
                    visit(one, at, level, act);
                    at.truncate(inner);
                }
            }
            (SubschemaLayout::Schemas, one) => visit(one, at, level, act),
            _ => {}
        }
        at.truncate(length);
    }
}
