//! Values of earlier results that are arguments of other tools: an id that a list returned.

use std::collections::BTreeMap;

use toolsure_json::{Key as _, Kind, Node as _, View};

use super::edges::{members, written};
use super::plan::{Call, Plan};

/// The scalars of results so far, by the names of their members.
#[derive(Debug, Default)]
pub struct Links {
    /// By normalised name: JSON texts, each once, the first few.
    values: BTreeMap<String, Vec<String>>,
}

impl Links {
    /// Keeps the scalars of a result of a tool.
    pub fn add(&mut self, tool: &str, result: View<'_>) {
        let mut todo = vec![result];
        let mut left = MOST_VISITED;
        while let Some(value) = todo.pop() {
            for (key, member) in value.members() {
                left = match left.checked_sub(1) {
                    Some(left) => left,
                    None => return,
                };
                match member.kind() {
                    Kind::String | Kind::Number if member.raw().len() <= LONGEST => {
                        self.keep(normalised(key.text()), member.raw());
                        if key.text() == "id" {
                            // `list_orders` returns orders, whose ids are `orderId` elsewhere.
                            for word in words(tool) {
                                self.keep(format!("{word}id"), member.raw());
                            }
                        }
                    }
                    Kind::Object | Kind::Array => todo.push(member),
                    _ => {}
                }
            }
            let inner = value.items().take(MOST_ITEMS);
            todo.extend(inner.filter(|item| matches!(item.kind(), Kind::Object | Kind::Array)));
        }
    }

    fn keep(&mut self, name: String, raw: &str) {
        let known = self.values.entry(name).or_default();
        if known.len() < MOST_KEPT && !known.iter().any(|one| one == raw) {
            known.push(raw.to_owned());
        }
    }

    /// Calls of the tool of a plan in which members have values of earlier results, as far as the schema accepts them.
    #[must_use]
    pub fn calls(&self, plan: &Plan, base: &Call) -> Vec<Call> {
        let Some(all) = members(&base.arguments) else {
            return Vec::new();
        };
        let mut calls = Vec::new();
        for turn in 0..MOST_KEPT {
            let mut changed = all.clone();
            let mut names = Vec::new();
            for (name, value) in &mut changed {
                if plan.pinned.contains(name) {
                    continue;
                }
                let known = self.values.get(&normalised(name));
                if let Some(other) = known.and_then(|known| known.get(turn))
                    && other != value
                {
                    other.clone_into(value);
                    names.push(format!("`{name}`"));
                }
            }
            let arguments = written(&changed);
            if !names.is_empty() && plan.accepts(&arguments) {
                let covers = format!("{} of an earlier result", names.join(", "));
                calls.push(Call::valid(arguments, covers));
            }
        }
        calls
    }
}

/// A name without case and separators.
fn normalised(name: &str) -> String {
    let letters = name.chars().filter(|c| c.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}

/// The words of a tool's name, in the singular.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = vec![String::new()];
    for c in name.chars() {
        if !c.is_alphanumeric() || c.is_uppercase() {
            words.push(String::new());
        }
        if c.is_alphanumeric()
            && let Some(last) = words.last_mut()
        {
            last.extend(c.to_lowercase());
        }
    }
    words.retain(|word| word.len() > 2);
    let singular = |word: String| word.strip_suffix('s').map_or(word.clone(), str::to_owned);
    words.into_iter().map(singular).collect()
}

const MOST_VISITED: usize = 2_000;
const MOST_ITEMS: usize = 20;
/// Values of one name that are kept.
const MOST_KEPT: usize = 2;
/// Bytes of a value.
const LONGEST: usize = 300;
