//! Lookaheads that only bound the length of a string.

use std::collections::BTreeMap;

use super::language::{EMPTY, Language, Position, Shortest};
use super::looks::{DEEPEST, LONGEST, without_looks};
use super::print;
use crate::ast::{Assertion, Ast, NO_MAX, Node, NodeId};
use crate::parse::Parsed;

/// A pattern and bounds of a string's length, which together accept the strings of another pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PlainPattern {
    /// The pattern, as [`Pattern::plain`](crate::Pattern::plain) writes it.
    pub text: String,
    /// The minimum number of code points.
    pub min: u64,
    /// The maximum number of code points.
    pub max: Option<u64>,
}

/// What one lookahead asks of the string that begins at it.
struct Bounds {
    /// The class that each code point must have.
    class: NodeId,
    min: u64,
    max: Option<u64>,
}

/// See [`Pattern::plain_with_lengths`](crate::Pattern::plain_with_lengths).
pub(super) fn split(mut own: Parsed, fuel: &mut u64) -> Option<PlainPattern> {
    let Node::Concat(list) = own.ast.node(own.root) else {
        return None;
    };
    let children = own.ast.children(list).to_vec();
    let (start, rest) = children.split_first()?;
    if own.ast.node(*start) != Node::Assert(Assertion::Start) {
        return None;
    }
    let mut bounds = BTreeMap::new();
    for id in rest {
        if !matches!(own.ast.node(*id), Node::Look { behind: false, .. }) {
            break;
        }
        bounds.extend(bounds_of(&own.ast, *id).map(|one| (*id, one)));
    }
    let without = |own: &mut Parsed, bounds: &BTreeMap<NodeId, Bounds>| {
        let kept = children.iter().filter(|id| !bounds.contains_key(id));
        let kept: Vec<NodeId> = kept.copied().collect();
        let list = own.ast.list(&kept);
        own.root = own.ast.push(Node::Concat(list));
    };
    without(&mut own, &bounds);
    // Others stay in the pattern, which then matches less: what holds of it still does.
    keep_lengths(&own, &mut bounds, fuel)?;
    if bounds.is_empty() {
        return None;
    }
    without(&mut own, &bounds);
    let text = match own.ast.facts(own.root).looks {
        true => without_looks(&own, fuel)?,
        false => print::tree(&own.ast, own.root)?,
    };
    let max = bounds.values().filter_map(|one| one.max).min();
    let min = bounds.values().map(|one| one.min).max().unwrap_or(0);
    (text.len() <= LONGEST).then_some(PlainPattern { text, min, max })
}

/// Keeps the bounds that repeat a class that all strings which a pattern matches consist of.
fn keep_lengths(own: &Parsed, bounds: &mut BTreeMap<NodeId, Bounds>, fuel: &mut u64) -> Option<()> {
    let mut trees = vec![(&own.ast, own.root)];
    trees.extend(bounds.values().map(|one| (&own.ast, one.class)));
    let mut language = Language::of(&trees, fuel)?;
    let matched = language.matched(&own.ast, own.root)?;
    let mut other = Vec::new();
    for (id, one) in &*bounds {
        let class = language.node(&own.ast, one.class, Position::Later, EMPTY)?;
        let all = language.star(class)?;
        let beyond = language.without(matched, all)?;
        if language.shortest(beyond, 0)? != Shortest::None {
            other.push(*id);
        }
    }
    bounds.retain(|id, _| !other.contains(id));
    Some(())
}

/// The bounds that a lookahead asks for; `None` if it asks for something else.
fn bounds_of(ast: &Ast, id: NodeId) -> Option<Bounds> {
    let Node::Look {
        behind: false,
        negative,
        child,
    } = ast.node(id)
    else {
        return None;
    };
    let mut class = None;
    let (mut min, mut max, mut ended) = (0_u64, Some(0_u64), false);
    let mut todo = vec![child];
    let mut left = MOST_PARTS;
    while let Some(id) = todo.pop() {
        left -= 1;
        if left == 0 || ended {
            return None;
        }
        let (own, least, most) = match ast.node(id) {
            Node::Concat(list) => {
                todo.extend(ast.children(list).iter().rev());
                continue;
            }
            Node::Capture { child, .. } => {
                todo.push(child);
                continue;
            }
            Node::Assert(Assertion::End) => {
                ended = true;
                continue;
            }
            Node::Class(_) | Node::Char(_) => (id, 1, 1),
            Node::Repeat {
                child, min, max, ..
            } if matches!(ast.node(child), Node::Class(_) | Node::Char(_)) => (child, min, max),
            _ => return None,
        };
        let same = class.is_none_or(|known| is_same(ast, known, own));
        if !same {
            return None;
        }
        class = Some(own);
        min += u64::from(least);
        max = max
            .filter(|_| most != NO_MAX)
            .map(|max| max + u64::from(most));
    }
    // What follows is not bounded.
    let max = max.filter(|_| ended);
    let class = class?;
    let (min, max) = match (negative, min, max) {
        (false, min, max) => (min, max),
        // Not as many, nor more.
        (true, min, None) => (0, Some(min.checked_sub(1)?)),
        // Not as few: one more.
        (true, 0, Some(max)) => (max + 1, None),
        (true, ..) => return None,
    };
    Some(Bounds { class, min, max })
}

fn is_same(ast: &Ast, one: NodeId, other: NodeId) -> bool {
    match (ast.node(one), ast.node(other)) {
        (Node::Class(one), Node::Class(other)) => {
            ast.class(one).ranges() == ast.class(other).ranges()
        }
        (one, other) => one == other,
    }
}

/// Parts of one lookahead.
const MOST_PARTS: usize = DEEPEST;
