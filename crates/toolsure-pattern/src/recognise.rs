//! Patterns that need no automaton: literals, and runs of classes for which greedy matching is
//! exact.

use crate::ast::{Assertion, Ast, NO_MAX, Node, NodeId};
use crate::runs::{Repetition, Runs};
use crate::set::Class;
use toolsure_json::int::to_u64;

/// A pattern matched by a single scan.
#[derive(Debug)]
pub(crate) enum Recogniser {
    /// Every string.
    Anything,
    /// One of these literals; sorted if both ends are anchored.
    Literals {
        literals: Vec<Box<str>>,
        start: bool,
        end: bool,
    },
    /// A character of the class, anywhere.
    Has(Class),
    /// Runs of classes from the start.
    Runs(Runs),
}

impl Recogniser {
    /// The recogniser of a sequence of nodes, if there is one.
    pub(crate) fn of(ast: &Ast, sequence: &[NodeId]) -> Option<Self> {
        let free = sequence.iter().all(|id| {
            let facts = ast.facts(*id);
            facts.nullable && !facts.asserts && !facts.irregular
        });
        if free {
            return Some(Self::Anything);
        }
        let mut items = flatten(ast, sequence)?;
        let start = strip(&mut items, 0, ast, Assertion::Start);
        let last = items.len().saturating_sub(1);
        let end = strip(&mut items, last, ast, Assertion::End);
        literals(ast, &items, start, end)
            .or_else(|| has(ast, &items, start, end))
            .or_else(|| runs(ast, &items, start, end))
    }

    /// Whether the pattern matches; one pass over the haystack.
    pub(crate) fn matches(&self, haystack: &str) -> bool {
        match self {
            Self::Anything => true,
            Self::Literals {
                literals,
                start,
                end,
            } => match (start, end) {
                (true, true) => literals
                    .binary_search_by(|literal| (**literal).cmp(haystack))
                    .is_ok(),
                (true, false) => literals.iter().any(|l| haystack.starts_with(&**l)),
                (false, true) => literals.iter().any(|l| haystack.ends_with(&**l)),
                (false, false) => literals.iter().any(|l| haystack.contains(&**l)),
            },
            Self::Has(class) => {
                let mut chars = haystack.chars();
                chars.any(|c| class.contains(u32::from(c)))
            }
            Self::Runs(runs) => runs.matches(haystack),
        }
    }

    /// The units that each match costs in addition to the pass over the haystack.
    pub(crate) fn surcharge(&self) -> u64 {
        match self {
            Self::Literals {
                literals,
                start,
                end,
            } if start != end => to_u64(literals.len() / 4),
            Self::Runs(runs) => to_u64(runs.len() / 4),
            Self::Anything | Self::Literals { .. } | Self::Has(_) => 0,
        }
    }

    /// The memory held, in bytes.
    pub(crate) fn size(&self) -> usize {
        match self {
            Self::Anything => 0,
            Self::Literals { literals, .. } => literals.iter().map(|l| 16 + l.len()).sum(),
            Self::Has(class) => class.size(),
            Self::Runs(runs) => runs.size(),
        }
    }
}

/// The sequence with groups and concatenations flattened at its top level.
fn flatten(ast: &Ast, sequence: &[NodeId]) -> Option<Vec<NodeId>> {
    let mut out = Vec::with_capacity(sequence.len().max(8));
    let mut todo: Vec<NodeId> = sequence.iter().rev().copied().collect();
    while let Some(id) = todo.pop() {
        match ast.node(id) {
            Node::Empty => {}
            Node::Capture { child, .. } => todo.push(child),
            Node::Concat(list) => todo.extend(ast.children(list).iter().rev()),
            Node::Repeat {
                child,
                min: 1,
                max: 1,
                ..
            } => todo.push(child),
            Node::BackReference { .. } | Node::Look { .. } => return None,
            _ => out.push(id),
        }
    }
    Some(out)
}

/// Removes the assertion at an index, if it is there.
fn strip(items: &mut Vec<NodeId>, at: usize, ast: &Ast, assertion: Assertion) -> bool {
    let found = items
        .get(at)
        .is_some_and(|id| ast.node(*id) == Node::Assert(assertion));
    if found {
        items.remove(at);
    }
    found
}

fn literals(ast: &Ast, items: &[NodeId], start: bool, end: bool) -> Option<Recogniser> {
    let mut literals = Vec::new();
    if let [only] = items
        && let Node::Alternate(list) = ast.node(*only)
    {
        // Without an anchor, every literal would need its own pass.
        if !start && !end {
            return None;
        }
        for child in ast.children(list) {
            literals.push(literal(ast, &flatten(ast, &[*child])?)?);
        }
    } else {
        literals.push(literal(ast, items)?);
    }
    literals.sort_unstable();
    literals.dedup();
    Some(Recogniser::Literals {
        literals,
        start,
        end,
    })
}

fn literal(ast: &Ast, items: &[NodeId]) -> Option<Box<str>> {
    let mut text = String::with_capacity(items.len());
    for id in items {
        match ast.node(*id) {
            Node::Char(c) => text.push(char::from_u32(c)?),
            _ => return None,
        }
    }
    Some(text.into_boxed_str())
}

fn has(ast: &Ast, items: &[NodeId], start: bool, end: bool) -> Option<Recogniser> {
    let [only] = items else {
        return None;
    };
    let (class, min, _) = run(ast, *only)?;
    (!start && !end && min == 1).then_some(Recogniser::Has(class))
}

/// A node that is a run: its class and bounds.
fn run(ast: &Ast, id: NodeId) -> Option<(Class, u32, u32)> {
    let (single, min, max) = match ast.node(id) {
        Node::Repeat {
            child, min, max, ..
        } => (inner(ast, child), min, max),
        node => (node, 1, 1),
    };
    match single {
        Node::Char(c) => Some((Class::single(c), min, max)),
        Node::Class(class) => Some((ast.class(class).clone(), min, max)),
        _ => None,
    }
}

/// The node inside any capturing groups.
fn inner(ast: &Ast, mut id: NodeId) -> Node {
    while let Node::Capture { child, .. } = ast.node(id) {
        id = child;
    }
    ast.node(id)
}

fn runs(ast: &Ast, items: &[NodeId], start: bool, end: bool) -> Option<Recogniser> {
    if !start {
        return None;
    }
    let mut runs: Vec<Repetition> = Vec::with_capacity(items.len());
    for id in items {
        let (class, min, max) = run(ast, *id)?;
        let unbounded = max == NO_MAX;
        let (min, max) = (u64::from(min), u64::from(max));
        let max = if unbounded { u64::MAX } else { max };
        match runs.last_mut() {
            Some(last) if last.class == class => {
                last.min = last.min.saturating_add(min);
                last.max = last.max.saturating_add(max);
            }
            _ => runs.push(Repetition { class, min, max }),
        }
    }
    Runs::of(runs, end).map(Recogniser::Runs)
}
