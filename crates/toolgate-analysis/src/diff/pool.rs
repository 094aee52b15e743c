//! The scalars that stand in two schemas: where edges are.

use std::collections::BTreeSet;

use toolgate_json::{Key as _, Kind, Node as _, View};

use super::text::from_pattern;

/// Scalars that stand in the two schemas, and their neighbours: where edges are.
#[derive(Debug, Default)]
pub(super) struct Pool {
    pub(super) strings: BTreeSet<String>,
    pub(super) numbers: BTreeSet<String>,
    pub(super) lengths: BTreeSet<usize>,
    pub(super) names: BTreeSet<String>,
}

impl Pool {
    /// Collects from a schema document.
    pub(super) fn add(&mut self, root: View<'_>) {
        let mut todo = vec![root];
        let mut left = LOOKED_AT;
        while let Some(view) = todo.pop() {
            left = match left.checked_sub(1) {
                Some(left) => left,
                None => return,
            };
            for (key, value) in view.members() {
                match key.text() {
                    "properties" => {
                        for (name, _) in value.members() {
                            keep(&mut self.names, name.text().to_owned());
                        }
                    }
                    "patternProperties" => {
                        for (pattern, _) in value.members() {
                            if let Some(name) = from_pattern(pattern.text()) {
                                keep(&mut self.names, name);
                            }
                        }
                    }
                    "description" | "title" | "$ref" | "$schema" | "$comment" | "required"
                    | "type" => continue,
                    "pattern" => {
                        if let Some(text) = from_pattern(value.string()) {
                            keep(&mut self.strings, text);
                        }
                    }
                    "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties"
                    | "maxProperties" => {
                        let count = value
                            .number()
                            .as_u64()
                            .and_then(|count| usize::try_from(count).ok());
                        if let Some(count) = count.filter(|count| *count <= LONGEST) {
                            self.lengths.extend([
                                count.saturating_sub(1),
                                count,
                                count.saturating_add(1),
                            ]);
                        }
                    }
                    _ => {}
                }
                todo.push(value);
            }
            todo.extend(view.items());
            match view.kind() {
                Kind::String if view.raw().len() < 200 => {
                    keep(&mut self.strings, view.string().to_owned())
                }
                Kind::Number if view.raw().len() < 40 => {
                    keep(&mut self.numbers, view.raw().to_owned());
                    if let Some(whole) = view.number().as_i64() {
                        for near in [whole.saturating_sub(1), whole.saturating_add(1)] {
                            keep(&mut self.numbers, near.to_string());
                        }
                        keep(&mut self.numbers, format!("{whole}.5"));
                    }
                }
                _ => {}
            }
        }
    }
}

fn keep<T: Ord>(set: &mut BTreeSet<T>, value: T) {
    if set.len() < MOST_KEPT {
        set.insert(value);
    }
}

/// Values of a schema that are looked at.
const LOOKED_AT: usize = 100_000;
/// Scalars of a kind that are kept.
pub(super) const MOST_KEPT: usize = 80;
/// Characters, items and members that an instance is worth.
pub(super) const LONGEST: usize = 2_000;
