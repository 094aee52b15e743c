//! Copies the targets of references to where a reader takes references to, such as `#/$defs/`.

use std::collections::{HashMap, HashSet};

use toolsure_json::pointer;
use toolsure_syntax::Dialect;
use toolsure_syntax::positions::{SubschemaLayout, layout_in};

use super::reference::follow;
use super::report::Refusal;
use super::tree::{Json, Members};

/// Makes each reference of a schema begin with `start`, which is `#/`, a keyword and `/`; returns whether
/// anything changed. At most `size` values are copied.
pub(super) fn relocate(root: &mut Json, start: &str, size: usize) -> Result<bool, Refusal> {
    let Some(keyword) = start
        .strip_prefix("#/")
        .and_then(|rest| rest.strip_suffix('/'))
    else {
        return Ok(false);
    };
    let source = root.clone();
    let known = source.as_object().map_or(&[][..], |own| own.map(keyword));
    let mut moved = Moved {
        source: &source,
        start,
        taken: known.iter().map(|(name, _)| name.clone()).collect(),
        names: HashMap::new(),
        todo: Vec::new(),
    };
    moved.schema(root);
    let mut definitions = Vec::new();
    let mut left = size;
    while let Some((name, target)) = moved.todo.pop() {
        let mut copy = target.clone();
        if let Json::Object(own) = &mut copy {
            // References into them are moved by themselves.
            own.list.retain(|(name, _)| !defines(name));
        }
        left = left.checked_sub(copy.size()).ok_or(Refusal::TooLarge {
            limit: "values",
            allowed: size,
        })?;
        moved.schema(&mut copy);
        definitions.push((name, copy));
    }
    let changes = !definitions.is_empty();
    if let (Json::Object(own), true) = (root, changes) {
        match own.get_mut(keyword) {
            Some(Json::Object(map)) => map.list.extend(definitions),
            _ => own.set(keyword, Json::Object(Members::of(definitions))),
        }
    }
    Ok(changes)
}

/// Whether a schema has a reference that does not begin with `start`.
pub(super) fn refers_elsewhere(mut schema: Json, start: &str) -> bool {
    let mut elsewhere = false;
    each_reference(&mut schema, &mut |reference| {
        elsewhere |= !reference.starts_with(start);
    });
    elsewhere
}

/// Calls `hear` with each reference of a schema and of all below it.
fn each_reference(schema: &mut Json, hear: &mut impl FnMut(&mut String)) {
    let Json::Object(members) = schema else {
        return;
    };
    if let Some(Json::Text(reference)) = members.get_mut("$ref") {
        hear(reference);
    }
    for (keyword, value) in &mut members.list {
        let layout = match defines(keyword) {
            true => Some(SubschemaLayout::Map),
            false => layout_in(Dialect::Draft202012, keyword),
        };
        match (layout, value) {
            (Some(SubschemaLayout::Map), Json::Object(map)) => {
                let all = map.list.iter_mut();
                all.for_each(|(_, one)| each_reference(one, hear));
            }
            (Some(SubschemaLayout::Schemas), Json::Array(list)) => {
                list.iter_mut().for_each(|one| each_reference(one, hear));
            }
            (Some(SubschemaLayout::Schemas), one) => each_reference(one, hear),
            _ => {}
        }
    }
}

struct Moved<'s> {
    /// The schema before the change.
    source: &'s Json,
    start: &'s str,
    /// The names of definitions that are taken.
    taken: HashSet<String>,
    /// The new name of each target, by its reference.
    names: HashMap<String, String>,
    /// Targets that are still to be copied, by their new names.
    todo: Vec<(String, &'s Json)>,
}

impl Moved<'_> {
    /// Rewrites the references of a schema and of all below it.
    fn schema(&mut self, schema: &mut Json) {
        each_reference(schema, &mut |reference| {
            if !reference.starts_with(self.start)
                && let Some(new) = self.moved(reference)
            {
                *reference = new;
            }
        });
    }

    /// The reference that takes the place of another; `None` if that has no target.
    fn moved(&mut self, reference: &str) -> Option<String> {
        if !self.names.contains_key(reference) {
            let target = follow(self.source, reference)?;
            let last = reference.rsplit(['/', '#']).next().unwrap_or_default();
            let plain = last
                .chars()
                .filter(|c| c.is_ascii_alphanumeric() || *c == '_');
            let mut name: String = plain.collect();
            if name.is_empty() {
                name.push_str("root");
            }
            let stem = name.clone();
            let mut number = 1_usize;
            while !self.taken.insert(name.clone()) {
                number = number.saturating_add(1);
                name = format!("{stem}_{number}");
            }
            self.todo.push((name.clone(), target));
            self.names.insert(reference.to_owned(), name);
        }
        let mut moved = self.start.trim_end_matches('/').to_owned();
        pointer::push(&mut moved, self.names.get(reference)?);
        Some(moved)
    }
}

fn defines(keyword: &str) -> bool {
    matches!(keyword, "$defs" | "definitions")
}
