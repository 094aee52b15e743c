//! The names of an object's members.

use std::collections::HashSet;

use toolsure_json::Node as _;
use toolsure_syntax::Keyword;
use toolsure_syntax::model::Form;

use super::Focus;
use super::budget::Budget;
use crate::conjunction::{Conjunction, texts};

/// The names of an object's members.
pub(super) struct MemberNames {
    pub(super) list: Vec<String>,
    known: HashSet<String>,
    /// Names that it must not have.
    pub(super) without: Vec<String>,
}

impl MemberNames {
    /// No names yet. `number` and `variant` choose what an object that `not` or a broken keyword is about lacks.
    pub(super) fn new<'g>(
        found: &Conjunction<'g>,
        focus: Focus<'_, 'g>,
        (number, variant): (usize, usize),
    ) -> Self {
        Self {
            list: Vec::new(),
            known: HashSet::new(),
            without: without(found, focus, (number, variant)),
        }
    }

    pub(super) fn add(&mut self, name: &str) {
        if !self.without.iter().any(|one| one == name) && self.known.insert(name.to_owned()) {
            self.list.push(name.to_owned());
        }
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.known.contains(name)
    }

    /// Removes the last names that are not required until there are no more than `most`.
    pub(super) fn keep_at_most(&mut self, most: usize, required: &[&str]) {
        let mut too_many = self.list.len().saturating_sub(most);
        let mut kept = Vec::new();
        for name in self.list.drain(..).rev() {
            if too_many > 0 && !required.contains(&name.as_str()) {
                too_many = too_many.saturating_sub(1);
            } else {
                kept.push(name);
            }
        }
        kept.reverse();
        self.list = kept;
    }
}

/// Names that the object must not have: those that `not` forbids, and the one whose absence is wanted.
fn without<'g>(
    found: &Conjunction<'g>,
    focus: Focus<'_, 'g>,
    (number, variant): (usize, usize),
) -> Vec<String> {
    let required = found.required();
    // An object that lacks one of them is enough; which one differs.
    let missing = |list: Vec<&'g str>| {
        let optional = list.into_iter().filter(|name| !required.contains(name));
        let optional: Vec<&str> = optional.collect();
        let turn = number.checked_rem(optional.len())?;
        optional.get(turn).map(|name| (*name).to_owned())
    };
    let forbidden = forbidden_names(found).into_iter();
    let mut without: Vec<String> = forbidden.filter_map(missing).collect();
    if let Some((sub, entry)) = focus.broken() {
        let names: Vec<&str> = match entry.keyword {
            Keyword::Required => {
                let list = found.view(sub, entry.value);
                list.into_iter().flat_map(texts).collect()
            }
            _ => {
                let lists = found.asked_beside((sub, entry)).into_iter();
                lists.flat_map(|(_, list)| texts(list)).collect()
            }
        };
        let turn = variant.checked_rem(names.len());
        let pick = turn.and_then(|turn| names.get(turn));
        without.extend(pick.map(|name| (*name).to_owned()));
    }
    without
}

/// The lists of members that an object must not have all of, as `not` with `required` asks.
fn forbidden_names<'g>(found: &Conjunction<'g>) -> Vec<Vec<&'g str>> {
    let mut lists = Vec::new();
    let mut todo = found.negated.clone();
    let mut left: usize = 50;
    while let Some(id) = todo.pop() {
        left = match left.checked_sub(1) {
            Some(left) => left,
            None => break,
        };
        let entries = found.model.sub(id).and_then(|sub| found.model.entries(sub));
        for entry in entries.unwrap_or_default() {
            match (&entry.form, entry.keyword) {
                (Form::Literal, Keyword::Required) => {
                    let list = found.view(id, entry.value);
                    lists.push(list.into_iter().flat_map(texts).collect());
                }
                (Form::List(all), Keyword::AnyOf) => todo.extend(all.iter()),
                _ => {}
            }
        }
    }
    lists
}

/// The names of the members that are declared, each once.
pub(super) fn declared<'g>(budget: &Budget, found: &Conjunction<'g>) -> Vec<&'g str> {
    let mut names = Vec::new();
    let mut known = HashSet::new();
    for (sub, entry) in &found.entries {
        let Form::Map(map) = &entry.form else {
            continue;
        };
        if entry.keyword != Keyword::Properties {
            continue;
        }
        budget.look(map.len());
        for (key, _) in map {
            if let Some(key) = found.view(*sub, *key)
                && known.insert(key.string())
            {
                names.push(key.string());
            }
        }
    }
    names
}
