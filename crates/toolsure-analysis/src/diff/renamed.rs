//! Tools that went while an equal one with another name came.

use std::collections::HashMap;
use std::ops::ControlFlow;

use toolsure_json::{Key as _, Node as _, Unmetered, View, hash_bytes, hash_value};

use crate::equality::equal_values;

/// The tools that were probably renamed: the old index, and the new one. Only a pair that could not be any
/// other is taken: one tool went, and one that differs only in its name came.
pub(super) fn renamed<'a>(
    gone: impl Iterator<Item = (usize, View<'a>)>,
    came: impl Iterator<Item = (usize, View<'a>)>,
) -> HashMap<usize, usize> {
    let (gone, came) = (by_content(gone), by_content(came));
    let mut pairs = HashMap::new();
    for (content, old) in &gone {
        if let ([(index, tool)], Some([(at, other)])) =
            (old.as_slice(), came.get(content).map(Vec::as_slice))
            && is_equal(*tool, *other)
        {
            pairs.insert(*index, *at);
        }
    }
    pairs
}

fn by_content<'a>(
    tools: impl Iterator<Item = (usize, View<'a>)>,
) -> HashMap<u64, Vec<(usize, View<'a>)>> {
    let mut all: HashMap<u64, Vec<(usize, View<'a>)>> = HashMap::new();
    for (index, tool) in tools {
        // Equal contents have equal sums, in any order of the members.
        let sum = contents(tool).fold(0_u64, |sum, (name, value)| {
            let name = hash_bytes(name.as_bytes());
            let value = match hash_value(value, &mut Unmetered) {
                ControlFlow::Continue(hash) => hash,
                ControlFlow::Break(never) => match never {},
            };
            sum.wrapping_add(name.rotate_left(1) ^ value)
        });
        all.entry(sum).or_default().push((index, tool));
    }
    all
}

/// The members of a tool, except its name.
fn contents<'a>(tool: View<'a>) -> impl Iterator<Item = (&'a str, View<'a>)> {
    let members = tool.members().map(|(key, value)| (key.text(), value));
    members.filter(|(name, _)| *name != "name")
}

fn is_equal(one: View<'_>, other: View<'_>) -> bool {
    contents(one).count() == contents(other).count()
        && contents(one).all(|(name, value)| {
            let same = other.member(name);
            same.is_some_and(|same| equal_values(value, same))
        })
}
