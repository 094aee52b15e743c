//! The scalars in two schemas, which show where edge cases are.

use std::collections::{BTreeSet, HashSet};

use toolsure_json::{Key as _, Kind, Node as _, View};

use super::text::from_pattern;

/// The scalars in the two schemas, and neighbouring values.
#[derive(Debug, Default)]
pub(super) struct Pool {
    pub(super) strings: BTreeSet<String>,
    pub(super) numbers: BTreeSet<String>,
    pub(super) lengths: BTreeSet<usize>,
    /// Lengths of strings only, and the next ones: beyond what an array or an object may have.
    pub(super) text_lengths: BTreeSet<usize>,
    pub(super) names: BTreeSet<String>,
}

impl Pool {
    /// Collects scalars from a schema document.
    pub(super) fn add(&mut self, root: View<'_>) {
        let mut todo = vec![root];
        // A schema may have the same pattern in many places.
        let mut patterns = HashSet::new();
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
                            keep(&mut self.names, || Some(name.text().to_owned()));
                        }
                    }
                    "patternProperties" => {
                        for (pattern, _) in value.members() {
                            keep(&mut self.names, || from_pattern(pattern.text()));
                        }
                    }
                    "description" | "title" | "$ref" | "$schema" | "$comment" | "required"
                    | "type" => continue,
                    "pattern" if patterns.insert(value.raw()) => {
                        keep(&mut self.strings, || from_pattern(value.string()));
                    }
                    "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties"
                    | "maxProperties" => {
                        let count = value
                            .number()
                            .as_u64()
                            .and_then(|count| usize::try_from(count).ok());
                        let long = count.filter(|count| (LONGEST..=LONGEST_TEXT).contains(count));
                        if let Some(count) = long.filter(|_| key.text().ends_with("Length")) {
                            self.text_lengths.extend([count, count.saturating_add(1)]);
                        }
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
                    keep(&mut self.strings, || Some(view.string().to_owned()));
                }
                Kind::Number if view.raw().len() < 40 => {
                    let whole = || view.number().as_i64();
                    keep(&mut self.numbers, || Some(view.raw().to_owned()));
                    keep(&mut self.numbers, || {
                        Some(whole()?.saturating_sub(1).to_string())
                    });
                    keep(&mut self.numbers, || {
                        Some(whole()?.saturating_add(1).to_string())
                    });
                    keep(&mut self.numbers, || Some(format!("{}.5", whole()?)));
                }
                _ => {}
            }
        }
    }
}

/// Keeps the result of `make` if there is room; a large schema has far more scalars than are kept.
fn keep<T: Ord>(set: &mut BTreeSet<T>, make: impl FnOnce() -> Option<T>) {
    if set.len() < MOST_KEPT {
        set.extend(make());
    }
}

/// Values of a schema that are visited.
const LOOKED_AT: usize = 100_000;
/// Scalars of each kind that are kept.
pub(super) const MOST_KEPT: usize = 80;
/// The maximum number of characters, items and members of an instance.
pub(super) const LONGEST: usize = 2_000;
/// The maximum number of characters of a string that a bound asks for.
const LONGEST_TEXT: usize = 20_000;
