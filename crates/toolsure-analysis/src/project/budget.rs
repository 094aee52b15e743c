//! Keeps a projected schema within the sizes that a reader takes: the largest enums become sentences.

use std::collections::HashSet;

use super::abilities::Abilities;
use super::limits::Limits;
use super::report::{Refusal, StepKind};
use super::rewrite::{Effect, Log, say};
use super::tree::{Form, Json, WRAPPED, visit};
use super::words;
use crate::readers::Limit;
use crate::sizes::{EnumSize, NAMED, Sizes};

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
    let mut enums = Vec::new();
    let mut kept = sizes(tree, pointer, &mut |at, mut own| {
        // Null may be added to it.
        own.members = own.members.saturating_add(1);
        enums.push((own, at.to_owned()));
    });
    enums.sort();
    let mut gone = HashSet::new();
    for (own, at) in enums {
        let mut with = kept;
        with.add_enum(own);
        match over(abilities, &with) {
            None => kept = with,
            Some(_) => {
                gone.insert(at);
            }
        }
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

/// Refuses a published schema that exceeds a limit of the reader.
pub(super) fn check(abilities: &Abilities, published: &mut Json) -> Result<(), Refusal> {
    if abilities.budgets.is_empty() {
        return Ok(());
    }
    let mut enums = Vec::new();
    let mut all = sizes(published, "", &mut |_, own| enums.push(own));
    enums.into_iter().for_each(|own| all.add_enum(own));
    match over(abilities, &all) {
        None => Ok(()),
        Some((limit, found)) => Err(Refusal::Budget { limit, found }),
    }
}

/// The first limit that is exceeded, and what was found.
fn over(abilities: &Abilities, sizes: &Sizes) -> Option<(Limit, usize)> {
    abilities.budgets.iter().find_map(|limit| {
        let (found, _, _) = sizes.over(*limit)?;
        Some((*limit, found))
    })
}

/// The sizes of a schema without its enums, which `each` gets.
fn sizes(tree: &mut Json, pointer: &str, each: &mut impl FnMut(&str, EnumSize)) -> Sizes {
    let mut sizes = Sizes::default();
    visit(
        tree,
        &mut pointer.to_owned(),
        0,
        &mut |members, at, level| {
            sizes.add_level(level);
            match members.coding.form {
                Form::JsonText(_) => return,
                Form::Wrapped(_) => {
                    sizes.add_level(level.saturating_add(1));
                    sizes.add_properties(1);
                    sizes.add_text(WRAPPED);
                    return;
                }
                _ => {}
            }
            sizes.add_properties(members.map("properties").len());
            for keyword in NAMED {
                let names = members.map(keyword).iter();
                names.for_each(|(name, _)| sizes.add_text(name));
            }
            if let Some(text) = members.text("const") {
                sizes.add_text(text);
            }
            if let Some(list) = members.get("enum") {
                each(at, EnumSize::of(list.items().len(), list.texts()));
            }
        },
    );
    sizes
}
